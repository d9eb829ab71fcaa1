/** What an operator asks: how much waits, what is stuck, what must be forgotten. */
import * as z from "zod";
import { epochMs, isoTime } from "../core/time.ts";
import { queryInputs } from "../machines/queries/inputs.ts";
import { receiptInputs } from "../machines/receipts/inputs.ts";
import { PASS_MS_MAX, PASS_MS_MIN } from "../services/reconcile/budget.ts";
import { FAILURE_CODES } from "../services/reconcile/failure-texts.ts";
import type { TenantServices } from "../services/services.ts";
import { cursorQuery, KEY_TEXT, nextCursor, time } from "./email-schemas.ts";
import { oneOf } from "./one-of.ts";
import { emailProblem, receiptProblem } from "./problem.ts";
import { clientJobId } from "./query-schemas.ts";
import { queryNumber, reply, route } from "./route.ts";

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

const erased = z
  .object({
    machine,
    id: z.string().describe("Names what is left of the record in every route of its machine."),
    state: z.string().describe("In which it was."),
    updatedAt: time.describe("When it was erased; of a query, when it last changed before."),
  })
  .meta({ id: "Erased" });

/** Each costs a few requests to the storage, and whoever asks waits for all of them. */
const COLLECTED_DEFAULT = 100;

const collected = z
  .object({
    examined: z.int().describe("Logs of query jobs on this page of the walk."),
    removed: z.int().describe("Of them, those that belong to no job, and that are gone now."),
    corrupt: z.int().describe("Logs that cannot be read, and were left as they are."),
    isComplete: z
      .boolean()
      .describe("Whether the walk came to its end; the next call begins anew."),
  })
  .meta({ id: "Collected" });

const passReport = z
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

export const operationRoutes = {
  health: route({
    id: "health",
    method: "GET",
    path: "/v1/health",
    scope: "any",
    summary: "How much waits, from the due index alone",
    description:
      "Of the caller's tenant. It costs the same whatever is stored; an index may lag, so some of what " +
      "it tells may have been dealt with.",
    replies: {
      200: z
        .object({ emails: machineHealth, receipts: receiptHealth, queries: queryHealth })
        .meta({ id: "Health" }),
    },
    problems: [],
    handle: async (call) => reply(200, await call.tenant.operations.health()),
  }),

  stuck: route({
    id: "stuck",
    method: "GET",
    path: "/v1/stuck",
    scope: "ops",
    summary: "What waits for a person, why, and what to do",
    description:
      "Failed jobs, unknown outcomes, contradictions, and claims and jobs that have waited too long. " +
      "Nothing of their content is told.",
    query: z.strictObject({
      limit: queryNumber(1, 100).exactOptional().describe("Items at most, 1 to 100; default 50."),
      cursor: cursorQuery,
    }),
    replies: {
      200: z.object({ items: z.array(stuckItem).readonly(), nextCursor }).meta({ id: "StuckPage" }),
    },
    problems: ["invalid_cursor"],
    async handle(call) {
      const { limit = 50, cursor = null } = call.query;
      return reply(200, await call.tenant.operations.stuck({ limit, cursor }));
    },
  }),

  reconcile: route({
    id: "reconcile",
    method: "POST",
    path: "/v1/reconciliations",
    scope: "ops",
    gate: "long",
    summary: "One pass over the key's tenant: find, recover, promote, deliver, retire",
    description:
      "Bounded in time, and answered five seconds after its budget at the latest; may run beside any other " +
      "pass, though a tenant may ask for one at a time. A dry run tells what one page of everything would " +
      "come to, and does nothing.",
    example: { dryRun: true },
    body: z.strictObject({
      dryRun: z.boolean().exactOptional().describe("Tell what would happen, and do nothing."),
      budgetMs: z
        .int()
        .min(PASS_MS_MIN)
        .max(PASS_MS_MAX)
        .exactOptional()
        .describe("How long the pass may take; the service's own budget (25,000) without it."),
    }),
    replies: { 200: passReport },
    problems: [],
    async handle(call) {
      const { tenant, body, stopping } = call;
      return reply(200, await tenant.reconcile({ ...body, signal: stopping }));
    },
  }),

  collect: route({
    id: "collect",
    method: "POST",
    path: "/v1/query-collections",
    scope: "ops",
    gate: "heavy",
    summary: "Remove logs that belong to no query job: one page of a walk over all",
    description:
      "They are left by admissions and retirements that were cut off, and cost storage and nothing else. " +
      "The walk goes on where the page before ended, whoever asked for that, and runs beside any traffic.",
    example: {},
    body: z.strictObject({
      limit: queryInputs.gcLimit.exactOptional().describe("Logs at most, 1 to 1,000; default 100."),
    }),
    replies: { 200: collected },
    problems: ["record_corrupt"],
    async handle(call) {
      const { limit = COLLECTED_DEFAULT } = call.body;
      return reply(200, await call.tenant.queries.queries.gc(limit));
    },
  }),

  erase: route({
    id: "erase",
    method: "POST",
    path: "/v1/erasures",
    scope: "ops",
    summary: "Replace a record's personal content by a tombstone",
    description:
      "Of an email, of a receipt, or of all generations of a query. The record keeps its id, state and " +
      "times; a receipt also its payload's hash and what came of the operation. Afterwards everything under " +
      "its key answers 410, `erased` or of a receipt `operation_expired`, and it never runs again. Erasing it " +
      "again changes nothing and is answered as before. Refused while it is in use: an email that is being " +
      "sent, a receipt that is dispatching, a query that has not ended.",
    example: { email: "welcome:ann@example.com" },
    body: oneOf(
      z.strictObject({
        email: z
          .string()
          .exactOptional()
          .meta({ description: "A logical key, or `sha256:` and an id.", ...KEY_TEXT }),
        receipt: receiptInputs.id.exactOptional().describe("A receipt's id."),
        query: clientJobId.exactOptional().describe("A client job id. One of the three."),
      }),
      ...(["email", "receipt", "query"] as const),
    ),
    replies: { 200: erased },
    problems: [
      "job_not_found",
      "receipt_not_found",
      "query_job_not_found",
      "in_use",
      "record_corrupt",
    ],
    async handle(call) {
      const { email, receipt, query } = call.body;
      if (receipt !== undefined) return erasedReceipt(call.tenant, receipt);
      if (query !== undefined) return erasedQuery(call.tenant, query);
      const outcome = await call.tenant.emails.commands.erase(email);
      if (outcome.kind === "rejected") return { problem: emailProblem(outcome.rejection) };
      const { id, state, updatedAt } = outcome.job;
      return reply(200, { machine: "emails" as const, id: `sha256:${id}`, state, updatedAt });
    },
  }),
};

async function erasedQuery({ queries }: TenantServices, id: string) {
  const { status: state, updatedAt } = await queries.retirement.erase(id);
  return reply(200, { machine: "queries" as const, id, state, updatedAt: isoTime(updatedAt) });
}

async function erasedReceipt({ receipts }: TenantServices, id: string) {
  const end = await receipts.retirement.erase(id);
  if (end.kind === "rejected") return { problem: receiptProblem(end.rejection) };
  const { state, updatedAt } = end.receipt;
  return reply(200, {
    machine: "receipts" as const,
    id,
    state,
    updatedAt: isoTime(epochMs(updatedAt)),
  });
}
