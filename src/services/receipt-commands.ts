/**
 * Commands on receipts, carried out on the store: what the library's methods and the HTTP routes are
 * both made of. Answers tell why something was refused; the library's methods throw that.
 */
import { unreachable } from "../core/assert.ts";
import { uuid } from "../core/ids.ts";
import type { JsonObject } from "../core/json.ts";
import { type Key, lastSegment, key as recordKey } from "../core/key.ts";
import type { Due } from "../core/machine.ts";
import type {
  LiveReceiptCommand,
  Prepare,
  ReceiptCommand,
  ReceiptRejection,
  ReceiptRules,
} from "../machines/receipts/commands.ts";
import { decideReceipt } from "../machines/receipts/decide.ts";
import { dueOfReceipt } from "../machines/receipts/due.ts";
import { isReceiptId } from "../machines/receipts/fields.ts";
import { receiptIdOf } from "../machines/receipts/key.ts";
import type { Operations } from "../machines/receipts/operations.ts";
import type { Receipt } from "../machines/receipts/receipt.ts";
import {
  idOfState,
  type LiveReceipt,
  parseReceiptRecord,
  type ReceiptState,
  receiptRecord,
  shownReceipt,
} from "../machines/receipts/record.ts";
import { liveReceipt } from "../machines/receipts/retention.ts";
import { RECEIPT_EXTRAS } from "../machines/receipts/stored.ts";
import { RecordCorruptError } from "../ports/faults.ts";
import type { Log } from "../ports/log.ts";
import type { Observation } from "../ports/observe.ts";
import type { Stored } from "../store/store.ts";
import { type Codec, knownExtra } from "./codec.ts";
import { handles } from "./handles.ts";
import type { OnceCalls } from "./once-calls.ts";
import { OperationReceiptContractError } from "./receipt-errors.ts";
import { type TransactDeps, type Transacted, transact } from "./transact.ts";

export interface ReceiptDeps extends TransactDeps, ReceiptRules {
  /** Whose records these are; null: the default tenant's. */
  readonly tenant: string | null;
  readonly operations: Operations;
  /** Receipts that one workspace may have; null: they are not counted. */
  readonly capacity: number | null;
  /** Whether a refused creation brings what is stored, so that trying it first saves a request. */
  readonly createsFirst: boolean;
  readonly calls: OnceCalls;
  /** Told of an outcome that is known here and could not be stored. */
  readonly log: Log;
}

export type ReceiptTransacted = Transacted<ReceiptState, ReceiptRejection>;

export interface ReceiptAnswer {
  readonly kind: "applied" | "unchanged";
  /** Whether there was no record before. */
  readonly created: boolean;
  readonly live: LiveReceipt;
  readonly receipt: Receipt;
}

export type ReceiptOutcome =
  | ReceiptAnswer
  | { readonly kind: "rejected"; readonly rejection: ReceiptRejection };

/** A receipt by its id, or an answered receipt itself, which saves a read. */
export type ReceiptRef = string | { readonly id: string };

export interface ReceiptCommands {
  /** Runs a command on the receipt that `ref` names. Throws OperationReceiptContractError for no id. */
  run(ref: ReceiptRef, command: LiveReceiptCommand): Promise<ReceiptOutcome>;
  /** The same on a record that was just read. */
  runOn(stored: Stored, command: LiveReceiptCommand): Promise<ReceiptOutcome>;
  /** The same where nothing is believed to stand. */
  create(command: Prepare): Promise<ReceiptOutcome>;
  /** Commands on whatever stands there, tombstones and reservations, too, and whatever it resulted in. */
  change(id: string, handle: Stored | null, command: ReceiptCommand): Promise<ReceiptTransacted>;
  /** The receipt as it is; rejects `receipt_not_found`, `operation_expired`. */
  read(ref: ReceiptRef): Promise<ReceiptOutcome>;
  /** Whatever it resulted in. Throws RecordCorruptError. */
  stateOf(stored: Stored): ReceiptState;
  /** The receipt of a record, remembered so that passing it back saves a read. Null: over, or none. */
  receiptOf(stored: Stored): Receipt | null;
  /** `ref` as a receipt that this service answered, and nobody changed since; null: it is none. */
  answeredAs(ref: ReceiptRef): Receipt | null;
  idOf(ref: ReceiptRef): string;
  freshToken(): string;
}

export const RECEIPT_MACHINE = "receipts";
export const RECEIPT_RECORDS = "receipts/records/";

export function receiptKey(id: string): Key {
  return recordKey(RECEIPT_RECORDS + id);
}

/** Without `operations` results are not looked at. */
export function receiptCodec(
  operations: Operations | null,
  rules: ReceiptRules,
): Codec<ReceiptState> {
  return {
    load(stored) {
      const parsed = parseReceiptRecord(
        stored.fields,
        knownExtra(stored.extra, RECEIPT_EXTRAS),
        operations,
      );
      if (!parsed.ok) throw new RecordCorruptError(stored.key, parsed.reason);
      if (idOfState(parsed.state) !== lastSegment(stored.key)) {
        throw new RecordCorruptError(stored.key, "it stands under another receipt's id");
      }
      return parsed.state;
    },
    save: receiptRecord,
    due: (state) => dueOfReceipt(state, rules),
    extras: RECEIPT_EXTRAS,
    isRemains: ({ kind }) => kind !== "live",
  };
}

/** When a receipt that an original store wrote is due, whatever it resulted in. Throws RecordCorruptError. */
export function foreignReceiptDue(
  rules: ReceiptRules,
): (key: Key, fields: JsonObject) => Due | null {
  return (key, fields) => {
    if (!key.includes(RECEIPT_RECORDS)) return null;
    const parsed = parseReceiptRecord(fields, {}, null);
    if (!parsed.ok) throw new RecordCorruptError(key, parsed.reason);
    return dueOfReceipt(parsed.state, rules);
  };
}

export function receiptCommands(deps: ReceiptDeps): ReceiptCommands {
  const { store, clock, random, observe } = deps;
  const codec = receiptCodec(deps.operations, deps);
  // What ends receipts must not depend on what came of them.
  const upkeep = receiptCodec(null, deps);
  const { answered, recordOf } = handles();

  function target(ref: ReceiptRef): { id: string; handle: Stored | null } {
    const isAnswered = typeof ref === "object" && ref !== null;
    const id = isAnswered ? ref.id : ref;
    if (isReceiptId(id)) return { id, handle: isAnswered ? recordOf(ref) : null };
    // Checked before it becomes part of a key: it may be anybody's text (RECEIPT-48).
    throw new OperationReceiptContractError([
      { path: "id", message: "must be a receipt's, 64 lower-case hex digits; a key is for get" },
    ]);
  }

  async function decided(
    id: string,
    handle: Stored | "absent" | null,
    command: LiveReceiptCommand,
  ): Promise<ReceiptOutcome> {
    let isNew = false;
    const result = await transact<ReceiptState, ReceiptRejection>(deps, codec, {
      key: receiptKey(id),
      handle,
      decide(state, now) {
        isNew = state === null || state.kind === "void";
        return decideReceipt(state, command, now, deps);
      },
    });
    for (const name of observationsOf(command, result, isNew)) observe(name, 1);
    if (result.kind === "rejected") return result;
    const { state, stored, kind } = result;
    if (state.kind !== "live") throw new TypeError("a live command answered no receipt");
    return { kind, created: isNew, live: state, receipt: answered(shownReceipt(state), stored) };
  }

  return {
    async run(ref, command) {
      const { id, handle } = target(ref);
      return decided(id, handle, command);
    },
    runOn: (stored, command) => decided(lastSegment(stored.key), stored, command),
    create: (command) => decided(receiptIdOf(command.key), "absent", command),
    change: (id, handle, command) =>
      transact<ReceiptState, ReceiptRejection>(deps, upkeep, {
        key: receiptKey(id),
        handle,
        decide: (state, now) => decideReceipt(state, command, now, deps),
      }),
    async read(ref) {
      const stored = await store.get(receiptKey(target(ref).id));
      const state = stored === null ? null : codec.load(stored);
      const now = clock.now();
      const live = state === null ? null : liveReceipt(state, now);
      if (stored === null || live === null) {
        // Any command says why there is nothing to be had.
        const decision = decideReceipt(state, { kind: "recover" }, now, deps);
        if (decision.kind !== "reject") throw new TypeError("what is over took a command");
        return { kind: "rejected", rejection: decision.rejection };
      }
      const receipt = answered(shownReceipt(live), stored);
      return { kind: "unchanged", created: false, live, receipt };
    },
    stateOf: upkeep.load,
    receiptOf(stored) {
      const live = liveReceipt(codec.load(stored), clock.now());
      return live === null ? null : answered(shownReceipt(live), stored);
    },
    answeredAs: (ref) => (target(ref).handle === null ? null : (ref as Receipt)),
    idOf: (ref) => target(ref).id,
    freshToken: () => uuid(random.bytes(16)),
  };
}

/** What a command's end counts as (RECEIPT-33). */
function observationsOf(
  command: LiveReceiptCommand,
  result: ReceiptTransacted,
  isNew: boolean,
): readonly Observation[] {
  if (result.kind === "rejected") {
    const rejection = result.rejection.kind;
    if (rejection === "operation_receipt_conflict") return ["receipt.conflict"];
    return rejection === "dispatch_lost" ? ["receipt.dispatch_lost"] : [];
  }
  if (result.kind === "unchanged") return command.kind === "prepare" ? ["receipt.replay"] : [];
  switch (command.kind) {
    case "prepare":
      return [
        ...(isNew ? (["receipt.prepared"] as const) : []),
        ...(command.dispatch === null ? [] : (["receipt.dispatched"] as const)),
      ];
    case "dispatch":
      return ["receipt.dispatched"];
    case "accept":
      return ["receipt.accepted"];
    case "unknown":
    case "recover":
      return ["receipt.outcome-unknown"];
    case "resolve":
      return ["receipt.resolved"];
    case "renew":
    case "release":
    case "complete":
      return [];
    default:
      return unreachable(command);
  }
}
