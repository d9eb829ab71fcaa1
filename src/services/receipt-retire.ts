/** The end of receipts: a tombstone, and the place in the workspace given back once (protocols 6.1). */
import { lastSegment } from "../core/key.ts";
import { after } from "../core/time.ts";
import type { ReceiptRejection } from "../machines/receipts/commands.ts";
import type { ReceiptRemains, RetiredReceipt } from "../machines/receipts/record.ts";
import { isOver } from "../machines/receipts/retention.ts";
import { givePlaceBack } from "../machines/receipts/scope.ts";
import { ContendedError } from "../ports/faults.ts";
import type { Stored } from "../store/store.ts";
import { type ReceiptCommands, type ReceiptDeps, receiptKey } from "./receipt-commands.ts";
import type { ReceiptNotes } from "./receipt-notes.ts";
import { type ReceiptScopes, scopeCodec, scopeKey } from "./receipt-scopes.ts";

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

/** Writes of others to the same scope, in a row, before a place is left to the next pass. */
const TRIES_MAX = 32;

export function receiptRetirement(
  deps: ReceiptDeps,
  commands: ReceiptCommands,
  scopes: ReceiptScopes,
  notes: ReceiptNotes,
): ReceiptRetirement {
  const { store, clock, observe } = deps;

  async function giveBack(tombstone: RetiredReceipt): Promise<void> {
    for (let tries = 0; tries < TRIES_MAX; tries += 1) if (await isGivenBack(tombstone)) return;
    throw new ContendedError("others kept changing the workspace's count");
  }

  /** False: somebody else wrote first. */
  async function isGivenBack({ receipt, slot, scope }: RetiredReceipt): Promise<boolean> {
    if (slot === null) return true;
    // The scope first: if it has not changed since, what the tombstone says was true when it was read.
    const book = await store.get(scopeKey(scope));
    const stored = await store.get(receiptKey(receipt.id));
    const state = stored === null ? null : commands.stateOf(stored);
    if (state?.kind !== "retired") throw new TypeError("a tombstone was replaced");
    if (!state.freed) {
      if (book !== null && !(await isNoted(book, slot, receipt.id))) return false;
      await commands.change(receipt.id, stored, { kind: "free" });
    }
    // A workspace that was never counted has nothing to forget.
    if (book !== null) await scopes.forget(scope, slot);
    return true;
  }

  /** Notes in the scope, as it was read, that the place is given back. */
  async function isNoted(book: Stored, slot: string, id: string): Promise<boolean> {
    const places = scopeCodec.load(book);
    if (slot in places.out) return true;
    const next = givePlaceBack(places, slot, id);
    if (next === null) {
      await scopes.heal(lastSegment(book.key));
      return false;
    }
    const result = await store.put(book.key, scopeCodec.save(next), {
      expected: book,
      due: null,
      deadlineAt: after(clock.now(), deps.deadlineMs),
    });
    return result.kind === "stored";
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
