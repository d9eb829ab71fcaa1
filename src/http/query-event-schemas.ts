/** What the routes on a job's events and tickets take and answer. */
import * as z from "zod";
import type { JsonObject } from "../core/json.ts";
import { EVENTS_PAGE_MAX, queryInputs } from "../machines/queries/inputs.ts";
import { QUERY_STATUSES } from "../machines/queries/statuses.ts";
import { time } from "./email-schemas.ts";
import { generationQuery, queryJob } from "./query-schemas.ts";
import { queryNumber } from "./route.ts";

export const CURSOR_MUST_BE = "must be a whole number from 0";

/** Any whole number: one that no log reaches lies ahead of all of them. */
export const cursor = z
  .string()
  .regex(/^\d+$/, CURSOR_MUST_BE)
  .transform((text) => Math.min(Number(text), Number.MAX_SAFE_INTEGER))
  .pipe(queryInputs.after);

export const eventsQuery = z.strictObject({
  generation: generationQuery,
  after: cursor
    .exactOptional()
    .describe("The `eventSeq` of the last event that the reader has; 0, the default: none."),
  limit: queryNumber(1, EVENTS_PAGE_MAX)
    .exactOptional()
    .describe("Events of a page at most, 1 to 256; default 256. A stream has no pages."),
});

const EVENT_TYPES = [
  "accepted",
  "starting",
  "running",
  "chunk",
  "tool_status",
  "activity_line",
  "answer_ready",
  "completed",
  "failed",
  "canceled",
  "interrupted",
  "acknowledged",
] as const;

/** For the document any object: each type has its own. */
const data = z
  .looseObject({})
  .describe(
    "Of its type: a chunk has more of the answer as `text`, an activity `kind` and `text`, an end `error`.",
  ) as z.ZodType as z.ZodType<JsonObject>;

const event = z
  .object({
    type: z.enum(EVENT_TYPES),
    eventSeq: z.int().describe("1, 2, 3, … without a gap."),
    jobId: z.string(),
    clientJobId: z.string(),
    generation: z.int(),
    status: z.enum(QUERY_STATUSES).describe("Of the job after the event."),
    at: time,
    data,
  })
  .meta({ id: "QueryEvent", description: "It tells all by itself." });

export const eventsPage = z
  .object({
    events: z.array(event).readonly().describe("Those behind `after`, in order."),
    gap: z
      .object({ reason: z.literal("cursor_ahead") })
      .nullable()
      .describe("Why there are none, where `after` lies ahead of the job; null otherwise."),
    oldestEventSeq: z.int().describe("Of the events that can be read: always 1."),
    latestEventSeq: z.int(),
    job: queryJob,
    hasMore: z.boolean().describe("Whether there are events behind those of the page."),
  })
  .meta({ id: "QueryEvents" });

/** Of the stream, for the document. */
export const STREAM_TEXT =
  "Begins with a comment and sends another every 15 s. An event has its `eventSeq` as `id`, its type as " +
  "`event` and a QueryEvent as `data`; a reader that lost the connection goes on behind its " +
  "`Last-Event-ID`, which counts instead of `after`. Frames without an id are about the stream: " +
  "`snapshot` with `reason` (`cursor_ahead`, `slow_consumer`, `terminal_snapshot`, and " +
  "`buffer_overflow`, which this service never needs), `job` and `resumeAfter`; and `rotate` with " +
  "`resumeAfter`, before the service ends a stream whose job has not ended: connect again. After " +
  "`cursor_ahead` it goes on behind `resumeAfter`; after `slow_consumer` it ends, as for a reader that " +
  "took nothing for a minute. It ends after the terminal event; a reader that has that already is sent " +
  "`terminal_snapshot`.";

/** Milliseconds of a ticket, at least and at most: a minute, a day. */
export const TTL_MS_MIN = 60_000;
export const TTL_MS_MAX = 86_400_000;

export const ticketBody = z.strictObject({
  generation: queryInputs.generation.describe("Of the job that is meant."),
  ttlMs: z
    .int()
    .min(TTL_MS_MIN)
    .max(TTL_MS_MAX)
    .exactOptional()
    .describe("How long the ticket is good, 60,000 to 86,400,000; default 3,600,000."),
});

export const ticketAnswer = z
  .object({
    ticket: z.string().describe("A credential: whoever has it is let in."),
    expiresAt: time,
  })
  .meta({ id: "Ticket" });
