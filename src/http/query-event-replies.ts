/** What the routes on a job's events and tickets answer: for the document, and as types for the handlers. */
import * as z from "zod";
import type { JsonObject } from "../core/json.ts";
import { QUERY_STATUSES } from "../machines/queries/statuses.ts";
import { time } from "./email-replies.ts";
import { queryJob } from "./query-replies.ts";

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

export const ticketAnswer = z
  .object({
    ticket: z.string().describe("A credential: whoever has it is let in."),
    expiresAt: time,
  })
  .meta({ id: "Ticket" });
