/** Which jobs wait for a person, why, and what that person can do. */
import type { EpochMs } from "../../core/time.ts";
import { kindOf } from "./changes.ts";
import { dispatchedAt } from "./claims.ts";
import { dueOfEmail } from "./due.ts";
import { timeOf } from "./fields.ts";
import type { EmailKinds } from "./kinds.ts";
import type { EmailState } from "./record.ts";

/** Texts of our own only: nothing of the job's content, which its reader may not be allowed to see. */
export interface StuckEmail {
  readonly since: EpochMs;
  readonly why: string;
  readonly action: string;
}

/** Null: nobody need do anything. */
export function stuckEmail(state: EmailState, now: EpochMs, kinds: EmailKinds): StuckEmail | null {
  if (state.kind !== "live") return null;
  const { job } = state;
  const due = dueOfEmail(state, kinds);
  if (due === null || due.at > now) return null;
  if (job.state === "failed") {
    return {
      since: timeOf(job.failedAt ?? job.updatedAt),
      why: `failed after ${job.attempts} ${job.attempts === 1 ? "attempt" : "attempts"}`,
      action: "read its lastError, mend the cause, then requeue it; or erase it",
    };
  }
  if (job.state === "ai_dispatched") {
    return {
      since: dispatchedAt(job),
      why: "claimed for its text, which never came",
      action: "reclaim it for another claimant, or cancel it",
    };
  }
  if (job.state === "pending" && kindOf(state, kinds).waitsForAi) {
    return {
      since: timeOf(job.updatedAt),
      why: "pending, but its kind waits for a text, so nothing makes it ready",
      action: "move it to awaiting_ai, or to ready without a text",
    };
  }
  return null;
}
