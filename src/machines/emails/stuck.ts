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

interface StuckText {
  readonly why: string;
  readonly action: string;
}

/** Of jobs that have not failed. */
export const WAITING_TEXTS = {
  claimed: {
    why: "claimed for its text, which never came",
    action: "reclaim it for another claimant, or cancel it",
  },
  textless: {
    why: "pending, but its kind waits for a text, so nothing makes it ready",
    action: "move it to awaiting_ai, or to ready without a text",
  },
} as const satisfies Readonly<Record<string, StuckText>>;

/** Of failed ones; `why` goes on behind how many attempts there were. */
export const FAILED_TEXTS = {
  unknown: {
    why: ", the last of which may have sent it: no answer told",
    action: "ask the mail provider whether it was sent; requeue it only if not, else erase it",
  },
  exhausted: {
    why: ", whose leases ran out: whoever had them died, hung or was cut off",
    action: "find out what became of them, and whether it was sent; then requeue it, or erase it",
  },
  contentless: {
    why: ": what its kind rendered is no mail",
    action: "read its lastError, mend the kind's prepare, then requeue it; or erase it",
  },
  refused: {
    why: ": it was refused for good",
    action: "read its lastError; requeue it when what was refused is mended, or erase it",
  },
  used: {
    why: ", all that it has",
    action: "read its lastError, mend the cause, then requeue it; or erase it",
  },
} as const satisfies Readonly<Record<string, StuckText>>;

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
  if (job.state === "ai_dispatched") return { since: dispatchedAt(job), ...WAITING_TEXTS.claimed };
  if (job.state === "pending" && kindOf(state, kinds).waitsForAi) {
    return { since: timeOf(job.updatedAt), ...WAITING_TEXTS.textless };
  }
  return null;
}

/** By how its last attempt ended, as far as its last error begins with a text of our own. */
function failure({ attempts, lastError }: StoredEmailJob, maxAttempts: number): StuckText {
  const after = `failed after ${attempts} ${attempts === 1 ? "attempt" : "attempts"}`;
  const told = (lead: string, { why, action }: StuckText) => ({ why: lead + why, action });
  if (lastError?.startsWith(UNKNOWN) === true) return told(after, FAILED_TEXTS.unknown);
  if (lastError === ATTEMPTS_USED_UP) return told(after, FAILED_TEXTS.exhausted);
  if (lastError?.startsWith(INVALID_CONTENT) === true) return told(after, FAILED_TEXTS.contentless);
  if (attempts < maxAttempts) return told(`${after} of ${maxAttempts}`, FAILED_TEXTS.refused);
  return told(after, FAILED_TEXTS.used);
}
