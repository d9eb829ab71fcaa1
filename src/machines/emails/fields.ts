/** Names, bounds and schemas of single fields, shared by stored records and by what comes in. */
import * as z from "zod/mini";
import { assert } from "../../core/assert.ts";
import { type EpochMs, parseIsoTime } from "../../core/time.ts";

export const EMAIL_STATES = [
  "pending",
  "awaiting_ai",
  "ai_dispatched",
  "ready",
  "sending",
  "sent",
  "cancelled",
  "failed",
] as const;

export type EmailStateName = (typeof EMAIL_STATES)[number];

/** The states in which a holder can leave its lease (EMAIL-44). */
export const SETTLED_STATES = ["sent", "ready", "cancelled", "failed"] as const;

export type SettledState = (typeof SETTLED_STATES)[number];

/** Characters (UTF-16 units) of the text that an AI wrote for a job. */
export const GENERATED_SUMMARY_CHARS_MAX = 20_000;

/** Characters (UTF-16 units) of the reason of a failure. */
export const LAST_ERROR_CHARS_MAX = 4_000;

/** UTF-8 bytes of a logical key, without the spaces around it. */
export const LOGICAL_KEY_BYTES_MAX = 1_024;

/** Lease acquisitions of one job, unless its kind says otherwise (semantics A6). */
export const MAX_ATTEMPTS_DEFAULT = 3;

/** A job's own fields that stand before those of its payload, in the order in which they are written. */
export const FIELDS_BEFORE_PAYLOAD = [
  "logicalKey",
  "type",
  "state",
  "recipient",
  "recordingIds",
  "shareId",
  "requestedBy",
] as const;

/** And those that stand after it. */
export const FIELDS_AFTER_PAYLOAD = [
  "generatedSummary",
  "attempts",
  "createdAt",
  "updatedAt",
  "aiDispatchedAt",
  "aiClaimedBy",
  "readyAt",
  "sendingAt",
  "sentAt",
  "cancelledAt",
  "failedAt",
  "lastError",
  "leaseUntil",
  "leaseToken",
] as const;

/** Every field that a job has whatever its kind (semantics A1). */
export const JOB_FIELDS: ReadonlySet<string> = new Set<string>([
  ...FIELDS_BEFORE_PAYLOAD,
  ...FIELDS_AFTER_PAYLOAD,
]);

/** An ISO 8601 date-time with `Z` or an offset, from 1970 to 2286. */
export const timestamp = z.iso
  .datetime({ offset: true, abort: true })
  .check(z.refine((text) => parseIsoTime(text) !== null, "not an instant between 1970 and 2286"));

/** An address as it may be stored: neither trimmed nor lower-cased, so spaces around it do not fit. */
export const address = z.email();

/** The instant of a stored timestamp, which the record's schema has checked. */
export function timeOf(text: string): EpochMs {
  const at = parseIsoTime(text);
  assert(at !== null, "a stored timestamp is not an instant");
  return at;
}
