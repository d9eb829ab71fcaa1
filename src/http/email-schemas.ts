/** The bodies of the email routes: what they take is made of the machine's own inputs. */
import * as z from "zod";
import { isJsonObject } from "../core/json.ts";
import { ADDRESS_CHARS_MAX } from "../core/mailbox.ts";
import { EMAIL_STATES, SETTLED_STATES } from "../machines/emails/fields.ts";
import { emailInputs, LEASE_MS_MAX } from "../machines/emails/inputs.ts";

/** A time of ours in an answer: UTC, with milliseconds. */
export const time = z.string().meta({ format: "date-time" });

const timeOrNull = z.union([time, z.null()]);

/** A job as it is answered: the fields that every kind has, and its payload's own beside them. */
export const job = z
  .looseObject({
    logicalKey: z.string().describe("Names the job; trimmed."),
    type: z.string().describe("The kind of email."),
    state: z.enum(EMAIL_STATES).describe("`sent` is final; `failed` leaves by a requeue only."),
    recipient: z.string().describe("To whom the email goes, as it was given."),
    recordingIds: z
      .array(z.string())
      .readonly()
      .exactOptional()
      .describe("Of the kinds about recordings."),
    shareId: z.string().exactOptional().describe("Of the kinds about recordings."),
    requestedBy: z.string().exactOptional().describe("Of the kinds about recordings."),
    generatedSummary: z
      .string()
      .exactOptional()
      .describe("The text that was handed in for a kind that waits for one."),
    attempts: z.int().describe("Leases so far, not sends."),
    createdAt: time.describe("When the job was first made; converging keeps it."),
    updatedAt: time.describe("Of the last change."),
    aiDispatchedAt: time.exactOptional().describe("When its text was last claimed."),
    aiClaimedBy: z.string().exactOptional().describe("Who claimed it: an email address."),
    readyAt: time.exactOptional().describe("When it became, or becomes, due."),
    sendingAt: time.exactOptional().describe("When it was last leased."),
    sentAt: time.exactOptional(),
    cancelledAt: time.exactOptional(),
    failedAt: time.exactOptional(),
    lastError: z.string().nullable().describe("What the last settlement or move said went wrong."),
    leaseUntil: timeOrNull.describe("Set exactly while `sending`."),
    leaseToken: z
      .string()
      .nullable()
      .describe("The credential of the lease; null for keys without `emails:write`."),
  })
  .meta({ id: "Job", description: "An email job. Its payload's own fields stand beside these." });

export const createdJob = z
  .object({ created: z.boolean().describe("Whether this call made it."), job })
  .meta({ id: "CreatedJob" });

export const jobAnswer = z.object({ job }).meta({ id: "JobAnswer" });

export const foundJob = z
  .object({
    job,
    dueAt: timeOrNull.describe(
      "When it is looked at next by itself; null when it waits for somebody, or is over.",
    ),
  })
  .meta({ id: "FoundJob" });

export const claimAnswer = z
  .object({ job, claimToken: z.string().describe("Tells this claim from every other.") })
  .meta({ id: "ClaimAnswer" });

export const corrupt = z
  .array(
    z.object({
      id: z.string().describe("Of the record in its collection."),
      reason: z.string().describe("What is wrong, without anything of its content."),
    }),
  )
  .readonly()
  .describe("Records met that cannot be read; they are left as they are.");

export const nextCursor = z
  .string()
  .nullable()
  .describe("Null when nothing follows. A page may be short, even empty, and have one.");

export const cursorQuery = z.string().max(4_096).exactOptional().meta({
  description: "The `nextCursor` of the page before; none for the first.",
  pattern: "^[A-Za-z0-9_-]+$",
});

export const jobPage = z
  .object({ jobs: z.array(job).readonly(), nextCursor, corrupt })
  .meta({ id: "JobPage" });

export const problem = z
  .looseObject({
    type: z.string().describe("Where the code is explained."),
    title: z.string().describe("The same for every problem of the code."),
    status: z.int().describe("The HTTP status."),
    detail: z.string().describe("What happened, for people; its words may change."),
    instance: z.string().describe("The path that was asked for."),
    code: z.string().describe("Stable; match on this."),
    errors: z
      .array(
        z.object({
          path: z.string().describe("As `a.b[2]`; empty for the whole."),
          message: z.string(),
        }),
      )
      .readonly()
      .exactOptional()
      .describe("What is not valid, at most 20 places."),
    retryAfterMs: z.int().exactOptional().describe("As Retry-After, in milliseconds."),
    state: z.string().exactOptional().describe("The record's state as it was found."),
    jobStatus: z.string().exactOptional().describe("The query's status as it was found."),
    updatedAt: time.exactOptional().describe("Of the record as it was found."),
    outcome: z
      .string()
      .exactOptional()
      .describe("What stands for good of an operation that is over, or was resolved."),
    erased: z
      .boolean()
      .exactOptional()
      .describe(
        "Of an operation that is over: whether it was erased, rather than past its retention.",
      ),
    error: z
      .object({
        code: z.string(),
        message: z.string(),
        retryable: z.boolean().exactOptional(),
        retryAfterMs: z.int().exactOptional(),
      })
      .exactOptional()
      .describe("On every query route: the same, for clients that read this alone."),
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

const cursorPlace = z
  .object({ createdAt: z.string(), id: z.string() })
  .nullable()
  .describe("The last row that the scan has seen; null: begin again at `enabledAt`.");

export const configAnswer = z
  .object({
    config: z.object({
      enabledAt: z.string().describe("Nothing that happened before is mailed about; set once."),
      reconciliationCursor: cursorPlace.exactOptional(),
      shareDiscoveryCursor: cursorPlace.exactOptional(),
      reminderCursor: cursorPlace.exactOptional(),
      firstViewCursor: cursorPlace.exactOptional(),
      firstImportCursor: cursorPlace.exactOptional(),
    }),
  })
  .meta({ id: "ConfigAnswer" });

const durationMs = emailInputs.leaseMs.describe(
  `Of the lease, from now, in milliseconds: 1 to ${LEASE_MS_MAX.toLocaleString("en")}.`,
);
/** What no schema of zod's says once it trims and lower-cases. */
const ADDRESS = { pattern: z.regexes.email.source, maxLength: ADDRESS_CHARS_MAX };

const claimant = emailInputs.claimant.meta({
  description: "An email address; trimmed and lower-cased.",
  ...ADDRESS,
});
const claimToken = emailInputs.token
  .exactOptional()
  .describe("Of the claim. Without it the claimant's address alone decides.");
const leaseToken = emailInputs.token.describe("Of the lease, as its acquisition answered it.");
const lastError = emailInputs.lastError
  .exactOptional()
  .describe("Why; null removes the one before, leaving it out keeps it.");

export interface Payload {
  readonly type: string;
  readonly recipient: string;
  readonly [field: string]: unknown;
}

/** A logical key for the document only: the service counts bytes, and looks closer. */
export const KEY_TEXT = {
  minLength: 1,
  maxLength: 1_024,
  pattern: "^[^\\u0000]*[^\\s\\u0000][^\\u0000]*$",
};

/**
 * Checked by the service against the kinds that it knows, and passed on as it came: a copy of it would
 * lack a property named `__proto__`, which then nobody refused. The type is for who writes one.
 */
const payload = z
  .unknown()
  .refine(isJsonObject, "must be an object")
  .meta({ $ref: "#/components/schemas/EmailPayload" }) as z.ZodType as z.ZodType<Payload, Payload>;

export const enqueueBody = z
  .strictObject({
    logicalKey: z.string().meta({
      description:
        "1 to 1,024 UTF-8 bytes after trimming, not `sha256:` and 64 hex digits. One key, one email.",
      ...KEY_TEXT,
    }),
    payload,
    initialState: emailInputs.initialState
      .exactOptional()
      .describe("`pending` by default; `awaiting_ai` for a kind that waits for a text."),
    notBefore: emailInputs.notBefore
      .exactOptional()
      .describe("Not leased as due before; 1970 to 2286."),
    onPayloadMismatch: emailInputs.onPayloadMismatch
      .exactOptional()
      .describe("When the key has a job of another payload: answer that (default), or refuse."),
  })
  .meta({ id: "EnqueueRequest" });

/** Items are judged one by one, so that a bad one refuses itself alone. */
export const batchBody = z.strictObject({
  jobs: z
    .array(z.unknown().meta({ $ref: "#/components/schemas/EnqueueRequest" }))
    .min(1)
    .max(100)
    .describe("Judged one by one: a bad item has its own `problem`, the others are made."),
});

export const firstImportBody = z.strictObject({
  recipient: emailInputs.firstImportRecipient.meta({
    description: "An email address; trimmed and lower-cased. One job a recipient.",
    ...ADDRESS,
  }),
  recordingId: emailInputs.recordingId.describe("The recording that the email is to be about."),
  requestedBy: emailInputs.requestedBy.describe("Who asked for it."),
});

export const transitionBody = z.strictObject({
  from: emailInputs.from.describe("The states from which the move is meant."),
  to: emailInputs.state.describe("Where to; `sending` is reached by a lease only."),
  generatedSummary: emailInputs.generatedSummary
    .exactOptional()
    .describe("The text of a kind that waits for one."),
  lastError,
});

export const claimBody = z.strictObject({ claimant });

export const reclaimBody = z.strictObject({
  claimant,
  staleBefore: emailInputs.staleBefore.describe(
    "Claims older than this may be taken over; 1970 to 2286.",
  ),
});

export const completionBody = z.strictObject({
  claimant,
  summary: emailInputs.generatedSummary.describe("The text."),
  claimToken,
});

export const releaseBody = z.strictObject({ claimant, claimToken });

export const leaseBody = z.strictObject({
  durationMs,
  requestId: emailInputs.requestId
    .exactOptional()
    .describe("The caller's own, unique per lease wanted: makes a repeat answer the same lease."),
});

export const leasesBody = z.strictObject({
  durationMs,
  limit: emailInputs.limit.describe("How many at most."),
});

export const extensionBody = z.strictObject({ leaseToken, durationMs });

export const settlementBody = z.strictObject({
  leaseToken,
  to: z.enum(SETTLED_STATES).describe("`ready`: due again after a back-off."),
  lastError,
});

export const cursorBody = z.strictObject({
  cursor: emailInputs.cursor.describe("The last row seen; null: begin again at `enabledAt`."),
});
