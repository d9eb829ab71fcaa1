/** Removing the log of a job that is retired, or that no root names (protocols 4.3, 5.4). */
import type { EpochMs } from "../core/time.ts";
import type { QueryDeps } from "./query-records.ts";

/** Pages of one log that one call removes: more than the longest there is has. */
const PAGES_MAX = 10_000;

/**
 * Whether nothing is left of it. A large log may take more than one call, each of which ends at `deadlineAt`
 * or a page later; what it removed stays removed.
 */
export async function removeLog(
  { logs, clock }: Pick<QueryDeps, "logs" | "clock">,
  jobId: string,
  deadlineAt: EpochMs,
): Promise<boolean> {
  const log = logs.open(jobId);
  for (let pages = 0; pages < PAGES_MAX; pages += 1) {
    if ((await log.removeSome()) === "none") return true;
    if (clock.now() >= deadlineAt) return false;
  }
  return false;
}
