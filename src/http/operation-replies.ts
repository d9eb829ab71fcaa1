/** What the routes of an operator answer: for the document, and as types for the handlers. */
import * as z from "zod";
import { FAILURE_CODES } from "../services/reconcile/failure-texts.ts";
import { nextCursor, time } from "./email-replies.ts";

const queueHealth = z
  .object({
    due: z.int().describe("Records due now, at most 1,000."),
    more: z
      .boolean()
      .describe(
        "Whether there are, or may be, more than `due` says: of a queue, which all machines share, the " +
          "first 3,000 entries are looked at.",
      ),
    oldestDueAt: z
      .union([time, z.null()])
      .describe("Since when the oldest of them is due; null when none was found."),
  })
  .meta({ id: "QueueHealth" });

const machineHealth = z
  .object({
    deliver: queueHealth.describe("Ready, or leased and run out."),
    attend: queueHealth.describe("Everything else that waits for time."),
    stuck: queueHealth.describe("Waits for a person."),
    counters: z
      .object({
        corruptRecords: z.int().describe("Unreadable records met; one may be met often."),
        contended: z.int().describe("Writes given up because others kept changing the record."),
        unknownOutcomes: z.int().describe("Writes of which nobody knows whether they happened."),
        leasesLost: z.int().describe("Calls with the token of a lease that was not current."),
        mailerUnavailable: z.int().describe("Passes that found the mailer unavailable."),
      })
      .describe("What this process met since it started."),
  })
  .meta({ id: "MachineHealth" });

const machine = z.enum(["emails", "receipts", "queries"]);

const receiptHealth = z
  .object({
    attend: queueHealth.describe("Lapsed dispatches, and what is past its retention."),
    stuck: queueHealth.describe("Waits for a person: unknown outcomes, and contradictions."),
    counters: z
      .object({
        replays: z.int().describe("Calls that were answered from what is stored."),
        conflicts: z.int().describe("Calls with another payload or result."),
        outcomesUnknown: z.int().describe("Receipts that became outcome-unknown."),
        contradictions: z.int().describe("Late reports against a person's resolution."),
        dispatchesLost: z.int().describe("Calls by others than a dispatch's owner."),
      })
      .describe("What this process met since it started."),
  })
  .meta({ id: "ReceiptHealth" });

const queryHealth = z
  .object({
    attend: queueHealth.describe(
      "Jobs that wait for a runner, lapsed runs, and what is past its retention.",
    ),
    stuck: queueHealth.describe("Waits for a person."),
    counters: z
      .object({
        admitted: z.int().describe("Jobs admitted."),
        duplicates: z.int().describe("Admissions that were answered from what is stored."),
        refused: z.int().describe("Admissions that were refused."),
        completed: z.int(),
        failed: z.int(),
        interrupted: z.int().describe("Their runner was not heard of any more."),
        leasesLost: z.int().describe("Calls with the token of a run that was not current."),
      })
      .describe("What this process met since it started."),
  })
  .meta({ id: "QueriesHealth" });

const stuckItem = z
  .object({
    machine,
    id: z.string().describe("Names the record in every route of its machine."),
    state: z.string().describe("`unreadable` for a record that cannot be read."),
    since: time,
    why: z.string().describe("Nothing of the record's content."),
    action: z.string().describe("What a person can do about it."),
  })
  .meta({ id: "StuckItem" });

export const erased = z
  .object({
    machine,
    id: z.string().describe("Names what is left of the record in every route of its machine."),
    state: z.string().describe("In which it was."),
    updatedAt: time.describe("When it was erased; of a query, when it last changed before."),
  })
  .meta({ id: "Erased" });

export const collected = z
  .object({
    examined: z.int().describe("Logs of query jobs on this page of the walk."),
    removed: z.int().describe("Of them, those that belong to no job, and that are gone now."),
    corrupt: z.int().describe("Logs that cannot be read, and were left as they are."),
    isComplete: z
      .boolean()
      .describe("Whether the walk came to its end; the next call begins anew."),
  })
  .meta({ id: "Collected" });

export const passReport = z
  .object({
    emails: z
      .object({
        discovered: z.int().describe("Jobs that sources named, new or not."),
        enqueued: z
          .int()
          .describe("Of them, those that were made, or turned to another recording."),
        promoted: z.int().describe("Made ready."),
        sent: z.int(),
        retried: z.int().describe("Ready again after an attempt that failed."),
        failed: z.int(),
        cancelled: z.int().describe("Not valid any more when they were to be sent."),
        retired: z.int().describe("Past their retention, replaced by tombstones."),
        stale: z
          .int()
          .describe("Claimed for their text more than 30 minutes ago; left as they are."),
        skipped: z.int().describe("For addresses that are never mailed, or left to other workers."),
      })
      .describe("Each counted when the storage had it."),
    receipts: z.object({
      recovered: z.int().describe("Lapsed dispatches, whose outcome is unknown now."),
      retired: z.int().describe("Past their retention, replaced by tombstones."),
    }),
    queries: z.object({
      completed: z
        .int()
        .describe("Their answer was ready, and their runner not heard of any more."),
      interrupted: z.int().describe("Their runner was not heard of any more."),
      retired: z.int().describe("Client jobs of which something is past its retention, and gone."),
    }),
    failures: z
      .array(
        z.object({
          machine,
          tenant: z.string().nullable(),
          id: z.string().describe("A record, a source, or a part of the pass."),
          code: z.enum(FAILURE_CODES),
          count: z.int().describe("How often; 1 or more."),
          why: z.string().describe("What the code means. Nothing of any job's content."),
          action: z.string().describe("What a person can do about it."),
        }),
      )
      .readonly()
      .describe("What went wrong and stopped nothing else; at most 100, each told once."),
    failuresLeftOut: z.int().describe("How many more times something went wrong."),
    hasMore: z.boolean().describe("Whether another pass would find more to do now."),
  })
  .meta({ id: "PassReport" });

export const health = z
  .object({ emails: machineHealth, receipts: receiptHealth, queries: queryHealth })
  .meta({ id: "Health" });

export const stuckPage = z
  .object({ items: z.array(stuckItem).readonly(), nextCursor })
  .meta({ id: "StuckPage" });
