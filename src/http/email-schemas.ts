/** The bodies of the email routes: what they take is made of the machine's own inputs. */
import * as z from "zod";
import { isJsonObject } from "../core/json.ts";
import { EMAIL_STATES, SETTLED_STATES } from "../machines/emails/fields.ts";
import { emailInputs, LEASE_MS_MAX } from "../machines/emails/inputs.ts";

/** A job as it is answered: the fields that every kind has, and its payload's own beside them. */
export const job = z
  .looseObject({
    logicalKey: z.string(),
    type: z.string().describe("The kind of email."),
    state: z.enum(EMAIL_STATES),
    recipient: z.string(),
    recordingIds: z.array(z.string()).readonly().exactOptional(),
    shareId: z.string().exactOptional(),
    requestedBy: z.string().exactOptional(),
    generatedSummary: z.string().exactOptional(),
    attempts: z.int().describe("Leases so far, not sends."),
    createdAt: z.string(),
    updatedAt: z.string(),
    aiDispatchedAt: z.string().exactOptional(),
    aiClaimedBy: z.string().exactOptional(),
    readyAt: z.string().exactOptional(),
    sendingAt: z.string().exactOptional(),
    sentAt: z.string().exactOptional(),
    cancelledAt: z.string().exactOptional(),
    failedAt: z.string().exactOptional(),
    lastError: z.string().nullable(),
    leaseUntil: z.string().nullable().describe("Set exactly while `sending`."),
    leaseToken: z
      .string()
      .nullable()
      .describe("The credential of the lease; null for keys without `emails:write`."),
  })
  .meta({ id: "Job", description: "An email job. Its payload's own fields stand beside these." });

export const createdJob = z.object({ created: z.boolean(), job }).meta({ id: "CreatedJob" });

export const jobAnswer = z.object({ job }).meta({ id: "JobAnswer" });

export const claimAnswer = z
  .object({ job, claimToken: z.string().describe("Tells this claim from every other.") })
  .meta({ id: "ClaimAnswer" });

export const corrupt = z
  .array(z.object({ id: z.string(), reason: z.string() }))
  .readonly()
  .describe("Records met that cannot be read; they are left as they are.");

export const nextCursor = z
  .string()
  .nullable()
  .describe("Null when nothing follows. A page may be short, even empty, and have one.");

export const jobPage = z
  .object({ jobs: z.array(job).readonly(), nextCursor, corrupt })
  .meta({ id: "JobPage" });

export const problem = z
  .looseObject({
    type: z.string(),
    title: z.string(),
    status: z.int(),
    detail: z.string(),
    instance: z.string(),
    code: z.string().describe("Stable; match on this."),
    errors: z
      .array(z.object({ path: z.string(), message: z.string() }))
      .readonly()
      .exactOptional(),
    retryAfterMs: z.int().exactOptional(),
    state: z.string().exactOptional().describe("The record's state as it was found."),
    updatedAt: z.string().exactOptional(),
  })
  .meta({ id: "Problem", description: "RFC 9457 problem details." });

export const batchAnswer = z
  .object({
    results: z
      .array(z.union([createdJob, z.object({ problem })]))
      .readonly()
      .describe("In the order of the items."),
  })
  .meta({ id: "BatchAnswer" });

const cursorPlace = z.object({ createdAt: z.string(), id: z.string() }).nullable();

export const configAnswer = z
  .object({
    config: z.object({
      enabledAt: z.string(),
      reconciliationCursor: cursorPlace.exactOptional(),
      shareDiscoveryCursor: cursorPlace.exactOptional(),
      reminderCursor: cursorPlace.exactOptional(),
      firstViewCursor: cursorPlace.exactOptional(),
      firstImportCursor: cursorPlace.exactOptional(),
    }),
  })
  .meta({ id: "ConfigAnswer" });

const durationMs = emailInputs.leaseMs.describe(`Milliseconds, 1 to ${LEASE_MS_MAX}.`);
const claimant = emailInputs.claimant.describe("An email address; trimmed and lower-cased.");
const claimToken = emailInputs.token.exactOptional();

/**
 * Checked by the service against the kinds that it knows. The payload is passed on as it came: a copy
 * of it would lack a property named `__proto__`, which then nobody refused.
 */
export const enqueueBody = z
  .strictObject({
    logicalKey: z.string().describe("1 to 1,024 bytes; one key, one email."),
    payload: z
      .unknown()
      .refine(isJsonObject, "must be an object")
      .describe("`type`, `recipient`, and the fields of that kind."),
    initialState: emailInputs.initialState.exactOptional(),
    notBefore: emailInputs.notBefore.exactOptional(),
    onPayloadMismatch: emailInputs.onPayloadMismatch.exactOptional(),
  })
  .meta({ id: "EnqueueRequest" });

/** Items are judged one by one, so that a bad one refuses itself alone. */
export const batchBody = z.strictObject({
  jobs: z.array(z.unknown()).min(1).max(100),
});

export const firstImportBody = z.strictObject({
  recipient: emailInputs.firstImportRecipient,
  recordingId: emailInputs.recordingId,
  requestedBy: emailInputs.requestedBy,
});

export const transitionBody = z.strictObject({
  from: emailInputs.from,
  to: emailInputs.state,
  generatedSummary: emailInputs.generatedSummary.exactOptional(),
  lastError: emailInputs.lastError.exactOptional(),
});

export const claimBody = z.strictObject({ claimant });
export const reclaimBody = z.strictObject({ claimant, staleBefore: emailInputs.staleBefore });

export const completionBody = z.strictObject({
  claimant,
  summary: emailInputs.generatedSummary,
  claimToken,
});

export const releaseBody = z.strictObject({ claimant, claimToken });

export const leaseBody = z.strictObject({
  durationMs,
  requestId: emailInputs.requestId.exactOptional(),
});

export const leasesBody = z.strictObject({ durationMs, limit: emailInputs.limit });
export const extensionBody = z.strictObject({ leaseToken: emailInputs.token, durationMs });

export const settlementBody = z.strictObject({
  leaseToken: emailInputs.token,
  to: z.enum(SETTLED_STATES),
  lastError: emailInputs.lastError.exactOptional(),
});

export const cursorBody = z.strictObject({ cursor: emailInputs.cursor });
