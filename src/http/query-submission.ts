/** A request as the document and the client know it: the service reads it itself, as the original does. */
import * as z from "zod";
import {
  ANSWER_CHARS_MAX,
  ATTACHMENTS_MAX,
  QUERY_CHARS_MAX,
  SESSION_ID_CHARS_MAX,
} from "../machines/queries/limits.ts";
import { ACTIVITY_TOOL_MODES } from "../machines/queries/request.ts";
import { UUID_TEXT } from "./document-parts.ts";
import { time } from "./email-replies.ts";

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

/** Properties that it does not know are dropped. */
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
