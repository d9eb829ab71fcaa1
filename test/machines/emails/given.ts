/** Jobs, commands and instants for the tests of the email machine. */
import { assert } from "../../../src/core/assert.ts";
import type { JsonObject } from "../../../src/core/json.ts";
import type { Decision } from "../../../src/core/machine.ts";
import { durationMs, type EpochMs, epochMs } from "../../../src/core/time.ts";
import type {
  EmailCommand,
  EmailRejection,
  EmailRules,
  LiveEmailCommand,
} from "../../../src/machines/emails/commands.ts";
import { decideEmail } from "../../../src/machines/emails/decide.ts";
import { emailKinds } from "../../../src/machines/emails/kinds.ts";
import { type EmailPayload, parsePayload } from "../../../src/machines/emails/payload.ts";
import {
  EMAIL_STATES,
  type EmailState,
  type LiveEmail,
  parseEmailRecord,
} from "../../../src/machines/emails/record.ts";

export const KINDS = emailKinds([]);

/** Nothing is ever retired. */
export const RULES: EmailRules = { kinds: KINDS, retentionMs: null };

/** Sent and cancelled jobs are kept for one day. */
export const ONE_DAY: EmailRules = { kinds: KINDS, retentionMs: durationMs(86_400_000) };

/** 2026-01-01T00:00:00.000Z and `ms` milliseconds. */
export function at(ms: number): EpochMs {
  return epochMs(1_767_225_600_000 + ms);
}

/** A stored first-view job, pending since 2026-01-01, with `fields` and `extra` in place of its own. */
export function stored(fields: JsonObject = {}, extra: JsonObject = {}): LiveEmail {
  const read = parseEmailRecord({ ...record(), ...fields }, extra, KINDS);
  assert(read.ok, read.ok ? "" : read.reason);
  assert(read.state.kind === "live", "not a live job");
  return read.state;
}

export function record(): JsonObject {
  return {
    logicalKey: "first-view:share-1",
    type: "first-view",
    state: "pending",
    recipient: "owner@example.com",
    recordingIds: ["recording-1"],
    attempts: 0,
    createdAt: "2026-01-01T00:00:00.000Z",
    updatedAt: "2026-01-01T00:00:00.000Z",
    lastError: null,
    leaseUntil: null,
    leaseToken: null,
  };
}

/** The fields that make a job of two clips. */
export const TWO_CLIPS = {
  type: "two-clips",
  logicalKey: "two-clips:owner@example.com",
  recordingIds: ["recording-1", "recording-2"],
};

/** The fields of a job leased under `token-a` until one minute into 2026. */
export const SENDING = {
  state: "sending",
  attempts: 1,
  sendingAt: "2026-01-01T00:00:00.000Z",
  leaseUntil: "2026-01-01T00:01:00.000Z",
  leaseToken: "token-a",
};

export function payload(raw: unknown): EmailPayload {
  const parsed = parsePayload(raw, KINDS);
  assert(parsed.ok, "not a payload");
  return parsed.payload;
}

export const FIRST_VIEW = payload({
  type: "first-view",
  recipient: "owner@example.com",
  recordingIds: ["recording-1"],
});

/** Ends the lease of SENDING. */
export const SETTLE = { kind: "settle", leaseToken: "token-a", to: "sent" } as const;

/** One of every command that is for live jobs only. */
export const LIVE_COMMANDS: readonly LiveEmailCommand[] = [
  {
    kind: "enqueue",
    logicalKey: "first-view:share-1",
    payload: FIRST_VIEW,
    initialState: "pending",
    notBefore: null,
    onPayloadMismatch: "conflict",
  },
  { kind: "converge", recipient: "owner@example.com", recordingId: "r", requestedBy: "x" },
  { kind: "transition", from: EMAIL_STATES, to: "ready" },
  { kind: "claim", claimant: "a@example.com", claimToken: "c" },
  { kind: "reclaim", claimant: "a@example.com", claimToken: "c", staleBefore: at(0) },
  { kind: "completeClaim", claimant: "a@example.com", claimToken: null, summary: "s" },
  { kind: "releaseClaim", claimant: "a@example.com", claimToken: null },
  { kind: "claimNext", claimant: null, claimToken: "c" },
  { kind: "acquire", leaseMs: durationMs(1), requestId: null, leaseToken: "t" },
  { kind: "acquireDue", leaseMs: durationMs(1), leaseToken: "t" },
  { kind: "extend", leaseMs: durationMs(1), leaseToken: "token-a" },
  SETTLE,
  { kind: "giveBack", leaseToken: "token-a", lastError: "not there" },
  { kind: "requeue" },
];

/** The job after `command`, which must be applied. */
export function applied(
  state: LiveEmail | null,
  command: LiveEmailCommand,
  now: EpochMs,
  rules: EmailRules = RULES,
): LiveEmail {
  const decision = decideEmail(state, command, now, rules);
  assert(decision.kind === "apply", `not applied: ${JSON.stringify(decision)}`);
  return decision.next;
}

export function decide(
  state: EmailState | null,
  command: EmailCommand,
  now: EpochMs,
  rules: EmailRules = RULES,
): Decision<EmailState, EmailRejection> {
  return decideEmail(state, command, now, rules);
}

/** What a refusal of `state` looks like: its kind, with the state and time that it names. */
export function refused(kind: string, state: string, updatedAt = "2026-01-01T00:00:00.000Z") {
  return { kind: "reject", rejection: { kind, state, updatedAt } };
}
