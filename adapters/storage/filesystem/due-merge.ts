/**
 * The due entries of one tenant as one index: each of its roots keeps an index of its own, perhaps on a
 * disk of its own, and a page is made of the pages of all of them.
 */
import { assert } from "../../../src/core/assert.ts";
import type { Cursor, DueEntry, DuePage } from "../../../src/ports/backend.ts";
import type { RootPage } from "./due-page.ts";

/** One root of the tenant. */
export interface RootWalk {
  readonly root: string;
  /** Entries behind `position` (empty: from the beginning), at most `limit`. Throws faults. */
  readonly read: (position: string, limit: number) => Promise<RootPage>;
}

/** `<13 digits>.<what orders the entries of one instant>`, in the index of `root`. */
interface Point {
  readonly root: string;
  readonly position: string;
}

interface Place {
  /** The last entry that was given out, in the order of time, then of roots; null: none was. */
  readonly main: Point | null;
  /**
   * Roots that are read when all others are through, each from a position of its own: a root that fails
   * must not hold up the others.
   */
  readonly late: ReadonlyMap<string, string>;
  /** Roots whose rebuild was met. */
  readonly met: ReadonlySet<string>;
}

const BEGINNING: Place = { main: null, late: new Map(), met: new Set() };

/**
 * One page. While the index of a root is rebuilt it never says that nothing follows; with nothing found
 * anywhere it waits for progress first. A root whose rebuild was met is read once more from its beginning
 * when that is over: what was found last may be due before what was given out.
 */
export async function mergedPage(
  roots: readonly RootWalk[],
  { cursor, limit }: { readonly cursor: Cursor | null; readonly limit: number },
): Promise<DuePage> {
  assert(Number.isSafeInteger(limit) && limit > 0, `not a page size: ${limit}`);
  const place = placeIn(cursor);
  const isLate = ({ root }: RootWalk): boolean => place.late.has(root);
  const inTime = roots.filter((root) => !isLate(root));
  const first = await turn(inTime, (root) => positionIn(root, place.main), limit);
  const met = new Set([...place.met, ...first.rebuilding.keys()]);
  if (first.taken.length > 0) {
    const late = new Map([...place.late, ...first.failed]);
    const main = first.taken.at(-1) ?? place.main;
    return paged(first, { main, late, met }, late.size > 0);
  }
  const second = await turn(roots.filter(isLate), (root) => place.late.get(root) ?? "", limit);
  for (const root of second.rebuilding.keys()) met.add(root);
  const late = new Map([...place.late, ...first.failed]);
  for (const { root, position } of second.taken) late.set(root, position);
  const next = { main: place.main, late, met };
  const isFailing = first.failed.size + second.failed.size > 0;
  if (second.taken.length > 0) return paged(second, next, isFailing);
  if (isFailing) throw first.fault ?? second.fault;
  const rebuilding = [...first.rebuilding.values(), ...second.rebuilding.values()];
  if (rebuilding.length > 0) {
    await Promise.race(rebuilding);
    return { entries: [], cursor: cursorAt(next) };
  }
  if (met.size === 0) return { entries: [], cursor: null };
  for (const root of met) late.set(root, "");
  return { entries: [], cursor: cursorAt({ ...next, met: new Set() }) };
}

interface Taken extends Point {
  readonly entry: DueEntry;
}

/** What some roots gave together: the first `limit` of their entries. */
interface Turn {
  readonly taken: readonly Taken[];
  readonly hasMore: boolean;
  /** Roots that failed, where they were. */
  readonly failed: ReadonlyMap<string, string>;
  /** Of one that failed. */
  readonly fault: unknown;
  /** What tells of the progress of those that are being rebuilt. */
  readonly rebuilding: ReadonlyMap<string, Promise<void>>;
}

async function turn(
  roots: readonly RootWalk[],
  from: (root: string) => string,
  limit: number,
): Promise<Turn> {
  const failed = new Map<string, string>();
  const rebuilding = new Map<string, Promise<void>>();
  let fault: unknown = null;
  let hasMore = false;
  const found = await Promise.all(
    roots.map(async ({ root, read }) => {
      try {
        const page = await read(from(root), limit);
        hasMore ||= page.hasMore;
        if (page.progress !== null) rebuilding.set(root, page.progress);
        return page.entries.map(({ entry, position }) => ({ entry, position, root }));
      } catch (error) {
        failed.set(root, from(root));
        fault ??= error;
        return [];
      }
    }),
  );
  // Each gives as many as the page has, so that the first of all are the first of the queue.
  const all = found.flat().sort(inOrder);
  const taken = all.slice(0, limit);
  return { taken, hasMore: hasMore || all.length > taken.length, failed, fault, rebuilding };
}

/** Entries of one root are in their order already, and sorting keeps it. */
function inOrder(one: Taken, other: Taken): number {
  if (one.entry.at !== other.entry.at) return one.entry.at - other.entry.at;
  return one.root === other.root ? 0 : one.root < other.root ? -1 : 1;
}

function paged({ taken, hasMore }: Turn, next: Place, isLeft: boolean): DuePage {
  const entries = taken.map(({ entry }) => entry);
  const isThrough = !hasMore && !isLeft && next.met.size === 0;
  return { entries, cursor: isThrough ? null : cursorAt(next) };
}

const DIGITS = 13;

/** Where a root goes on behind an entry of any root. */
function positionIn(root: string, main: Point | null): string {
  if (main === null) return "";
  if (root === main.root) return main.position;
  const instant = main.position.slice(0, DIGITS);
  // A tilde begins nothing that stands behind the instant, and comes after all that does.
  return root < main.root ? `${instant}.~` : `${instant}.`;
}

/** Neither a root nor a position has a space, a colon, an `@` or a `?`. */
function cursorAt({ main, late, met }: Place): Cursor {
  const first = main === null ? "-" : `${main.root}:${main.position}`;
  const others = [...late].map(([root, position]) => `${root}@${position}`);
  return [first, ...others, ...[...met].map((root) => `${root}?`)].join(" ") as Cursor;
}

const POINT = /^([^ :@?]+):(\d{13}\.[^ :@?]*)$/;
const LATE = /^([^ :@?]+)@((?:\d{13}\.[^ :@?]*)?)$/;
const MET = /^([^ :@?]+)\?$/;

/** A cursor that is none of this index, perhaps of a storage that was before, leads to the beginning. */
function placeIn(cursor: Cursor | null): Place {
  const [first = "-", ...others] = cursor === null ? [] : cursor.split(" ");
  const late = new Map<string, string>();
  const met = new Set<string>();
  for (const other of others) {
    const [, root, position] = LATE.exec(other) ?? MET.exec(other) ?? [];
    if (root === undefined) return BEGINNING;
    if (position === undefined) met.add(root);
    else late.set(root, position);
  }
  if (first === "-") return { main: null, late, met };
  const [, root, position] = POINT.exec(first) ?? [];
  if (root === undefined || position === undefined) return BEGINNING;
  return { main: { root, position }, late, met };
}
