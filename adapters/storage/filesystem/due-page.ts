/** Pages of a due index, also while it is being rebuilt. */
import { assert } from "../../../src/core/assert.ts";
import type { Cursor, DueEntry, DuePage } from "../../../src/ports/backend.ts";
import type { Rebuild } from "./rebuild.ts";

/** A page as an index gives it: `position` null when nothing follows. */
export interface IndexPage {
  readonly entries: readonly DueEntry[];
  readonly position: string | null;
  /** Where the page ended, also when nothing followed. */
  readonly end: string;
}

/** `position` is empty at the beginning. */
export type ReadPage = (position: string) => Promise<IndexPage>;

/**
 * One page. While a rebuild runs it gives what was found so far and never says that nothing follows;
 * with nothing found it waits for progress first. A walk that met a rebuild starts once more from the
 * beginning when the rebuild is over: what it found last may be due before what was given out.
 */
export async function duePage(
  rebuild: Rebuild | null,
  { cursor, limit }: { readonly cursor: Cursor | null; readonly limit: number },
  read: ReadPage,
): Promise<DuePage> {
  assert(Number.isSafeInteger(limit) && limit > 0, `not a page size: ${limit}`);
  const start = parseCursor(cursor);
  const isRunning = rebuild?.isRunning() === true;
  // Asked for before reading: progress made meanwhile must not be missed.
  const progress = isRunning ? rebuild.progress() : null;
  // Not everybody gets to wait for it.
  progress?.catch(() => {});
  const page = await read(start.position);
  const hasMet = start.hasMet || isRunning;
  if (page.position !== null) return { entries: page.entries, cursor: at(hasMet, page.position) };
  if (progress !== null) {
    if (page.entries.length === 0) await progress;
    return { entries: page.entries, cursor: at(true, page.end) };
  }
  return { entries: page.entries, cursor: hasMet ? at(false, "") : null };
}

function at(hasMet: boolean, position: string): Cursor {
  return `${hasMet ? "rebuilding" : "complete"}:${position}` as Cursor;
}

function parseCursor(cursor: Cursor | null): { hasMet: boolean; position: string } {
  if (cursor === null) return { hasMet: false, position: "" };
  const colon = cursor.indexOf(":");
  return { hasMet: cursor.startsWith("rebuilding:"), position: cursor.slice(colon + 1) };
}
