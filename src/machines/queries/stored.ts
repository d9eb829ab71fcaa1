/** Schemas of what a job's log keeps. Limits bind what comes in; what is stored is served. */
import * as z from "zod/mini";
import { hasLoneSurrogate } from "../../core/json.ts";
import { storedAttachmentRef } from "./attachments.ts";
import type { QueryEvent } from "./events.ts";
import { hexDigest, instant, uuidText } from "./fields.ts";
import { storedLinkage } from "./linkage.ts";
import { storedError, storedImageStats } from "./outcome.ts";
import { ACTIVITY_TOOL_MODES, type QueryRequest } from "./request.ts";
import { TERMINAL_STATUSES } from "./statuses.ts";

const count = z.int().check(z.minimum(1));
const label = z.exactOptional(z.string());
const flag = z.exactOptional(z.literal(true));

/** Of a provider, which was mended before it was stored. */
const mended = z.string().check(z.refine((text) => !hasLoneSurrogate(text)));

const request: z.core.$ZodType<QueryRequest> = z.strictObject({
  clientJobId: uuidText,
  generation: count,
  query: z.string(),
  sessionId: z.string(),
  model: label,
  effort: label,
  messageEra: label,
  handoffCode: label,
  clientQueueItemId: label,
  globalMsgNum: z.exactOptional(count),
  reference: z.exactOptional(z.strictObject({ query: z.string(), response: z.string() })),
  handoffLatest: flag,
  attachmentIds: z.array(z.string()),
  attachmentRefs: z.array(storedAttachmentRef),
  activityToolMode: z.enum(ACTIVITY_TOOL_MODES),
});

const answer = z.union([
  z.strictObject({ text: mended, truncated: flag }),
  z.strictObject({ textLength: z.int().check(z.minimum(0)), sha256: hexDigest, truncated: flag }),
]);

const linkage = z.exactOptional(storedLinkage);
const underWay = { at: instant, early: flag };
const notice = { text: z.string(), truncated: flag };

export const storedEvent: z.core.$ZodType<QueryEvent> = z.discriminatedUnion("type", [
  z.strictObject({
    type: z.literal("accepted"),
    at: instant,
    request,
    fingerprint: hexDigest,
    turnId: uuidText,
    retentionUntil: instant,
    base: z.nullable(z.string()),
  }),
  z.strictObject({
    type: z.literal("starting"),
    at: instant,
    run: hexDigest,
    leaseMs: count,
    owner: z.exactOptional(z.string()),
  }),
  z.strictObject({ type: z.literal("running"), at: instant, linkage }),
  z.strictObject({ type: z.literal("linkage"), ...underWay, linkage: storedLinkage }),
  z.strictObject({
    type: z.literal("chunk"),
    ...underWay,
    delta: mended,
    half: z.exactOptional(z.int().check(z.minimum(0xd800), z.maximum(0xdbff))),
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
    answer: z.exactOptional(answer),
    attachments: z.exactOptional(z.array(storedAttachmentRef)),
    outputImageStats: z.exactOptional(storedImageStats),
    linkage,
    byRun: flag,
  }),
  z.strictObject({ type: z.literal("failed"), at: instant, error: storedError, byRun: flag }),
  z.strictObject({
    type: z.literal("canceled"),
    at: instant,
    message: z.exactOptional(z.string()),
  }),
  z.strictObject({
    type: z.literal("interrupted"),
    at: instant,
    reason: z.string(),
    orphanFenceUntil: z.exactOptional(instant),
    byRun: flag,
  }),
  z.strictObject({
    type: z.literal("acknowledged"),
    at: instant,
    status: z.enum(TERMINAL_STATUSES),
  }),
]);
