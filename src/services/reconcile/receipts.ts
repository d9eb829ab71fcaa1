/** The receipts of a pass: dispatches that lapsed, and what is past its retention. */
import { isOf } from "../../core/foreign.ts";
import { lastSegment } from "../../core/key.ts";
import { durationMs } from "../../core/time.ts";
import type { Cursor, DueEntry, DuePage } from "../../ports/backend.ts";
import { RecordCorruptError } from "../../ports/faults.ts";
import { mapLimited } from "../map-limited.ts";
import { RECEIPT_MACHINE } from "../receipt-commands.ts";
import { guarded, type PassContext, part, repeated } from "./context.ts";
import { type Deadline, within } from "./deadline.ts";
import { type ReadInTime, readsInTime } from "./reads.ts";
import { codeOf } from "./report.ts";

/** Receipts done together; each is a read and up to four writes. */
const AT_ONCE = 8;

/** Entries of one page of the index. */
const PAGE = 100;

/** Between two pages: where every answer is at hand already, no timer would ever get its turn. */
const PAUSE_MS = durationMs(0);

/**
 * Walks the queue from its beginning, as far as time allows. What is done leaves it; only what cannot be
 * read stays, which costs a read in each pass.
 */
export async function attendReceipts(context: PassContext, until: Deadline): Promise<void> {
  const { receipts, deps } = context;
  const own = { ...context, report: receipts.report };
  const readInTime = readsInTime(own);
  let cursor: Cursor | null = null;
  do {
    if (until.isOver()) {
      own.report.more();
      return;
    }
    const page: DuePage | null = await duePage(own, cursor, until);
    if (page === null) return;
    await mapLimited(page.entries, AT_ONCE, (entry) =>
      // An entry that is none has no key to name it by.
      guarded(own, "attend", async () => {
        const id = lastSegment(entry.key);
        await part(own, id, until, () => attendOne(own, { entry, id, readInTime }));
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
  { receipts, report }: PassContext,
  { entry, id, readInTime }: Entry,
): Promise<void> {
  try {
    const read = await readInTime(entry, id);
    if (read.kind === "late" || read.value === null) return;
    const done = await receipts.service.due.attend(read.value);
    if (done !== "kept") report.countReceipt(done);
  } catch (fault) {
    if (isOf(fault, RecordCorruptError)) report.met("store.record_corrupt");
    throw fault;
  }
}

/** Null: there is none; why is reported. */
async function duePage(
  context: PassContext,
  cursor: Cursor | null,
  until: Deadline,
): Promise<DuePage | null> {
  const { deps, report, time } = context;
  const request = { until: deps.clock.now(), cursor, limit: PAGE };
  const page = await within(time, until, () =>
    repeated(context, until, () => deps.store.due(RECEIPT_MACHINE, "attend", request)),
  );
  if (page.kind === "answer") return page.value;
  if (page.kind === "late") report.more();
  if (page.kind === "late") report.fail("attend", "store_timeout");
  else report.fail("attend", codeOf(page.error), page.error);
  return null;
}

/** What a pass would do to one page of them, with nothing written. */
export async function lookAtReceipts(context: PassContext): Promise<void> {
  const { deps, receipts, time } = context;
  const { service, report } = receipts;
  const own = { ...context, report };
  const until = deps.clock.now();
  const page = await deps.store.due(RECEIPT_MACHINE, "attend", {
    until,
    cursor: null,
    limit: PAGE,
  });
  if (page.cursor !== null) report.more();
  await mapLimited(page.entries, AT_ONCE, (entry) =>
    part(own, lastSegment(entry.key), time.over, async () => {
      // Read without confirming: that would mend the index.
      const stored = await deps.store.get(entry.key);
      const would = stored === null ? "kept" : service.due.attention(stored);
      if (would !== "kept") report.countReceipt(would);
    }),
  );
}
