/** One pass over one tenant, in the order of semantics A7. */
import { type DurationMs, durationMs } from "../../core/time.ts";
import type { EmailConfigState } from "../../machines/emails/progress.ts";
import { attend } from "./attend.ts";
import type { PassContext } from "./context.ts";
import { type Deadline, deadline } from "./deadline.ts";
import { deliver } from "./deliver.ts";
import { discover } from "./discover.ts";
import { lookAhead } from "./dry-run.ts";
import { codeOf } from "./report.ts";

/** Shares of the budget, so that slow sources and a long queue leave time for deliveries. */
const SCAN_SHARE = 1 / 4;
const ATTEND_SHARE = 1 / 2;

/** Never rejects: what goes wrong is reported, and the parts behind it are done all the same. */
export async function passOver(
  context: PassContext,
  budgetMs: DurationMs,
  isDryRun: boolean,
): Promise<void> {
  const { clock } = context.deps;
  const share = (part: number) =>
    deadline(clock, durationMs(Math.floor(budgetMs * part)), [context.time.lease]);
  const scanned = share(SCAN_SHARE);
  const attended = share(ATTEND_SHARE);
  try {
    if (isDryRun) await lookAhead(context, scanned);
    else await work(context, { scanned, attended });
  } finally {
    scanned.stop();
    attended.stop();
  }
}

interface Ends {
  readonly scanned: Deadline;
  readonly attended: Deadline;
}

async function work(context: PassContext, { scanned, attended }: Ends): Promise<void> {
  const { service, report, mail } = context;
  let state: EmailConfigState | null = null;
  try {
    ({ state } = await service.config.ensure());
    await discover(context, state, { scanned, until: attended });
  } catch (error) {
    // Without its configuration no source is asked; what is queued does not depend on it.
    report.fail("config", codeOf(error));
  }
  const places = state?.progress.places ?? {};
  await attend(context, places.attend ?? null, attended);
  const since = state?.config.enabledAt ?? null;
  if (mail !== null) await deliver({ ...context, since }, places.deliver ?? null, mail);
}
