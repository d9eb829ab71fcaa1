/** Reading the records of a walk, of which any number may not answer. */
import { durationMs } from "../../core/time.ts";
import type { DueEntry } from "../../ports/backend.ts";
import type { Stored } from "../../store/store.ts";
import type { PassContext } from "./context.ts";
import { deadline, NO_GRACE, type Within, within } from "./deadline.ts";

/** How long the first records are waited for; less in a pass that has little time. */
const PATIENCE_MS = durationMs(2_000);

/** What the patience with one record never falls below, as a part of that. */
const PATIENCE_SHARE_MIN = 1 / 10;

/**
 * The record of an entry that is due still, null for none; or that it did not come in time, which is
 * reported as of `id`. Throws what the storage throws.
 */
export type ReadInTime = (
  entry: DueEntry,
  id: string,
) => Promise<Exclude<Within<Stored | null>, { kind: "thrown" }>>;

/**
 * Reads for one walk. The more records do not answer, the shorter the next are waited for, so that the
 * walk gets past any number of them.
 */
export function readsInTime({ deps, report, time }: PassContext): ReadInTime {
  const { clock, leastMs } = time;
  let unread = 0;
  return async (entry, id) => {
    const share = Math.max(PATIENCE_SHARE_MIN, 1 / (1 + unread));
    const limit = deadline(clock, durationMs(Math.ceil(Math.min(PATIENCE_MS, leastMs) * share)));
    const read = await within({ clock, graceMs: NO_GRACE }, limit, () =>
      deps.store.confirmDue(entry),
    );
    limit.stop();
    if (read.kind === "thrown") throw read.error;
    if (read.kind === "late") {
      unread += 1;
      report.more();
      report.fail(id, "store_timeout");
    }
    return read;
  };
}
