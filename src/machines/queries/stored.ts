/** Schemas of what a job's log keeps. Limits bind what comes in; what is stored is served. */
import * as z from "zod";
import { hasLoneSurrogate } from "../../core/json.ts";
import { storedAttachmentRef } from "./attachments.ts";
import type { QueryEvent } from "./events.ts";
import { hexDigest, instant, uuidText } from "./fields.ts";
import { storedLinkage } from "./linkage.ts";
import { storedError, storedImageStats } from "./outcome.ts";
import { ACTIVITY_TOOL_MODES, type QueryRequest } from "./request.ts";
import { TERMINAL_STATUSES } from "./statuses.ts";

const count = z.int().min(1);
const label = z.string().exactOptional();
const flag = z.literal(true).exactOptional();

/** Of a provider, which was mended before it was stored. */
const mended = z.string().refine((text) => !hasLoneSurrogate(text));

const request: z.ZodType<QueryRequest> = z.strictObject({
  clientJobId: uuidText,
  generation: count,
  query: z.string(),
  sessionId: z.string(),
  model: label,
  effort: label,
  messageEra: label,
  handoffCode: label,
  clientQueueItemId: label,
  globalMsgNum: count.exactOptional(),
  reference: z.strictObject({ query: z.string(), response: z.string() }).exactOptional(),
  handoffLatest: flag,
  attachmentIds: z.array(z.string()),
  attachmentRefs: z.array(storedAttachmentRef),
  activityToolMode: z.enum(ACTIVITY_TOOL_MODES),
});

const answer = z.union([
  z.strictObject({ text: mended, truncated: flag }),
  z.strictObject({ textLength: z.int().min(0), sha256: hexDigest, truncated: flag }),
]);

const linkage = storedLinkage.exactOptional();
const underWay = { at: instant, early: flag };
const notice = { text: z.string(), truncated: flag };

export const storedEvent: z.ZodType<QueryEvent> = z.discriminatedUnion("type", [
  z.strictObject({
    type: z.literal("accepted"),
    at: instant,
    request,
    fingerprint: hexDigest,
    turnId: uuidText,
    retentionUntil: instant,
    base: z.string().nullable(),
  }),
  z.strictObject({
    type: z.literal("starting"),
    at: instant,
    run: hexDigest,
    leaseMs: count,
    owner: z.string().exactOptional(),
  }),
  z.strictObject({ type: z.literal("running"), at: instant, linkage }),
  z.strictObject({ type: z.literal("linkage"), ...underWay, linkage: storedLinkage }),
  z.strictObject({
    type: z.literal("chunk"),
    ...underWay,
    delta: mended,
    half: z.int().min(0xd800).max(0xdbff).exactOptional(),
    truncated: flag,
  }),
  z.strictObject({ type: z.literal("tool_status"), ...underWay, ...notice }),
  z.strictObject({
    type: z.literal("activity_line"),
    ...underWay,
    kind: z.enum(["input", "output", "gap"]),
    ...notice,
  }),
  z.strictObject({ type: z.literal("answer_ready"), at: instant, answer, linkage }),
  z.strictObject({
    type: z.literal("completed"),
    at: instant,
    answer: answer.exactOptional(),
    attachments: z.array(storedAttachmentRef).exactOptional(),
    outputImageStats: storedImageStats.exactOptional(),
    linkage,
    byRun: flag,
  }),
  z.strictObject({ type: z.literal("failed"), at: instant, error: storedError, byRun: flag }),
  z.strictObject({ type: z.literal("canceled"), at: instant, message: z.string().exactOptional() }),
  z.strictObject({
    type: z.literal("interrupted"),
    at: instant,
    reason: z.string(),
    orphanFenceUntil: instant.exactOptional(),
    byRun: flag,
  }),
  z.strictObject({
    type: z.literal("acknowledged"),
    at: instant,
    status: z.enum(TERMINAL_STATUSES),
  }),
]);
