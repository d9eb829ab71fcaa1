/** Removing whole logs, and finding those of which anything is left (protocols 4.3, 5.4). */
import { assert } from "../core/assert.ts";
import type { Backend, Cursor, ListPage } from "../ports/backend.ts";
import { PAGE_MAX, READS_AT_ONCE } from "./limits.ts";
import { isOfLog, jobOf, partKey } from "./log-keys.ts";
import type { LogPlace } from "./log-reading.ts";

export interface LogJobPage {
  /** Each once in a page; one that goes on over its end is in the next page, too. */
  readonly jobIds: readonly string[];
  /** Null when nothing follows. A page may be short, even empty, and have one. */
  readonly cursor: Cursor | null;
}

/** Jobs that have a part or a continuation below `root`, from `limit` (1..PAGE_MAX) names. */
export async function listJobs(
  backend: Backend,
  root: string,
  { cursor, limit }: { readonly cursor: Cursor | null; readonly limit: number },
): Promise<LogJobPage> {
  assert(limit >= 1 && limit <= PAGE_MAX, `a page has 1 to ${PAGE_MAX} names`);
  const page = await backend.list(`${root}/`, cursor, limit);
  const jobIds = page.entries.map(({ key }) => jobOf(root, key)).filter((id) => id !== null);
  return { jobIds: [...new Set(jobIds)], cursor: page.cursor };
}

/**
 * Removes up to a page of parts and continuations, part 1 when nothing else is left: it tells whose the
 * rest is. `none`: a whole listing showed nothing.
 */
export async function removeSome({ backend, log }: LogPlace): Promise<"more" | "none"> {
  const partOne = partKey(log, 1);
  let hasPartOne = false;
  let isEmpty = true;
  let cursor: Cursor | null = null;
  do {
    const page: ListPage = await backend.list(`${log}/`, cursor, PAGE_MAX);
    const keys = page.entries.map(({ key }) => key).filter((key) => isOfLog(log, key));
    const others = keys.filter((key) => key !== partOne);
    hasPartOne ||= others.length < keys.length;
    for (let at = 0; at < others.length; at += READS_AT_ONCE) {
      await Promise.all(others.slice(at, at + READS_AT_ONCE).map((key) => backend.remove(key)));
    }
    cursor = page.cursor;
    if (others.length > 0) isEmpty = false;
  } while (cursor !== null && isEmpty);
  if (cursor !== null) return "more";
  if (hasPartOne) await backend.remove(partOne);
  return isEmpty && !hasPartOne ? "none" : "more";
}
