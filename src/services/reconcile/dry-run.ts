/** What a pass would do, looked at: one page of everything, with nothing written, leased or sent. */
import { machineOf } from "../../core/key.ts";
import { type EpochMs, isoTime } from "../../core/time.ts";
import { parsePayload } from "../../machines/emails/payload.ts";
import {
  type EmailConfigState,
  NO_PROGRESS,
  type SweptQueue,
} from "../../machines/emails/progress.ts";
import { validLogicalKey } from "../../machines/emails/record.ts";
import type { DueEntry } from "../../ports/backend.ts";
import type { Stored } from "../../store/store.ts";
import { EMAIL_MACHINE } from "../email-commands.ts";
import { mapLimited } from "../map-limited.ts";
import { type AttendedMachine, attendedMachines } from "./attend.ts";
import { candidateOf } from "./candidates.ts";
import { guarded, type PassContext, part, reportOfAll } from "./context.ts";
import type { Deadline } from "./deadline.ts";
import { deliveryOf } from "./deliver.ts";
import { scan } from "./discover.ts";
import { idIn } from "./lanes.ts";
import { lookAtTakenOver } from "./taken-over.ts";

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
  const ofQueries = { ...context, report: context.queries.report };
  await part(ofQueries, "attend", time.over, () => lookAtTakenOver(ofQueries));
  await lookAt(context, "attend", attendedMachines(context));
  if (mail === null) return;
  const delivered: Looked = {
    name: EMAIL_MACHINE,
    report,
    look(stored) {
      const email = service.commands.stateOf(stored);
      if (email.kind === "live") report.count(deliveryOf(context, email));
    },
  };
  await lookAt(context, "deliver", [delivered]);
}

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

type Looked = Pick<AttendedMachine, "name" | "report" | "look">;

async function lookAt(
  context: PassContext,
  queue: SweptQueue,
  machines: readonly Looked[],
): Promise<void> {
  const { deps, time } = context;
  const ofAll = { time, report: reportOfAll(machines) };
  const until = deps.clock.now();
  await part(ofAll, queue, time.over, async () => {
    const page = await deps.store.due(queue, { until, cursor: null, limit: PAGE });
    if (page.cursor !== null) ofAll.report.more();
    await mapLimited(page.entries, READ_AT_ONCE, (entry) =>
      // An entry that is none has no key to name it by.
      guarded(ofAll, queue, async () => {
        const machine = machines.find(({ name }) => name === machineOf(entry.key));
        if (machine === undefined) return;
        await guarded(machine, idIn(machine, entry), async () => {
          const stored = await dueRecord(context, entry, until);
          if (stored !== null) machine.look(stored);
        });
      }),
    );
  });
}

/** Read without confirming: that would mend the index. */
async function dueRecord(
  { deps }: PassContext,
  entry: DueEntry,
  now: EpochMs,
): Promise<Stored | null> {
  const stored = await deps.store.get(entry.key);
  const due = stored?.due ?? null;
  return due !== null && due.queue === entry.queue && due.at <= now ? stored : null;
}
