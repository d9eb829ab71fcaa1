/** What is stored of an operation, and how that is read and written. */
import { unreachable } from "../../core/assert.ts";
import { reasonOf } from "../../core/issues.ts";
import type { JsonObject, JsonValue } from "../../core/json.ts";
import { safeParse } from "../../core/safe-parse.ts";
import type { EpochMs } from "../../core/time.ts";
import type { ReceiptStateName, ResolutionOutcome } from "./fields.ts";
import { receiptIdOf } from "./key.ts";
import type { Operations } from "./operations.ts";
import type { Receipt, Resolution, StoredReceipt } from "./receipt.ts";
import {
  storedExtra,
  storedReceipt,
  storedRemains,
  storedRetired,
  storedVoid,
  storedVoided,
} from "./stored.ts";

/** The right to run the side effect. It is held by one call; here is only what recognises it. */
export interface DispatchLease {
  /** SHA-256 of the token, in hex: the token itself lives in the memory of its call alone. */
  readonly tokenHash: string;
  readonly leaseUntil: EpochMs;
}

/** What is kept beside the original's fields. */
export interface ReceiptExtra {
  /**
   * The place that the receipt takes in its scope. Null: it was never counted. Undefined: an original
   * wrote it, and it was counted when its folder was opened.
   */
  readonly slot: string | null | undefined;
  /** From the dispatch on; null in a receipt that an original dispatched. */
  readonly dispatch: DispatchLease | null;
  readonly resolution: Resolution | null;
  /**
   * When it is over. Null: never, or not while its outcome is open. Undefined: an original wrote it, and
   * its retention has not begun.
   */
  readonly retentionUntil: EpochMs | null | undefined;
}

export interface LiveReceipt {
  readonly kind: "live";
  readonly receipt: StoredReceipt;
  readonly extra: ReceiptExtra;
}

/** What came of an operation whose receipt is over; `unknown` only after an erasure. */
export type KeptOutcome = "not_started" | "completed" | "unknown" | ResolutionOutcome;

export interface ReceiptRemains {
  readonly version: 1;
  readonly id: string;
  readonly payloadHash: string;
  readonly state: ReceiptStateName;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** A tombstone: it keeps "absent" from coming back, so that the operation never runs again. */
export interface RetiredReceipt {
  readonly kind: "retired";
  readonly receipt: ReceiptRemains;
  readonly outcome: KeptOutcome;
  /** Whether it was erased, rather than past its retention. */
  readonly erased: boolean;
  /** Null: never counted. */
  readonly slot: string | null;
  /** Whether its scope has the place back. */
  readonly freed: boolean;
  /** The id of its scope. */
  readonly scope: string;
}

/**
 * Nothing happened here. It stands where a receipt would have been created with a reservation that was
 * given back, so that this cannot land any more (protocols 6.1).
 */
export interface VoidReceipt {
  readonly kind: "void";
  readonly id: string;
  /** Of this one alone: no other void receipt ever has it, whichever reservation it is for. */
  readonly mark: string;
}

/** Told apart by `kind`, which is not stored: the extras say the same. */
export type ReceiptState = LiveReceipt | RetiredReceipt | VoidReceipt;

export type ParsedReceipt =
  | { readonly ok: true; readonly state: ReceiptState }
  | { readonly ok: false; readonly reason: string };

/**
 * Reads a stored record: `fields` are the original's, `extra` is ours (empty in an original's). Strict
 * as the original: an additional property, an id that is not the key's, a missing time or a result that
 * does not fit one of the library's own operations make it unreadable (RECEIPT-29). `reason` names field
 * paths and no values. Without `operations` no result is looked at: for those who only end receipts.
 */
export function parseReceiptRecord(
  fields: JsonObject,
  extra: JsonObject,
  operations: Operations | null,
): ParsedReceipt {
  if (extra["retired"] !== undefined) return parseRetired(fields, extra);
  if (extra["voided"] !== undefined) return parseVoid(fields, extra);
  return parseLive(fields, extra, operations);
}

function parseLive(
  fields: JsonObject,
  extra: JsonObject,
  operations: Operations | null,
): ParsedReceipt {
  const parsed = safeParse(storedReceipt, fields);
  if (!parsed.success) return unreadable(reasonOf(parsed.error));
  const receipt = parsed.data;
  const ours = safeParse(storedExtra, extra);
  if (!ours.success) return unreadable(`holdfast: ${reasonOf(ours.error)}`);
  const { slot, dispatch = null, resolution = null, retentionUntil } = ours.data;
  const state: LiveReceipt = {
    kind: "live",
    receipt,
    extra: { slot, dispatch, resolution, retentionUntil },
  };
  const problem = problemOf(receipt) ?? resultProblem(state, operations);
  return problem === null ? { ok: true, state } : unreadable(problem);
}

/** The invariants of semantics B1 that a schema does not say. */
function problemOf(receipt: StoredReceipt): string | null {
  if (receipt.id !== receiptIdOf(receipt)) return "id: not the hash of the key";
  if (receipt.updatedAt < receipt.createdAt) return "updatedAt: before createdAt";
  if (receipt.preparedAt !== receipt.createdAt) return "preparedAt: not createdAt";
  for (const name of REQUIRED[receipt.state]) {
    if (receipt[name] === undefined) return `${name}: missing in state ${receipt.state}`;
  }
  return null;
}

type OptionalField = "dispatchingAt" | "acceptedAt" | "result" | "terminalAt" | "outcomeUnknownAt";

const REQUIRED: Readonly<Record<ReceiptStateName, readonly OptionalField[]>> = {
  prepared: [],
  dispatching: ["dispatchingAt"],
  accepted: ["dispatchingAt", "acceptedAt", "result"],
  terminal: ["dispatchingAt", "acceptedAt", "result", "terminalAt"],
  "outcome-unknown": ["dispatchingAt", "outcomeUnknownAt"],
};

// What is stored is not judged by limits: those bind what comes in.
function resultProblem(
  { receipt, extra }: LiveReceipt,
  operations: Operations | null,
): string | null {
  // Null is a result, which not every operation has.
  const result = receipt.result === undefined ? extra.resolution?.result : receipt.result;
  const schema = operations?.storedResult(receipt);
  if (result === undefined || schema === undefined) return null;
  const parsed = safeParse(schema, result);
  return parsed.success ? null : `result: ${reasonOf(parsed.error)}`;
}

function parseRetired(fields: JsonObject, extra: JsonObject): ParsedReceipt {
  const receipt = safeParse(storedRemains, fields);
  if (!receipt.success) return unreadable(reasonOf(receipt.error));
  const ours = safeParse(storedRetired, extra);
  if (!ours.success) return unreadable(`holdfast: ${reasonOf(ours.error)}`);
  const { erased = false, ...retired } = ours.data.retired;
  return { ok: true, state: { kind: "retired", receipt: receipt.data, ...retired, erased } };
}

function parseVoid(fields: JsonObject, extra: JsonObject): ParsedReceipt {
  const receipt = safeParse(storedVoid, fields);
  if (!receipt.success) return unreadable(reasonOf(receipt.error));
  const ours = safeParse(storedVoided, extra);
  if (!ours.success) return unreadable(`holdfast: ${reasonOf(ours.error)}`);
  return { ok: true, state: { kind: "void", id: receipt.data.id, mark: ours.data.voided } };
}

function unreadable(reason: string): ParsedReceipt {
  return { ok: false, reason };
}

export function idOfState(state: ReceiptState): string {
  return state.kind === "void" ? state.id : state.receipt.id;
}

/** The inverse of `parseReceiptRecord`, with the fields in the order of semantics B1. */
export function receiptRecord(state: ReceiptState): { fields: JsonObject; extra: JsonObject } {
  switch (state.kind) {
    case "live":
      return { fields: inOrder(state.receipt), extra: extraRecord(state.extra) };
    case "retired": {
      const { outcome, slot, freed, scope, erased } = state;
      const { version, id, payloadHash, state: name, createdAt, updatedAt } = state.receipt;
      return {
        fields: { version, id, payloadHash, state: name, createdAt, updatedAt },
        extra: { retired: { outcome, ...(erased ? { erased } : {}), slot, freed, scope } },
      };
    }
    case "void":
      return { fields: { version: 1, id: state.id }, extra: { voided: state.mark } };
    default:
      return unreachable(state);
  }
}

const FIELDS = [
  "version",
  "id",
  "principalId",
  "workspaceId",
  "sessionId",
  "memberId",
  "memberGeneration",
  "tool",
  "action",
  "operationId",
  "payloadHash",
  "state",
  "createdAt",
  "updatedAt",
  "preparedAt",
  "dispatchingAt",
  "acceptedAt",
  "result",
  "terminalAt",
  "outcomeUnknownAt",
] as const satisfies readonly (keyof StoredReceipt)[];

function inOrder(receipt: StoredReceipt): JsonObject {
  const ordered: Record<string, JsonValue> = {};
  for (const name of FIELDS) {
    const value = receipt[name];
    if (value !== undefined) ordered[name] = value;
  }
  return ordered;
}

function extraRecord({ slot, dispatch, resolution, retentionUntil }: ReceiptExtra): JsonObject {
  return {
    ...(slot === undefined ? {} : { slot }),
    ...(dispatch === null ? {} : { dispatch: { ...dispatch } }),
    ...(resolution === null ? {} : { resolution }),
    ...(retentionUntil === undefined ? {} : { retentionUntil }),
  };
}

/** The receipt with what a person said of it. */
export function shownReceipt({ receipt, extra }: LiveReceipt): Receipt {
  return extra.resolution === null ? receipt : { ...receipt, resolution: extra.resolution };
}
