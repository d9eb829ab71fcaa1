/** How a job ends, and what is still said of it then. */
import { sha256Hex } from "../../core/hash.ts";
import { after, type DurationMs, durationMs, type EpochMs, epochMs } from "../../core/time.ts";
import { attachmentRefsOf } from "./attachments.ts";
import { append, type KnownQuery, refuse, reject, stampOf, unchanged } from "./changes.ts";
import type {
  Acknowledge,
  Cancel,
  Complete,
  Fail,
  Interrupt,
  MarkAnswerReady,
  QueryDecision,
  QueryRules,
  Recover,
} from "./commands.ts";
import type { Answer } from "./events.ts";
import { fenceUntil } from "./fence.ts";
import type { QueryHead, QueryRun } from "./head.ts";
import { ANSWER_CHARS_MAX } from "./limits.ts";
import { imageStatsOf, noticeOf, queryErrorOf } from "./outcome.ts";
import { linkageField } from "./progress.ts";
import { isTerminal, mayFollow } from "./statuses.ts";
import { cutText } from "./text.ts";

const GIVEN_UP = "The run was given up before its answer was ready.";
const LAPSED = "Whoever ran this query was not heard of any more.";
const TAKEN_OVER = "The server that ran this query was restarted.";
const NEVER_STARTED = "Nobody started this query in time.";

export function markAnswerReady(
  query: KnownQuery,
  { text, linkage }: MarkAnswerReady,
  now: EpochMs,
): QueryDecision {
  const { head } = query;
  if (!mayFollow(head.status, "answer_ready")) return unchanged(false);
  const answer = answerOf(query, text);
  if (answer === null) return reject({ kind: "text_needed" });
  return append({
    type: "answer_ready",
    at: stampOf(head, now),
    answer,
    ...linkageField(linkage),
  });
}

export function complete(query: KnownQuery, command: Complete, now: EpochMs): QueryDecision {
  const { head } = query;
  if (!mayFollow(head.status, "completed")) return unchanged(false);
  const answer = answerOf(query, command.text);
  if (answer === null) return reject({ kind: "text_needed" });
  const attachments = attachmentRefsOf(command.attachments);
  const outputImageStats = imageStatsOf(command.outputImageStats);
  // The commit told it already: once is enough.
  const isCommitted = head.status === "answer_ready" && !("text" in answer);
  return append({
    type: "completed",
    at: stampOf(head, now),
    ...(isCommitted ? {} : { answer }),
    ...(attachments.length === 0 ? {} : { attachments }),
    ...(outputImageStats === null ? {} : { outputImageStats }),
    ...linkageField(command.linkage),
    ...byRun(command.token),
  });
}

/** The text is stored once: where the log holds it already, its hash recognises it (protocols 5.8). */
function answerOf({ head, text }: KnownQuery, given: string): Answer | null {
  const soFar = head.text.length === 0 ? "" : text;
  if (soFar === null) return null;
  const { text: kept, isCut } = cutText(given.toWellFormed(), ANSWER_CHARS_MAX);
  const isSame = kept === soFar;
  const truncated = isCut || (isSame && head.text.isTruncated) ? { truncated: true as const } : {};
  return isSame
    ? { textLength: kept.length, sha256: sha256Hex(kept), ...truncated }
    : { text: kept, ...truncated };
}

/** A failure after the commit changes nothing of the answer (QUERY-27). */
export function fail({ head }: KnownQuery, { error, token }: Fail, now: EpochMs): QueryDecision {
  if (head.status === "answer_ready") return committed(head, token, now);
  const at = stampOf(head, now);
  return append({ type: "failed", at, error: queryErrorOf(error), ...byRun(token) });
}

export function cancel(query: KnownQuery, command: Cancel, now: EpochMs): QueryDecision {
  const { head, generation } = query;
  if (command.generation !== generation) return refuse(query, "query_job_generation_mismatch");
  if (isTerminal(head.status)) return unchanged(false);
  if (head.status === "answer_ready") return refuse(query, "query_job_answer_committing");
  return append({ type: "canceled", at: stampOf(head, now) });
}

export function interrupt(
  { head }: KnownQuery,
  { reason, token, fencedUntil }: Interrupt,
  now: EpochMs,
): QueryDecision {
  if (head.status === "answer_ready") return committed(head, token, now);
  return interrupted(head, noticeOf(reason ?? "", GIVEN_UP).text, { fencedUntil, token }, now);
}

/** Ends what nobody else will end any more; changes nothing while somebody may. */
export function recover(
  { head }: KnownQuery,
  command: Recover,
  now: EpochMs,
  rules: QueryRules,
): QueryDecision {
  const reason = reasonOf(head, command, now, rules);
  return reason === null ? unchanged(false) : abandon(head, reason, command.fencedUntil, now);
}

/** The end of a job that an original left before it had one: whoever ran it is gone (semantics C4). */
export function leftBehind(
  { head }: KnownQuery,
  fencedUntil: EpochMs | null,
  now: EpochMs,
): QueryDecision {
  return abandon(head, TAKEN_OVER, fencedUntil, now);
}

function abandon(
  head: QueryHead,
  reason: string,
  fencedUntil: EpochMs | null,
  now: EpochMs,
): QueryDecision {
  if (head.status === "answer_ready") return committed(head, null, now);
  return interrupted(head, reason, { fencedUntil, token: null }, now);
}

function reasonOf(
  head: QueryHead,
  { leaseUntil, owner }: Recover,
  now: EpochMs,
  { admissionTimeoutMs }: QueryRules,
): string | null {
  if (isTerminal(head.status)) return null;
  const { run } = head;
  if (run === null) return isAbandoned(head, now, admissionTimeoutMs) ? NEVER_STARTED : null;
  if (isTakenOver(run, owner)) return TAKEN_OVER;
  return lapsesAt(head, leaseUntil) <= now ? LAPSED : null;
}

/**
 * Whether the process that drove `run` itself has lost its exclusive folder to `owner`, who has it now: a
 * folder has one owner at a time, so every other one that is named has had it before (G7).
 */
export function isTakenOver(run: QueryRun | null, owner: string | null): boolean {
  const driver = run?.owner ?? null;
  return owner !== null && driver !== null && driver !== owner;
}

function isAbandoned(head: QueryHead, now: EpochMs, timeoutMs: DurationMs | null): boolean {
  return timeoutMs !== null && after(head.updatedAt, timeoutMs) <= now;
}

/** When a run may be given up for lost: whatever it wrote renewed its lease (protocols 4.5). */
export function lapsesAt({ updatedAt, run }: QueryHead, leaseUntil: EpochMs | null): EpochMs {
  return epochMs(Math.max(leaseUntil ?? 0, after(updatedAt, durationMs(run?.leaseMs ?? 0))));
}

/** The session is held first: an admission must not meet the end without the fence (protocols 4.4). */
function interrupted(
  head: QueryHead,
  reason: string,
  by: { readonly fencedUntil: EpochMs | null; readonly token: string | null },
  now: EpochMs,
): QueryDecision {
  if (head.isOwned && by.fencedUntil === null) {
    return reject({ kind: "fence_needed", until: fenceUntil(now) });
  }
  return append({
    type: "interrupted",
    at: stampOf(head, now),
    reason,
    ...(head.isOwned && by.fencedUntil !== null ? { orphanFenceUntil: by.fencedUntil } : {}),
    ...byRun(by.token),
  });
}

/** Completes with the answer as it was committed. */
function committed(head: QueryHead, token: string | null, now: EpochMs): QueryDecision {
  return append({ type: "completed", at: stampOf(head, now), ...byRun(token) });
}

export function acknowledge(query: KnownQuery, command: Acknowledge, now: EpochMs): QueryDecision {
  const { head, generation } = query;
  if (command.generation !== generation) return refuse(query, "query_job_generation_mismatch");
  if (!isTerminal(head.status)) return refuse(query, "query_job_not_terminal");
  if (head.isAcknowledged) return unchanged(false);
  return append({ type: "acknowledged", at: stampOf(head, now), status: head.status });
}

function byRun(token: string | null): { readonly byRun?: true } {
  return token === null ? {} : { byRun: true };
}
