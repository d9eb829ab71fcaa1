/** The email routes: each is one command of the email machine. */

import * as z from "zod";
import { issuesOf } from "../core/issues.ts";
import { durationMs, epochMs, parseIsoTime } from "../core/time.ts";
import { EMAIL_STATES } from "../machines/emails/fields.ts";
import { firstImportKey } from "../machines/emails/transitions.ts";
import type { EmailOutcome } from "../services/email-commands.ts";
import type { Job } from "../services/emails.ts";
import { mapLimited } from "../services/map-limited.ts";
import * as schemas from "./email-schemas.ts";
import { allows } from "./keys.ts";
import { emailProblem, type Problem, type ProblemCode, problemOf } from "./problem.ts";
import { BATCH_BYTES_MAX, queryNumber, type RawCall, reply, route } from "./route.ts";

type AnyCall = Omit<RawCall, "json" | "query">;

/** Refusals of every route on one job. */
const OF_A_JOB = [
  "job_not_found",
  "job_expired",
  "erased",
  "record_corrupt",
] as const satisfies ProblemCode[];

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
    replies: { 200: schemas.jobAnswer },
    problems: OF_A_JOB,
    async handle(call) {
      const found = await call.tenant.emails.commands.read(keyOf(call));
      if (found.kind === "rejected") return refused(found.rejection);
      return reply(200, { job: shown(call, found.job) });
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

  claim: route({
    id: "claimEmail",
    method: "POST",
    path: "/v1/emails/{k}/ai-claims",
    scope: "emails:write",
    summary: "Claim a job that waits for its text",
    description:
      "`claimToken` is minted for each claim. A lost answer leaves a claim that can be taken over when it " +
      "is stale, also by its own claimant.",
    example: { claimant: "writer@example.com" },
    body: schemas.claimBody,
    replies: { 200: schemas.claimAnswer },
    problems: [...OF_A_JOB, "not_claimable"],
    async handle(call) {
      const { commands } = call.tenant.emails;
      const claimToken = commands.freshToken();
      const { claimant } = call.body;
      return claimed(
        call,
        await commands.run(keyOf(call), { kind: "claim", claimant, claimToken }),
      );
    },
  }),

  reclaim: route({
    id: "reclaimEmail",
    method: "POST",
    path: "/v1/emails/{k}/ai-reclaims",
    scope: "emails:write",
    summary: "Take over a claim that is stale",
    description:
      "Only a claim older than `staleBefore`; its claimant may take it over, too. The token is a new one.",
    example: { claimant: "writer@example.com", staleBefore: "2026-01-31T09:00:00.000Z" },
    body: schemas.reclaimBody,
    replies: { 200: schemas.claimAnswer },
    problems: [...OF_A_JOB, "not_claimable"],
    async handle(call) {
      const { commands } = call.tenant.emails;
      const { claimant, staleBefore } = call.body;
      return claimed(
        call,
        await commands.run(keyOf(call), {
          kind: "reclaim",
          claimant,
          staleBefore: parseIsoTime(staleBefore) ?? epochMs(0),
          claimToken: commands.freshToken(),
        }),
      );
    },
  }),

  complete: route({
    id: "completeEmailClaim",
    method: "POST",
    path: "/v1/emails/{k}/ai-completions",
    scope: "emails:write",
    summary: "Hand in the text of a claimed job",
    description: "The job becomes ready. A repeat is refused by its state, `ready`.",
    example: { claimant: "writer@example.com", summary: "Two clips about whales." },
    body: schemas.completionBody,
    replies: { 200: schemas.jobAnswer },
    problems: [...OF_A_JOB, "claim_lost", "record_too_large"],
    handle(call) {
      const { claimToken = null, ...body } = call.body;
      return ran(call, { kind: "completeClaim", ...body, claimToken });
    },
  }),

  release: route({
    id: "releaseEmailClaim",
    method: "POST",
    path: "/v1/emails/{k}/ai-releases",
    scope: "emails:write",
    summary: "Give a claim back",
    description:
      "The job waits for its text again. A repeat is refused by its state, `awaiting_ai`.",
    example: { claimant: "writer@example.com" },
    body: schemas.releaseBody,
    replies: { 200: schemas.jobAnswer },
    problems: [...OF_A_JOB, "claim_lost"],
    handle(call) {
      const { claimant, claimToken = null } = call.body;
      return ran(call, { kind: "releaseClaim", claimant, claimToken });
    },
  }),

  claimNext: route({
    id: "claimNextEmail",
    method: "POST",
    path: "/v1/email-ai-claims",
    scope: "emails:write",
    summary: "Claim the job that has waited longest for its text",
    description:
      "204 when no job waits. A lost answer leaves a claim that can be taken over when it is stale.",
    example: { claimant: "writer@example.com" },
    body: schemas.claimBody,
    replies: { 200: schemas.claimAnswer, 204: null },
    problems: [],
    async handle(call) {
      const claim = await call.tenant.emails.emails.claimNextAwaitingAi(call.body.claimant);
      if (claim === null) return reply(204, null);
      const { claimToken, ...job } = claim;
      return reply(200, { job: job as Job, claimToken });
    },
  }),

  lease: route({
    id: "leaseEmail",
    method: "POST",
    path: "/v1/emails/{k}/leases",
    scope: "emails:write",
    summary: "Lease one job, due or not",
    description:
      "`leaseToken` is minted for each acquisition and is the only credential. The same `requestId` " +
      "while that lease stands gets the same lease.",
    example: { durationMs: 120_000 },
    body: schemas.leaseBody,
    replies: { 200: schemas.jobAnswer },
    problems: [...OF_A_JOB, "not_leasable"],
    handle(call) {
      const { durationMs: leaseMs, requestId = null } = call.body;
      const leaseToken = call.tenant.emails.commands.freshToken();
      return ran(call, { kind: "acquire", leaseMs: durationMs(leaseMs), requestId, leaseToken });
    },
  }),

  leaseDue: route({
    id: "leaseDueEmails",
    method: "POST",
    path: "/v1/email-leases",
    scope: "emails:write",
    summary: "Lease what is due, oldest first",
    description:
      "Ready jobs that are due, and leased ones whose lease ran out. One that has used its attempts is " +
      "failed instead. A lost answer costs its jobs one lease time.",
    example: { durationMs: 120_000, limit: 10 },
    body: schemas.leasesBody,
    replies: {
      200: z.object({ jobs: z.array(schemas.job).readonly() }).meta({ id: "LeasedJobs" }),
    },
    problems: [],
    async handle(call) {
      const jobs = await call.tenant.emails.emails.acquireDueLeases(call.body);
      return reply(200, { jobs });
    },
  }),

  extend: route({
    id: "extendEmailLease",
    method: "POST",
    path: "/v1/emails/{k}/lease-extensions",
    scope: "emails:write",
    summary: "Set the end of a lease",
    description: "From now, also if that is earlier; also after it ran out while nobody took it.",
    example: { leaseToken: "0b6bd0c1-58a9-4b0e-a6b1-3f9f4b0f7c55", durationMs: 120_000 },
    body: schemas.extensionBody,
    replies: { 200: schemas.jobAnswer },
    problems: [...OF_A_JOB, "lease_lost"],
    handle(call) {
      const { leaseToken, durationMs: leaseMs } = call.body;
      return ran(call, { kind: "extend", leaseToken, leaseMs: durationMs(leaseMs) });
    },
  }),

  settle: route({
    id: "settleEmail",
    method: "POST",
    path: "/v1/emails/{k}/settlements",
    scope: "emails:write",
    summary: "End a lease: sent, to be tried again, cancelled or failed",
    description:
      "The same settlement again, while no later one happened, is answered and not written.",
    example: { leaseToken: "0b6bd0c1-58a9-4b0e-a6b1-3f9f4b0f7c55", to: "sent" },
    body: schemas.settlementBody,
    replies: { 200: schemas.jobAnswer },
    problems: [...OF_A_JOB, "lease_lost"],
    handle: (call) => ran(call, { kind: "settle", ...call.body }),
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

  readConfig: route({
    id: "readEmailConfig",
    method: "GET",
    path: "/v1/email-config",
    scope: "emails:read",
    summary: "Since when emails are made, and each scan's cursor",
    description: "For the scans that find out which emails are to be made.",
    replies: { 200: schemas.configAnswer },
    problems: ["config_not_found", "record_corrupt"],
    async handle(call) {
      const config = await call.tenant.emails.config.read();
      if (config !== null) return reply(200, { config });
      return { problem: { code: "config_not_found", detail: "PUT /v1/email-config makes it" } };
    },
  }),

  ensureConfig: route({
    id: "ensureEmailConfig",
    method: "PUT",
    path: "/v1/email-config",
    scope: "emails:write",
    summary: "Make the configuration unless it is there",
    description:
      "The first call sets `enabledAt` to its own time; a repeat is answered with what is stored.",
    replies: { 201: schemas.configAnswer, 200: schemas.configAnswer },
    problems: ["record_corrupt"],
    async handle(call) {
      const { created: isNew, config } = await call.tenant.emails.config.ensure();
      return isNew ? reply(201, { config }) : reply(200, { config });
    },
  }),

  setCursor: route({
    id: "setEmailCursor",
    method: "PUT",
    path: "/v1/email-config/cursors/{name}",
    scope: "emails:write",
    summary: "Set one scan's cursor",
    description: "A repeat sets the same again.",
    example: { cursor: { createdAt: "2026-01-31T09:00:00.000Z", id: "share-1" } },
    body: schemas.cursorBody,
    replies: { 200: schemas.configAnswer },
    problems: ["config_not_found", "cursor_not_found", "record_corrupt"],
    async handle(call) {
      const { config } = call.tenant.emails;
      const name = call.params["name"] ?? "";
      return reply(200, { config: await config.setCursor(name, call.body.cursor) });
    },
  }),
};

function keyOf({ params }: AnyCall): string {
  return params["k"] ?? "";
}

/** Tokens are credentials: who may only read does not see them. */
function shown(call: AnyCall, job: Job): Job {
  if (job.leaseToken === null || allows(call.caller.scopes, "emails:write")) return job;
  return { ...job, leaseToken: null };
}

async function enqueued(call: AnyCall, body: z.output<typeof schemas.enqueueBody>) {
  return created(call, await call.tenant.emails.enqueue(body));
}

function created(call: AnyCall, outcome: EmailOutcome) {
  if (outcome.kind === "rejected") return refused(outcome.rejection);
  const body = { created: outcome.created, job: shown(call, outcome.job) };
  return outcome.created ? reply(201, body) : reply(200, body);
}

async function batchResult(call: AnyCall, item: unknown) {
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

type Command = Parameters<RawCall["tenant"]["emails"]["commands"]["run"]>[1];

async function ran(call: AnyCall, command: Command) {
  const outcome = await call.tenant.emails.commands.run(keyOf(call), command);
  if (outcome.kind === "rejected") return refused(outcome.rejection);
  return reply(200, { job: shown(call, outcome.job) });
}

function claimed(call: AnyCall, outcome: EmailOutcome) {
  if (outcome.kind === "rejected") return refused(outcome.rejection);
  const claimToken = outcome.email.extra.claimToken ?? "";
  return reply(200, { job: shown(call, outcome.job), claimToken });
}

function refused(rejection: Parameters<typeof emailProblem>[0]): { readonly problem: Problem } {
  return { problem: emailProblem(rejection) };
}
