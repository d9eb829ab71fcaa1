/** Listing jobs: the latest generation of each client job, by pages, in the storage's order. */
import { openCursor, sealCursor } from "../core/cursor.ts";
import { isOf } from "../core/foreign.ts";
import { lastSegment } from "../core/key.ts";
import { isGone } from "../machines/queries/retention.ts";
import { type LiveRoot, latestOf } from "../machines/queries/root.ts";
import { isTerminal, type QueryStatus } from "../machines/queries/statuses.ts";
import type { Cursor } from "../ports/backend.ts";
import { RecordCorruptError } from "../ports/faults.ts";
import type { CorruptRecord, Stored } from "../store/store.ts";
import { mapLimited } from "./map-limited.ts";
import { pageWalk } from "./page-walk.ts";
import { QueryJobNotFoundError, QueryJobStoreError } from "./query-errors.ts";
import type { KnownJobs } from "./query-known.ts";
import type { QueryReading, WholeJob } from "./query-reading.ts";
import { QUERY_MACHINE, QUERY_ROOTS, type QueryDeps, rootCodec } from "./query-records.ts";

export interface QueryPage {
  readonly jobs: readonly WholeJob[];
  readonly corrupt: readonly CorruptRecord[];
  /** Null when nothing follows. A page may be short, even empty, and have one. */
  readonly nextCursor: string | null;
}

export interface QueryPageOptions {
  /** 1 to 100. */
  readonly limit: number;
  /** The `nextCursor` of the page before. */
  readonly cursor: string | null;
  /** Only jobs in this status; others are passed over, at most 1,000 for each page. */
  readonly status: QueryStatus | null;
}

export interface QueryLists {
  /** Accepted jobs come from the due index, the longest waiting first. Throws `invalid_cursor`. */
  page(options: QueryPageOptions): Promise<QueryPage>;
}

export interface ListParts {
  readonly deps: QueryDeps;
  readonly jobs: KnownJobs;
  readonly reading: QueryReading;
}

/** Jobs read at the same time; each is a log. */
const AT_ONCE = 8;

interface Step {
  readonly stored: readonly Stored[];
  readonly corrupt: readonly CorruptRecord[];
  readonly cursor: Cursor | null;
  /** How much was looked at for it. */
  readonly examined: number;
}

export function queryLists({ deps, jobs, reading }: ListParts): QueryLists {
  const { store, clock, observe } = deps;

  async function listed(cursor: Cursor | null, limit: number): Promise<Step> {
    const page = await store.list(QUERY_ROOTS, cursor, limit);
    return { stored: page.records, corrupt: page.corrupt, cursor: page.cursor, examined: limit };
  }

  async function waiting(cursor: Cursor | null, limit: number): Promise<Step> {
    const until = clock.now();
    const page = await store.dueOf(QUERY_MACHINE, "attend", { until, cursor, limit });
    const corrupt: CorruptRecord[] = [];
    const stored = await mapLimited(page.entries, AT_ONCE, async (entry) => {
      try {
        return await store.confirmDue(entry);
      } catch (fault) {
        corrupt.push(corruptOf(lastSegment(entry.key), fault));
        return null;
      }
    });
    return {
      stored: stored.filter((one) => one !== null),
      corrupt,
      cursor: page.cursor,
      examined: Math.max(limit, page.scanned),
    };
  }

  function corruptOf(id: string, fault: unknown): CorruptRecord {
    if (!isOf(fault, RecordCorruptError)) throw fault;
    observe("store.record_corrupt", 1);
    return { id, reason: fault.reason };
  }

  /** Null: over, or ended in another status than `status`. */
  async function latest(root: LiveRoot, status: QueryStatus | null): Promise<WholeJob | null> {
    const { clientJobId, jobId, gen: generation, hint, retirement } = root;
    const isOver = retirement !== null || isGone(root, latestOf(root), clock.now());
    if (clientJobId === null || isOver) return null;
    // What has ended stays so; the rest may have gone on.
    if (status !== null && status !== hint.status && isTerminal(hint.status)) return null;
    try {
      return await reading.whole(jobs.placeOf(jobId, { clientJobId, generation }));
    } catch (error) {
      if (isOf(error, QueryJobNotFoundError)) return null;
      throw error;
    }
  }

  return {
    async page({ limit, cursor: from, status }) {
      const scope = `${deps.tenant ?? ""}/${QUERY_ROOTS}${status === "accepted" ? "due" : ""}`;
      const step = status === "accepted" ? waiting : listed;
      const found: WholeJob[] = [];
      const corrupt: CorruptRecord[] = [];
      const walk = pageWalk(limit);
      let cursor = placeOf(scope, from);
      do {
        const roots = await step(cursor, walk.wanted(found.length));
        const latests = await mapLimited(roots.stored, AT_ONCE, async (stored) => {
          try {
            const root = rootCodec.load(stored);
            return root.kind === "live" ? await latest(root, status) : null;
          } catch (fault) {
            corrupt.push(corruptOf(lastSegment(stored.key), fault));
            return null;
          }
        });
        const read = latests.filter((one) => one !== null);
        found.push(...read.filter(({ job }) => status === null || job.head.status === status));
        corrupt.push(...roots.corrupt);
        walk.read(
          roots.examined,
          read.map(({ job }) => job),
        );
        cursor = roots.cursor;
      } while (cursor !== null && walk.hasRoom(found.length));
      return {
        jobs: found,
        corrupt,
        nextCursor: cursor === null ? null : sealCursor(scope, cursor),
      };
    },
  };
}

function placeOf(scope: string, cursor: string | null): Cursor | null {
  if (cursor === null) return null;
  const place = typeof cursor === "string" ? openCursor(scope, cursor) : null;
  if (place !== null) return place as Cursor;
  throw new QueryJobStoreError("invalid_cursor", "the cursor is not one that this listing gave");
}
