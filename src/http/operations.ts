/** What an operator asks: how much waits, what is stuck, what must be forgotten. */
import * as z from "zod";
import { epochMs, isoTime } from "../core/time.ts";
import { queryInputs } from "../machines/queries/inputs.ts";
import { receiptInputs } from "../machines/receipts/inputs.ts";
import { PASS_MS_MAX, PASS_MS_MIN } from "../services/reconcile/budget.ts";
import type { TenantServices } from "../services/services.ts";
import { cursorQuery, KEY_TEXT } from "./email-schemas.ts";
import { oneOf } from "./one-of.ts";
import { collected, erased, health, passReport, stuckPage } from "./operation-schemas.ts";
import { emailProblem, receiptProblem } from "./problem.ts";
import { clientJobId } from "./query-schemas.ts";
import { queryNumber, reply, route } from "./route.ts";

/** Each costs a few requests to the storage, and whoever asks waits for all of them. */
const COLLECTED_DEFAULT = 100;

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
    replies: { 200: health },
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
    replies: { 200: stuckPage },
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
