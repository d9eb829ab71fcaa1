/** What the email routes take, made of the machine's own inputs. */
import * as z from "zod/mini";
import { isJsonObject } from "../core/json.ts";
import { EMAIL_STATES, SETTLED_STATES } from "../machines/emails/fields.ts";
import { emailInputs } from "../machines/emails/inputs.ts";
import { queryNumber } from "./route.ts";

export const cursorQuery = z.exactOptional(z.string().check(z.maxLength(4_096)));

export const listQuery = z.strictObject({
  state: z.exactOptional(z.enum(EMAIL_STATES)),
  limit: z.exactOptional(queryNumber(1, 100)),
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
const payload = z
  .unknown()
  .check(z.refine(isJsonObject, "must be an object")) as z.core.$ZodType as z.core.$ZodType<
  Payload,
  Payload
>;

export const enqueueBody = z.strictObject({
  logicalKey: z.string(),
  payload,
  initialState: z.exactOptional(emailInputs.initialState),
  notBefore: z.exactOptional(emailInputs.notBefore),
  onPayloadMismatch: z.exactOptional(emailInputs.onPayloadMismatch),
});

/** Items are judged one by one, so that a bad one refuses itself alone. */
export const batchBody = z.strictObject({
  jobs: z.array(z.unknown()).check(z.minLength(1), z.maxLength(100)),
});

export const firstImportBody = z.strictObject({
  recipient: emailInputs.firstImportRecipient,
  recordingId: emailInputs.recordingId,
  requestedBy: emailInputs.requestedBy,
});

export const transitionBody = z.strictObject({
  from: emailInputs.from,
  to: emailInputs.state,
  generatedSummary: z.exactOptional(emailInputs.generatedSummary),
  lastError: z.exactOptional(emailInputs.lastError),
});

const { claimant } = emailInputs;

/** Without it the claimant's address alone decides. */
const claimToken = z.exactOptional(emailInputs.token);

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
  requestId: z.exactOptional(emailInputs.requestId),
});

export const leasesBody = z.strictObject({ durationMs, limit: emailInputs.limit });

export const extensionBody = z.strictObject({ leaseToken, durationMs });

export const settlementBody = z.strictObject({
  leaseToken,
  to: z.enum(SETTLED_STATES),
  lastError: z.exactOptional(emailInputs.lastError),
});

export const cursorBody = z.strictObject({ cursor: emailInputs.cursor });
