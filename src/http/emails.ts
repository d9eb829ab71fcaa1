/** The email routes: each is one command of the email machine. */
import * as z from "zod";
import { issuesOf } from "../core/issues.ts";
import { EMAIL_STATES } from "../machines/emails/fields.ts";
import { firstImportKey } from "../machines/emails/transitions.ts";
import { mapLimited } from "../services/map-limited.ts";
import { created, type EmailCall, keyOf, OF_A_JOB, ran, refused, shown } from "./email-answers.ts";
import { claimRoutes } from "./email-claims.ts";
import { configRoutes } from "./email-config.ts";
import { leaseRoutes } from "./email-leases.ts";
import * as schemas from "./email-schemas.ts";
import { problemOf } from "./problem.ts";
import { BATCH_BYTES_MAX, BATCH_VALUES_MAX, queryNumber, reply, route } from "./route.ts";

/** Items of one batch carried out at the same time. */
const BATCH_AT_ONCE = 16;

export const emailRoutes = {
  enqueue: route({
    id: "enqueueEmail",
    method: "POST",
    path: "/v1/emails",
    scope: "emails:write",
    summary: "Create the job of a logical key, once",
    description:
      "The first call creates the job (201); every later one is answered with the stored job (200), " +
      'whatever payload it brings, unless `onPayloadMismatch` is `"conflict"`.',
    example: {
      logicalKey: "welcome:ann@example.com",
      payload: {
        type: "message",
        recipient: "ann@example.com",
        subject: "Welcome",
        text: "Good to have you here.",
      },
    },
    body: schemas.enqueueBody,
    replies: { 201: schemas.createdJob, 200: schemas.createdJob },
    problems: [
      "job_payload_conflict",
      "job_expired",
      "erased",
      "record_too_large",
      "record_corrupt",
    ],
    handle: (call) => enqueued(call, call.body),
  }),

  enqueueBatch: route({
    id: "enqueueEmails",
    method: "POST",
    path: "/v1/email-batches",
    scope: "emails:write",
    summary: "Create up to 100 jobs",
    description:
      "Each item has the verdict that it would have alone; one's failure stops no other. The same key " +
      "twice: the second is `created: false`.",
    example: {
      jobs: [
        {
          logicalKey: "welcome:ann@example.com",
          payload: {
            type: "message",
            recipient: "ann@example.com",
            subject: "Welcome",
            text: "Good to have you here.",
          },
        },
      ],
    },
    body: schemas.batchBody,
    bodyBytesMax: BATCH_BYTES_MAX,
    bodyValuesMax: BATCH_VALUES_MAX,
    gate: "heavy",
    replies: { 200: schemas.batchAnswer },
    problems: [],
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
    summary: "Create a recipient's first-import job, or turn it to another recording",
    description:
      "One job a recipient. While it can still change it is turned to the recording that came last, also " +
      "after it was cancelled; then, and for a repeat, 200.",
    example: { recipient: "ann@example.com", recordingId: "rec-1", requestedBy: "bob@example.com" },
    body: schemas.firstImportBody,
    replies: { 201: schemas.createdJob, 200: schemas.createdJob },
    problems: ["job_expired", "erased", "record_corrupt"],
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
    summary: "A page of jobs",
    description:
      "Within a page by creation time, then id; the pages follow each other in the storage's order. " +
      "What was there throughout a walk is met exactly once.",
    query: z.strictObject({
      state: z.enum(EMAIL_STATES).exactOptional().describe("Only jobs in it."),
      limit: queryNumber(1, 100).exactOptional().describe("Jobs at most, 1 to 100; default 50."),
      cursor: schemas.cursorQuery,
    }),
    replies: { 200: schemas.jobPage },
    problems: ["invalid_cursor"],
    async handle(call) {
      const { limit = 50, ...rest } = call.query;
      const { jobs, nextCursor, corrupt } = await call.tenant.emails.emails.listPage({
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
    summary: "One job",
    description: "Its state, its content and its stamps.",
    replies: { 200: schemas.foundJob },
    problems: OF_A_JOB,
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
    summary: "Move a job that nobody has leased",
    description:
      "A job in none of the states of `from` is refused with its state, so a repeat of a move that was " +
      "made tells so. A leased one moves by a settlement only.",
    example: { from: ["pending"], to: "ready" },
    body: schemas.transitionBody,
    replies: { 200: schemas.jobAnswer },
    problems: [...OF_A_JOB, "state_mismatch", "invalid_transition", "record_too_large"],
    handle: (call) => ran(call, { kind: "transition", ...call.body }),
  }),

  requeue: route({
    id: "requeueEmail",
    method: "POST",
    path: "/v1/emails/{k}/requeues",
    scope: "emails:write",
    summary: "Give a failed job a new life",
    description:
      "It is pending again: its attempts, the stamps of its earlier life and its last settlement are " +
      "forgotten, its lastError is kept. A repeat is refused by its state.",
    replies: { 200: schemas.jobAnswer },
    problems: [...OF_A_JOB, "state_mismatch"],
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
  const parsed = schemas.enqueueBody.safeParse(item);
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
