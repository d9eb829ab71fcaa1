/** The email routes: each is one command of the email machine. */
import type * as z from "zod/mini";
import { issuesOf } from "../core/issues.ts";
import { safeParse } from "../core/safe-parse.ts";
import { firstImportKey } from "../machines/emails/transitions.ts";
import { mapLimited } from "../services/map-limited.ts";
import { created, type EmailCall, keyOf, ran, refused, shown } from "./email-answers.ts";
import { claimRoutes } from "./email-claims.ts";
import { configRoutes } from "./email-config.ts";
import { leaseRoutes } from "./email-leases.ts";
import * as schemas from "./email-schemas.ts";
import { problemOf } from "./problem.ts";
import { BATCH_BYTES_MAX, BATCH_VALUES_MAX, reply, route } from "./route.ts";

/** Items of one batch carried out at the same time. */
const BATCH_AT_ONCE = 16;

export const emailRoutes = {
  enqueue: route({
    id: "enqueueEmail",
    method: "POST",
    path: "/v1/emails",
    scope: "emails:write",
    body: schemas.enqueueBody,
    handle: (call) => enqueued(call, call.body),
  }),

  enqueueBatch: route({
    id: "enqueueEmails",
    method: "POST",
    path: "/v1/email-batches",
    scope: "emails:write",
    body: schemas.batchBody,
    bodyBytesMax: BATCH_BYTES_MAX,
    bodyValuesMax: BATCH_VALUES_MAX,
    gate: "heavy",
    async handle(call) {
      // Started in their order, so of two items with one key the first is the one that creates.
      const results = await mapLimited(call.body.jobs, BATCH_AT_ONCE, (item) =>
        batchResult(call, item),
      );
      return reply(200, { results });
    },
  }),

  firstImport: route({
    id: "enqueueFirstImport",
    method: "POST",
    path: "/v1/emails/first-imports",
    scope: "emails:write",
    body: schemas.firstImportBody,
    async handle(call) {
      const { commands } = call.tenant.emails;
      const key = firstImportKey(call.body.recipient);
      return created(call, await commands.run(key, { kind: "converge", ...call.body }));
    },
  }),

  list: route({
    id: "listEmails",
    method: "GET",
    path: "/v1/emails",
    scope: "emails:read",
    gate: "heavy",
    query: schemas.listQuery,
    async handle(call) {
      const { limit = 50, ...rest } = call.query;
      const { jobs, nextCursor, corrupt } = await call.tenant.emails.lists.listPage({
        limit,
        ...rest,
      });
      return reply(200, { jobs: jobs.map((one) => shown(call, one)), nextCursor, corrupt });
    },
  }),

  read: route({
    id: "readEmail",
    method: "GET",
    path: "/v1/emails/{k}",
    scope: "emails:read",
    async handle(call) {
      const found = await call.tenant.emails.commands.read(keyOf(call));
      if (found.kind === "rejected") return refused(found.rejection);
      return reply(200, { job: shown(call, found.job), dueAt: found.dueAt });
    },
  }),

  transition: route({
    id: "transitionEmail",
    method: "POST",
    path: "/v1/emails/{k}/transitions",
    scope: "emails:write",
    body: schemas.transitionBody,
    handle: (call) => ran(call, { kind: "transition", ...call.body }),
  }),

  requeue: route({
    id: "requeueEmail",
    method: "POST",
    path: "/v1/emails/{k}/requeues",
    scope: "emails:write",
    handle: (call) => ran(call, { kind: "requeue" }),
  }),

  ...leaseRoutes,
  ...claimRoutes,
  ...configRoutes,
};

async function enqueued(call: EmailCall, body: z.output<typeof schemas.enqueueBody>) {
  return created(call, await call.tenant.emails.enqueue(body));
}

async function batchResult(call: EmailCall, item: unknown) {
  const parsed = safeParse(schemas.enqueueBody, item);
  if (!parsed.success) {
    const errors = issuesOf(parsed.error);
    const detail = "the item is not valid";
    return { problem: call.told({ code: "invalid_request", detail, errors }) };
  }
  try {
    const answer = await enqueued(call, parsed.data);
    return "problem" in answer ? { problem: call.told(answer.problem) } : answer.body;
  } catch (error) {
    return { problem: call.told(problemOf(error)) };
  }
}
