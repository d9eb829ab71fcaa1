/** Schemas of what is stored of an email job, as semantics A1 binds it. */
import * as z from "zod";
import {
  address,
  EMAIL_STATES,
  GENERATED_SUMMARY_CHARS_MAX,
  LAST_ERROR_CHARS_MAX,
  SETTLED_STATES,
  timestamp,
} from "./fields.ts";

const stamps = {
  aiDispatchedAt: timestamp.exactOptional(),
  readyAt: timestamp.exactOptional(),
  sendingAt: timestamp.exactOptional(),
  sentAt: timestamp.exactOptional(),
  cancelledAt: timestamp.exactOptional(),
  failedAt: timestamp.exactOptional(),
};

const remains = {
  type: z.string().min(1),
  state: z.enum(EMAIL_STATES),
  createdAt: timestamp,
  updatedAt: timestamp,
  ...stamps,
};

const logicalKey = z.string().refine((text) => text.trim() !== "", "blank");

/** The three fields of a payload that a job of any original kind has; its kind checks more. */
export const originalPayload = {
  recordingIds: z.array(z.string()).exactOptional(),
  shareId: z.string().exactOptional(),
  requestedBy: z.string().exactOptional(),
};

/** All fields of a job but those of its kind alone. */
export const storedJob = z.strictObject({
  logicalKey,
  ...remains,
  ...originalPayload,
  recipient: address,
  generatedSummary: z.string().max(GENERATED_SUMMARY_CHARS_MAX).exactOptional(),
  attempts: z.int().min(0),
  aiClaimedBy: address.exactOptional(),
  lastError: z.string().max(LAST_ERROR_CHARS_MAX).nullable(),
  leaseUntil: timestamp.nullable(),
  leaseToken: z.string().min(1).nullable(),
});

/** What stays of a job past its retention. */
export const storedExpired = z.strictObject({ logicalKey, ...remains });

/** What stays of a job whose personal content was removed on request. */
export const storedErased = z.strictObject(remains);

/** What is kept beside a live job's fields; everything has a default. */
export const storedExtra = z.strictObject({
  epoch: z.int().min(0).exactOptional(),
  requestId: z.string().min(1).nullable().exactOptional(),
  lastSettlement: z
    .strictObject({
      tokenHash: z.string().regex(/^[0-9a-f]{64}$/),
      to: z.enum(SETTLED_STATES),
    })
    .nullable()
    .exactOptional(),
  claimToken: z.string().min(1).nullable().exactOptional(),
  notBefore: timestamp.nullable().exactOptional(),
  generation: z.int().min(0).exactOptional(),
  retentionUntil: timestamp.nullable().exactOptional(),
});

/** Every name that this release keeps beside a job's fields; the last two mark tombstones. */
export const EMAIL_EXTRAS: ReadonlySet<string> = new Set([
  ...Object.keys(storedExtra.shape),
  "expired",
  "erased",
]);
