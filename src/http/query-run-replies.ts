/** What the routes of runs answer: for the document, and as types for the handlers. */
import * as z from "zod";
import { ACTIVITY_TOOL_MODES } from "../machines/queries/request.ts";
import { QUERY_STATUSES } from "../machines/queries/statuses.ts";
import { applied, queryJob } from "./query-replies.ts";
import { attachment } from "./query-submission.ts";

const position = z
  .string()
  .describe("For the next call of this run that has a `requestId`; opaque.");

/** What was asked, as it was read: the runner's alone. */
const request = z
  .object({
    clientJobId: z.string(),
    generation: z.int(),
    query: z.string(),
    sessionId: z.string(),
    model: z.string().exactOptional(),
    effort: z.string().exactOptional(),
    messageEra: z.string().exactOptional(),
    globalMsgNum: z.int().exactOptional(),
    handoffCode: z.string().exactOptional(),
    handoffLatest: z.literal(true).exactOptional(),
    clientQueueItemId: z.string().exactOptional(),
    reference: z.object({ query: z.string(), response: z.string() }).exactOptional(),
    attachmentIds: z.array(z.string()).readonly(),
    attachmentRefs: z.array(attachment).readonly(),
    activityToolMode: z.enum(ACTIVITY_TOOL_MODES),
  })
  .meta({ id: "QueryRequest", description: "What was asked. Not to be shown." });

export const startedRun = z
  .object({
    applied: z
      .boolean()
      .describe("Whether the run is this caller's: this call's, or its repeat's."),
    job: queryJob,
    request: request.nullable().describe("What to answer; null for who does not hold the run."),
    leaseToken: z.string().nullable().describe("The run's credential; null for others."),
    position: position.nullable(),
  })
  .meta({ id: "StartedRun" });

export const runAnswer = z
  .object({
    applied,
    eventSeq: z
      .int()
      .describe("Of the event that this call, or its earlier try, wrote; else the last."),
    status: z.enum(QUERY_STATUSES).describe("After it."),
    position,
    job: queryJob.exactOptional().describe("With `?job=full`."),
  })
  .meta({ id: "RunAnswer" });
