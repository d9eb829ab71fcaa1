/** One leased job in a worker's hands: its handler runs, its lease is renewed, its outcome is settled. */
import type { EmailsClient } from "./emails.ts";
import { HoldfastError } from "./errors.ts";
import type { ClientDeps } from "./time.ts";
import type { EmailRoutes, Job, RouteBody } from "./types.ts";

type Settlement = Omit<RouteBody<EmailRoutes["settle"]>, "leaseToken">;

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

export interface HeldDeps extends ClientDeps {
  readonly emails: Pick<EmailsClient, "leaseDue" | "extend" | "settle">;
  readonly handler: Handler;
  readonly leaseMs: number;
  /** Never throws. */
  readonly report: (error: unknown) => void;
}

/**
 * Times that a settlement is tried while the lease lasts: an email that went out must not come up again
 * for want of a few more. With the longest waits between them that is five to eight minutes.
 */
const SETTLE_ATTEMPTS = 100;

/**
 * Until the job is settled or lost. `askedAt`: the clock's reading before the lease was asked for, so that
 * its end as it is seen here is never later than the service's. `lost` is aborted with the lease; who
 * aborts it from outside drops the job. Never throws.
 */
export async function work(
  deps: HeldDeps,
  job: Job,
  askedAt: number,
  lost: AbortController,
): Promise<void> {
  const renewals = new AbortController();
  const endRenewals = (): void => renewals.abort();
  lost.signal.addEventListener("abort", endRenewals, { once: true });
  void renewed(deps, job, askedAt, renewals.signal).then((loss) => {
    if (loss === null) return;
    deps.report(loss);
    lost.abort(loss);
  });
  const settlement = await settlementOf(deps.handler, job, lost.signal);
  endRenewals();
  if (!lost.signal.aborted) await settled(deps, job, settlement, lost.signal);
}

/** Renews until `signal` is aborted (null) or the lease is lost (why). */
async function renewed(
  deps: HeldDeps,
  job: Job,
  askedAt: number,
  signal: AbortSignal,
): Promise<HoldfastError | null> {
  const { emails, leaseMs } = deps;
  const body = { leaseToken: job.leaseToken ?? "", durationMs: leaseMs };
  let endsAt = askedAt + leaseMs;
  let nextAt = askedAt + leaseMs / 3;
  for (;;) {
    await deps.sleep(Math.min(nextAt, endsAt) - deps.now(), signal);
    if (signal.aborted) return null;
    const now = deps.now();
    if (now >= endsAt) return ranOut();
    try {
      const options = { signal, attempts: 1, timeoutMs: endsAt - now };
      await emails.extend(job.logicalKey, body, options);
      endsAt = now + leaseMs;
      nextAt = now + leaseMs / 3;
    } catch (error) {
      if (signal.aborted) return null;
      if (isLoss(error)) return error;
      deps.report(error);
      // Some tries are left in what remains, also when several workers' service comes back at once.
      nextAt = deps.now() + (leaseMs / 10) * (0.5 + deps.random() / 2);
    }
  }
}

/** Whether the service says that the job is not ours any more, or is no more. */
function isLoss(error: unknown): error is HoldfastError {
  if (!(error instanceof HoldfastError) || error.code === "unexpected_answer") return false;
  return error.status === 404 || error.status === 409 || error.status === 410;
}

function ranOut(): HoldfastError {
  const detail = "the lease ran out before it could be renewed";
  return new HoldfastError({ code: "lease_lost", status: null, detail });
}

async function settlementOf(handler: Handler, job: Job, signal: AbortSignal): Promise<Settlement> {
  try {
    const outcome: unknown = await handler(job, { signal });
    return isSettlement(outcome) ? stored(outcome) : { to: "sent" };
  } catch (error) {
    const to = error instanceof PermanentError ? "failed" : "ready";
    return stored({ to, lastError: messageOf(error) });
  }
}

/** Without types a handler may well return what its mailer told it: it ended well, so the email is sent. */
function isSettlement(outcome: unknown): outcome is Settlement {
  return typeof outcome === "object" && outcome !== null && "to" in outcome;
}

function messageOf(error: unknown): string {
  if (error instanceof Error) return error.message || error.name;
  return typeof error === "string" ? error : "the handler threw what is no Error";
}

/** Characters of a job's last error. */
const LAST_ERROR_CHARS_MAX = 4_000;

/** Without what the service refuses, such as half a character at the cut: the outcome must get through. */
function stored({ to, lastError }: Settlement): Settlement {
  if (lastError === undefined || lastError === null) return { to };
  const text = lastError.slice(0, LAST_ERROR_CHARS_MAX);
  return { to, lastError: text.replace(/[\0\ud800-\udfff]/gu, "\ufffd") };
}

async function settled(
  { emails, leaseMs, report }: HeldDeps,
  job: Job,
  settlement: Settlement,
  signal: AbortSignal,
): Promise<void> {
  const body = { leaseToken: job.leaseToken ?? "", ...settlement };
  const options = { signal, attempts: SETTLE_ATTEMPTS, timeoutMs: leaseMs };
  try {
    await emails.settle(job.logicalKey, body, options);
  } catch (error) {
    if (!signal.aborted) report(error);
  }
}
