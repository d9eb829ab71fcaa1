/** What an operator asks: how much waits, what is stuck, what must be forgotten. */
import { epochMs, isoTime } from "../core/time.ts";
import type { TenantServices } from "../services/services.ts";
import * as schemas from "./operation-schemas.ts";
import { emailProblem, receiptProblem } from "./problem.ts";
import { reply, route } from "./route.ts";

/** Each costs a few requests to the storage, and whoever asks waits for all of them. */
const COLLECTED_DEFAULT = 100;

export const operationRoutes = {
  health: route({
    id: "health",
    method: "GET",
    path: "/v1/health",
    scope: "any",
    handle: async (call) => reply(200, await call.tenant.operations.health()),
  }),

  stuck: route({
    id: "stuck",
    method: "GET",
    path: "/v1/stuck",
    scope: "ops",
    query: schemas.stuckQuery,
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
    body: schemas.passBody,
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
    body: schemas.collectionBody,
    async handle(call) {
      const { limit = COLLECTED_DEFAULT } = call.body;
      return reply(200, await call.tenant.queries.gc.collect(limit));
    },
  }),

  erase: route({
    id: "erase",
    method: "POST",
    path: "/v1/erasures",
    scope: "ops",
    body: schemas.erasureBody,
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
