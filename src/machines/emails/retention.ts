/** The end of a job's life: it is over by the clock first, and replaced by a tombstone later. */
import { apply, type Decision, unchanged } from "../../core/machine.ts";
import type { EpochMs } from "../../core/time.ts";
import { refuse } from "./changes.ts";
import type { EmailRejection } from "./commands.ts";
import { timeOf } from "./fields.ts";
import type { EmailState, ExpiredEmail, LiveEmail } from "./record.ts";

/** Whether the job is over: a tombstone, or sent or cancelled and past its retention. */
export function isExpired(state: EmailState, now: EpochMs): boolean {
  return liveEmail(state, now) === null;
}

/** The job unless it is over, whether or not a tombstone has replaced it yet. */
export function liveEmail(state: EmailState, now: EpochMs): LiveEmail | null {
  if (state.kind === "expired") return null;
  const { retentionUntil } = state.extra;
  return retentionUntil !== null && timeOf(retentionUntil) <= now ? null : state;
}

/** Rejects `state_mismatch` while the job is not over; a tombstone stays as it is. */
export function retire(state: EmailState, now: EpochMs): Decision<EmailState, EmailRejection> {
  if (state.kind === "expired") return unchanged<EmailState>(state);
  if (!isExpired(state, now)) return refuse(state, "state_mismatch");
  return apply<EmailState>(tombstone(state));
}

function tombstone({ job }: LiveEmail): ExpiredEmail {
  const { aiDispatchedAt, readyAt, sendingAt, sentAt, cancelledAt, failedAt } = job;
  return {
    kind: "expired",
    job: {
      logicalKey: job.logicalKey,
      type: job.type,
      state: job.state,
      createdAt: job.createdAt,
      updatedAt: job.updatedAt,
      ...(aiDispatchedAt === undefined ? {} : { aiDispatchedAt }),
      ...(readyAt === undefined ? {} : { readyAt }),
      ...(sendingAt === undefined ? {} : { sendingAt }),
      ...(sentAt === undefined ? {} : { sentAt }),
      ...(cancelledAt === undefined ? {} : { cancelledAt }),
      ...(failedAt === undefined ? {} : { failedAt }),
    },
  };
}
