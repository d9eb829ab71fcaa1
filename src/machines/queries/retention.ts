/** The end of a job's life: gone by the clock first, then marked in the root, then removed (protocols 5.4). */
import { apply, type Decision, reject, unchanged } from "../../core/machine.ts";
import type { EpochMs } from "../../core/time.ts";
import type { QueryHead } from "./head.ts";
import { type LiveRoot, latestOf, type PastJob } from "./root.ts";
import { isTerminal } from "./statuses.ts";

/** Whether a job is not shown any more (QUERY-54). One that has not ended stays, however old. */
export function isOver(
  { head, retentionUntil }: { readonly head: QueryHead; readonly retentionUntil: EpochMs },
  now: EpochMs,
): boolean {
  return isTerminal(head.status) && retentionUntil <= now;
}

/** The same as far as the root knows. Every past generation has ended. */
export function isGone(root: LiveRoot, { jobId, retentionUntil }: PastJob, now: EpochMs): boolean {
  return jobId === root.jobId
    ? isOver({ head: root.hint, retentionUntil }, now)
    : retentionUntil <= now;
}

/** Marks every job that is gone; their logs may be removed once this is stored. */
export function markRetired(root: LiveRoot, now: EpochMs): Decision<LiveRoot, never> {
  const isDue = (past: PastJob): boolean => !past.isRetired && isGone(root, past, now);
  const isLatestDue = isDue(latestOf(root));
  if (!isLatestDue && !root.history.some(isDue)) return unchanged(root);
  return apply({
    ...root,
    retirement: isLatestDue ? "removing" : root.retirement,
    history: root.history.map((past) => (isDue(past) ? { ...past, isRetired: true } : past)),
  });
}

/** The jobs that are marked, and whose logs are to be removed to an empty listing. */
export function jobsToRemove(root: LiveRoot): readonly string[] {
  const past = root.history.filter(({ isRetired }) => isRetired).map(({ jobId }) => jobId);
  return root.retirement === "removing" ? [root.jobId, ...past] : past;
}

/** Notes that nothing is left of the logs of `jobIds`, which are marked. */
export function noteRemoved(root: LiveRoot, jobIds: readonly string[]): Decision<LiveRoot, never> {
  const isDone = (jobId: string): boolean =>
    jobIds.includes(jobId) && jobsToRemove(root).includes(jobId);
  const history = root.history.filter(({ jobId }) => !isDone(jobId));
  const isLatestDone = isDone(root.jobId);
  if (!isLatestDone && history.length === root.history.length) return unchanged(root);
  return apply({ ...root, history, retirement: isLatestDone ? "removed" : root.retirement });
}

/**
 * Takes everything personal out at once, and marks every log for removal. `latest` is the head of the
 * latest generation as the service read it from its log (null: it is retired): the root keeps how it ended.
 * `in_use`: it has not.
 */
export function eraseRoot(
  root: LiveRoot,
  latest: QueryHead | null,
): Decision<LiveRoot, { readonly kind: "in_use" }> {
  if (root.clientJobId === null) return unchanged(root);
  if (latest !== null && !isTerminal(latest.status)) return reject({ kind: "in_use" });
  return apply({
    ...root,
    clientJobId: null,
    hint: latest ?? root.hint,
    leaseUntil: null,
    retirement: root.retirement ?? "removing",
    history: root.history.map((past) => ({ ...past, isRetired: true })),
  });
}
