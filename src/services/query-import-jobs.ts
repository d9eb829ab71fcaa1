/**
 * The generations of one client job, written to the target: their logs first, then the fences of their
 * sessions, the root last (protocols 4), so that one that was cut off shows nothing of them.
 */
import { assert } from "../core/assert.ts";
import { after, type EpochMs } from "../core/time.ts";
import { leftBehind } from "../machines/queries/endings.ts";
import type { QueryEvent } from "../machines/queries/events.ts";
import { fenceIdOf, fenceUntil } from "../machines/queries/fence.ts";
import { foldJob, type QueryJob } from "../machines/queries/fold.ts";
import type { JournalStart } from "../machines/queries/journal.ts";
import type { JournalJob } from "../machines/queries/journal-job.ts";
import { journalRoot } from "../machines/queries/journal-root.ts";
import { parsePart, partBody } from "../machines/queries/part.ts";
import { jobOfId, type QueryRoot } from "../machines/queries/root.ts";
import { isTerminal } from "../machines/queries/statuses.ts";
import { RecordCorruptError } from "../ports/faults.ts";
import type { CopyDeps, CopyVerdict } from "../store/copying.ts";
import { copyMadePart } from "../store/log-copying.ts";
import { logRoot } from "../store/log-keys.ts";
import type { Stored } from "../store/store.ts";
import { savedRecord } from "./codec.ts";
import type { SessionFences } from "./query-fences.ts";
import { queueOf } from "./query-known.ts";
import { type QueryDeps, rootCodec, rootKey } from "./query-records.ts";

/** One generation as the journal tells it. */
export interface RebuiltJob {
  readonly start: JournalStart;
  readonly journal: JournalJob;
}

export interface ImportTarget {
  readonly deps: QueryDeps;
  readonly copy: CopyDeps;
  readonly fences: SessionFences;
}

/** What stands at the target for a client job, as it was read before anything was written. */
export interface FoundTarget {
  readonly stored: Stored | null;
  readonly root: QueryRoot | null;
}

export async function findTarget(
  { deps }: ImportTarget,
  clientJobId: string,
): Promise<FoundTarget> {
  const stored = await deps.store.get(rootKey(clientJobId));
  return { stored, root: stored === null ? null : rootCodec.load(stored) };
}

const PRESENT: CopyVerdict = { kind: "present" };
const COPIED: CopyVerdict = { kind: "copied" };
const ANOTHER: CopyVerdict = {
  kind: "conflict",
  reason: "its client job has other generations there, to which none are added",
};
const OVERTAKEN: CopyVerdict = {
  kind: "conflict",
  reason: "somebody else wrote to its client job meanwhile, maybe gc: run it again later",
};

/** What is to be said of a job where its client job has a root already; null: it has none. */
export function standingJob({ root }: FoundTarget, jobId: string): CopyVerdict | null {
  if (root?.kind !== "live") return null;
  // Of one that was erased nothing comes back.
  if (root.clientJobId === null) return PRESENT;
  return jobOfId(root, jobId) === null ? ANOTHER : PRESENT;
}

/**
 * Writes `jobs`, the greatest generation first, where `found` has no root; the verdict is of all of them.
 * Throws RecordCorruptError for a log that cannot be one, and the storage's faults; may be repeated.
 */
export async function writeJobs(
  target: ImportTarget,
  found: FoundTarget,
  jobs: readonly RebuiltJob[],
): Promise<CopyVerdict> {
  const { deps, copy } = target;
  const ended: QueryJob[] = [];
  for (const job of jobs) {
    const written = await writeJob(target, found, job);
    if ("kind" in written) return written;
    ended.push(written);
  }
  const [latest, ...earlier] = ended;
  assert(latest !== undefined, "a client job has a generation");
  if (copy.isDryRun) return COPIED;
  const root = journalRoot(latest, earlier);
  const result = await deps.store.put(
    rootKey(latest.request.clientJobId),
    savedRecord(rootCodec, root, found.stored),
    {
      expected: found.stored ?? "absent",
      due: rootCodec.due(root),
      deadlineAt: deadlineOf(deps),
    },
  );
  if (result.kind === "stored") return COPIED;
  // A reply that was lost is no reason to call our own root another's.
  const current = result.current === null ? null : rootCodec.load(result.current);
  const isOurs = current?.kind === "live" && current.jobId === latest.jobId;
  return isOurs ? COPIED : OVERTAKEN;
}

/** The job as it is at the target then, or why it cannot be there. */
async function writeJob(
  target: ImportTarget,
  { stored }: FoundTarget,
  { start, journal }: RebuiltJob,
): Promise<QueryJob | CopyVerdict> {
  const { deps, copy } = target;
  const { jobId } = start;
  const log = `${logRoot(deps.tenant)}/${jobId}`;
  const events = journal.events(stored?.version ?? null);
  const job = folded(null, jobId, { first: 1, events });
  let first = 1;
  for (const part of partsOf(events)) {
    const body = partBody({ events: part, requestId: null });
    const verdict = await copyMadePart(copy, { log, first, body }, deadlineOf(deps));
    if (verdict.kind === "conflict") return verdict;
    first += part.length;
  }
  const known = await readOn(target, job);
  if (!isTerminal(known.head.status)) return end(target, known, log);
  if (known.orphanFenceUntil !== null) await hold(target, known, known.orphanFenceUntil);
  return known;
}

/** Of an earlier try that was cut off: it may have ended the job, which is done once. */
async function readOn({ deps }: ImportTarget, job: QueryJob): Promise<QueryJob> {
  const { jobId } = job;
  let known = job;
  for await (const part of deps.logs.open(jobId).readOn(job.head.seq)) {
    if (part.kind === "incomplete") throw part.fault;
    const parsed = parsePart(part);
    if (!parsed.ok) throw new RecordCorruptError(queueOf(jobId), parsed.reason);
    known = folded(known, jobId, { first: part.first, events: parsed.part.events });
  }
  return known;
}

/** Decides what the original would have decided when it began again (semantics C4). */
async function end(
  target: ImportTarget,
  job: QueryJob,
  log: string,
): Promise<QueryJob | CopyVerdict> {
  const { deps, copy } = target;
  const { head, jobId, generation } = job;
  const now = deps.clock.now();
  const isFenced = head.isOwned && head.status !== "answer_ready";
  const until = isFenced ? await hold(target, job, fenceUntil(now)) : null;
  const decision = leftBehind({ generation, head, text: job.text }, until, now);
  assert(decision.kind === "append", "a job that has not ended can be ended");
  const first = head.seq + 1;
  const events = [decision.event];
  const body = partBody({ events, requestId: null });
  const verdict = await copyMadePart(copy, { log, first, body }, deadlineOf(deps));
  return verdict.kind === "conflict" ? verdict : folded(job, jobId, { first, events });
}

/** The session is held before anybody can see the end of the job (protocols 4.3). */
async function hold(
  { deps, copy, fences }: ImportTarget,
  { request, jobId }: QueryJob,
  until: EpochMs,
): Promise<EpochMs> {
  if (copy.isDryRun || until <= deps.clock.now()) return until;
  return fences.hold(fenceIdOf(request.sessionId), jobId, until);
}

function folded(
  job: QueryJob | null,
  jobId: string,
  run: { readonly first: number; readonly events: readonly QueryEvent[] },
): QueryJob {
  const next = foldJob(job, jobId, run);
  if (!next.ok) throw new RecordCorruptError(queueOf(jobId), next.reason);
  return next.state;
}

function deadlineOf({ clock, deadlineMs }: QueryDeps): EpochMs {
  return after(clock.now(), deadlineMs);
}

/** Events of one part: as many as a page of them has, and so much text that it mostly fits one record. */
const PART_EVENTS_MAX = 256;
const PART_CHARS_MAX = 64 * 1_024;

/** Part 1 holds the admission alone, as of every job. */
function* partsOf(events: readonly QueryEvent[]): Generator<readonly QueryEvent[]> {
  const [admission, ...rest] = events;
  if (admission !== undefined) yield [admission];
  let part: QueryEvent[] = [];
  let chars = 0;
  for (const event of rest) {
    const size = JSON.stringify(event).length;
    const isFull = part.length === PART_EVENTS_MAX || chars + size > PART_CHARS_MAX;
    if (isFull && part.length > 0) {
      yield part;
      part = [];
      chars = 0;
    }
    part.push(event);
    chars += size;
  }
  if (part.length > 0) yield part;
}
