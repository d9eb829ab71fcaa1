/** One pass over one tenant, in the order of semantics A7. */
import { type DurationMs, durationMs } from "../../core/time.ts";
import { attend } from "./attend.ts";
import { guarded, type PassContext, part } from "./context.ts";
import { type Deadline, deadline } from "./deadline.ts";
import { deliver } from "./deliver.ts";
import { discover } from "./discover.ts";
import { lookAhead } from "./dry-run.ts";
import { endTakenOver } from "./taken-over.ts";

/** Shares of the budget, so that slow sources and a long queue leave time for deliveries. */
const SCAN_SHARE = 1 / 4;
const ENQUEUE_SHARE = 3 / 8;
const ATTEND_SHARE = 1 / 2;

/** Never rejects: what goes wrong is reported, and the parts behind it are done all the same. */
export async function passOver(
  context: PassContext,
  budgetMs: DurationMs,
  isDryRun: boolean,
): Promise<void> {
  const { clock, graceMs, lease } = context.time;
  // Whoever does not answer is waited for a little longer, which is out of its share as well.
  const shareMs = (part: number) => Math.max(0, Math.floor(budgetMs * part) - graceMs);
  const share = (part: number) => deadline(clock, durationMs(shareMs(part)), [lease]);
  const attendedAt = clock.elapsed() + shareMs(ATTEND_SHARE);
  const scanned = share(SCAN_SHARE * context.hanging.share());
  const enqueued = share(ENQUEUE_SHARE);
  const attended = share(ATTEND_SHARE);
  try {
    if (isDryRun) await lookAhead(context, scanned);
    else await work(context, { scanned, enqueued, attended, attendedAt });
  } finally {
    scanned.stop();
    enqueued.stop();
    attended.stop();
  }
}

interface Ends {
  readonly scanned: Deadline;
  readonly enqueued: Deadline;
  readonly attended: Deadline;
  /** When that is, as `elapsed` of the clock tells. */
  readonly attendedAt: number;
}

async function work(context: PassContext, ends: Ends): Promise<void> {
  const { service, mail } = context;
  const ensured = await part(context, "config", ends.scanned, () => service.config.ensure());
  const state = ensured?.state ?? null;
  // Without its configuration no source is asked; what is queued does not depend on it.
  if (state !== null) {
    await guarded(context, "sources", () => discover(context, state, ends));
  }
  const ofQueries = { ...context, report: context.queries.report };
  await guarded(ofQueries, "attend", () => endTakenOver(ofQueries, ends.attended));
  const places = state?.progress.places ?? {};
  const windowMs = Math.max(0, ends.attendedAt - context.time.clock.elapsed());
  await guarded(context, "attend", () =>
    attend(context, places.attend ?? null, { until: ends.attended, windowMs }),
  );
  if (mail === null) return;
  const since = state?.config.enabledAt ?? null;
  await guarded(context, "deliver", () =>
    deliver({ ...context, since }, places.deliver ?? null, mail),
  );
}
