/** What the email routes answer: for the document, and as types for the handlers. */
import * as z from "zod";
import { EMAIL_STATES } from "../machines/emails/fields.ts";

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

export const leasedJobs = z.object({ jobs: z.array(job).readonly() }).meta({ id: "LeasedJobs" });

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
