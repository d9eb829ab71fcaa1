/** A job as its log tells it: the head, and everything else that is shown of it. */
import { unreachable } from "../../core/assert.ts";
import { sha256Hex } from "../../core/hash.ts";
import type { EpochMs } from "../../core/time.ts";
import { type Activity, withActivity } from "./activities.ts";
import { type AttachmentRef, mergedAttachments } from "./attachments.ts";
import type { Accepted, Answer, Completed, QueryEvent } from "./events.ts";
import { fingerprintOf } from "./fingerprint.ts";
import { advanceHead, type Folded, type QueryHead } from "./head.ts";
import type { Linkage } from "./linkage.ts";
import { canceledError, type ImageStats, interruptedError, type QueryError } from "./outcome.ts";
import type { QueryRequest } from "./request.ts";

export interface QueryJob {
  readonly jobId: string;
  readonly generation: number;
  readonly head: QueryHead;
  readonly request: QueryRequest;
  readonly fingerprint: string;
  readonly turnId: string;
  /** The answer: so far, or as it was committed. */
  readonly text: string;
  readonly linkage: Linkage;
  /** Those of the request first. */
  readonly attachments: readonly AttachmentRef[];
  readonly outputImageStats: ImageStats | null;
  readonly error: QueryError | null;
  readonly activity: readonly Activity[];
  readonly acceptedAt: EpochMs;
  readonly startedAt: EpochMs | null;
  readonly ownershipConfirmedAt: EpochMs | null;
  readonly answerReadyAt: EpochMs | null;
  readonly completedAt: EpochMs | null;
  readonly acknowledgedAt: EpochMs | null;
  readonly orphanFenceUntil: EpochMs | null;
  readonly retentionUntil: EpochMs;
}

/** Events as the log holds them: the number of the first, and all that were created with it. */
export interface EventRun {
  readonly first: number;
  readonly events: readonly QueryEvent[];
}

/**
 * The job after `run` (null before: nothing was read of its log). Whatever its machine would not have
 * written is corruption: it is named, and nothing of it is shown.
 */
export function foldJob(job: QueryJob | null, jobId: string, run: EventRun): Folded<QueryJob> {
  return folded(job, run, (before, event) => afterEvent(before, jobId, event));
}

/** The same of the head alone, for whoever does not need the text. */
export function foldHead(head: QueryHead | null, run: EventRun): Folded<QueryHead> {
  return folded(head, run, advanceHead);
}

function folded<State extends QueryHead | QueryJob>(
  before: State | null,
  { first, events }: EventRun,
  advance: (before: State | null, event: QueryEvent) => Folded<State>,
): Folded<State> {
  const seq = before === null ? 0 : seqOf(before);
  if (first !== seq + 1) return corrupt(`event ${seq + 1} is missing`);
  let state = before;
  for (const event of events) {
    const next = advance(state, event);
    if (!next.ok) return next;
    state = next.state;
  }
  return state === null ? corrupt("no events") : { ok: true, state };
}

function seqOf(state: QueryHead | QueryJob): number {
  return "head" in state ? state.head.seq : state.seq;
}

function afterEvent(job: QueryJob | null, jobId: string, event: QueryEvent): Folded<QueryJob> {
  const advanced = advanceHead(job?.head ?? null, event);
  if (!advanced.ok) return advanced;
  const head = advanced.state;
  if (event.type === "accepted") return acceptedJob(jobId, head, event);
  if (job === null) return corrupt("no events");
  switch (event.type) {
    case "starting":
      return { ok: true, state: { ...job, head } };
    case "running":
      return changed(job, head, { startedAt: event.at, ...linked(job, event.linkage) });
    case "linkage":
      return changed(job, head, { ownershipConfirmedAt: event.at, ...linked(job, event.linkage) });
    case "chunk":
      return changed(job, head, { text: job.text + event.delta });
    case "tool_status":
      return changed(job, head, activity(job, head, "status", event.text));
    case "activity_line":
      return changed(job, head, activity(job, head, event.kind, event.text));
    case "answer_ready":
      return answered(job, head, event.answer, {
        answerReadyAt: event.at,
        ...linked(job, event.linkage),
      });
    case "completed":
      return completed(job, head, event);
    case "failed":
      return ended(job, head, event.error);
    case "canceled":
      return ended(job, head, canceledError(event.message));
    case "interrupted":
      return ended(job, head, interruptedError(event.reason), event.orphanFenceUntil ?? null);
    case "acknowledged":
      return changed(job, head, { acknowledgedAt: event.at });
    default:
      return unreachable(event);
  }
}

function acceptedJob(jobId: string, head: QueryHead, event: Accepted): Folded<QueryJob> {
  const { request, fingerprint, turnId, retentionUntil } = event;
  if (fingerprintOf(request) !== fingerprint)
    return corrupt("the fingerprint is of another request");
  return {
    ok: true,
    state: {
      ...{ jobId, head, request, fingerprint, turnId, retentionUntil },
      generation: request.generation,
      text: "",
      linkage: {},
      attachments: mergedAttachments(request.attachmentRefs),
      outputImageStats: null,
      error: null,
      activity: [],
      acceptedAt: event.at,
      startedAt: null,
      ownershipConfirmedAt: null,
      answerReadyAt: null,
      completedAt: null,
      acknowledgedAt: null,
      orphanFenceUntil: null,
    },
  };
}

function changed(job: QueryJob, head: QueryHead, fields: Partial<QueryJob>): Folded<QueryJob> {
  return { ok: true, state: { ...job, ...fields, head } };
}

function linked(job: QueryJob, linkage: Linkage | undefined): Partial<QueryJob> {
  return linkage === undefined ? {} : { linkage: { ...job.linkage, ...linkage } };
}

function activity(
  job: QueryJob,
  { seq, updatedAt }: QueryHead,
  kind: Activity["kind"],
  text: string,
): Partial<QueryJob> {
  return { activity: withActivity(job.activity, { eventSeq: seq, at: updatedAt, kind, text }) };
}

/** An answer that stands for the text so far must be of that text (protocols 5.8). */
function answered(
  job: QueryJob,
  head: QueryHead,
  answer: Answer,
  fields: Partial<QueryJob>,
): Folded<QueryJob> {
  if ("text" in answer) return changed(job, head, { ...fields, text: answer.text });
  const isSame = answer.textLength === job.text.length && answer.sha256 === sha256Hex(job.text);
  return isSame
    ? changed(job, head, fields)
    : corrupt(`event ${head.seq}: the answer is not the text before it`);
}

function completed(job: QueryJob, head: QueryHead, event: Completed): Folded<QueryJob> {
  const fields = {
    completedAt: event.at,
    attachments: mergedAttachments(job.attachments, event.attachments ?? []),
    outputImageStats: event.outputImageStats ?? null,
    ...linked(job, event.linkage),
  };
  return event.answer === undefined
    ? changed(job, head, fields)
    : answered(job, head, event.answer, fields);
}

function ended(
  job: QueryJob,
  head: QueryHead,
  error: QueryError,
  orphanFenceUntil: EpochMs | null = null,
): Folded<QueryJob> {
  return changed(job, head, { completedAt: head.updatedAt, error, orphanFenceUntil });
}

function corrupt(reason: string): { readonly ok: false; readonly reason: string } {
  return { ok: false, reason };
}
