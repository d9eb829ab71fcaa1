/**
 * The places of every workspace, counted exactly across processes (protocols 6.1). Calls of one process
 * are noted together, and that a receipt was created is noted along with the next reservation.
 */
import { base64Url } from "../core/ids.ts";
import { key as recordKey } from "../core/key.ts";
import { apply, type Decision, unchanged } from "../core/machine.ts";
import { after, durationMs, epochMs, minutes } from "../core/time.ts";
import { scopeIdOf } from "../machines/receipts/key.ts";
import {
  changeScope,
  EMPTY_SCOPE,
  PENDING_MAX,
  parseScope,
  type ScopeChange,
  type ScopeReservation,
  type ScopeState,
  type ScopeVerdict,
  scopeRecord,
  stalePending,
} from "../machines/receipts/scope.ts";
import { ContendedError, RecordCorruptError } from "../ports/faults.ts";
import { READS_AT_ONCE } from "../store/limits.ts";
import type { Stored } from "../store/store.ts";
import { mapLimited } from "./map-limited.ts";
import { isPassing } from "./passing.ts";
import { type ReceiptCommands, type ReceiptDeps, receiptKey } from "./receipt-commands.ts";
import { OperationReceiptCapacityError } from "./receipt-errors.ts";
import { type Codec, transact } from "./transact.ts";

export const RECEIPT_SCOPES = "receipts/scopes/";

export function scopeKey(scope: string) {
  return recordKey(RECEIPT_SCOPES + scope);
}

export const scopeCodec: Codec<ScopeState> = {
  load(stored) {
    const parsed = parseScope(stored.fields);
    if (!parsed.ok) throw new RecordCorruptError(stored.key, parsed.reason);
    return parsed.scope;
  },
  save: (scope) => ({ fields: scopeRecord(scope), extra: {} }),
  due: () => null,
};

export interface ReceiptScopes {
  /** The nonce of a place for the receipt `id`. Throws OperationReceiptCapacityError. */
  reserve(workspaceId: string, id: string): Promise<string>;
  /** The receipt was created with it. */
  keep(workspaceId: string, nonce: string): Promise<void>;
  /** It never will be. */
  giveBack(workspaceId: string, nonce: string): Promise<void>;
  /** Notes in the scope, by its id, that a tombstone says itself that its place is given back. */
  forget(scope: string, nonce: string): Promise<void>;
  /** Settles what others left unsettled. */
  heal(scope: string): Promise<void>;
}

/** Younger than this, what another process may still be using is left alone. Saves work, no more. */
const POLITENESS_MS = minutes(1);

/** Reservations of one write. */
const BATCH_MAX = 32;

/** From so many unsettled entries on, own ones are noted at once: there must be room for others. */
const CROWDED = PENDING_MAX / 2;

/** Scopes with something still to be noted that one process keeps in mind. */
const BOOKS_MAX = 256;

/** Void receipts of others that come in between, in a row, before one entry is left to them. */
const TRIES_MAX = 8;

/** Between two looks at a scope that has no room for another reservation. */
const PAUSE_MS = durationMs(50);

interface Waiting {
  readonly reservation: ScopeReservation;
  readonly settle: (place: "granted" | "full" | "crowded") => void;
  readonly fail: (error: unknown) => void;
}

/** What one process has to note in one scope. */
interface Book {
  waiting: Waiting[];
  kept: string[];
  isBusy: boolean;
  /** As it was left, which saves a read. */
  stored: Stored | null;
}

const NOTHING: ScopeChange = { kept: [], givenBack: [], forgotten: [], reserved: [] };

export function receiptScopes(deps: ReceiptDeps, commands: ReceiptCommands): ReceiptScopes {
  const { store, clock, random } = deps;
  const limit = deps.capacity ?? 0;
  const books = new Map<string, Book>();
  const freshNonce = () => base64Url(random.bytes(NONCE_BYTES));

  function bookOf(scope: string): Book {
    const book = books.get(scope) ?? { waiting: [], kept: [], isBusy: false, stored: null };
    books.set(scope, book);
    return book;
  }

  async function change(
    scope: string,
    handle: Stored | null,
    what: Partial<ScopeChange>,
  ): Promise<{ verdict: ScopeVerdict; stored: Stored }> {
    let verdict: ScopeVerdict | null = null;
    const result = await transact<ScopeState, never>(deps, scopeCodec, {
      key: scopeKey(scope),
      handle,
      decide(state, now): Decision<ScopeState, never> {
        const before = state ?? EMPTY_SCOPE;
        verdict = changeScope(before, { ...NOTHING, ...what }, limit, now);
        const isSame = JSON.stringify(verdict.next) === JSON.stringify(before);
        return isSame && state !== null ? unchanged(state) : apply(verdict.next);
      },
    });
    if (verdict === null || result.kind === "rejected") throw new TypeError("nothing was decided");
    return { verdict, stored: result.stored };
  }

  /** One write after the other for each scope, each with everything that came meanwhile. */
  async function drain(scope: string, book: Book): Promise<void> {
    if (book.isBusy) return;
    book.isBusy = true;
    while (book.waiting.length > 0) await note(scope, book);
    book.isBusy = false;
  }

  /** Never rejects: those who wait are told. */
  async function note(scope: string, book: Book): Promise<void> {
    const batch = book.waiting.splice(0, BATCH_MAX);
    const kept = book.kept.splice(0);
    const reserved = batch.map(({ reservation }) => reservation);
    try {
      const { verdict, stored } = await change(scope, book.stored, { kept, reserved });
      book.stored = stored;
      for (const { reservation, settle } of batch) {
        if (verdict.granted.has(reservation.nonce)) settle("granted");
        else settle(verdict.isFull ? "full" : "crowded");
      }
    } catch (error) {
      // May have been noted all the same: twice says no more than once.
      book.kept.push(...kept);
      book.stored = null;
      for (const { fail } of batch) fail(error);
    }
  }

  function ask(scope: string, reservation: ScopeReservation) {
    const book = bookOf(scope);
    return new Promise<"granted" | "full" | "crowded">((settle, fail) => {
      book.waiting.push({ reservation, settle, fail });
      void drain(scope, book);
    });
  }

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

  async function isFreed(id: string): Promise<boolean> {
    const stored = await store.get(receiptKey(id));
    const state = stored === null ? null : commands.stateOf(stored);
    return state?.kind === "retired" && state.freed;
  }

  /** One entry that cannot be judged, since its receipt is unreadable, stays, and stops no other. */
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
      (await readable(isFreed(id))) === true ? nonce : null,
    );
    await change(scope, null, {
      kept: judged.filter(({ isKept }) => isKept === true).map(({ nonce }) => nonce),
      givenBack: judged.filter(({ isKept }) => isKept === false).map(({ nonce }) => nonce),
      forgotten: freed.filter((nonce) => nonce !== null),
    });
  }

  /** Notes what is still to be noted of the scopes that have not been asked for longest. */
  async function settleOldest(): Promise<void> {
    for (const [scope, { kept, isBusy, waiting }] of books) {
      if (books.size <= BOOKS_MAX) return;
      if (isBusy || waiting.length > 0) continue;
      books.delete(scope);
      if (kept.length > 0) await quietly(change(scope, null, { kept }));
    }
  }

  return {
    async reserve(workspaceId, id) {
      const scope = scopeIdOf(workspaceId);
      const nonce = freshNonce();
      const deadlineAt = after(clock.now(), deps.deadlineMs);
      for (let isHealed = false; ; ) {
        const place = await ask(scope, { nonce, id });
        if (place === "granted") break;
        if (isHealed && place === "full") throw full(deps);
        if (isHealed && clock.now() >= deadlineAt) {
          throw new ContendedError("too many others are reserving places in the same workspace");
        }
        if (isHealed) await clock.sleep(PAUSE_MS);
        else await heal(scope);
        isHealed = true;
      }
      await settleOldest();
      return nonce;
    },
    async keep(workspaceId, nonce) {
      const scope = scopeIdOf(workspaceId);
      const book = bookOf(scope);
      book.kept.push(nonce);
      const known = book.stored === null ? EMPTY_SCOPE : scopeCodec.load(book.stored);
      if (Object.keys(known.pend).length < CROWDED) return;
      await quietly(change(scope, null, { kept: book.kept.splice(0) }));
    },
    async giveBack(workspaceId, nonce) {
      await quietly(change(scopeIdOf(workspaceId), null, { givenBack: [nonce] }));
    },
    async forget(scope, nonce) {
      await quietly(change(scope, null, { forgotten: [nonce] }));
    },
    heal,
  };
}

/** Fresh ones never meet. */
const NONCE_BYTES = 12;

function full({ capacity, observe }: ReceiptDeps): OperationReceiptCapacityError {
  observe("receipt.capacity", 1);
  return new OperationReceiptCapacityError(
    "operation_receipt_capacity",
    `the workspace has ${capacity} receipts, and may not have more`,
  );
}

/** What is not noted now is settled by others later. */
async function quietly(work: Promise<unknown>): Promise<void> {
  try {
    await work;
  } catch (fault) {
    if (!isPassing(fault)) throw fault;
  }
}

async function readable<T>(work: Promise<T>): Promise<T | null> {
  try {
    return await work;
  } catch (fault) {
    if (fault instanceof RecordCorruptError) return null;
    throw fault;
  }
}
