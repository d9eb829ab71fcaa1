/** Keeps a lease: renews it at a third of its time, and tells when it is not ours any more. */
import { HoldfastError } from "./errors.ts";
import type { ClientDeps } from "./time.ts";
import type { CallOptions } from "./types.ts";

export interface Lease {
  readonly leaseMs: number;
  /**
   * The clock's reading before the lease was asked for, so that its end as it is seen here is never later
   * than the service's.
   */
  readonly askedAt: number;
  /** Asks for `leaseMs` more, once. */
  readonly renew: (options: CallOptions) => Promise<unknown>;
  /**
   * Whether its end is being told. From then on the service's word is that call's to hear, and only the
   * lease's time counts here.
   */
  readonly isEnding: () => boolean;
  /** Told what a renewal failed with that another may mend. Never throws. */
  readonly report: (error: unknown) => void;
}

/** Until `signal` is aborted (null) or the lease is lost (why). Never rejects. */
export async function renewed(
  deps: ClientDeps,
  { leaseMs, askedAt, renew, isEnding, report }: Lease,
  signal: AbortSignal,
): Promise<HoldfastError | null> {
  let endsAt = askedAt + leaseMs;
  let nextAt = askedAt + leaseMs / 3;
  for (;;) {
    await deps.sleep(Math.min(nextAt, endsAt) - deps.now(), signal);
    if (signal.aborted) return null;
    const now = deps.now();
    if (now >= endsAt) return ranOut();
    try {
      await renew({ signal, attempts: 1, timeoutMs: endsAt - now });
      endsAt = now + leaseMs;
      nextAt = now + leaseMs / 3;
    } catch (error) {
      if (signal.aborted) return null;
      if (isAnswer(error, LOSSES)) {
        if (!isEnding()) return error;
        // An end whose answer was lost ends the lease, too: only its repeat can tell.
        nextAt = endsAt;
        continue;
      }
      report(error);
      // Some tries are left in what remains, also when several workers' service comes back at once.
      nextAt = deps.now() + (leaseMs / 10) * (0.5 + deps.random() / 2);
    }
  }
}

/** What the service says of a job that is not ours any more, or is no more. */
export const LOSSES = [404, 409, 410];

/** Whether the service, and nobody in between, has answered with one of `statuses`. */
export function isAnswer(
  error: unknown,
  statuses: readonly (number | null)[],
): error is HoldfastError {
  if (!(error instanceof HoldfastError) || error.code === "unexpected_answer") return false;
  return statuses.includes(error.status);
}

function ranOut(): HoldfastError {
  const detail = "the lease ran out before it could be renewed";
  return new HoldfastError({ code: "lease_lost", status: null, detail });
}
