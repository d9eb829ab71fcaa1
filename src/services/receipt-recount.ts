/**
 * The counts of receipts, made anew from the receipts that are there: after a copy, which brings receipts
 * past them (protocols 6.1). Exact also beside others who prepare and retire:
 *
 * The scope C is read first, then the receipts, and C is written only if it has not changed since. As long
 * as C stands, so do its reservations and what it remembers as given back. Whoever prepares enters its nonce
 * in C before it creates the receipt, and takes it out in a change of C: a receipt whose nonce is not in
 * `pend` was there when C was read, so the listing meets it, and the others are counted by `pend` itself.
 * Whoever retires says `freed` only while the nonce is in `out`, and takes it out in a change of C: of a
 * tombstone whose nonce is not in `out`, `freed` says for as long as C stands whether its place is still
 * counted, and one whose nonce is in `out` is not. Where there is no C it says so without one, so C is made
 * before the first receipt comes.
 *
 * Cut off anywhere it is begun again: it only ever writes what it counted whole.
 */
import { after } from "../core/time.ts";
import {
  countedAnew,
  EMPTY_SCOPE,
  type HeldPlace,
  isRemembered,
  placeOf,
  type ScopeState,
} from "../machines/receipts/scope.ts";
import type { Clock } from "../ports/clock.ts";
import { ContendedError, RecordCorruptError } from "../ports/faults.ts";
import type { Observe } from "../ports/observe.ts";
import type { Random } from "../ports/random.ts";
import { COMMAND_DEADLINE_MS, PAGE_MAX } from "../store/limits.ts";
import type { RecordPage, Store, Stored } from "../store/store.ts";
import { savedRecord } from "./codec.ts";
import type { Originals } from "./originals.ts";
import { patiently } from "./patience.ts";
import { RECEIPT_SCOPES, scopeCodec, scopeKey } from "./receipt-books.ts";
import { RECEIPT_RECORDS, receiptCodec } from "./receipt-commands.ts";
import { COUNTED_KEY, counted } from "./receipt-count.ts";

export interface RecountDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly random: Random;
  readonly observe: Observe;
  readonly originals: Originals;
}

/** A scope that cannot be read: it is left as it is, and nothing can be prepared in it. */
export interface UncountedScope {
  readonly key: Stored["key"];
  readonly reason: string;
}

interface Book {
  /** Null: there is none yet. */
  readonly stored: Stored | null;
  readonly state: ScopeState;
}

const NO_BOOK: Book = { stored: null, state: EMPTY_SCOPE };

/** Whole counts, while others keep changing some of the scopes. */
const ROUNDS_MAX = 8;

/** Of one tenant. Both throw faults of the storage. */
export interface ReceiptRecount {
  /** Before `stored` is created, a receipt or what is left of one. */
  expect(stored: Stored): Promise<void>;
  /**
   * Afterwards: counts all workspaces. Throws ContendedError when others kept preparing and retiring in
   * one of them.
   */
  count(): Promise<readonly UncountedScope[]>;
}

export function receiptRecount(deps: RecountDeps): ReceiptRecount {
  const { store, clock, observe, originals } = deps;
  const expected = new Set<string>();

  async function write(scope: string, { stored, state }: Book): Promise<boolean> {
    const result = await patiently(deps, () =>
      store.put(scopeKey(scope), savedRecord(scopeCodec, state, stored), {
        expected: stored ?? "absent",
        due: null,
        deadlineAt: after(clock.now(), COMMAND_DEADLINE_MS),
      }),
    );
    return result.kind === "stored";
  }

  async function pages(prefix: string, take: (page: RecordPage) => void): Promise<void> {
    let cursor: RecordPage["cursor"] = null;
    do {
      const from: RecordPage["cursor"] = cursor;
      const page: RecordPage = await patiently(deps, () => store.list(prefix, from, PAGE_MAX));
      take(page);
      cursor = page.cursor;
    } while (cursor !== null);
  }

  async function readBooks(unreadable: Map<string, string>): Promise<Map<string, Book>> {
    const books = new Map<string, Book>();
    await pages(RECEIPT_SCOPES, ({ records, corrupt }) => {
      for (const { id, reason } of corrupt) unreadable.set(id, reason);
      for (const stored of records) {
        if (stored.key === COUNTED_KEY) continue;
        const scope = stored.key.slice(RECEIPT_SCOPES.length);
        try {
          books.set(scope, { stored, state: scopeCodec.load(stored) });
        } catch (fault) {
          if (!(fault instanceof RecordCorruptError)) throw fault;
          unreadable.set(scope, fault.reason);
        }
      }
    });
    return books;
  }

  async function heldBeside(books: ReadonlyMap<string, Book>): Promise<Map<string, number>> {
    const held = new Map<string, number>();
    await pages(RECEIPT_RECORDS, ({ records }) => {
      for (const stored of records) {
        const place = heldBy(stored);
        if (place === null) continue;
        const { state } = books.get(place.scope) ?? NO_BOOK;
        if (!isRemembered(state, place)) held.set(place.scope, (held.get(place.scope) ?? 0) + 1);
      }
    });
    return held;
  }

  /** What cannot be read takes nobody's place: whose it is cannot be told. */
  function heldBy(stored: Stored): HeldPlace | null {
    try {
      return placeOf(receiptCodec(null, originals.rules).load(stored));
    } catch (fault) {
      if (!(fault instanceof RecordCorruptError)) throw fault;
      observe("store.record_corrupt", 1);
      return null;
    }
  }

  /** False: somebody changed it since it was read, so what was counted may be of another time. */
  async function isSettled(scope: string, { stored, state }: Book, held: number): Promise<boolean> {
    const next = countedAnew(state, held);
    if (next.used === state.used) {
      const now = await patiently(deps, () => store.get(scopeKey(scope)));
      return now?.version === stored?.version;
    }
    return write(scope, { stored, state: next });
  }

  async function count(): Promise<readonly UncountedScope[]> {
    const settled = new Set<string>();
    for (let round = 0; round < ROUNDS_MAX; round += 1) {
      const unreadable = new Map<string, string>();
      const books = await readBooks(unreadable);
      const held = await heldBeside(books);
      let left = 0;
      for (const scope of new Set([...books.keys(), ...held.keys()])) {
        if (settled.has(scope) || unreadable.has(scope)) continue;
        const book = books.get(scope) ?? NO_BOOK;
        if (await isSettled(scope, book, held.get(scope) ?? 0)) settled.add(scope);
        else left += 1;
      }
      if (left > 0) continue;
      // Those of an original that nobody counted before are in it.
      await patiently(deps, () => counted(deps));
      return [...unreadable].map(([scope, reason]) => ({ key: scopeKey(scope), reason }));
    }
    throw new ContendedError(
      "others kept preparing and retiring receipts while these were counted",
    );
  }

  return {
    async expect(stored) {
      const place = heldBy(stored);
      if (place === null || expected.has(place.scope)) return;
      try {
        await write(place.scope, NO_BOOK);
      } catch (fault) {
        // One that cannot be read is there, and is told when it is to be counted.
        if (!(fault instanceof RecordCorruptError)) throw fault;
      }
      expected.add(place.scope);
    },
    count,
  };
}
