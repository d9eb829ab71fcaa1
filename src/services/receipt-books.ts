/**
 * What one process has to note in the scopes: all that comes while one write is under way is noted together
 * in the next, so that calls of the same process never fight for a workspace (protocols 6.1).
 */
import { jitteredMs } from "../core/backoff.ts";
import { key as recordKey } from "../core/key.ts";
import { apply, type Decision, unchanged } from "../core/machine.ts";
import { durationMs } from "../core/time.ts";
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
} from "../machines/receipts/scope.ts";
import { ContendedError, RecordCorruptError } from "../ports/faults.ts";
import { READS_AT_ONCE } from "../store/limits.ts";
import type { Stored } from "../store/store.ts";
import { type Codec, NO_EXTRAS } from "./codec.ts";
import { mapLimited } from "./map-limited.ts";
import { quietly } from "./quietly.ts";
import { type ReceiptCommands, type ReceiptDeps, receiptKey } from "./receipt-commands.ts";
import { transact } from "./transact.ts";

/** Told of what could not be noted beside a call; whoever heals the count settles it. */
export const NOT_NOTED = "receipt count not noted";

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
  extras: NO_EXTRAS,
  isRemains: () => false,
};

export type Place = "granted" | "full" | "crowded";

export interface ScopeBooks {
  /** Asks for a place. */
  ask(scope: string, reservation: ScopeReservation): Promise<Place>;
  /** Notes with the next write that a reservation's receipt was created. Never rejects. */
  keep(scope: string, nonce: string): Promise<void>;
  /**
   * Notes that the place of a tombstone is given back, unless that is done already. The tombstone where it
   * does not say so itself yet; null: it does. Throws ContendedError.
   */
  release(scope: string, place: ScopeReservation): Promise<Stored | null>;
  /** Notes that a tombstone says itself that its place is given back. */
  forget(scope: string, nonce: string): Promise<void>;
  /** One write of its own. */
  change(scope: string, what: Partial<ScopeChange>): Promise<void>;
}

/** Reservations, and places given back, of one write. */
const BATCH_MAX = 32;

/** Writes of other processes to the same scope, in a row, before a place is left to the next pass. */
const TRIES_MAX = 32;
const RETRY = { base: durationMs(5), cap: durationMs(250) };

/** From so many unsettled entries on, own ones are noted at once: there must be room for others. */
const CROWDED = PENDING_MAX / 2;

/** Scopes with something still to be noted that one process keeps in mind. */
const BOOKS_MAX = 256;

interface Waiting<Item, Answer> {
  readonly item: Item;
  readonly settle: (answer: Answer) => void;
  readonly fail: (error: unknown) => void;
}

interface Releasing extends Waiting<ScopeReservation, Stored | null> {
  readonly tries: number;
}

/** What one process has to note in one scope. */
interface Book {
  readonly asking: Waiting<ScopeReservation, Place>[];
  readonly releasing: Releasing[];
  readonly forgetting: Waiting<string, void>[];
  readonly kept: string[];
  isBusy: boolean;
  /** As it was left, which saves a read. */
  stored: Stored | null;
}

/** A place to be given back, with its tombstone, which did not say so when it was read. */
interface Open {
  readonly one: Releasing;
  readonly tombstone: Stored;
}

const NOTHING: ScopeChange = { kept: [], givenBack: [], released: [], forgotten: [], reserved: [] };

/** `heal` settles what others left unsettled in a scope. */
export function scopeBooks(
  deps: ReceiptDeps,
  commands: ReceiptCommands,
  heal: (scope: string) => Promise<void>,
): ScopeBooks {
  const { store, clock, random } = deps;
  const limit = deps.capacity ?? 0;
  const books = new Map<string, Book>();

  function bookOf(scope: string): Book {
    const book = books.get(scope) ?? {
      ...{ asking: [], releasing: [], forgetting: [], kept: [] },
      ...{ isBusy: false, stored: null },
    };
    books.set(scope, book);
    return book;
  }

  async function change(
    scope: string,
    handle: Stored | "absent" | null,
    what: ScopeChange,
  ): Promise<{ verdict: ScopeVerdict; stored: Stored }> {
    let verdict: ScopeVerdict | null = null;
    let looks = 0;
    const result = await transact<ScopeState, never>(deps, scopeCodec, {
      key: scopeKey(scope),
      handle,
      decide(state, now): Decision<ScopeState, never> {
        looks += 1;
        const before = state ?? EMPTY_SCOPE;
        // What was read of tombstones holds for the scope as it was before that, and for no later one.
        const released = looks === 1 ? what.released : [];
        verdict = changeScope(before, { ...what, released }, limit, now);
        const isSame = JSON.stringify(verdict.next) === JSON.stringify(before);
        return isSame && state !== null ? unchanged(state) : apply(verdict.next);
      },
    });
    if (verdict === null || result.kind === "rejected") throw new TypeError("nothing was decided");
    return { verdict, stored: result.stored };
  }

  /** One write after the other for each scope, each with everything that came meanwhile. Never rejects. */
  async function drain(scope: string): Promise<void> {
    const book = bookOf(scope);
    if (book.isBusy) return;
    book.isBusy = true;
    while (book.asking.length + book.releasing.length + book.forgetting.length > 0) {
      await note(scope, book);
    }
    book.isBusy = false;
    await settleOldest();
  }

  /** Never rejects: those who wait are told. */
  async function note(scope: string, book: Book): Promise<void> {
    const asking = book.asking.splice(0, BATCH_MAX);
    const releasing = book.releasing.splice(0, BATCH_MAX);
    const forgetting = book.forgetting.splice(0);
    const kept = book.kept.splice(0);
    try {
      // Before the tombstones: if the scope has not changed since, what they say was true when it was read.
      book.stored ??= await store.get(scopeKey(scope));
      const open = await openOf(releasing);
      if (book.stored === null && asking.length === 0) {
        // A workspace that was never counted has nothing to give back, and nothing to forget.
        for (const { one, tombstone } of open) one.settle(tombstone);
        for (const { settle } of forgetting) settle();
        return;
      }
      const { verdict, stored } = await change(scope, book.stored ?? "absent", {
        ...NOTHING,
        kept,
        reserved: asking.map(({ item }) => item),
        released: open.map(({ one }) => one.item),
        forgotten: forgetting.map(({ item }) => item),
      });
      book.stored = stored;
      for (const { item, settle } of asking) settle(placeOf(item, verdict));
      for (const { settle } of forgetting) settle();
      await releaseAgain(scope, book, settledOf(open, verdict));
    } catch (error) {
      // May have been noted all the same: twice says no more than once.
      book.kept.push(...kept);
      book.stored = null;
      for (const { fail } of [...asking, ...releasing, ...forgetting]) fail(error);
    }
  }

  /** Those whose tombstones do not say yet that their place is given back; the others are settled. */
  async function openOf(releasing: readonly Releasing[]): Promise<readonly Open[]> {
    const read = await mapLimited(releasing, READS_AT_ONCE, async (one): Promise<Open | null> => {
      try {
        const tombstone = await store.get(receiptKey(one.item.id));
        const state = tombstone === null ? null : commands.stateOf(tombstone);
        if (tombstone === null || state?.kind !== "retired") {
          throw new TypeError("a tombstone was replaced");
        }
        if (!state.freed) return { one, tombstone };
        one.settle(null);
      } catch (error) {
        one.fail(error);
      }
      return null;
    });
    return read.filter((open) => open !== null);
  }

  /** What was not noted, as others wrote first or there is no room to say so, is noted next time. */
  async function releaseAgain(scope: string, book: Book, left: readonly Open[]): Promise<void> {
    const [first] = left;
    if (first === undefined) return;
    for (const { one } of left) {
      if (one.tries < TRIES_MAX) book.releasing.push({ ...one, tries: one.tries + 1 });
      else one.fail(new ContendedError("others kept changing the workspace's count"));
    }
    const places = book.stored === null ? EMPTY_SCOPE : scopeCodec.load(book.stored);
    if (Object.keys(places.out).length >= PENDING_MAX) {
      await quietly(deps, NOT_NOTED, heal(scope));
      book.stored = null;
    }
    await clock.sleep(durationMs(jitteredMs(first.one.tries, random.fraction(), RETRY)));
  }

  /**
   * Notes what is still to be noted of the scopes that have not been asked for longest. What cannot be noted
   * is left to whoever heals them.
   */
  async function settleOldest(): Promise<void> {
    for (const [scope, { kept, isBusy }] of books) {
      if (books.size <= BOOKS_MAX) return;
      if (isBusy) continue;
      books.delete(scope);
      if (kept.length > 0)
        await quietly(deps, NOT_NOTED, change(scope, null, { ...NOTHING, kept }));
    }
  }

  function queued<Item, Answer>(
    scope: string,
    queue: (book: Book) => Waiting<Item, Answer>[],
    item: Item,
  ): Promise<Answer> {
    return new Promise((settle, fail) => {
      queue(bookOf(scope)).push({ item, settle, fail });
      void drain(scope);
    });
  }

  return {
    ask: (scope, reservation) => queued(scope, ({ asking }) => asking, reservation),
    release: (scope, place) =>
      new Promise((settle, fail) => {
        bookOf(scope).releasing.push({ item: place, tries: 1, settle, fail });
        void drain(scope);
      }),
    forget: (scope, nonce) => queued<string, void>(scope, ({ forgetting }) => forgetting, nonce),
    async keep(scope, nonce) {
      const book = bookOf(scope);
      book.kept.push(nonce);
      if (!isCrowded(book)) return;
      const kept = book.kept.splice(0);
      const isNoted = await quietly(deps, NOT_NOTED, change(scope, null, { ...NOTHING, kept }));
      // May have been noted all the same: twice says no more than once.
      if (!isNoted) book.kept.push(...kept);
    },
    change: async (scope, what) => void (await change(scope, null, { ...NOTHING, ...what })),
  };
}

/** As far as it is known. One that cannot be read is told to who asks for a place in it. */
function isCrowded({ stored }: Book): boolean {
  const known = stored === null ? null : parseScope(stored.fields);
  return known?.ok === true && Object.keys(known.scope.pend).length >= CROWDED;
}

function placeOf({ nonce }: ScopeReservation, { granted, isFull }: ScopeVerdict): Place {
  if (granted.has(nonce)) return "granted";
  return isFull ? "full" : "crowded";
}

/** Settles those whose place the scope has back now; those that are left. */
function settledOf(open: readonly Open[], { next }: ScopeVerdict): readonly Open[] {
  return open.filter(({ one, tombstone }) => {
    if (!(one.item.nonce in next.out)) return true;
    one.settle(tombstone);
    return false;
  });
}
