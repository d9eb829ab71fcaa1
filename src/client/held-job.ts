/** One leased job in a worker's hands: its handler runs, its lease is renewed, its outcome is settled. */
import { mayPass } from "./call.ts";
import type { EmailsClient } from "./emails.ts";
import { HoldfastError } from "./errors.ts";
import { type Handler, type Settlement, settlementOf } from "./outcome.ts";
import { backoffMs, type ClientDeps } from "./time.ts";
import type { Job } from "./types.ts";

export interface HeldDeps extends ClientDeps {
  readonly emails: Pick<EmailsClient, "leaseDue" | "extend" | "settle">;
  readonly handler: Handler;
  readonly leaseMs: number;
  /** Never throws. */
  readonly report: (error: unknown) => void;
}

/** The longest wait that the service may ask a worker for. */
const ASKED_MS_MAX = 60_000;

/**
 * For how long a settlement is tried at least where its lease can be renewed all the while. It must end
 * some day, or one job that the service can lease but not settle would keep its slot for good.
 */
const SETTLE_MS = 3_600_000;

const SETTLE_BACKOFF_BASE_MS = 200;
const SETTLE_BACKOFF_CAP_MS = 5_000;

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
  let isSettling = false;
  const renewals = new AbortController();
  const endRenewals = (): void => renewals.abort();
  lost.signal.addEventListener("abort", endRenewals, { once: true });
  renewed(deps, job, askedAt, () => isSettling, renewals.signal)
    .then((loss) => {
      if (loss === null) return;
      deps.report(loss);
      lost.abort(loss);
    })
    .catch(deps.report);
  try {
    const settlement = await settlementOf(deps.handler, job, lost.signal);
    isSettling = true;
    await settled(deps, job, settlement, lost.signal);
  } finally {
    endRenewals();
  }
}

/**
 * Renews until `signal` is aborted (null) or the lease is lost (why). Once the handler has ended
 * (`isSettling`) the service's word is the settlement's to hear, and only the lease's time counts here.
 */
async function renewed(
  deps: HeldDeps,
  { logicalKey, leaseToken }: Job,
  askedAt: number,
  isSettling: () => boolean,
  signal: AbortSignal,
): Promise<HoldfastError | null> {
  const { emails, leaseMs } = deps;
  const body = { leaseToken: leaseToken ?? "", durationMs: leaseMs };
  let endsAt = askedAt + leaseMs;
  let nextAt = askedAt + leaseMs / 3;
  for (;;) {
    await deps.sleep(Math.min(nextAt, endsAt) - deps.now(), signal);
    if (signal.aborted) return null;
    const now = deps.now();
    if (now >= endsAt) return ranOut();
    try {
      const options = { signal, attempts: 1, timeoutMs: endsAt - now };
      await emails.extend(logicalKey, body, options);
      endsAt = now + leaseMs;
      nextAt = now + leaseMs / 3;
    } catch (error) {
      if (signal.aborted) return null;
      if (isAnswer(error, LOSSES)) {
        if (!isSettling()) return error;
        // A settlement whose answer was lost ends the lease, too: only its repeat can tell.
        nextAt = endsAt;
        continue;
      }
      deps.report(error);
      // Some tries are left in what remains, also when several workers' service comes back at once.
      nextAt = deps.now() + (leaseMs / 10) * (0.5 + deps.random() / 2);
    }
  }
}

/** What the service says of a job that is not ours any more, or is no more. */
const LOSSES = [404, 409, 410];

/** Beside those, what it refuses as it is: the same again would be no better. */
const DECISIONS = [...LOSSES, 422];

/** Whether the service, and nobody in between, has answered with one of `statuses`. */
function isAnswer(error: unknown, statuses: readonly (number | null)[]): error is HoldfastError {
  if (!(error instanceof HoldfastError) || error.code === "unexpected_answer") return false;
  return statuses.includes(error.status);
}

function ranOut(): HoldfastError {
  const detail = "the lease ran out before it could be renewed";
  return new HoldfastError({ code: "lease_lost", status: null, detail });
}

/**
 * Tries until the service has decided or `signal` is aborted, which it is with the lease: given up for one
 * odd answer, what was sent would be sent again.
 */
async function settled(
  deps: HeldDeps,
  { logicalKey, leaseToken }: Job,
  settlement: Settlement,
  signal: AbortSignal,
): Promise<void> {
  const { emails, leaseMs, report } = deps;
  const body = { leaseToken: leaseToken ?? "", ...settlement };
  const options = { signal, attempts: 1, timeoutMs: leaseMs };
  // Whatever is asked for, some tries come before the lease is over.
  const mostMs = leaseMs / 6;
  const capMs = Math.min(mostMs, SETTLE_BACKOFF_CAP_MS);
  const endAt = deps.now() + Math.max(SETTLE_MS, leaseMs);
  for (let attempt = 1; !signal.aborted; attempt += 1) {
    try {
      await emails.settle(logicalKey, body, options);
      return;
    } catch (error) {
      if (signal.aborted) return;
      const isOver = isAnswer(error, DECISIONS) || deps.now() >= endAt;
      if (isOver || !(error instanceof HoldfastError && mayPass(error))) report(error);
      if (isOver) return;
      const waitMs = backoffMs(attempt, deps.random(), SETTLE_BACKOFF_BASE_MS, capMs);
      await deps.sleep(Math.min(askedMsOf(error), mostMs) + waitMs, signal);
    }
  }
}

/** How long the service wants to be left alone, within bounds. */
export function askedMsOf(error: unknown): number {
  const askedMs = error instanceof HoldfastError ? (error.retryAfterMs ?? 0) : 0;
  return Math.min(askedMs, ASKED_MS_MAX);
}
