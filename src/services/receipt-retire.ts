/** The end of receipts: a tombstone, and the place in the workspace given back once (protocols 6.1). */
import { isOf } from "../core/foreign.ts";
import { lastSegment } from "../core/key.ts";
import type { ReceiptRejection } from "../machines/receipts/commands.ts";
import { RESOLUTIONS } from "../machines/receipts/fields.ts";
import type { ReceiptRemains, ReceiptState, RetiredReceipt } from "../machines/receipts/record.ts";
import { isOver } from "../machines/receipts/retention.ts";
import { RecordCorruptError } from "../ports/faults.ts";
import type { Stored } from "../store/store.ts";
import { isPassing } from "./passing.ts";
import { quietly } from "./quietly.ts";
import { NOT_NOTED } from "./receipt-books.ts";
import { type ReceiptCommands, type ReceiptDeps, receiptKey } from "./receipt-commands.ts";
import type { ReceiptNotes } from "./receipt-notes.ts";
import type { ReceiptScopes } from "./receipt-scopes.ts";

export interface ReceiptRetirement {
  /**
   * Replaces a receipt past its retention by a tombstone, or goes on where that was cut off; whether it
   * is one now. A receipt of an original begins its retention instead.
   */
  retire(stored: Stored): Promise<boolean>;
  /**
   * The same at once, whatever its age, unless it is dispatching. Throws RecordCorruptError when it is a
   * tombstone and its notes are still there, as they are no record at all.
   */
  erase(id: string): Promise<ReceiptErasure>;
}

export type ReceiptErasure =
  | { readonly kind: "erased"; readonly receipt: ReceiptRemains }
  | { readonly kind: "rejected"; readonly rejection: ReceiptRejection };

export interface RetirementParts {
  readonly scopes: ReceiptScopes;
  readonly notes: ReceiptNotes;
  /** Resolves once the receipts of an original are counted. */
  readonly counted: () => Promise<void>;
}

export function receiptRetirement(
  deps: ReceiptDeps,
  commands: ReceiptCommands,
  { scopes, notes, counted }: RetirementParts,
): ReceiptRetirement {
  const { clock, observe } = deps;

  async function giveBack({ receipt, slot, scope }: RetiredReceipt): Promise<void> {
    if (slot === null || !(await isCounted())) return;
    const tombstone = await scopes.release(scope, slot, receipt.id);
    if (tombstone !== null) await commands.change(receipt.id, tombstone, { kind: "free" });
    await scopes.forget(scope, slot);
  }

  /**
   * Whether the receipts of an original are counted. While that is going on nobody can tell whether a
   * tombstone of one is in the count; so all that keep their place are, and none gives it back before. Also
   * where this service counts nothing: another one on the same storage may be counting them.
   */
  async function isCounted(): Promise<boolean> {
    try {
      await counted();
      return true;
    } catch (fault) {
      // The tombstone is due until its place is given back.
      if (isPassing(fault)) return false;
      throw fault;
    }
  }

  /** Null: they are forgotten. Else why not: notes that cannot be read keep no receipt from its end. */
  async function closed(id: string): Promise<RecordCorruptError | null> {
    try {
      await notes.close(id);
      return null;
    } catch (fault) {
      if (isOf(fault, RecordCorruptError)) return fault;
      throw fault;
    }
  }

  return {
    async retire(stored) {
      const state = commands.stateOf(stored);
      const id = lastSegment(stored.key);
      const isEnding = state.kind === "live" && isOver(state, clock.now()) && isResolved(state);
      const torn = isEnding ? await closed(id) : null;
      const slot = commands.freshToken();
      const result = await commands.change(id, stored, { kind: "retire", slot });
      if (result.kind === "rejected" || result.state.kind !== "retired") return false;
      if (result.kind === "applied") observe("receipt.retired", 1);
      if (!result.state.freed) await giveBack(result.state);
      if (torn !== null) throw torn;
      return true;
    },
    async erase(id) {
      const stored = await deps.store.get(receiptKey(id));
      const isClosed = stored !== null && isResolved(commands.stateOf(stored));
      // First: where this ends in the middle, the receipt is still there to be erased.
      let torn = isClosed ? await closed(id) : null;
      const slot = commands.freshToken();
      const result = await commands.change(id, stored, { kind: "erase", slot });
      if (result.kind === "rejected") return result;
      const { state } = result;
      if (state.kind !== "retired") throw new TypeError("an erasure left a receipt its content");
      if (result.kind === "applied") observe("receipt.erased", 1);
      // Resolved in between: a late report may have been noted, or be about to.
      if (!isClosed && isResolved(state)) torn = await closed(id);
      // What is asked for is done by now; the tombstone is due until its place is given back.
      if (!state.freed) await quietly(deps, NOT_NOTED, giveBack(state));
      if (torn !== null) throw torn;
      return { kind: "erased", receipt: state.receipt };
    },
  };
}

/** Whether a person said what came of it, so that there may be notes. */
function isResolved(state: ReceiptState): boolean {
  if (state.kind === "live") return state.extra.resolution !== null;
  return state.kind === "retired" && RESOLUTIONS.some((outcome) => outcome === state.outcome);
}
