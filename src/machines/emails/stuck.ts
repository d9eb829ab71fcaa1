/** Which jobs wait for a person, why, and what that person can do. */
import type { EpochMs } from "../../core/time.ts";
import { kindOf } from "./changes.ts";
import { dispatchedAt } from "./claims.ts";
import { INVALID_CONTENT } from "./content.ts";
import { dueOfEmail } from "./due.ts";
import { timeOf } from "./fields.ts";
import type { StoredEmailJob } from "./job.ts";
import type { EmailKinds } from "./kinds.ts";
import { ATTEMPTS_USED_UP } from "./leases.ts";
import { UNKNOWN } from "./outcome.ts";
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
    const since = timeOf(job.failedAt ?? job.updatedAt);
    return { since, ...failure(job, kindOf(state, kinds).maxAttempts) };
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

/** By how its last attempt ended, as far as its last error begins with a text of our own. */
function failure(
  { attempts, lastError }: StoredEmailJob,
  maxAttempts: number,
): Omit<StuckEmail, "since"> {
  const after = `failed after ${attempts} ${attempts === 1 ? "attempt" : "attempts"}`;
  if (lastError?.startsWith(UNKNOWN) === true) {
    return {
      why: `${after}, the last of which may have sent it: no answer told`,
      action: "ask the mail provider whether it was sent; requeue it only if not, else erase it",
    };
  }
  if (lastError === ATTEMPTS_USED_UP) {
    return {
      why: `${after}, whose leases ran out: whoever had them died, hung or was cut off`,
      action: "find out what became of them, and whether it was sent; then requeue it, or erase it",
    };
  }
  if (lastError?.startsWith(INVALID_CONTENT) === true) {
    return {
      why: `${after}: what its kind rendered is no mail`,
      action: "read its lastError, mend the kind's prepare, then requeue it; or erase it",
    };
  }
  if (attempts < maxAttempts) {
    return {
      why: `${after} of ${maxAttempts}: it was refused for good`,
      action: "read its lastError; requeue it when what was refused is mended, or erase it",
    };
  }
  return {
    why: `${after}, all that it has`,
    action: "read its lastError, mend the cause, then requeue it; or erase it",
  };
}
