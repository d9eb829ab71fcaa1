/** AI claims: who writes the text of a job that waits for it. */

import { apply } from "../../core/machine.ts";
import { isSameText } from "../../core/same-text.ts";
import type { EpochMs } from "../../core/time.ts";
import { type EmailDecision, entered, kindOf, refuse, withTexts } from "./changes.ts";
import type {
  Claim,
  ClaimNext,
  CompleteClaim,
  EmailRules,
  Reclaim,
  ReleaseClaim,
} from "./commands.ts";
import { timeOf } from "./fields.ts";
import type { LiveEmail, StoredEmailJob } from "./record.ts";

/** EMAIL-28, EMAIL-29. */
export function claim(
  email: LiveEmail,
  command: Claim,
  now: EpochMs,
  rules: EmailRules,
): EmailDecision {
  if (email.job.state !== "awaiting_ai" || !kindOf(email, rules.kinds).waitsForAi) {
    return refuse(email, "not_claimable");
  }
  return apply(claimed(email, command, now, rules));
}

/** EMAIL-34: who has a claim may take it over from itself, too. */
export function reclaim(
  email: LiveEmail,
  command: Reclaim,
  now: EpochMs,
  rules: EmailRules,
): EmailDecision {
  if (
    email.job.state !== "ai_dispatched" ||
    !kindOf(email, rules.kinds).waitsForAi ||
    dispatchedAt(email.job) > command.staleBefore
  ) {
    return refuse(email, "not_claimable");
  }
  return apply(claimed(email, command, now, rules));
}

/** EMAIL-37: any kind, also one that need not have waited. */
export function claimNext(
  email: LiveEmail,
  command: ClaimNext,
  now: EpochMs,
  rules: EmailRules,
): EmailDecision {
  if (email.job.state !== "awaiting_ai") return refuse(email, "not_claimable");
  return apply(claimed(email, command, now, rules));
}

/**
 * EMAIL-32, EMAIL-33, EMAIL-35. Of any kind: one that does not wait for AI has a claimant only when
 * `claimNext` gave it one, and then that one must be able to finish.
 */
export function completeClaim(
  email: LiveEmail,
  command: CompleteClaim,
  now: EpochMs,
  rules: EmailRules,
): EmailDecision {
  if (!isClaimant(email, command)) return refuse(email, "claim_lost");
  const ready = entered(email, "ready", now, rules);
  return apply(withTexts(ready, { generatedSummary: command.summary }));
}

/** EMAIL-38. */
export function releaseClaim(
  email: LiveEmail,
  command: ReleaseClaim,
  now: EpochMs,
  rules: EmailRules,
): EmailDecision {
  if (!isClaimant(email, command)) return refuse(email, "claim_lost");
  const waiting = entered(email, "awaiting_ai", now, rules);
  const { aiClaimedBy, aiDispatchedAt, ...job } = waiting.job;
  return apply({ ...waiting, job });
}

/** When a job went to whoever writes its text. */
export function dispatchedAt(job: StoredEmailJob): EpochMs {
  return timeOf(job.aiDispatchedAt ?? job.updatedAt);
}

interface NewClaim {
  readonly claimant: string | null;
  readonly claimToken: string;
}

function claimed(email: LiveEmail, by: NewClaim, now: EpochMs, rules: EmailRules): LiveEmail {
  const dispatched = entered(email, "ai_dispatched", now, rules);
  const { job } = dispatched;
  return {
    kind: "live",
    job: by.claimant === null ? job : { ...job, aiClaimedBy: by.claimant },
    extra: { ...dispatched.extra, claimToken: by.claimToken },
  };
}

interface Credential {
  readonly claimant: string;
  readonly claimToken: string | null;
}

// An address alone cannot tell two claims of one person apart; the token of each can (EMAIL-36).
function isClaimant(email: LiveEmail, by: Credential): boolean {
  const { claimToken } = email.extra;
  return (
    email.job.state === "ai_dispatched" &&
    email.job.aiClaimedBy === by.claimant &&
    (by.claimToken === null || (claimToken !== null && isSameText(by.claimToken, claimToken)))
  );
}
