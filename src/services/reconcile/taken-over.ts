/**
 * Runs that the process which had the folder before drove itself: nobody goes on with them, and their
 * writes are fenced, so the first pass ends them before their leases are over.
 */
import { lastSegment } from "../../core/key.ts";
import { after } from "../../core/time.ts";
import type { Cursor, DueEntry } from "../../ports/backend.ts";
import type { MachineDuePage } from "../../store/store.ts";
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
  const { visit } = attendedQueries(context);
  const readInTime = readsInTime(context);
  const isAll = await eachAhead(context, until, async (entry, id) => {
    const read = await readInTime(entry, id);
    if (read.kind === "late") return false;
    if (read.value !== null) await visit(read.value);
    return true;
  });
  if (isAll) context.queries.service.due.tookOver();
}

/** Counts what would be ended, with nothing written. */
export async function lookAtTakenOver(context: PassContext): Promise<void> {
  const { look } = attendedQueries(context);
  await eachAhead(context, context.time.over, async ({ key }) => {
    // Read without confirming: that would mend the index.
    const stored = await context.deps.store.get(key);
    if (stored !== null) look(stored);
    return true;
  });
}

/**
 * Shows `visit` every run that is not due yet and may have been taken over, each whatever becomes of the
 * others; whether all of them were visited, and all visits said so.
 */
async function eachAhead(
  context: PassContext,
  until: Deadline,
  visit: (entry: DueEntry, id: string) => Promise<boolean>,
): Promise<boolean> {
  const { deps, queries } = context;
  const aheadMs = queries.service.due.takenOverMs();
  if (aheadMs === null) return true;
  const now = deps.clock.now();
  const request = { until: after(now, aheadMs), limit: PAGE };
  let isAll = true;
  let cursor: Cursor | null = null;
  do {
    const page: MachineDuePage = await repeated(context, until, () =>
      deps.store.dueOf(QUERY_MACHINE, "attend", { ...request, cursor }),
    );
    const ahead = page.entries.filter(({ at }) => at > now);
    await mapLimited(ahead, AT_ONCE, async (entry) => {
      const id = lastSegment(entry.key);
      if ((await part(context, id, until, () => visit(entry, id))) !== true) isAll = false;
    });
    cursor = page.cursor;
  } while (cursor !== null && !until.isOver());
  return isAll && cursor === null;
}
