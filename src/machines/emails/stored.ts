/** Schemas of what is stored of an email job, as semantics A1 binds it. */
import * as z from "zod/mini";
import {
  address,
  EMAIL_STATES,
  GENERATED_SUMMARY_CHARS_MAX,
  LAST_ERROR_CHARS_MAX,
  SETTLED_STATES,
  timestamp,
} from "./fields.ts";

const stamps = {
  aiDispatchedAt: z.exactOptional(timestamp),
  readyAt: z.exactOptional(timestamp),
  sendingAt: z.exactOptional(timestamp),
  sentAt: z.exactOptional(timestamp),
  cancelledAt: z.exactOptional(timestamp),
  failedAt: z.exactOptional(timestamp),
};

const remains = {
  type: z.string().check(z.minLength(1)),
  state: z.enum(EMAIL_STATES),
  createdAt: timestamp,
  updatedAt: timestamp,
  ...stamps,
};

const logicalKey = z.string().check(z.refine((text) => text.trim() !== "", "blank"));

/** The three fields of a payload that a job of any original kind has; its kind checks more. */
export const originalPayload = {
  recordingIds: z.exactOptional(z.array(z.string())),
  shareId: z.exactOptional(z.string()),
  requestedBy: z.exactOptional(z.string()),
};

/** All fields of a job but those of its kind alone. */
export const storedJob = z.strictObject({
  logicalKey,
  ...remains,
  ...originalPayload,
  recipient: address,
  generatedSummary: z.exactOptional(z.string().check(z.maxLength(GENERATED_SUMMARY_CHARS_MAX))),
  attempts: z.int().check(z.minimum(0)),
  aiClaimedBy: z.exactOptional(address),
  lastError: z.nullable(z.string().check(z.maxLength(LAST_ERROR_CHARS_MAX))),
  leaseUntil: z.nullable(timestamp),
  leaseToken: z.nullable(z.string().check(z.minLength(1))),
});

/** What stays of a job past its retention. */
export const storedExpired = z.strictObject({ logicalKey, ...remains });

/** What stays of a job whose personal content was removed on request. */
export const storedErased = z.strictObject(remains);

/** What is kept beside a live job's fields; everything has a default. */
export const storedExtra = z.strictObject({
  epoch: z.exactOptional(z.int().check(z.minimum(0))),
  requestId: z.exactOptional(z.nullable(z.string().check(z.minLength(1)))),
  lastSettlement: z.exactOptional(
    z.nullable(
      z.strictObject({
        tokenHash: z.string().check(z.regex(/^[0-9a-f]{64}$/)),
        to: z.enum(SETTLED_STATES),
      }),
    ),
  ),
  claimToken: z.exactOptional(z.nullable(z.string().check(z.minLength(1)))),
  notBefore: z.exactOptional(z.nullable(timestamp)),
  generation: z.exactOptional(z.int().check(z.minimum(0))),
  retentionUntil: z.exactOptional(z.nullable(timestamp)),
});

/** Every name that this release keeps beside a job's fields; the last two mark tombstones. */
export const EMAIL_EXTRAS: ReadonlySet<string> = new Set([
  ...Object.keys(storedExtra.shape),
  "expired",
  "erased",
]);
