/** The bodies of the query routes of clients: what they take is made of the machine's own inputs. */
import * as z from "zod";
import { ACTIVITY_KINDS } from "../machines/queries/events.ts";
import { queryInputs } from "../machines/queries/inputs.ts";
import {
  ANSWER_CHARS_MAX,
  ATTACHMENTS_MAX,
  QUERY_CHARS_MAX,
  SESSION_ID_CHARS_MAX,
} from "../machines/queries/limits.ts";
import { ACTIVITY_TOOL_MODES } from "../machines/queries/request.ts";
import { QUERY_STATUSES } from "../machines/queries/statuses.ts";
import { corrupt, nextCursor, time } from "./email-schemas.ts";

/** A UUID of version 4 in any case, for the document only. */
export const UUID_TEXT =
  "^[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-4[0-9A-Fa-f]{3}-[89ABab][0-9A-Fa-f]{3}-[0-9A-Fa-f]{12}$";

/** The client's own id. */
export const clientJobId = queryInputs.id.meta({ pattern: UUID_TEXT });

export const attachment = z
  .object({
    id: z.string().meta({ description: "`m_` and 24 hex digits.", pattern: "^m_[0-9a-f]{24}$" }),
    kind: z.enum(["user_photo", "traffic_frame", "generated_visual"]),
    mime: z.enum(["image/jpeg", "image/png"]),
    width: z.int().min(1).max(65_535),
    height: z.int().min(1).max(65_535),
    createdAt: time,
    label: z.string().exactOptional(),
    capturedAt: time.exactOptional(),
    expiresAt: time.exactOptional(),
  })
  .meta({ id: "QueryAttachment", description: "A picture that is kept elsewhere." });

/** Something other than spaces and control characters, which are taken out. */
const NOT_BLANK = "[^\\s\\u0000-\\u001f\\u007f]";

const label = (charsMax: number, description: string) =>
  z
    .string()
    .nullable()
    .exactOptional()
    .meta({
      description: `${description} At most ${charsMax} characters; null or empty: none.`,
      anyOf: [
        { type: "string", pattern: `^$|${NOT_BLANK}`, maxLength: charsMax },
        { type: "null" },
      ],
    });

/**
 * A request for the document and the client: the service reads it itself, as the original does. Properties
 * that it does not know are dropped.
 */
export const submission = z
  .looseObject({
    clientJobId: z.string().meta({
      description: "The client's own UUID of version 4, kept for repeats and later generations.",
      pattern: UUID_TEXT,
    }),
    generation: z.int().min(1).describe("Which attempt of the client job: 1, then higher."),
    query: z.string().meta({
      description: "The prompt. May be blank where there is an attachment.",
      maxLength: QUERY_CHARS_MAX,
    }),
    sessionId: z.string().meta({
      description: "The conversation that it belongs to; one run of a session at a time.",
      pattern: "^[A-Za-z0-9][A-Za-z0-9._:@/-]*$",
      maxLength: SESSION_ID_CHARS_MAX,
    }),
    model: label(64, "Which model is wanted."),
    effort: label(32, "How hard it is to think."),
    messageEra: label(80, "The client's own label of the conversation's part."),
    globalMsgNum: z
      .int()
      .min(1)
      .nullable()
      .exactOptional()
      .describe("The client's own number of the message."),
    handoffCode: label(128, "The client's own label of a handoff."),
    handoffLatest: z.boolean().exactOptional().describe("Kept only when it is true."),
    clientQueueItemId: label(120, "The client's own label of its queue's item."),
    reference: z
      .object({
        query: z
          .string()
          .meta({ description: "Not blank.", pattern: NOT_BLANK, maxLength: QUERY_CHARS_MAX }),
        response: z
          .string()
          .meta({ description: "Not blank.", pattern: NOT_BLANK, maxLength: ANSWER_CHARS_MAX }),
      })
      .nullable()
      .exactOptional()
      .describe("An earlier query and its response."),
    attachmentIds: z
      .array(z.string())
      .readonly()
      .exactOptional()
      .describe(`Ids of pictures; the first ${ATTACHMENTS_MAX} valid ones are kept.`),
    attachmentRefs: z
      .array(attachment)
      .readonly()
      .exactOptional()
      .describe(`Pictures; the first ${ATTACHMENTS_MAX} valid ones are kept.`),
    activityToolMode: z
      .enum(ACTIVITY_TOOL_MODES)
      .exactOptional()
      .describe("How much of the tools' activity is shown; `status` without it."),
  })
  .meta({ id: "QuerySubmission", description: "Unknown properties are dropped." });

export type QuerySubmission = z.input<typeof submission>;

/** Passed on as it came: the machine tells what is wrong by the original's codes. */
export const submissionBody = z
  .unknown()
  .meta({ $ref: "#/components/schemas/QuerySubmission" }) as z.ZodType as z.ZodType<
  QuerySubmission,
  QuerySubmission
>;

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

export const generation = queryInputs.generation.describe("Of the job that is meant.");

export const generationBody = z.strictObject({ generation });

/** Every number that a double keeps. */
export const generationQuery = z
  .string()
  .regex(/^\d{1,16}$/, "must be a whole number from 1")
  .transform(Number)
  .pipe(generation.meta({ example: 1 }));
