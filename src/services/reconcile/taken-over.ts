/**
 * Runs that the process which had the folder before drove itself: nobody goes on with them, and their
 * writes are fenced, so the first pass ends them before their leases are over.
 */
import { lastSegment } from "../../core/key.ts";
import { after } from "../../core/time.ts";
import type { Cursor } from "../../ports/backend.ts";
import { mapLimited } from "../map-limited.ts";
import { QUERY_MACHINE } from "../query-records.ts";
import { type PassContext, part, repeated } from "./context.ts";
import type { Deadline } from "./deadline.ts";
import { attendedQueries } from "./queries.ts";
import { readsInTime } from "./reads.ts";

const PAGE = 100;
const AT_ONCE = 8;

/** `context.report` is that of the queries. One that could not be ended is looked for by the next pass. */
export async function endTakenOver(context: PassContext, until: Deadline): Promise<void> {
  const { deps, queries } = context;
  const aheadMs = queries.service.due.takenOverMs();
  if (aheadMs === null) return;
  const { visit } = attendedQueries(context);
  const readInTime = readsInTime(context);
  const request = { until: after(deps.clock.now(), aheadMs), limit: PAGE };
  let isAll = true;
  let cursor: Cursor | null = null;
  do {
    const page: Awaited<ReturnType<typeof deps.store.dueOf>> = await repeated(context, until, () =>
      deps.store.dueOf(QUERY_MACHINE, "attend", { ...request, cursor }),
    );
    await mapLimited(page.entries, AT_ONCE, async (entry) => {
      const id = lastSegment(entry.key);
      const isDone = await part(context, id, until, async () => {
        const read = await readInTime(entry, id);
        if (read.kind !== "late" && read.value !== null) await visit(read.value);
        return read.kind !== "late";
      });
      if (isDone !== true) isAll = false;
    });
    cursor = page.cursor;
  } while (cursor !== null && !until.isOver());
  if (isAll && cursor === null) queries.service.due.tookOver();
}
