/** An event as it is shown: it tells all by itself, so a reader may begin anywhere in a log. */
import { unreachable } from "../../core/assert.ts";
import type { JsonObject } from "../../core/json.ts";
import { isoTime } from "../../core/time.ts";
import type { Answer, QueryEvent } from "./events.ts";
import { DELTA_CHARS_MAX } from "./limits.ts";
import { canceledError, interruptedError } from "./outcome.ts";
import type { QueryStatus } from "./statuses.ts";
import { cutText } from "./text.ts";

/** `running` also when only its linkage is new, as in the original. */
export type ShownEventType = Exclude<QueryEvent["type"], "linkage">;

/** Semantics C1, Event. It holds nothing of what was asked. */
export interface ShownEvent {
  readonly type: ShownEventType;
  readonly eventSeq: number;
  readonly jobId: string;
  readonly clientJobId: string;
  readonly generation: number;
  /** After the event. */
  readonly status: QueryStatus;
  readonly at: string;
  readonly data: JsonObject;
}

/** Whose event it is: told by the key of its log and by part 1. */
export interface EventOwner {
  readonly jobId: string;
  readonly clientJobId: string;
  readonly generation: number;
}

export function shownEvent(owner: EventOwner, eventSeq: number, event: QueryEvent): ShownEvent {
  const { jobId, clientJobId, generation } = owner;
  return {
    type: event.type === "linkage" ? "running" : event.type,
    ...{ eventSeq, jobId, clientJobId, generation },
    status: statusAfter(event),
    at: isoTime(event.at),
    data: dataOf(event),
  };
}

function statusAfter(event: QueryEvent): QueryStatus {
  switch (event.type) {
    case "linkage":
    case "chunk":
    case "tool_status":
    case "activity_line":
      return event.early === true ? "starting" : "running";
    case "acknowledged":
      return event.status;
    default:
      return event.type;
  }
}

function dataOf(event: QueryEvent): JsonObject {
  switch (event.type) {
    case "accepted":
    case "starting":
      return {};
    case "running":
      return { ...event.linkage, startedAt: isoTime(event.at) };
    case "linkage":
      return { ...event.linkage, providerOwnershipConfirmedAt: isoTime(event.at) };
    case "chunk": {
      const { text, isCut } = cutText(event.delta, DELTA_CHARS_MAX);
      return {
        text,
        ...(isCut ? { deltaTruncated: true } : {}),
        ...(event.truncated === true ? { partialTruncated: true } : {}),
      };
    }
    case "tool_status":
      return { kind: "status", text: event.text, ...flag("truncated", event) };
    case "activity_line":
      return { kind: event.kind, text: event.text, ...flag("truncated", event) };
    case "answer_ready":
      return { ...answerData(event.answer, "partialText", "partialTruncated"), ...event.linkage };
    case "completed":
      return {
        ...(event.answer && answerData(event.answer, "response", "responseTruncated")),
        ...(event.attachments && { attachments: event.attachments }),
        ...(event.outputImageStats && { outputImageStats: event.outputImageStats }),
        ...event.linkage,
      };
    case "failed":
      return { error: event.error };
    case "canceled":
      return { error: canceledError(event.message) };
    case "interrupted":
      return {
        error: interruptedError(event.reason),
        ...(event.orphanFenceUntil && { orphanFenceUntil: isoTime(event.orphanFenceUntil) }),
      };
    case "acknowledged":
      return { acknowledgedAt: isoTime(event.at) };
    default:
      return unreachable(event);
  }
}

/** The text itself only where it is not what the chunks before add up to. */
function answerData(answer: Answer, name: string, truncatedName: string): JsonObject {
  return {
    ...("text" in answer
      ? { [name]: answer.text }
      : { textLength: answer.textLength, sha256: answer.sha256 }),
    ...(answer.truncated === true ? { [truncatedName]: true } : {}),
  };
}

function flag(name: string, { truncated }: { readonly truncated?: true }): JsonObject {
  return truncated === true ? { [name]: true } : {};
}
