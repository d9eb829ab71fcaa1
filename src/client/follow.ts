/** Follows one query job's live stream to its end: every event once, in order, whatever is cut. */
import { unexpected } from "./errors.ts";
import type { Events, EventsOptions } from "./events.ts";
import type { StreamEvent } from "./sse.ts";
import { isTerminal } from "./statuses.ts";
import type { QueryEvent, QueryJob } from "./types.ts";
import { jsonOf } from "./wire.ts";

export interface FollowOptions extends Pick<EventsOptions, "signal" | "stallMs" | "patienceMs"> {
  readonly generation: number;
  /** The number of the last event that is known already; 0 by default: from the beginning. */
  readonly after?: number;
}

/**
 * Stands where there are no events to tell: take `job` instead of what was known of it. `cursor_ahead`,
 * `buffer_overflow`: events behind `resumeAfter` follow. `terminal_snapshot`: none follow.
 */
export interface QuerySnapshotFrame {
  readonly type: "snapshot";
  readonly reason: "cursor_ahead" | "buffer_overflow" | "terminal_snapshot";
  readonly job: QueryJob;
  readonly resumeAfter: number;
}

/**
 * Yields a job's events from `after` on as they happen, and ends after the terminal one, or when `signal`
 * is aborted. Connects again after the last event that was told, whatever became of the connection. With
 * a ticket as the client's key it works until that expires. Throws HoldfastError: a refusal, or that
 * connecting has failed for too long.
 */
export type Follow = (
  jobId: string,
  options: FollowOptions,
) => AsyncGenerator<QueryEvent | QuerySnapshotFrame, void>;

/** Where a reader is. */
interface Place {
  /** The number of the last event that was told, or is not going to be. */
  last: number;
  isOver: boolean;
}

export async function* followed(
  events: Events,
  path: string,
  { after = 0, ...options }: FollowOptions,
): ReturnType<Follow> {
  const place: Place = { last: after, isOver: false };
  const isAborted = (): boolean => options.signal?.aborted === true;
  while (!isAborted()) {
    const from = place.last;
    yield* toldOf(events(path, { ...options, after: from, isTerminal: isLast }), place);
    if (place.isOver || isAborted()) return;
    // A wait would not mend it: the connection was good.
    if (place.last === from) throw unexpected("the stream leaves out events again and again");
  }
}

/** Until the stream ends, or has to be read anew from `place` on. */
async function* toldOf(
  stream: AsyncGenerator<StreamEvent, void>,
  place: Place,
): ReturnType<Follow> {
  for await (const frame of stream) {
    if (frame.id !== null) {
      const event = eventOf(frame);
      // Something between the two is missing.
      if (event.eventSeq > place.last + 1) return;
      place.isOver = isLast(frame);
      if (event.eventSeq <= place.last) continue;
      place.last = event.eventSeq;
      yield event;
    } else if (frame.event === "snapshot") {
      const { type, reason, job, resumeAfter } = snapshotOf(frame);
      // The service ends the stream with it, and the next one has what was missed.
      if (reason === "slow_consumer") continue;
      place.isOver = isLast(frame);
      place.last = resumeAfter;
      yield { type, reason, job, resumeAfter };
      // Another connection has to begin there, too.
      if (!place.isOver) return;
    }
  }
}

function isLast({ id, event, data }: StreamEvent): boolean {
  return id === null
    ? event === "snapshot" && fieldsOf(data).reason === "terminal_snapshot"
    : isTerminal(event);
}

interface Fields {
  readonly eventSeq?: unknown;
  readonly reason?: unknown;
  readonly job?: unknown;
  readonly resumeAfter?: unknown;
}

/** What answered may not be the service, or be a later one than is known here. */
function fieldsOf(data: string): Fields {
  return Object(jsonOf(data)) as Fields;
}

function eventOf({ id, data }: StreamEvent): QueryEvent {
  const fields = fieldsOf(data);
  if (String(fields.eventSeq) !== id || !Number.isSafeInteger(fields.eventSeq)) {
    throw unexpected("the stream holds what is no event of a query job");
  }
  return fields as QueryEvent;
}

type AnySnapshot = Omit<QuerySnapshotFrame, "reason"> & {
  readonly reason: QuerySnapshotFrame["reason"] | "slow_consumer";
};

function snapshotOf({ data }: StreamEvent): AnySnapshot {
  const fields = fieldsOf(data);
  if (!Number.isSafeInteger(fields.resumeAfter) || typeof fields.job !== "object") {
    throw unexpected("the stream holds a snapshot without a job");
  }
  return { ...fields, type: "snapshot" } as AnySnapshot;
}
