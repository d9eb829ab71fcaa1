/** The places of every workspace, counted exactly across processes (protocols 6.1). */
import { base64Url } from "../core/ids.ts";
import { after, durationMs, epochMs, minutes } from "../core/time.ts";
import { scopeIdOf } from "../machines/receipts/key.ts";
import { stalePending } from "../machines/receipts/scope.ts";
import { ContendedError, RecordCorruptError } from "../ports/faults.ts";
import { READS_AT_ONCE } from "../store/limits.ts";
import type { Stored } from "../store/store.ts";
import { mapLimited } from "./map-limited.ts";
import { quietly } from "./quietly.ts";
import { NOT_NOTED, scopeBooks, scopeCodec, scopeKey } from "./receipt-books.ts";
import { type ReceiptCommands, type ReceiptDeps, receiptKey } from "./receipt-commands.ts";
import { OperationReceiptCapacityError } from "./receipt-errors.ts";

export interface ReceiptScopes {
  /** The nonce of a place for the receipt `id`. Throws OperationReceiptCapacityError. */
  reserve(workspaceId: string, id: string): Promise<string>;
  /** The receipt was created with it. Never rejects. */
  keep(workspaceId: string, nonce: string): Promise<void>;
  /** It never will be. Never rejects. */
  giveBack(workspaceId: string, nonce: string): Promise<void>;
  /**
   * Gives the scope the place of the tombstone `id` back. The tombstone where it does not say so itself yet;
   * null: it does. Throws ContendedError.
   */
  release(scope: string, nonce: string, id: string): Promise<Stored | null>;
  /** Notes in the scope, by its id, that a tombstone says itself that its place is given back. Never rejects. */
  forget(scope: string, nonce: string): Promise<void>;
}

/** Younger than this, what another process may still be using is left alone. Saves work, no more. */
const POLITENESS_MS = minutes(1);

/** Void receipts of others that come in between, in a row, before one entry is left to them. */
const TRIES_MAX = 8;

/** Between two looks at a scope that has no room for another reservation. */
const PAUSE_MS = durationMs(50);

export function receiptScopes(deps: ReceiptDeps, commands: ReceiptCommands): ReceiptScopes {
  const { store, clock, random } = deps;
  const freshNonce = () => base64Url(random.bytes(NONCE_BYTES));
  const books = scopeBooks(deps, commands, heal);

  /**
   * Whether a reservation's place stays taken: decided for good before that is noted. Null: others keep
   * deciding it, so it is left to them.
   */
  async function isKept(nonce: string, id: string): Promise<boolean | null> {
    for (let tries = 0; tries < TRIES_MAX; tries += 1) {
      const isIt = await isSlot(nonce, id);
      if (isIt !== null) return isIt;
    }
    return null;
  }

  /** Null: a void receipt of another's came in between, and may have been written over by a creator. */
  async function isSlot(nonce: string, id: string): Promise<boolean | null> {
    const stored = await store.get(receiptKey(id));
    let state = stored === null ? null : commands.stateOf(stored);
    if (state === null || state.kind === "void") {
      const [mark, over] = [freshNonce(), state?.mark ?? null];
      const result = await commands.change(id, stored, { kind: "void", id, mark, over });
      if (result.kind === "rejected") throw new TypeError("a void receipt was refused");
      state = result.state;
      if (state.kind === "void") return state.mark === mark ? false : null;
    }
    return (state.kind === "live" ? state.extra.slot : state.slot) === nonce;
  }

  /**
   * Whether the tombstone says that its place is given back, as the scope does; it is made to, where whoever
   * gave it back ended before. False also where that is not known to be done.
   */
  async function isFreed(nonce: string, id: string): Promise<boolean> {
    const stored = await store.get(receiptKey(id));
    const state = stored === null ? null : commands.stateOf(stored);
    if (state?.kind !== "retired") return false;
    if (state.freed || state.slot !== nonce) return state.freed;
    return quietly(deps, NOT_NOTED, commands.change(id, stored, { kind: "free" }));
  }

  /** Settles what others left unsettled. One entry that cannot be judged, since its receipt is unreadable, stays, and stops no other. */
  async function heal(scope: string): Promise<void> {
    const stored = await store.get(scopeKey(scope));
    if (stored === null) return;
    const state = scopeCodec.load(stored);
    const before = epochMs(Math.max(0, clock.now() - POLITENESS_MS));
    const judged = await mapLimited(
      stalePending(state, before),
      READS_AT_ONCE,
      async ([nonce, { id }]) => ({ nonce, isKept: await readable(isKept(nonce, id)) }),
    );
    const freed = await mapLimited(Object.entries(state.out), READS_AT_ONCE, async ([nonce, id]) =>
      (await readable(isFreed(nonce, id))) === true ? nonce : null,
    );
    await books.change(scope, {
      kept: judged.filter(({ isKept }) => isKept === true).map(({ nonce }) => nonce),
      givenBack: judged.filter(({ isKept }) => isKept === false).map(({ nonce }) => nonce),
      forgotten: freed.filter((nonce) => nonce !== null),
    });
  }

  return {
    async reserve(workspaceId, id) {
      const scope = scopeIdOf(workspaceId);
      const nonce = freshNonce();
      const deadlineAt = after(clock.now(), deps.deadlineMs);
      for (let isHealed = false; ; ) {
        const place = await books.ask(scope, { nonce, id });
        if (place === "granted") return nonce;
        if (isHealed && place === "full") throw full(deps, workspaceId);
        if (isHealed && clock.now() >= deadlineAt) {
          throw new ContendedError("too many others are reserving places in the same workspace");
        }
        if (isHealed) await clock.sleep(PAUSE_MS);
        else await heal(scope);
        isHealed = true;
      }
    },
    keep: (workspaceId, nonce) => books.keep(scopeIdOf(workspaceId), nonce),
    async giveBack(workspaceId, nonce) {
      await quietly(deps, NOT_NOTED, books.change(scopeIdOf(workspaceId), { givenBack: [nonce] }));
    },
    release: (scope, nonce, id) => books.release(scope, { nonce, id }),
    async forget(scope, nonce) {
      await quietly(deps, NOT_NOTED, books.forget(scope, nonce));
    },
  };
}

/** Fresh ones never meet. */
const NONCE_BYTES = 12;

function full(
  { capacity, observe }: ReceiptDeps,
  workspaceId: string,
): OperationReceiptCapacityError {
  observe("receipt.capacity", 1);
  return new OperationReceiptCapacityError(
    "operation_receipt_capacity",
    `the workspace ${JSON.stringify(workspaceId)} has ${capacity} receipts, and may not have more; a place ` +
      "is given back when a receipt is erased or past its retention (limits.receiptCapacity, " +
      "HOLDFAST_RECEIPT_CAPACITY)",
  );
}

async function readable<T>(work: Promise<T>): Promise<T | null> {
  try {
    return await work;
  } catch (fault) {
    if (fault instanceof RecordCorruptError) return null;
    throw fault;
  }
}
