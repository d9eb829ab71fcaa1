/** Whether the latest generation of a client job has ended. */
import { isOf } from "../core/foreign.ts";
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
  { jobs, roots, scans }: LatestParts,
  { retirement, hint, jobId, gen }: LiveRoot,
  clientJobId: string,
): Promise<boolean> {
  if (retirement !== null || isTerminal(hint.status)) return true;
  const place = jobs.placeOf(jobId, { clientJobId, generation: gen });
  const known = { head: hint, job: null, part: null };
  try {
    const scanned = await roots.judged(place, () => scans.onward(place, known, UNMARKED));
    return isTerminal(scanned.known.head.status);
  } catch (fault) {
    // Retired meanwhile.
    if (isOf(fault, QueryJobNotFoundError)) return true;
    throw fault;
  }
}
