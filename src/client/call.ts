/** A call: its request, and the same again while that may help. Repeating one never does harm. */
import { HoldfastError } from "./errors.ts";
import { jsonText } from "./json.ts";
import { backoffMs, type ClientDeps, LATE, within } from "./time.ts";
import type { CallOptions } from "./types.ts";
import { checkedRequestId, contentOf, type Send, uuid, type WireRequest } from "./wire.ts";

export interface RetryOptions {
  /** How often a call is tried at most; 5 by default. */
  readonly attempts?: number;
  /** How long a call may take, its waits included; 60,000 ms by default. */
  readonly deadlineMs?: number;
  /** After how long without the whole answer an attempt is given up; 20,000 ms by default. */
  readonly attemptMs?: number;
}

/** The service ends what it does for one request after 15 s by itself. */
const ATTEMPT_MS = 20_000;
const ATTEMPTS = 5;
export const DEADLINE_MS = 60_000;

const BACKOFF_BASE_MS = 200;
const BACKOFF_CAP_MS = 5_000;

/** What is sent of a call; its body as a value. */
export interface CallRequest extends Pick<WireRequest, "method" | "path"> {
  readonly body?: unknown;
}

/**
 * The answer's content. Throws HoldfastError; the signal's reason once that is aborted. What the caller
 * names as T is not checked: it is the route's answer.
 */
export type Call = <T>(request: CallRequest, options?: CallOptions) => Promise<T>;

export function caller(send: Send, retry: RetryOptions, deps: ClientDeps): Call {
  const { attempts = ATTEMPTS, deadlineMs = DEADLINE_MS, attemptMs = ATTEMPT_MS } = retry;

  async function attempted(request: WireRequest, ms: number, signal?: AbortSignal) {
    const { requestId } = request;
    try {
      const content = await within(deps, Math.min(ms, attemptMs), signal, async (inner) =>
        contentOf(await send(request, inner), requestId),
      );
      return { content, error: null };
    } catch (error) {
      signal?.throwIfAborted();
      return { content: null, error: failureOf(error, requestId) };
    }
  }

  return async <T>({ body, ...request }: CallRequest, options: CallOptions = {}) => {
    const { signal, timeoutMs = deadlineMs, attempts: most = attempts } = options;
    const requestId = checkedRequestId(options.requestId ?? uuid());
    const sent = { ...request, requestId, body: jsonText(body) };
    const endAt = deps.now() + timeoutMs;
    for (let attempt = 1; ; attempt += 1) {
      const { content, error } = await attempted(sent, endAt - deps.now(), signal);
      if (error === null) return content as T;
      const waitMs = (error.retryAfterMs ?? 0) + retryBackoffMs(attempt, deps);
      const isOver = attempt >= most || deps.now() + waitMs >= endAt;
      if (isOver || !mayPass(error)) throw error;
      await deps.sleep(waitMs, signal);
    }
  };
}

/** The wait before attempt `attempt + 1` where the service asks for none. */
export function retryBackoffMs(attempt: number, deps: ClientDeps): number {
  return backoffMs(attempt, deps.random(), BACKOFF_BASE_MS, BACKOFF_CAP_MS);
}

/** What was thrown on the way to an answer. */
export function failureOf(error: unknown, requestId: string): HoldfastError {
  if (error instanceof HoldfastError) return error;
  const isLate = error === LATE;
  const code = isLate ? "timeout" : "network";
  const detail = isLate ? "no whole answer came in time" : `no whole answer came${causeOf(error)}`;
  return new HoldfastError({ code, status: null, detail, requestId });
}

/** The system's code, such as ECONNREFUSED: whatever else `fetch` says may repeat the address, and so a key. */
function causeOf(error: unknown): string {
  const cause: unknown = error instanceof Error ? error.cause : null;
  if (typeof cause !== "object" || cause === null || !("code" in cause)) return "";
  return /^[A-Z_]+$/.test(String(cause.code)) ? `: ${cause.code}` : "";
}

/** Whether the same request may fare better later. */
export function mayPass({ code, status }: HoldfastError): boolean {
  if (status === null) return code === "network" || code === "timeout";
  if (status === 429 || status === 503) return code !== "misconfigured";
  // A gateway that had no answer from the service.
  return code === "unexpected_answer" && (status === 502 || status === 504);
}
