/** When the jobs of a root next need attention. */
import type { Due } from "../../core/machine.ts";
import { type EpochMs, epochMs } from "../../core/time.ts";
import type { LiveRoot, QueryRoot } from "./root.ts";
import { isTerminal } from "./statuses.ts";

/**
 * All in `attend`. An accepted job is due from its admission on, so that whoever can start it finds it
 * (protocols 4.3); one under way when its lease ends; one that has ended when it is not kept any more, and
 * one that is marked at once. Null: nothing is left to be done, ever.
 */
export function dueOfRoot(root: QueryRoot): Due | null {
  if (root.kind === "void") return null;
  const times = root.history.map(({ isRetired, retentionUntil }) =>
    isRetired ? root.acceptedAt : retentionUntil,
  );
  const latest = latestDueAt(root);
  if (latest !== null) times.push(latest);
  return times.length === 0 ? null : { queue: "attend", at: epochMs(Math.min(...times)) };
}

function latestDueAt({
  retirement,
  hint,
  acceptedAt,
  retentionUntil,
  leaseUntil,
}: LiveRoot): EpochMs | null {
  if (retirement === "removed") return null;
  if (retirement === "removing") return acceptedAt;
  if (isTerminal(hint.status)) return retentionUntil;
  return hint.run === null ? acceptedAt : (leaseUntil ?? acceptedAt);
}
