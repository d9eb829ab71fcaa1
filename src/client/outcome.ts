/** What a handler came to, as the settlement of its job. Handlers may return and throw anything at all. */
import type { EmailRoutes, Job, RouteBody } from "./types.ts";

export type Settlement = Omit<RouteBody<EmailRoutes["settle"]>, "leaseToken">;

/** Nothing and `"sent"`: it went out. Else the state that the job comes to, and why. */
export type Outcome = "sent" | undefined | Settlement;

/**
 * Does the job's work. Give your provider `job.logicalKey` as the idempotency key: a job whose worker died
 * is run again. `signal` is aborted when the lease is lost or the worker's grace is over; from then on
 * nothing is settled, and another worker may be at the same job.
 */
// biome-ignore lint/suspicious/noConfusingVoidType: a handler that returns nothing has sent the email.
export type Handler = (job: Job, context: Context) => Promise<Outcome | void> | Outcome | void;

interface Context {
  readonly signal: AbortSignal;
}

/** Thrown by a handler: trying again is no use, so the job is failed at once. */
export class PermanentError extends Error {
  override readonly name = "PermanentError";
}

/** Never throws. */
export async function settlementOf(
  handler: Handler,
  job: Job,
  signal: AbortSignal,
): Promise<Settlement> {
  try {
    return chosenBy(await handler(job, { signal }));
  } catch (error) {
    const isError = isA(error, Error) || typeof error === "string";
    const lastError = isError ? storable(error) : "the handler threw what is no Error";
    return { to: isA(error, PermanentError) ? "failed" : "ready", lastError };
  }
}

const ENDS = { sent: 0, ready: 0, cancelled: 0, failed: 0 } satisfies Record<Settlement["to"], 0>;

/**
 * Without types a handler may well return what its mailer told it, whose `to` is an address: it ended
 * well, so the email is sent.
 */
function chosenBy(outcome: unknown): Settlement {
  const to = fieldOf(outcome, "to");
  if (!isEnd(to)) return { to: "sent" };
  const lastError = fieldOf(outcome, "lastError");
  return lastError === undefined || lastError === null
    ? { to }
    : { to, lastError: storable(lastError) };
}

function isEnd(to: unknown): to is Settlement["to"] {
  return typeof to === "string" && Object.hasOwn(ENDS, to);
}

/** Undefined, too, where reading it throws. */
export function fieldOf(value: unknown, name: string): unknown {
  try {
    return (Object(value) as Partial<Record<string, unknown>>)[name];
  } catch {
    return undefined;
  }
}

/** `instanceof` asks a proxy for its prototype, which may throw. */
function isA(error: unknown, kind: ErrorConstructor | typeof PermanentError): boolean {
  try {
    return error instanceof kind;
  } catch {
    return false;
  }
}

/** Characters of a job's last error. */
const LAST_ERROR_CHARS_MAX = 4_000;

/** Without what the service refuses, such as half a character at the cut: the outcome must get through. */
export function storable(error: unknown): string {
  return textOf(error)
    .slice(0, LAST_ERROR_CHARS_MAX)
    .replace(/[\0\ud800-\udfff]/gu, "\ufffd");
}

/** Of anything: an error's message may be a list or an object, and reading it may throw. */
function textOf(value: unknown): string {
  try {
    if (value instanceof Error) return textOf(value.message || value.name);
    return String(typeof value === "object" ? JSON.stringify(value) : value);
  } catch {
    return "the error cannot be read";
  }
}
