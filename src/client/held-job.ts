/** One leased job in a worker's hands: its handler runs, its lease is renewed, its outcome is settled. */
import { mayPass } from "./call.ts";
import type { EmailsClient } from "./emails.ts";
import { HoldfastError } from "./errors.ts";
import { type Handler, type Settlement, settlementOf } from "./outcome.ts";
import { askedMsOf } from "./polling.ts";
import { isAnswer, LOSSES, renewed } from "./renewal.ts";
import { backoffMs, type ClientDeps } from "./time.ts";
import type { CallOptions, Job } from "./types.ts";

export interface HeldDeps extends ClientDeps {
  readonly emails: Pick<EmailsClient, "leaseDue" | "extend" | "settle">;
  readonly handler: Handler;
  readonly leaseMs: number;
  /** Never throws. */
  readonly report: (error: unknown) => void;
}

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
  const { emails, leaseMs, report } = deps;
  const body = { leaseToken: job.leaseToken ?? "", durationMs: leaseMs };
  const renew = (options: CallOptions) => emails.extend(job.logicalKey, body, options);
  const lease = { leaseMs, askedAt, renew, isEnding: () => isSettling, report };
  renewed(deps, lease, renewals.signal)
    .then((loss) => {
      if (loss === null) return;
      report(loss);
      lost.abort(loss);
    })
    .catch(report);
  try {
    const settlement = await settlementOf(deps.handler, job, lost.signal);
    isSettling = true;
    await settled(deps, job, settlement, lost.signal);
  } finally {
    endRenewals();
  }
}

/** Beside losses, what the service refuses as it is: the same again would be no better. */
const DECISIONS = [...LOSSES, 422];

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
