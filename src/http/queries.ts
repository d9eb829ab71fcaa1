/** The query routes of whoever asks and reads; those of runners stand beside them. */
import * as z from "zod";
import { queryInputs } from "../machines/queries/inputs.ts";
import type { RequestCode } from "../machines/queries/request-problems.ts";
import { snapshotOf } from "../machines/queries/snapshot.ts";
import { QueryJobNotFoundError } from "../services/query-errors.ts";
import { cursorQuery } from "./email-schemas.ts";
import type { ProblemCode } from "./problem.ts";
import {
  GENERATION_CODES,
  jobIdOf,
  OF_A_GENERATION,
  OF_A_QUERY,
  QUERY_BYTES_MAX,
} from "./query-answers.ts";
import { queryProblem } from "./query-problems.ts";
import { runRoutes } from "./query-runs.ts";
import * as schemas from "./query-schemas.ts";
import { queryNumber, reply, route } from "./route.ts";

/** What can be wrong in a request (semantics C1). */
const OF_A_REQUEST = [
  "invalid_client_job_id",
  "invalid_generation",
  "invalid_query",
  "query_too_large",
  "query_or_attachment_required",
  "invalid_session_id",
  "invalid_model",
  "invalid_effort",
  "invalid_message_era",
  "invalid_handoff_code",
  "invalid_client_queue_item_id",
  "invalid_global_msg_num",
  "invalid_reference",
  "invalid_reference_query",
  "reference_query_too_large",
  "invalid_reference_response",
  "reference_response_too_large",
] as const satisfies RequestCode[] & ProblemCode[];

const JOBS_PAGE_DEFAULT = 50;

export const queryRoutes = {
  submit: route({
    id: "submitQuery",
    method: "POST",
    path: "/v1/query-jobs",
    scope: "queries:write",
    summary: "Ask something, once",
    description:
      "Answered as soon as the request is stored: the first call makes the job; the same request again, " +
      "also after its end, is answered with the stored one. One generation of a client job at a time.",
    example: {
      clientJobId: "3f1f6c1e-5d0a-4a55-9b0e-6a1d2c3b4a5f",
      generation: 1,
      query: "Are whales fish?",
      sessionId: "chat-42",
    },
    body: schemas.submissionBody,
    bodyBytesMax: QUERY_BYTES_MAX,
    replies: { 202: schemas.submitted },
    problems: [
      ...OF_A_REQUEST,
      "query_job_not_found",
      "job_identity_conflict",
      "job_generation_active",
      "job_generation_out_of_order",
      "provider_orphan_fence",
      "job_history_full",
      "erased",
      "record_corrupt",
    ],
    handle: async (call) => reply(202, await call.tenant.queries.queries.admit(call.body)),
  }),

  byClient: route({
    id: "findQuery",
    method: "GET",
    path: "/v1/query-jobs/by-client/{clientJobId}",
    scope: "queries:read",
    summary: "The job of a client job id and generation",
    description: "For whoever lost the answer to a submission.",
    query: z.strictObject({ generation: schemas.generationQuery }),
    codes: GENERATION_CODES,
    replies: { 200: schemas.queryAnswer },
    problems: [...OF_A_QUERY, "invalid_generation", "erased"],
    async handle(call) {
      const { queries } = call.tenant.queries;
      const clientJobId = call.params["clientJobId"] ?? "";
      const job = await queries.findByClientGeneration(clientJobId, call.query.generation);
      if (job === undefined) return { problem: queryProblem(new QueryJobNotFoundError()) };
      return reply(200, { job });
    },
  }),

  read: route({
    id: "readQuery",
    method: "GET",
    path: "/v1/query-jobs/{jobId}",
    scope: "queries:read",
    summary: "One query job",
    description: "With its answer so far. It never holds what was asked.",
    query: z.strictObject({ generation: schemas.generationQuery }),
    codes: GENERATION_CODES,
    replies: { 200: schemas.queryAnswer },
    problems: OF_A_GENERATION,
    async handle(call) {
      const { queries } = call.tenant.queries;
      return reply(200, { job: await queries.getSnapshot(jobIdOf(call), call.query.generation) });
    },
  }),

  list: route({
    id: "listQueries",
    method: "GET",
    path: "/v1/query-jobs",
    scope: "queries:read",
    gate: "heavy",
    summary: "A page of query jobs: the latest generation of each client job",
    description:
      "Within a page by admission time, then id; the pages follow each other in the storage's order, and " +
      "with `?status=accepted`, which is how a runner finds work, the longest waiting first.",
    query: z.strictObject({
      status: queryInputs.status.exactOptional().describe("Only jobs in it."),
      limit: queryNumber(1, 100).exactOptional().describe("Jobs at most, 1 to 100; default 50."),
      cursor: cursorQuery,
    }),
    replies: { 200: schemas.queryPage },
    problems: ["invalid_cursor"],
    async handle(call) {
      const { limit = JOBS_PAGE_DEFAULT, cursor = null, status = null } = call.query;
      const page = await call.tenant.queries.lists.page({ limit, cursor, status });
      const { corrupt, nextCursor } = page;
      const jobs = page.jobs
        .map(({ job }) => snapshotOf(job))
        .sort((one, other) => (orderOf(one) < orderOf(other) ? -1 : 1));
      return reply(200, { jobs, nextCursor, corrupt });
    },
  }),

  cancel: route({
    id: "cancelQuery",
    method: "POST",
    path: "/v1/query-jobs/{jobId}/cancel",
    scope: "queries:write",
    summary: "Give a query up",
    description: "Of a job that has ended it changes nothing: `applied: false`.",
    example: { generation: 1 },
    body: schemas.generationBody,
    codes: GENERATION_CODES,
    replies: { 200: schemas.changedQuery },
    problems: [...OF_A_GENERATION, "query_job_answer_committing"],
    async handle(call) {
      const { queries } = call.tenant.queries;
      const { applied, job } = await queries.cancel(jobIdOf(call), call.body.generation);
      return reply(200, { applied, job });
    },
  }),

  acknowledge: route({
    id: "acknowledgeQuery",
    method: "POST",
    path: "/v1/query-jobs/{jobId}/ack",
    scope: "queries:write",
    summary: "Tell that its reader has the end",
    description: "Noted once; a repeat changes nothing: `applied: false`.",
    example: { generation: 1 },
    body: schemas.generationBody,
    codes: GENERATION_CODES,
    replies: { 200: schemas.changedQuery },
    problems: [...OF_A_GENERATION, "query_job_not_terminal"],
    async handle(call) {
      const { queries } = call.tenant.queries;
      const { applied, job } = await queries.acknowledge(jobIdOf(call), call.body.generation);
      return reply(200, { applied, job });
    },
  }),

  ...runRoutes,
};

/** Times of one length sort as texts. */
function orderOf({ acceptedAt, jobId }: { acceptedAt: string; jobId: string }): string {
  return `${acceptedAt} ${jobId}`;
}
