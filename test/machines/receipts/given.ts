/** Receipts, commands and instants for the tests of the receipt machine. */
import { assert } from "../../../src/core/assert.ts";
import type { JsonObject, JsonValue } from "../../../src/core/json.ts";
import { durationMs, type EpochMs, epochMs } from "../../../src/core/time.ts";
import type {
  LiveReceiptCommand,
  Prepare,
  ReceiptCommand,
  ReceiptRules,
  Resolve,
} from "../../../src/machines/receipts/commands.ts";
import { decideReceipt } from "../../../src/machines/receipts/decide.ts";
import type { OperationKey } from "../../../src/machines/receipts/key.ts";
import { operations } from "../../../src/machines/receipts/operations.ts";
import {
  type LiveReceipt,
  parseReceiptRecord,
  type ReceiptState,
  receiptRecord,
} from "../../../src/machines/receipts/record.ts";

export const OPERATIONS = operations([]);

/** Kept for a day after it was finished; live for half a minute after its lease. */
export const RULES: ReceiptRules = {
  retentionMs: durationMs(86_400_000),
  marginMs: durationMs(30_000),
};

export const FOR_EVER: ReceiptRules = { ...RULES, retentionMs: null };

/** 2026-01-01T00:00:00.000Z and `ms` milliseconds. */
export function at(ms: number): EpochMs {
  return epochMs(1_767_225_600_000 + ms);
}

/** The key of section E. */
export const KEY: OperationKey = {
  principalId: "stdio:owner",
  workspaceId: "workspace",
  sessionId: "session",
  memberId: "owner",
  memberGeneration: 1,
  tool: "session",
  action: "start-pi",
  operationId: "operation-1",
};

export const ID = "0ebf2819d992c23c3de543ed4556ada879fa4976edaadaf49a33beae7aa1de9f";
export const HASH = "29a414a27a77ff8152d1e556f2df6b6095931e3770da4d7d95feecf8b101ea3a";
export const OTHER_HASH = "1".repeat(64);

/** SHA-256 of `token-a`. */
export const TOKEN_HASH = "a70bf50e531ce1a817561f2f5d5b6645d4e806becf58ccc5e8cf6b8045a090a8";

export const RESULT = { ok: true, status: "succeeded", data: { taskId: "task-1" } };

/** A file of the original, prepared since 2026-01-01. */
export function record(): JsonObject {
  return {
    version: 1,
    id: ID,
    ...KEY,
    payloadHash: HASH,
    state: "prepared",
    createdAt: at(0),
    updatedAt: at(0),
    preparedAt: at(0),
  };
}

/** The fields of a receipt in each state, beside those of `record`. */
export const DISPATCHING = { state: "dispatching", dispatchingAt: at(0) };
export const ACCEPTED = { ...DISPATCHING, state: "accepted", acceptedAt: at(0), result: RESULT };
export const TERMINAL = { ...ACCEPTED, state: "terminal", terminalAt: at(0) };
export const UNKNOWN = { ...DISPATCHING, state: "outcome-unknown", outcomeUnknownAt: at(0) };
export const IN_EVERY_STATE: readonly JsonObject[] = [
  { state: "prepared" },
  DISPATCHING,
  ACCEPTED,
  TERMINAL,
  UNKNOWN,
];

/** Beside the fields of a receipt that we wrote: counted, and owned by who has `token-a` for a minute. */
export const OWNED = {
  slot: "slot-1",
  dispatch: { tokenHash: TOKEN_HASH, leaseUntil: at(60_000) },
  retentionUntil: null,
};

export function stored(fields: JsonObject = {}, extra: JsonObject = {}): LiveReceipt {
  const read = parseReceiptRecord({ ...record(), ...fields }, extra, OPERATIONS);
  assert(read.ok, read.ok ? "" : read.reason);
  assert(read.state.kind === "live", "not a live receipt");
  return read.state;
}

/** As it is read of what is written of it. */
export function readBack(state: ReceiptState): ReceiptState {
  const { fields, extra } = receiptRecord(state);
  const read = parseReceiptRecord(fields, extra, OPERATIONS);
  assert(read.ok, read.ok ? "" : read.reason);
  return read.state;
}

export const PREPARE: Prepare = {
  kind: "prepare",
  key: KEY,
  payloadHashes: [HASH],
  reservation: null,
  dispatch: null,
};

export function dispatch(token: string) {
  return { kind: "dispatch", token, leaseMs: durationMs(60_000) } as const;
}

export function accept(token: string | null, result: JsonValue = RESULT) {
  return { kind: "accept", token, result, isFinal: false } as const;
}

export function resolve(
  outcome: "happened" | "did_not_happen" | "abandoned",
  by = "ann",
  result: JsonValue = RESULT,
): Resolve {
  const said = { kind: "resolve", by, note: null } as const;
  return outcome === "happened" ? { ...said, outcome, result } : { ...said, outcome };
}

/** The receipt after `command`, which must be applied. */
export function applied(
  state: ReceiptState | null,
  command: LiveReceiptCommand,
  now: EpochMs,
  rules: ReceiptRules = RULES,
): LiveReceipt {
  const decision = decideReceipt(state, command, now, rules);
  assert(decision.kind === "apply", `not applied: ${JSON.stringify(decision)}`);
  return decision.next;
}

/** The record after any command, which must be applied. */
export function became(
  state: ReceiptState | null,
  command: ReceiptCommand,
  now: EpochMs,
  rules: ReceiptRules = RULES,
): ReceiptState {
  const decision = decideReceipt(state, command, now, rules);
  assert(decision.kind === "apply", `not applied: ${JSON.stringify(decision)}`);
  return decision.next;
}

export function decide(
  state: ReceiptState | null,
  command: ReceiptCommand,
  now: EpochMs = at(0),
  rules: ReceiptRules = RULES,
) {
  return decideReceipt(state, command, now, rules);
}

/** What a refusal of `state` looks like: its kind, with the state and time that it names. */
export function refused(kind: string, state: string, updatedAt: EpochMs = at(0)) {
  return { kind: "reject", rejection: { kind, state, updatedAt } };
}

/** Another payload, or another result, than the operation has. */
export function conflict(differs: "payload" | "result") {
  return { kind: "reject", rejection: { kind: "operation_receipt_conflict", id: ID, differs } };
}
