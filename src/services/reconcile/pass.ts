/** One pass over one tenant, in the order of semantics A7. */
import { type DurationMs, durationMs } from "../../core/time.ts";
import { attend } from "./attend.ts";
import { attendMachine } from "./attend-machine.ts";
import { guarded, type PassContext, part } from "./context.ts";
import { type Deadline, deadline } from "./deadline.ts";
import { deliver } from "./deliver.ts";
import { discover } from "./discover.ts";
import { lookAhead } from "./dry-run.ts";
import { attendedQueries } from "./queries.ts";
import { attendedReceipts } from "./receipts.ts";

/** Shares of the budget, so that slow sources and a long queue leave time for deliveries. */
const SCAN_SHARE = 1 / 4;
const ENQUEUE_SHARE = 3 / 8;
const RECEIPT_SHARE = 13 / 32;
const QUERY_SHARE = 7 / 16;
const ATTEND_SHARE = 1 / 2;

/** Never rejects: what goes wrong is reported, and the parts behind it are done all the same. */
export async function passOver(
  context: PassContext,
  budgetMs: DurationMs,
  isDryRun: boolean,
): Promise<void> {
  const { clock, graceMs, lease } = context.time;
  // Whoever does not answer is waited for a little longer, which is out of its share as well.
  const share = (part: number) =>
    deadline(clock, durationMs(Math.max(0, Math.floor(budgetMs * part) - graceMs)), [lease]);
  const scanned = share(SCAN_SHARE * context.hanging.share());
  const enqueued = share(ENQUEUE_SHARE);
  const receipts = share(RECEIPT_SHARE);
  const queries = share(QUERY_SHARE);
  const attended = share(ATTEND_SHARE);
  try {
    if (isDryRun) await lookAhead(context, scanned);
    else await work(context, { scanned, enqueued, receipts, queries, attended });
  } finally {
    scanned.stop();
    enqueued.stop();
    receipts.stop();
    queries.stop();
    attended.stop();
  }
}

interface Ends {
  readonly scanned: Deadline;
  readonly enqueued: Deadline;
  readonly receipts: Deadline;
  readonly queries: Deadline;
  readonly attended: Deadline;
}

async function work(context: PassContext, ends: Ends): Promise<void> {
  const { service, mail } = context;
  const ensured = await part(context, "config", ends.scanned, () => service.config.ensure());
  const state = ensured?.state ?? null;
  // Without its configuration no source is asked; what is queued does not depend on it.
  if (state !== null) {
    await guarded(context, "sources", () => discover(context, state, ends));
  }
  const ofReceipts = { ...context, report: context.receipts.report };
  await guarded(ofReceipts, "attend", () =>
    attendMachine(context, attendedReceipts(context), ends.receipts),
  );
  const ofQueries = { ...context, report: context.queries.report };
  await guarded(ofQueries, "attend", () =>
    attendMachine(context, attendedQueries(context), ends.queries),
  );
  const places = state?.progress.places ?? {};
  await guarded(context, "attend", () => attend(context, places.attend ?? null, ends.attended));
  if (mail === null) return;
  const since = state?.config.enabledAt ?? null;
  await guarded(context, "deliver", () =>
    deliver({ ...context, since }, places.deliver ?? null, mail),
  );
}
