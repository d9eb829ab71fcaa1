/** The head of a log: what a decision needs to know of a job. A fold from a hint knows no more. */
import { unreachable } from "../../core/assert.ts";
import type { EpochMs } from "../../core/time.ts";
import type { Answer, Chunk, Completed, QueryEvent, Starting } from "./events.ts";
import { ANSWER_CHARS_MAX } from "./limits.ts";
import { isTerminal, isUnderWay, mayFollow, type QueryStatus } from "./statuses.ts";

/** The right to write the answer; here is only what recognises it. */
export type QueryRun = {
  /** SHA-256 of the token, in hex. */
  readonly tokenHash: string;
  readonly leaseMs: number;
  /** Of the exclusive folder whose process drives the run itself; null: anybody else. */
  readonly owner: string | null;
};

/** Of the text so far, without the text. */
export type TextHead = {
  /** Characters (UTF-16 units). */
  readonly length: number;
  /** No more of it is kept. */
  readonly isTruncated: boolean;
  /** See `Chunk`. */
  readonly half: number | null;
};

export type QueryHead = {
  /** The number of the last event. */
  readonly seq: number;
  readonly status: QueryStatus;
  readonly updatedAt: EpochMs;
  /** From `starting` on. */
  readonly run: QueryRun | null;
  /** Whether a provider of the run may be at work. */
  readonly isOwned: boolean;
  /** Whether whoever held the run ended it. */
  readonly isEndedByRun: boolean;
  readonly isAcknowledged: boolean;
  readonly text: TextHead;
};

/** `reason` names what is wrong with the log, and nothing of its content. */
export type Folded<State> =
  | { readonly ok: true; readonly state: State }
  | { readonly ok: false; readonly reason: string };

const NO_TEXT: TextHead = { length: 0, isTruncated: false, half: null };

/** The head after `event`, which is the next after `head` (null: the first of all). */
export function advanceHead(head: QueryHead | null, event: QueryEvent): Folded<QueryHead> {
  if (head === null) return firstHead(event);
  switch (event.type) {
    case "accepted":
      return wrong(head, event);
    case "starting":
      return moved(head, event, event.type, { run: runOf(event) });
    case "running":
    case "canceled":
      return moved(head, event, event.type, {});
    case "linkage":
      return written(head, event, { isOwned: true });
    case "tool_status":
    case "activity_line":
      return written(head, event, {});
    case "chunk":
      return chunked(head, event);
    case "answer_ready":
      return moved(head, event, event.type, { text: textHeadOf(event.answer) });
    case "completed":
      return completed(head, event);
    case "failed":
    case "interrupted":
      return moved(head, event, event.type, { isEndedByRun: event.byRun === true });
    case "acknowledged":
      return acknowledged(head, event);
    default:
      return unreachable(event);
  }
}

function firstHead(event: QueryEvent): Folded<QueryHead> {
  if (event.type !== "accepted") return corrupt(`begins with ${event.type}`);
  return {
    ok: true,
    state: {
      seq: 1,
      status: "accepted",
      updatedAt: event.at,
      run: null,
      isOwned: false,
      isEndedByRun: false,
      isAcknowledged: false,
      text: NO_TEXT,
    },
  };
}

function runOf({ run, leaseMs, owner }: Starting): QueryRun {
  return { tokenHash: run, leaseMs, owner: owner ?? null };
}

function moved(
  head: QueryHead,
  event: QueryEvent,
  status: QueryStatus,
  fields: Partial<QueryHead>,
): Folded<QueryHead> {
  return mayFollow(head.status, status)
    ? next(head, event, { ...fields, status })
    : wrong(head, event);
}

function written(
  head: QueryHead,
  event: Extract<QueryEvent, { early?: true }>,
  fields: Partial<QueryHead>,
): Folded<QueryHead> {
  // The mark lets a reader who begins in the middle tell the status (public-event.ts).
  const isMarked = (event.early === true) === (head.status === "starting");
  return isUnderWay(head.status) && isMarked ? next(head, event, fields) : wrong(head, event);
}

function chunked(head: QueryHead, event: Chunk): Folded<QueryHead> {
  const length = head.text.length + event.delta.length;
  // An original tells of text also where it keeps no more of it.
  const isEmpty = event.delta === "" && event.truncated === true;
  if (head.text.isTruncated && !isEmpty) {
    return corrupt(`event ${head.seq + 1}: more text after its end`);
  }
  if (length > ANSWER_CHARS_MAX) return corrupt(`event ${head.seq + 1}: the text is too long`);
  const isTruncated = event.truncated === true;
  return written(head, event, { text: { length, isTruncated, half: event.half ?? null } });
}

function completed(head: QueryHead, event: Completed): Folded<QueryHead> {
  if (event.answer === undefined && head.status !== "answer_ready") return wrong(head, event);
  const isEndedByRun = event.byRun === true;
  const text = event.answer === undefined ? head.text : textHeadOf(event.answer);
  return moved(head, event, "completed", { isEndedByRun, text });
}

function textHeadOf(answer: Answer): TextHead {
  const length = "text" in answer ? answer.text.length : answer.textLength;
  return { length, isTruncated: answer.truncated === true, half: null };
}

function acknowledged(
  head: QueryHead,
  event: Extract<QueryEvent, { type: "acknowledged" }>,
): Folded<QueryHead> {
  const isFirst = isTerminal(head.status) && !head.isAcknowledged && event.status === head.status;
  return isFirst ? next(head, event, { isAcknowledged: true }) : wrong(head, event);
}

function next(head: QueryHead, event: QueryEvent, fields: Partial<QueryHead>): Folded<QueryHead> {
  return { ok: true, state: { ...head, ...fields, seq: head.seq + 1, updatedAt: event.at } };
}

function wrong({ seq, status }: QueryHead, { type }: QueryEvent): Folded<QueryHead> {
  return corrupt(`event ${seq + 1}: ${type} in status ${status}`);
}

function corrupt(reason: string): Folded<QueryHead> {
  return { ok: false, reason };
}
