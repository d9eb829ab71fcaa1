/** What the email routes take, made of the machine's own inputs. */
import * as z from "zod";
import { isJsonObject } from "../core/json.ts";
import { EMAIL_STATES, SETTLED_STATES } from "../machines/emails/fields.ts";
import { emailInputs } from "../machines/emails/inputs.ts";
import { queryNumber } from "./route.ts";

export const cursorQuery = z.string().max(4_096).exactOptional();

export const listQuery = z.strictObject({
  state: z.enum(EMAIL_STATES).exactOptional(),
  limit: queryNumber(1, 100).exactOptional(),
  cursor: cursorQuery,
});

export interface Payload {
  readonly type: string;
  readonly recipient: string;
  readonly [field: string]: unknown;
}

/**
 * Checked by the service against the kinds that it knows, and passed on as it came: a copy of it would
 * lack a property named `__proto__`, which then nobody refused. The type is for who writes one.
 */
const payload = z.unknown().refine(isJsonObject, "must be an object") as z.ZodType as z.ZodType<
  Payload,
  Payload
>;

export const enqueueBody = z.strictObject({
  logicalKey: z.string(),
  payload,
  initialState: emailInputs.initialState.exactOptional(),
  notBefore: emailInputs.notBefore.exactOptional(),
  onPayloadMismatch: emailInputs.onPayloadMismatch.exactOptional(),
});

/** Items are judged one by one, so that a bad one refuses itself alone. */
export const batchBody = z.strictObject({ jobs: z.array(z.unknown()).min(1).max(100) });

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

const { claimant } = emailInputs;

/** Without it the claimant's address alone decides. */
const claimToken = emailInputs.token.exactOptional();

export const claimBody = z.strictObject({ claimant });

export const reclaimBody = z.strictObject({ claimant, staleBefore: emailInputs.staleBefore });

export const completionBody = z.strictObject({
  claimant,
  summary: emailInputs.generatedSummary,
  claimToken,
});

export const releaseBody = z.strictObject({ claimant, claimToken });

const durationMs = emailInputs.leaseMs;
const leaseToken = emailInputs.token;

export const leaseBody = z.strictObject({
  durationMs,
  requestId: emailInputs.requestId.exactOptional(),
});

export const leasesBody = z.strictObject({ durationMs, limit: emailInputs.limit });

export const extensionBody = z.strictObject({ leaseToken, durationMs });

export const settlementBody = z.strictObject({
  leaseToken,
  to: z.enum(SETTLED_STATES),
  lastError: emailInputs.lastError.exactOptional(),
});

export const cursorBody = z.strictObject({ cursor: emailInputs.cursor });
