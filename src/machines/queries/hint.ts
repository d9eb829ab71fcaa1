/** What the root knows of the log of its latest job, kept up by whoever read or wrote it. */
import { apply, type Decision, unchanged } from "../../core/machine.ts";
import type { EpochMs } from "../../core/time.ts";
import { lapsesAt } from "./endings.ts";
import type { QueryHead } from "./head.ts";
import type { LiveRoot } from "./root.ts";
import { isTerminal } from "./statuses.ts";

/**
 * The root with `head` as its hint and the lease moved on, never back. `head` is the end of a part that
 * the caller created or read (protocols 5.2). Unchanged: the root knows more, or has another latest job.
 */
export function refreshed(
  root: LiveRoot,
  jobId: string,
  head: QueryHead,
): Decision<LiveRoot, never> {
  const isCurrent = root.jobId === jobId && root.retirement === null;
  if (!isCurrent || head.seq <= root.hint.seq) return unchanged(root);
  const isHeld = head.run !== null && !isTerminal(head.status);
  return apply({
    ...root,
    hint: head,
    leaseUntil: isHeld ? lapsesAt(head, root.leaseUntil) : null,
  });
}

/**
 * A heartbeat of the run in `head`: its lease ends at `leaseUntil`, also if that is earlier. A root that
 * knows more of the log keeps what it knows: a job has one run. Unchanged: as far as the root knows it is
 * over, or has another latest job.
 */
export function renewed(
  root: LiveRoot,
  jobId: string,
  head: QueryHead,
  leaseUntil: EpochMs,
): Decision<LiveRoot, never> {
  const isCurrent = root.jobId === jobId && root.retirement === null;
  const hint = head.seq < root.hint.seq ? root.hint : head;
  if (!isCurrent || isTerminal(hint.status)) return unchanged(root);
  return apply({ ...root, hint, leaseUntil });
}
