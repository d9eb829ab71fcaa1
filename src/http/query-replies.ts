/** What the query routes of clients answer: for the document, and as types for the handlers. */
import * as z from "zod";
import { ACTIVITY_KINDS } from "../machines/queries/events.ts";
import { QUERY_STATUSES } from "../machines/queries/statuses.ts";
import { corrupt, nextCursor, time } from "./email-replies.ts";
import { attachment } from "./query-submission.ts";

const activity = z.object({
  eventSeq: z.int().describe("Of the last event that told it."),
  at: time,
  kind: z.enum(ACTIVITY_KINDS),
  text: z.string(),
  repeatCount: z.int().exactOptional().describe("How often it was told in a row; without it once."),
});

export const queryJob = z
  .object({
    schemaVersion: z.literal(1),
    jobId: z.string().describe("Names the job in every route."),
    clientJobId: z.string(),
    generation: z.int(),
    turnId: z.string(),
    requestFingerprint: z.string().describe("SHA-256 of the request, in hex."),
    status: z.enum(QUERY_STATUSES),
    eventSeq: z.int().describe("The number of its last event."),
    oldestEventSeq: z.int().describe("Of the events that can be read: always 1."),
    sessionId: z.string(),
    requestedModel: z.string().exactOptional(),
    effort: z.string().exactOptional(),
    messageEra: z.string().exactOptional(),
    globalMsgNum: z.int().exactOptional(),
    handoffCode: z.string().exactOptional(),
    attachments: z.array(attachment).readonly().describe("Of the request, then of the answer."),
    partialText: z.string().describe("The answer so far, at most 128,000 characters."),
    partialTruncated: z.boolean().describe("Whether there was more."),
    response: z.string().exactOptional().describe("The answer, of a completed job."),
    responseTruncated: z.boolean().exactOptional(),
    outputImageStats: z
      .object({ published: z.int(), attached: z.int(), rejected: z.int() })
      .exactOptional()
      .describe("How the answer's pictures fared."),
    error: z
      .object({
        code: z.string(),
        message: z.string().describe("Without credentials and paths."),
        retryable: z.literal(true).exactOptional(),
        retryAfterMs: z.int().exactOptional(),
      })
      .exactOptional()
      .describe("Of a job that failed, was canceled or was interrupted."),
    activity: z.array(activity).readonly().describe("What the run told of its work: the last 64."),
    acceptedAt: time,
    startedAt: time.exactOptional(),
    answerReadyAt: time.exactOptional(),
    providerOwnershipConfirmedAt: time
      .exactOptional()
      .describe("Since when the run is known to be its provider's only one."),
    updatedAt: time,
    completedAt: time.exactOptional().describe("When it ended, however."),
    acknowledgedAt: time.exactOptional().describe("When its reader had the end."),
    orphanFenceUntil: time
      .exactOptional()
      .describe(
        "Of an interrupted job: until when its session is held at most. It is free once its runner is " +
          "known to have let go.",
      ),
    retentionUntil: time.describe("From then on the job is gone, if it has ended."),
    provider: z.enum(["claude", "codex"]).exactOptional(),
    resolvedModel: z.string().exactOptional(),
    cliSessionId: z.string().exactOptional(),
    claudeRunId: z.string().exactOptional(),
    codexRunId: z.string().exactOptional(),
    codexThreadId: z.string().exactOptional(),
  })
  .meta({ id: "QueryJob", description: "A query job. It never holds what was asked." });

export const submitted = z
  .object({ created: z.boolean().describe("Whether this call made it."), job: queryJob })
  .meta({ id: "SubmittedQuery" });

export const queryAnswer = z.object({ job: queryJob }).meta({ id: "QueryAnswer" });

export const queryPage = z
  .object({ jobs: z.array(queryJob).readonly(), nextCursor, corrupt })
  .meta({ id: "QueryPage" });

export const applied = z.boolean().describe("False: nothing changed, and nothing was written.");

export const changedQuery = z.object({ applied, job: queryJob }).meta({ id: "ChangedQuery" });
