/** The records of one machine that wait in the `attend` queue: each is done, whatever became of the others. */
import { isOf } from "../../core/foreign.ts";
import { lastSegment } from "../../core/key.ts";
import { after, type DurationMs, durationMs } from "../../core/time.ts";
import type { Cursor, DueEntry, DuePage } from "../../ports/backend.ts";
import { RecordCorruptError } from "../../ports/faults.ts";
import type { Stored } from "../../store/store.ts";
import { mapLimited } from "../map-limited.ts";
import { guarded, type PassContext, part, repeated } from "./context.ts";
import { type Deadline, within } from "./deadline.ts";
import { type ReadInTime, readsInTime } from "./reads.ts";
import { codeOf, type PassCollector } from "./report.ts";

/** Records done together; each is a read and a few writes. */
const AT_ONCE = 8;

/** Entries of one page of the index. */
const PAGE = 100;

/** Between two pages: where every answer is at hand already, no timer would ever get its turn. */
const PAUSE_MS = durationMs(0);

export interface AttendedMachine {
  /** As the due index names it. */
  readonly name: string;
  readonly report: PassCollector;
  /** How far ahead of their time records are looked at. */
  readonly aheadMs: DurationMs;
  /** Does to one record what is due, and counts it. Throws RecordCorruptError. */
  attend(stored: Stored): Promise<void>;
  /** Counts what would be done to it. Throws RecordCorruptError. */
  look(stored: Stored): void;
}

/**
 * Walks the queue from its beginning, as far as time allows. What is done leaves it; only what cannot be
 * read stays, which costs a read in each pass.
 */
export async function attendMachine(
  context: PassContext,
  machine: AttendedMachine,
  until: Deadline,
): Promise<void> {
  const { deps } = context;
  const own = { ...context, report: machine.report };
  const readInTime = readsInTime(own);
  let cursor: Cursor | null = null;
  do {
    if (until.isOver()) {
      own.report.more();
      return;
    }
    const page: DuePage | null = await duePage(own, machine, { cursor, until });
    if (page === null) return;
    await mapLimited(page.entries, AT_ONCE, (entry) =>
      // An entry that is none has no key to name it by.
      guarded(own, "attend", async () => {
        const id = lastSegment(entry.key);
        await part(own, id, until, () => attendOne(machine, { entry, id, readInTime }));
      }),
    );
    cursor = page.cursor;
    if (cursor !== null) await deps.clock.sleep(PAUSE_MS);
  } while (cursor !== null);
}

interface Entry {
  readonly entry: DueEntry;
  readonly id: string;
  readonly readInTime: ReadInTime;
}

async function attendOne(
  { report, attend }: AttendedMachine,
  { entry, id, readInTime }: Entry,
): Promise<void> {
  try {
    const read = await readInTime(entry, id);
    if (read.kind !== "late" && read.value !== null) await attend(read.value);
  } catch (fault) {
    if (isOf(fault, RecordCorruptError)) report.met("store.record_corrupt");
    throw fault;
  }
}

/** Null: there is none; why is reported. */
async function duePage(
  context: PassContext,
  { name, aheadMs }: AttendedMachine,
  { cursor, until }: { readonly cursor: Cursor | null; readonly until: Deadline },
): Promise<DuePage | null> {
  const { deps, report, time } = context;
  const request = { until: after(deps.clock.now(), aheadMs), cursor, limit: PAGE };
  const page = await within(time, until, () =>
    repeated(context, until, () => deps.store.due(name, "attend", request)),
  );
  if (page.kind === "answer") return page.value;
  if (page.kind === "late") report.more();
  if (page.kind === "late") report.fail("attend", "store_timeout");
  else report.fail("attend", codeOf(page.error), page.error);
  return null;
}

/** What a pass would do to one page of them, with nothing written. */
export async function lookAtMachine(
  context: PassContext,
  { name, report, aheadMs, look }: AttendedMachine,
): Promise<void> {
  const { deps, time } = context;
  const own = { ...context, report };
  const until = after(deps.clock.now(), aheadMs);
  const page = await deps.store.due(name, "attend", { until, cursor: null, limit: PAGE });
  if (page.cursor !== null) report.more();
  await mapLimited(page.entries, AT_ONCE, (entry) =>
    part(own, lastSegment(entry.key), time.over, async () => {
      // Read without confirming: that would mend the index.
      const stored = await deps.store.get(entry.key);
      if (stored !== null) look(stored);
    }),
  );
}
