/**
 * Runs that the process which had the folder before drove itself: nobody goes on with them, and their
 * writes are fenced, so the first pass ends them before their leases are over, as a coordinator's first
 * look does.
 */
import { lastSegment } from "../../core/key.ts";
import type { DueEntry } from "../../ports/backend.ts";
import { type PassContext, part, repeated } from "./context.ts";
import type { Deadline } from "./deadline.ts";
import { attendedQueries } from "./queries.ts";
import { readsInTime } from "./reads.ts";

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
  const { due } = queries.service;
  if (due.takenOverMs() === null) return true;
  const now = deps.clock.now();
  return due.walk({
    async visit(entry) {
      // What is due by now the pass comes to in its turn.
      if (entry.at <= now) return true;
      const id = lastSegment(entry.key);
      return (await part(context, id, until, () => visit(entry, id))) === true;
    },
    page: (read) => repeated(context, until, read),
    isOver: () => until.isOver(),
  });
}
