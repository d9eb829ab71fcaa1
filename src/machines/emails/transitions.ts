/** Commands that move a job without a credential: create, converge, transition, requeue. */
import { apply, reject, unchanged } from "../../core/machine.ts";
import { type EpochMs, isoTime } from "../../core/time.ts";
import { type EmailDecision, entered, found, refuse, withTexts } from "./changes.ts";
import type { Converge, EmailRejection, EmailRules, Enqueue, Transition } from "./commands.ts";
import type { EmailStateName } from "./fields.ts";
import { samePayload } from "./payload.ts";
import { type LiveEmail, NO_EXTRA } from "./record.ts";

/**
 * The moves of a plain transition (semantics A2). A lease is entered and left by its own commands only
 * (EMAIL-21, EMAIL-23); what is final has no row (EMAIL-22).
 */
const MOVES: Readonly<Record<EmailStateName, readonly EmailStateName[]>> = {
  pending: ["awaiting_ai", "ready", "cancelled", "failed"],
  awaiting_ai: ["ai_dispatched", "cancelled", "failed"],
  ai_dispatched: ["ready", "cancelled", "failed"],
  ready: ["cancelled", "failed"],
  sending: [],
  sent: [],
  cancelled: [],
  failed: [],
};

/** The first record of a job (EMAIL-1, EMAIL-2). */
export function created(command: Enqueue, now: EpochMs): LiveEmail {
  const at = isoTime(now);
  return {
    kind: "live",
    job: {
      ...command.payload,
      logicalKey: command.logicalKey,
      state: command.initialState,
      attempts: 0,
      createdAt: at,
      updatedAt: at,
      lastError: null,
      leaseUntil: null,
      leaseToken: null,
    },
    extra: {
      ...NO_EXTRA,
      notBefore: command.notBefore === null ? null : isoTime(command.notBefore),
    },
  };
}

/** A second enqueue changes nothing; another payload is a conflict only for who asks (EMAIL-4). */
export function enqueueAgain(email: LiveEmail, command: Enqueue): EmailDecision {
  if (command.onPayloadMismatch === "conflict" && !samePayload(email.job, command.payload)) {
    return reject<EmailRejection>({ kind: "job_payload_conflict" });
  }
  return unchanged(email);
}

/** The logical key of a recipient's first-import job; `recipient` trimmed and lower-case. */
export function firstImportKey(recipient: string): string {
  return `first-import:${recipient}`;
}

/** The enqueue that a converge comes to where there is no job yet (EMAIL-51). */
export function firstImport(command: Converge): Enqueue {
  const { recipient, recordingId, requestedBy } = command;
  return {
    kind: "enqueue",
    logicalKey: firstImportKey(recipient),
    payload: { type: "first-import", recipient, recordingIds: [recordingId], requestedBy },
    initialState: "pending",
    notBefore: null,
    onPayloadMismatch: "return",
  };
}

/**
 * Turns a first-import job that waits, or was cancelled, to another recording: pending again, a new
 * life under the same key. Anything else stays as it is, without a refusal (EMAIL-52, EMAIL-54).
 * What an attempt may have sent was another mail, so the next one must not pass for its repeat.
 */
export function converge(
  email: LiveEmail,
  command: Converge,
  now: EpochMs,
  rules: EmailRules,
): EmailDecision {
  const { type, state, recordingIds } = email.job;
  const convergent = state === "pending" || state === "ready" || state === "cancelled";
  if (type !== "first-import" || !convergent || recordingIds?.[0] === command.recordingId) {
    return unchanged(email);
  }
  const pending = entered(email, "pending", now, rules);
  const { epoch, generation } = pending.extra;
  // A requeue forgets the attempts, an original store counts no epoch.
  const isTried = epoch > 0 || email.job.attempts > 0;
  const { readyAt, sendingAt, cancelledAt, failedAt, ...job } = pending.job;
  return apply({
    kind: "live",
    job: {
      ...job,
      recipient: command.recipient,
      recordingIds: [command.recordingId],
      requestedBy: command.requestedBy,
      attempts: 0,
      lastError: null,
    },
    extra: {
      ...pending.extra,
      lastSettlement: null,
      generation: isTried ? generation + 1 : generation,
    },
  });
}

/** EMAIL-18 to 26. A leased job mismatches whatever `from` says: only its holder may move it. */
export function transition(
  email: LiveEmail,
  command: Transition,
  now: EpochMs,
  rules: EmailRules,
): EmailDecision {
  const from = email.job.state;
  if (from === "sending" || !command.from.includes(from)) return refuse(email, "state_mismatch");
  if (!MOVES[from].includes(command.to)) {
    return reject<EmailRejection>({
      kind: "invalid_transition",
      from,
      to: command.to,
      ...found(email),
    });
  }
  return apply(withTexts(entered(email, command.to, now, rules), command));
}

/**
 * failed → pending. Nothing of the earlier life can be mistaken for the new one: stamps, claim and last
 * settlement go, the AI's text and the last error stay. The epoch goes on, since it names holders.
 */
export function requeue(email: LiveEmail, now: EpochMs, rules: EmailRules): EmailDecision {
  if (email.job.state !== "failed") return refuse(email, "state_mismatch");
  const pending = entered(email, "pending", now, rules);
  const { aiDispatchedAt, aiClaimedBy, readyAt, sendingAt, sentAt, cancelledAt, failedAt, ...job } =
    pending.job;
  return apply({
    kind: "live",
    job: { ...job, attempts: 0 },
    extra: { ...pending.extra, lastSettlement: null, notBefore: null },
  });
}
