/** The steps that all commands on a live job share. */
import { assert, unreachable } from "../../core/assert.ts";
import { type Decision, reject } from "../../core/machine.ts";
import { after, type EpochMs, isoTime } from "../../core/time.ts";
import type { EmailRejection, EmailRules, FoundEmail } from "./commands.ts";
import {
  type EmailStateName,
  GENERATED_SUMMARY_CHARS_MAX,
  LAST_ERROR_CHARS_MAX,
} from "./fields.ts";
import type { EmailKind, EmailKinds } from "./kinds.ts";
import type { EmailStamps, EmailState, LiveEmail } from "./record.ts";

export type EmailDecision = Decision<LiveEmail, EmailRejection>;

/**
 * The job in state `to`, entered now: stamped, without lease and claim token, with its retention begun
 * or ended. Whoever acquires or claims adds what that brings.
 */
export function entered(
  email: LiveEmail,
  to: EmailStateName,
  now: EpochMs,
  rules: EmailRules,
): LiveEmail {
  const at = isoTime(now);
  const { aiClaimedBy, ...unclaimed } = email.job;
  return {
    kind: "live",
    job: {
      // A new dispatch must not answer to the claimant of an earlier one.
      ...(to === "ai_dispatched" ? unclaimed : email.job),
      ...stampOf(to, at),
      state: to,
      updatedAt: at,
      leaseUntil: null,
      leaseToken: null,
    },
    extra: {
      ...email.extra,
      requestId: null,
      claimToken: null,
      retentionUntil: retentionUntil(to, now, rules),
    },
  };
}

function retentionUntil(to: EmailStateName, now: EpochMs, rules: EmailRules): string | null {
  if (rules.retentionMs === null || (to !== "sent" && to !== "cancelled")) return null;
  return isoTime(after(now, rules.retentionMs));
}

function stampOf(state: EmailStateName, at: string): EmailStamps {
  switch (state) {
    case "pending":
    case "awaiting_ai":
      return {};
    case "ai_dispatched":
      return { aiDispatchedAt: at };
    case "ready":
      return { readyAt: at };
    case "sending":
      return { sendingAt: at };
    case "sent":
      return { sentAt: at };
    case "cancelled":
      return { cancelledAt: at };
    case "failed":
      return { failedAt: at };
    default:
      return unreachable(state);
  }
}

interface Texts {
  readonly generatedSummary?: string | undefined;
  readonly lastError?: string | null | undefined;
}

/** The job with these texts; one that is undefined is kept as it was (EMAIL-26). */
export function withTexts(email: LiveEmail, { generatedSummary, lastError }: Texts): LiveEmail {
  // Whoever takes them from outside refuses longer ones; stored, they would make the job unreadable.
  assert((generatedSummary?.length ?? 0) <= GENERATED_SUMMARY_CHARS_MAX, "summary too long");
  assert((lastError?.length ?? 0) <= LAST_ERROR_CHARS_MAX, "last error too long");
  return {
    ...email,
    job: {
      ...email.job,
      ...(generatedSummary === undefined ? {} : { generatedSummary }),
      ...(lastError === undefined ? {} : { lastError }),
    },
  };
}

/** The kind of a stored job. Reading it has made sure that the kind is registered. */
export function kindOf(email: LiveEmail, kinds: EmailKinds): EmailKind {
  const kind = kinds.get(email.job.type);
  assert(kind !== undefined, "a job was read without its kind");
  return kind;
}

export function found(email: EmailState): FoundEmail {
  return { state: email.job.state, updatedAt: email.job.updatedAt };
}

type PlainRejection = Exclude<
  EmailRejection["kind"],
  "job_not_found" | "job_payload_conflict" | "invalid_transition"
>;

export function refuse(email: EmailState, kind: PlainRejection) {
  return reject<EmailRejection>({ kind, ...found(email) });
}
