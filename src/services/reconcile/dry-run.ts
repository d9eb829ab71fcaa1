/** What a pass would do, looked at: one page of everything, with nothing written, leased or sent. */
import { type EpochMs, isoTime } from "../../core/time.ts";
import { kindOf } from "../../machines/emails/changes.ts";
import { parsePayload } from "../../machines/emails/payload.ts";
import {
  type EmailConfigState,
  NO_PROGRESS,
  type SweptQueue,
} from "../../machines/emails/progress.ts";
import { type LiveEmail, validLogicalKey } from "../../machines/emails/record.ts";
import type { DueEntry } from "../../ports/backend.ts";
import { EMAIL_MACHINE } from "../email-commands.ts";
import { mapLimited } from "../map-limited.ts";
import { attentionOf } from "./attend.ts";
import { lookAtMachine } from "./attend-machine.ts";
import { candidateOf } from "./candidates.ts";
import { guarded, idOf, type PassContext, part } from "./context.ts";
import type { Deadline } from "./deadline.ts";
import { scan } from "./discover.ts";
import { attendedQueries } from "./queries.ts";
import { attendedReceipts } from "./receipts.ts";
import type { PassCount } from "./report.ts";

/** Entries of one queue that are looked at. */
const PAGE = 100;

const READ_AT_ONCE = 8;

/**
 * Counts what the pass would try. Kinds are not asked and mails not tried, so what is counted as sent
 * may turn out otherwise.
 */
export async function lookAhead(context: PassContext, scanned: Deadline): Promise<void> {
  const { deps, service, report, mail, time } = context;
  const enabled = { config: { enabledAt: isoTime(deps.clock.now()) }, progress: NO_PROGRESS };
  await part(context, "config", time.over, async () => {
    await wouldDiscover(context, (await service.config.readState()) ?? enabled, scanned);
  });
  const ofReceipts = { ...context, report: context.receipts.report };
  await part(ofReceipts, "attend", time.over, () =>
    lookAtMachine(context, attendedReceipts(context)),
  );
  const ofQueries = { ...context, report: context.queries.report };
  await part(ofQueries, "attend", time.over, () =>
    lookAtMachine(context, attendedQueries(context)),
  );
  await part(context, "attend", time.over, () =>
    lookAt(context, "attend", (email) => {
      const attention = attentionOf(email, kindOf(email, deps.kinds).waitsForAi);
      if (attention === "wait") return;
      report.count(ATTENDED[attention]);
      // What is made ready is due for delivery in the same pass.
      if (attention === "promote" && mail !== null) report.count(deliveryOf(context, email));
    }),
  );
  if (mail === null) return;
  await part(context, "deliver", time.over, () =>
    lookAt(context, "deliver", (email) => report.count(deliveryOf(context, email))),
  );
}

const ATTENDED = { promote: "promoted", stale: "stale", retire: "retired" } as const;

async function wouldDiscover(
  context: PassContext,
  state: EmailConfigState,
  scanned: Deadline,
): Promise<void> {
  const { sources, report } = context;
  const pages = await Promise.all(sources.map((one) => scan(context, one, state, scanned)));
  for (const [n, page] of pages.entries()) {
    if (page === null) continue;
    if (page.hasMore) report.more();
    const id = `source:${sources[n]?.name}`;
    await mapLimited([...page.jobs.entries()], READ_AT_ONCE, ([at, job]) =>
      guarded(context, id, async () => {
        const end = await wouldEnqueue(context, job);
        if (typeof end === "object") {
          report.fail(id, "source_invalid_job", `jobs[${at}]: ${end.reason}`);
        } else if (end !== "known") report.count(end);
      }),
    );
  }
}

/** `known`: there is such a job, or was. `reason`: where it is wrong, without any value. */
async function wouldEnqueue(
  { deps, service, suppress }: PassContext,
  job: unknown,
): Promise<"enqueued" | "skipped" | "known" | { readonly reason: string }> {
  const candidate = candidateOf(job, suppress);
  if (candidate.kind === "skipped") return "skipped";
  if (candidate.kind === "invalid") return candidate;
  if (candidate.kind === "email") {
    const key = validLogicalKey(candidate.item.logicalKey);
    if (!key.ok) return { reason: "logicalKey" };
    if (!parsePayload(candidate.item.payload, deps.kinds).ok) return { reason: "payload" };
    return isAbsent(await service.commands.read(key.key)) ? "enqueued" : "known";
  }
  return isAbsent(await service.commands.read(candidate.key)) ? "enqueued" : "known";
}

function isAbsent(found: { kind: string; rejection?: { kind: string } }): boolean {
  return found.rejection?.kind === "job_not_found";
}

async function lookAt(
  context: PassContext,
  queue: SweptQueue,
  visit: (email: LiveEmail) => void,
): Promise<void> {
  const { deps, report } = context;
  const until = deps.clock.now();
  const page = await deps.store.due(EMAIL_MACHINE, queue, { until, cursor: null, limit: PAGE });
  if (page.cursor !== null) report.more();
  await mapLimited(page.entries, READ_AT_ONCE, (entry) =>
    guarded(context, idOf(entry), async () => {
      const email = await dueEmail(context, entry, until);
      if (email !== null) visit(email);
    }),
  );
}

/** Read without confirming: that would mend the index. */
async function dueEmail(
  { deps, service }: PassContext,
  entry: DueEntry,
  now: EpochMs,
): Promise<LiveEmail | null> {
  const stored = await deps.store.get(entry.key);
  if (stored?.due === null || stored?.due.queue !== entry.queue || stored.due.at > now) return null;
  const state = service.commands.stateOf(stored);
  return state.kind === "live" ? state : null;
}

function deliveryOf({ deps, suppress }: PassContext, email: LiveEmail): PassCount {
  const kind = kindOf(email, deps.kinds);
  if (kind.prepare === null) return "skipped";
  if (email.job.attempts >= kind.maxAttempts) return "failed";
  return suppress(email.job.recipient.trim().toLowerCase()) ? "cancelled" : "sent";
}
