/** How far the latest generation of a client job has got, and whether it has ended. */
import { isOf } from "../core/foreign.ts";
import type { QueryHead } from "../machines/queries/head.ts";
import type { LiveRoot } from "../machines/queries/root.ts";
import { isTerminal } from "../machines/queries/statuses.ts";
import { QueryJobNotFoundError } from "./query-errors.ts";
import type { KnownJobs } from "./query-known.ts";
import type { QueryRoots } from "./query-roots.ts";
import { type QueryScans, UNMARKED } from "./query-scan.ts";

export interface LatestParts {
  readonly jobs: KnownJobs;
  readonly roots: QueryRoots;
  readonly scans: QueryScans;
}

/** Read from its log on from the hint, where the root does not know. Throws RecordCorruptError. */
export async function isLatestOver(
  parts: LatestParts,
  root: LiveRoot,
  clientJobId: string,
): Promise<boolean> {
  const head = await latestHead(parts, root, clientJobId);
  return head === null || isTerminal(head.status);
}

/** Its head; null: it has ended, and is retired meanwhile. Throws RecordCorruptError. */
export async function latestHead(
  { jobs, roots, scans }: LatestParts,
  { retirement, hint, jobId, gen }: LiveRoot,
  clientJobId: string,
): Promise<QueryHead | null> {
  if (retirement !== null) return null;
  if (isTerminal(hint.status)) return hint;
  const place = jobs.placeOf(jobId, { clientJobId, generation: gen });
  const known = { head: hint, job: null, part: null };
  try {
    const scanned = await roots.judged(place, () => scans.onward(place, known, UNMARKED));
    return scanned.known.head;
  } catch (fault) {
    if (isOf(fault, QueryJobNotFoundError)) return null;
    throw fault;
  }
}
