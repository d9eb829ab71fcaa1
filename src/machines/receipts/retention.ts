/** The end of a receipt: it is over by the clock first, and replaced by a tombstone later. */
import { unreachable } from "../../core/assert.ts";
import { apply, reject, unchanged } from "../../core/machine.ts";
import { type EpochMs, epochMs } from "../../core/time.ts";
import {
  found,
  type LiveDecision,
  type ReceiptDecision,
  refuse,
  retentionFrom,
  stampOf,
} from "./changes.ts";
import type { ReceiptRejection, ReceiptRules } from "./commands.ts";
import { scopeIdOf } from "./key.ts";
import type { KeptOutcome, LiveReceipt, ReceiptState, RetiredReceipt } from "./record.ts";

/**
 * When the receipt is to be looked at for its age; null: never, or not while its outcome is open. One that
 * an original wrote has no retention yet: whoever finds it by its age begins one.
 */
export function agesAt({ receipt, extra }: LiveReceipt, rules: ReceiptRules): EpochMs | null {
  if (extra.retentionUntil !== undefined) return extra.retentionUntil;
  const isOpen = receipt.state === "dispatching" || receipt.state === "outcome-unknown";
  return isOpen ? null : retentionFrom(epochMs(receipt.updatedAt), rules);
}

/** Whether it is over, though no tombstone has replaced it yet. */
export function isOver({ extra }: LiveReceipt, now: EpochMs): boolean {
  const { retentionUntil } = extra;
  return retentionUntil !== undefined && retentionUntil !== null && retentionUntil <= now;
}

/** The receipt unless it is over, or there never was one. */
export function liveReceipt(state: ReceiptState, now: EpochMs): LiveReceipt | null {
  return state.kind === "live" && !isOver(state, now) ? state : null;
}

/** What every command is told of a receipt that is over. */
export function expired(state: LiveReceipt | RetiredReceipt): LiveDecision {
  const { outcome, erased } =
    state.kind === "live" ? { outcome: outcomeOf(state), erased: false } : state;
  return reject<ReceiptRejection>({ kind: "operation_expired", ...found(state), outcome, erased });
}

/**
 * Rejects `invalid_receipt_state` while it is not over. A receipt of an original is not yet, however old:
 * its retention begins now. `slot` is for such a one.
 */
export function retire(
  state: LiveReceipt | RetiredReceipt,
  slot: string,
  now: EpochMs,
  rules: ReceiptRules,
): ReceiptDecision {
  if (state.kind === "retired") return unchanged<ReceiptState>(state);
  if (isOver(state, now)) return apply<ReceiptState>(tombstone(state, slot, now, false));
  const ages = agesAt(state, rules);
  if (ages === null || ages > now) return refuse(state, "invalid_receipt_state");
  // What is of age and not over has no retention yet: it begins now.
  const retentionUntil = retentionFrom(now, rules);
  return apply<ReceiptState>({ ...state, extra: { ...state.extra, retentionUntil } });
}

/** At once, unless its owner may be at it. */
export function erase(
  state: LiveReceipt | RetiredReceipt,
  slot: string,
  now: EpochMs,
): ReceiptDecision {
  if (state.kind === "retired") return unchanged<ReceiptState>(state);
  return state.receipt.state === "dispatching"
    ? refuse(state, "in_use")
    : apply<ReceiptState>(tombstone(state, slot, now, true));
}

export function free(state: RetiredReceipt): ReceiptDecision {
  return state.freed
    ? unchanged<ReceiptState>(state)
    : apply<ReceiptState>({ ...state, freed: true });
}

function tombstone(
  live: LiveReceipt,
  freshSlot: string,
  now: EpochMs,
  erased: boolean,
): RetiredReceipt {
  const { receipt, extra } = live;
  const slot = extra.slot === undefined ? freshSlot : extra.slot;
  return {
    kind: "retired",
    receipt: {
      version: 1,
      id: receipt.id,
      payloadHash: receipt.payloadHash,
      state: receipt.state,
      createdAt: receipt.createdAt,
      updatedAt: stampOf(receipt, now),
    },
    outcome: outcomeOf(live),
    erased,
    slot,
    freed: slot === null,
    scope: scopeIdOf(receipt.workspaceId),
  };
}

function outcomeOf({ receipt, extra }: LiveReceipt): KeptOutcome {
  switch (receipt.state) {
    case "prepared":
      return "not_started";
    case "accepted":
    case "terminal":
      return "completed";
    case "dispatching":
    case "outcome-unknown":
      return extra.resolution?.outcome ?? "unknown";
    default:
      return unreachable(receipt.state);
  }
}
