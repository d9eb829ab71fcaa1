/**
 * One call on one job: decide on its head, create the next part, and on a part of somebody else's read on
 * and decide again (protocols 5.2). A machine decides, this only carries out.
 */
import { unreachable } from "../core/assert.ts";
import { jitteredMs } from "../core/backoff.ts";
import { isOf } from "../core/foreign.ts";
import { durationMs, type EpochMs, seconds } from "../core/time.ts";
import type { QueryCommand, QueryDecision, QueryRejection } from "../machines/queries/commands.ts";
import { decideQuery } from "../machines/queries/decide.ts";
import type { QueryEvent } from "../machines/queries/events.ts";
import { isTerminal, type QueryStatus } from "../machines/queries/statuses.ts";
import { ContendedError } from "../ports/faults.ts";
import { type CallDraft, callDraft } from "./query-drafts.ts";
import { QueryJobValidationError } from "./query-errors.ts";
import type { KnownJob, QueryPlace } from "./query-known.ts";
import { isSamePart } from "./query-positions.ts";
import type { QueryDeps } from "./query-records.ts";
import type { FoundRoot } from "./query-roots.ts";
import type { EarlierTry, Marked, Scanned } from "./query-scan.ts";
import {
  type AppendAnswer,
  type AppendParts,
  answerOf,
  confirm,
  type Seen,
  stateAfter,
} from "./query-written.ts";

export interface AppendOptions {
  readonly mark: Marked;
  /** Whether the answer needs the whole job, not its head alone. */
  readonly isWhole: boolean;
}

export type AppendOutcome =
  | AppendAnswer
  | { readonly kind: "rejected"; readonly place: QueryPlace; readonly rejection: QueryRejection };

/** Parts of others in a row after which a log is given up: another read would only add load. */
const TAKEN_MAX = 32;

const RETRY = { base: durationMs(5), cap: seconds(1) };

export interface Asked {
  readonly place: QueryPlace;
  readonly command: QueryCommand;
  readonly options: AppendOptions;
  readonly deadlineAt: EpochMs;
}

/** How far one call has got. */
interface Course {
  known: KnownJob;
  /** Whether `known` was read to the head, so that an answer may be given from it. */
  isRead: boolean;
  command: QueryCommand;
  /** Of the fence that was set for this call. */
  fenceId: string | null;
  /** Parts of others that were met where the next one of ours would be. */
  taken: number;
  readonly draft: CallDraft;
}

export async function attempt(
  parts: AppendParts,
  asked: Asked,
  seen: Seen,
): Promise<AppendOutcome> {
  const { place, options, command } = asked;
  const kept = trusted(parts.jobs.known(place.jobId), options);
  const known = kept ?? (await readJob(parts, asked, seen));
  const draft = callDraft(place);
  const course: Course = {
    ...{ known, isRead: kept === null, command, fenceId: null, taken: 0, draft },
  };
  for (;;) {
    if (seen.earlier !== null) {
      await draft.discard();
      const { earlier } = seen;
      await freeSession(parts, place, course, earlier.status);
      return repeated(parts, asked, { known: course.known, earlier, seen });
    }
    const decision = decided(parts, place, course);
    if (decision.kind === "append") {
      const answer = await tryAppend(parts, asked, { course, event: decision.event, seen });
      if (answer !== null) return answer;
    } else if (!course.isRead) {
      // What is kept is good enough to try a write, never to answer from.
      course.known = await readJob(parts, asked, seen);
      course.isRead = true;
    } else {
      const outcome = await settled(parts, asked, { course, decision, seen });
      if (outcome !== null) return outcome;
    }
  }
}

function decided(
  { deps }: AppendParts,
  { generation }: QueryPlace,
  { known, command }: Course,
): QueryDecision {
  const query = { generation, head: known.head, text: known.job?.text ?? null };
  return decideQuery(query, command, deps.clock.now(), deps);
}

/** Null: another has the number, and it is to be decided anew; never the next free one without that. */
async function tryAppend(
  parts: AppendParts,
  asked: Asked,
  { course, event, seen }: { course: Course; event: QueryEvent; seen: Seen },
): Promise<AppendAnswer | null> {
  const { place, options, deadlineAt } = asked;
  const { known, draft } = course;
  const { requestId } = options.mark;
  const verdict = await draft.create([event], known.head.seq, requestId, deadlineAt);
  if (verdict === "created") {
    const answer = await appended(parts, asked, { known, event, draft, seen });
    await freeSession(parts, place, course, answer.status);
    return answer;
  }
  course.taken += 1;
  await backOff(parts.deps, course.taken, deadlineAt, draft);
  course.known = noted(seen, await parts.scans.onward(place, known, options.mark));
  course.isRead = true;
  return null;
}

/** What a decision comes to that appends nothing; null: what it needed is there now. */
async function settled(
  parts: AppendParts,
  { place, options }: Asked,
  { course, decision, seen }: { course: Course; decision: NoAppend; seen: Seen },
): Promise<AppendOutcome | null> {
  const { jobs, fences, scans } = parts;
  const rejection = decision.kind === "reject" ? decision.rejection : null;
  if (rejection?.kind === "text_needed") {
    course.known = noted(seen, await scans.whole(place, options.mark));
    return null;
  }
  if (rejection?.kind === "fence_needed") {
    const { fenceId } = (await rootOf(parts, place, seen)).root;
    course.fenceId = fenceId;
    const until = await fences.hold(fenceId, place.jobId, rejection.until);
    course.command = fenced(course.command, until);
    return null;
  }
  await course.draft.discard();
  // Parts that were not found may have been removed meanwhile: only the root tells.
  seen.root = await parts.roots.shown(place);
  jobs.keep(place, course.known);
  await freeSession(parts, place, course, course.known.head.status);
  if (decision.kind === "reject") {
    return { kind: "rejected", place, rejection: decision.rejection };
  }
  const known = await scans.placed(place, course.known);
  const { isApplied } = decision;
  return answerOf(place, seen, { kind: "unchanged", isApplied, known, part: known.part });
}

/**
 * Takes back the hold that was set for this call, where the job has ended otherwise. An interrupted one
 * keeps it, whoever wrote that; so does one that goes on, since another may be about to interrupt it: both
 * hold the session under the job's id.
 */
async function freeSession(
  { fences }: AppendParts,
  { jobId }: QueryPlace,
  { fenceId }: Course,
  status: QueryStatus,
): Promise<void> {
  const hasEndedOtherwise = isTerminal(status) && status !== "interrupted";
  if (fenceId !== null && hasEndedOtherwise) await fences.release(fenceId, jobId);
}

type NoAppend = Exclude<QueryDecision, { kind: "append" }>;

function noted(seen: Seen, { known, earlier, parts }: Scanned): KnownJob {
  seen.earlier ??= earlier;
  seen.parts += parts;
  return known;
}

async function rootOf({ roots }: AppendParts, place: QueryPlace, seen: Seen): Promise<FoundRoot> {
  seen.root ??= await roots.shown(place);
  return seen.root;
}

/** The job at its head, from what is kept of it or from what its root knows. */
async function readJob(parts: AppendParts, asked: Asked, seen: Seen): Promise<KnownJob> {
  const { jobs, roots, scans } = parts;
  const { place, options } = asked;
  const { root } = await rootOf(parts, place, seen);
  const hint = root.jobId === place.jobId ? { head: root.hint, job: null, part: null } : null;
  const base = jobs.known(place.jobId) ?? hint;
  const isEnough = base !== null && (!options.isWhole || base.job !== null);
  try {
    return noted(seen, await scans.toHead(place, isEnough ? base : null, options.mark));
  } catch (fault) {
    // The part that the position names may have been removed meanwhile, with the job.
    if (isOf(fault, QueryJobValidationError)) await roots.shown(place);
    throw fault;
  }
}

interface Created {
  /** Before the event. */
  readonly known: KnownJob;
  readonly event: QueryEvent;
  readonly draft: CallDraft;
  readonly seen: Seen;
}

async function appended(
  parts: AppendParts,
  { place }: Asked,
  { known, event, draft, seen }: Created,
): Promise<AppendAnswer> {
  const next = stateAfter(parts, place, known, [event]);
  await confirm(parts, place, { known: next, draft, seen });
  const part = { first: next.head.seq, last: next.head.seq };
  return answerOf(place, seen, { kind: "appended", isApplied: true, known: next, part });
}

interface Repeat {
  readonly known: KnownJob;
  readonly earlier: EarlierTry;
  readonly seen: Seen;
}

async function repeated(
  { jobs, roots }: AppendParts,
  { place }: Asked,
  { known, earlier, seen }: Repeat,
): Promise<AppendAnswer> {
  seen.root = await roots.shown(place);
  jobs.keep(place, known);
  const { part, status } = earlier;
  const answer = answerOf(place, seen, { kind: "repeated", isApplied: true, known, part });
  return { ...answer, eventSeq: part.last, status };
}

/**
 * What is kept of a job, where a write may be tried on it without reading first: it knows enough, and an
 * earlier try of the same call can only be behind it.
 */
function trusted(known: KnownJob | null, { mark, isWhole }: AppendOptions): KnownJob | null {
  if (known === null || (isWhole && known.job === null)) return null;
  if (mark.requestId === null) return known;
  const isBefore = mark.position !== null && known.part !== null;
  return isBefore && isSamePart(mark.position, known.part) ? known : null;
}

function fenced(command: QueryCommand, fencedUntil: EpochMs): QueryCommand {
  switch (command.kind) {
    case "interrupt":
    case "recover":
      return { ...command, fencedUntil };
    case "start":
    case "heartbeat":
    case "running":
    case "linkage":
    case "chunk":
    case "activity":
    case "answer_ready":
    case "complete":
    case "fail":
    case "cancel":
    case "acknowledge":
      throw new TypeError(`${command.kind} needs no fence`);
    default:
      return unreachable(command);
  }
}

async function backOff(
  { clock, random, observe }: QueryDeps,
  taken: number,
  deadlineAt: EpochMs,
  draft: CallDraft,
): Promise<void> {
  const wait = taken === 1 ? 0 : jitteredMs(taken, random.fraction(), RETRY);
  if (taken >= TAKEN_MAX || clock.now() + wait >= deadlineAt) {
    await draft.discard();
    observe("store.contended", 1);
    throw new ContendedError("others kept adding to the same query job; nothing was written");
  }
  if (wait > 0) await clock.sleep(durationMs(wait));
}
