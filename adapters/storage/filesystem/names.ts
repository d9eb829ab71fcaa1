/**
 * Sorted names of directories, kept for a short while: a walk over a million names in pages must not
 * read and sort them again for each page.
 */
import { opendir, readdir } from "node:fs/promises";
import type { Clock } from "../../../src/ports/clock.ts";
import { codeOf } from "./disk.ts";

export interface Names {
  /**
   * The sorted names in `path`, as `select` makes them from what is there; none when there is no such
   * directory. `isContinued`: the caller read this directory before, in the walk that it goes on with,
   * so what was read since then serves. Anyone else has to see what is there now.
   */
  read(path: string, isContinued: boolean, select: Select): Promise<readonly string[]>;
}

/** Sorted. */
export type Select = (names: readonly string[]) => readonly string[];

/**
 * Two walks at a time over six directories each: three levels of records, or the queue and the bucket of
 * three due indexes. More walks read their directories again.
 */
const KEPT_MAX = 12;
const KEPT_MS = 10_000;

export function createNames(clock: Clock): Names {
  const kept = new Map<string, { names: readonly string[]; usedAt: number }>();

  function forgetOld(now: number): void {
    for (const [path, { usedAt }] of kept) {
      if (Math.abs(now - usedAt) > KEPT_MS) kept.delete(path);
    }
  }

  return {
    async read(path, isContinued, select) {
      const now = clock.now();
      forgetOld(now);
      const known = kept.get(path);
      kept.delete(path);
      const names = isContinued && known !== undefined ? known.names : select(await namesOf(path));
      kept.set(path, { names, usedAt: now });
      const [oldest] = kept.keys();
      if (kept.size > KEPT_MAX && oldest !== undefined) kept.delete(oldest);
      return names;
    },
  };
}

/** The names in a directory, one directory open at a time; none when it is missing or a file. */
export async function namesOf(path: string): Promise<readonly string[]> {
  try {
    return await readdir(path);
  } catch (error) {
    const code = codeOf(error);
    if (code === "ENOENT" || code === "ENOTDIR") return [];
    throw error;
  }
}

/** The same for who may stop early; the directory is open until then. */
export async function* namesOneByOne(path: string): AsyncGenerator<string, void, void> {
  try {
    for await (const entry of await opendir(path)) yield entry.name;
  } catch (error) {
    const code = codeOf(error);
    if (code !== "ENOENT" && code !== "ENOTDIR") throw error;
  }
}

/** The index of the first of the sorted `names` that is not less than `least`. */
export function firstAtOrAfter(names: readonly string[], least: string): number {
  let low = 0;
  let high = names.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((names[middle] ?? "") < least) low = middle + 1;
    else high = middle;
  }
  return low;
}
