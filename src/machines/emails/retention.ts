/** The end of a job's life: it is over by the clock first, and replaced by a tombstone later. */
import { unreachable } from "../../core/assert.ts";
import { apply, type Decision, unchanged } from "../../core/machine.ts";
import type { EpochMs } from "../../core/time.ts";
import { refuse } from "./changes.ts";
import type { EmailRejection } from "./commands.ts";
import { timeOf } from "./fields.ts";
import type { EmailState, ErasedEmailJob, ExpiredEmail, LiveEmail } from "./record.ts";

/** Whether the job is over: a tombstone of either sort, or sent or cancelled and past its retention. */
export function isExpired(state: EmailState, now: EpochMs): boolean {
  return liveEmail(state, now) === null;
}

/** The job unless it is over, whether or not a tombstone has replaced it yet. */
export function liveEmail(state: EmailState, now: EpochMs): LiveEmail | null {
  if (state.kind !== "live") return null;
  const { retentionUntil } = state.extra;
  return retentionUntil !== null && timeOf(retentionUntil) <= now ? null : state;
}

/** Rejects `state_mismatch` while the job is not over; a tombstone of either sort stays as it is. */
export function retire(state: EmailState, now: EpochMs): Decision<EmailState, EmailRejection> {
  switch (state.kind) {
    case "live":
      return isExpired(state, now)
        ? apply<EmailState>(tombstone(state))
        : refuse(state, "state_mismatch");
    case "expired":
    case "erased":
      return unchanged<EmailState>(state);
    default:
      return unreachable(state);
  }
}

function tombstone({ job }: LiveEmail): ExpiredEmail {
  return { kind: "expired", job: { logicalKey: job.logicalKey, ...remainsOf(job) } };
}

/** Kind, state and times of a job, and nothing else of what it has. */
export function remainsOf(job: ErasedEmailJob): ErasedEmailJob {
  const { aiDispatchedAt, readyAt, sendingAt, sentAt, cancelledAt, failedAt } = job;
  return {
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
  };
}
