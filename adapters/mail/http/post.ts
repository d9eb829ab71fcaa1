/** One mail posted to a provider, in bounded time. */
import type { DurationMs } from "../../../src/core/time.ts";
import type { Clock } from "../../../src/ports/clock.ts";
import type { MailResult } from "../../../src/ports/mailer.ts";
import { resultOf, unansweredResult } from "./outcome.ts";

export interface Provider {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  /** What must not come back in a message. */
  readonly secrets: readonly string[];
  readonly timeoutMs: DurationMs;
  readonly fetch: typeof fetch;
  readonly clock: Clock;
}

export interface Post {
  readonly idempotencyKey: string;
  /** JSON, or a form. */
  readonly body: string | URLSearchParams;
}

/** Of somebody else's page nobody needs more. */
const BODY_BYTES_MAX = 65_536;

/** Never rejects. What is told before `signal` is aborted or the time is up counts. */
export async function posted(
  provider: Provider,
  { idempotencyKey, body }: Post,
  signal: AbortSignal,
): Promise<MailResult> {
  const { url, headers, secrets, timeoutMs, fetch: send, clock } = provider;
  const request = new AbortController();
  const over = new AbortController();
  let ended: string | null = null;
  const end = (text: string): void => {
    ended ??= text;
    request.abort();
  };
  const stopped = (): void => end("stopped");
  signal.addEventListener("abort", stopped);
  void clock.sleep(timeoutMs, over.signal).then(() => {
    if (!over.signal.aborted) end(`no answer within ${timeoutMs} ms`);
  });
  const type = typeof body === "string" ? { "content-type": "application/json" } : {};
  try {
    const response = await send(url, {
      method: "POST",
      headers: {
        accept: "application/json",
        ...headers,
        ...type,
        "idempotency-key": idempotencyKey,
      },
      body,
      redirect: "manual",
      signal: request.signal,
    });
    const text = await textOf(response);
    return resultOf({ status: response.status, headers: response.headers, text }, secrets);
  } catch (error) {
    return unansweredResult(error, ended);
  } finally {
    over.abort();
    signal.removeEventListener("abort", stopped);
    // Of a body that is longer than it is read, the rest.
    request.abort();
  }
}

/** As much of it as there is: the status is told, and says what became of the mail. */
async function textOf(response: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  try {
    const reader = response.body?.getReader();
    for (let left = BODY_BYTES_MAX; reader !== undefined && left > 0; ) {
      const { value } = await reader.read();
      if (value === undefined) break;
      text += decoder.decode(value.subarray(0, left), { stream: true });
      left -= value.length;
    }
  } catch {
    // It broke, or its time was up.
  }
  return text;
}
