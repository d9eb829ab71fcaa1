/** The end of receipts: a tombstone, and the place in the workspace given back once (protocols 6.1). */
import { lastSegment } from "../core/key.ts";
import type { ReceiptRejection } from "../machines/receipts/commands.ts";
import type { ReceiptRemains, RetiredReceipt } from "../machines/receipts/record.ts";
import { isOver } from "../machines/receipts/retention.ts";
import type { Stored } from "../store/store.ts";
import { isPassing } from "./passing.ts";
import type { ReceiptCommands, ReceiptDeps } from "./receipt-commands.ts";
import type { ReceiptNotes } from "./receipt-notes.ts";
import type { ReceiptScopes } from "./receipt-scopes.ts";

export interface ReceiptRetirement {
  /**
   * Replaces a receipt past its retention by a tombstone, or goes on where that was cut off; whether it
   * is one now. A receipt of an original begins its retention instead.
   */
  retire(stored: Stored): Promise<boolean>;
  /** The same at once, whatever its age, unless it is dispatching. */
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
  const { clock, observe, capacity } = deps;

  async function giveBack({ receipt, slot, scope }: RetiredReceipt): Promise<void> {
    if (slot === null || !(await isCounted())) return;
    const tombstone = await scopes.release(scope, slot, receipt.id);
    if (tombstone !== null) await commands.change(receipt.id, tombstone, { kind: "free" });
    await scopes.forget(scope, slot);
  }

  /**
   * Whether the receipts of an original are counted. While that is going on nobody can tell whether a
   * tombstone of one is in the count; so all that keep their place are, and none gives it back before.
   */
  async function isCounted(): Promise<boolean> {
    if (capacity === null) return true;
    try {
      await counted();
      return true;
    } catch (fault) {
      // The tombstone is due until its place is given back.
      if (isPassing(fault)) return false;
      throw fault;
    }
  }

  return {
    async retire(stored) {
      const state = commands.stateOf(stored);
      const id = lastSegment(stored.key);
      if (state.kind === "live" && state.extra.resolution !== null && isOver(state, clock.now())) {
        await notes.close(id);
      }
      const slot = commands.freshToken();
      const result = await commands.change(id, stored, { kind: "retire", slot });
      if (result.kind === "rejected" || result.state.kind !== "retired") return false;
      if (result.kind === "applied") observe("receipt.retired", 1);
      if (!result.state.freed) await giveBack(result.state);
      return true;
    },
    async erase(id) {
      // There are none but of a resolved receipt, which is in nobody's use.
      await notes.close(id);
      const slot = commands.freshToken();
      const result = await commands.change(id, null, { kind: "erase", slot });
      if (result.kind === "rejected") return result;
      const { state } = result;
      if (state.kind !== "retired") throw new TypeError("an erasure left a receipt its content");
      if (result.kind === "applied") observe("receipt.erased", 1);
      if (!state.freed) await giveBack(state);
      return { kind: "erased", receipt: state.receipt };
    },
  };
}
