/** The query routes of whoever asks and reads; those of runners stand beside them. */
import { snapshotOf } from "../machines/queries/snapshot.ts";
import { QueryJobNotFoundError } from "../services/query-errors.ts";
import { GENERATION_CODES, jobIdOf, QUERY_BYTES_MAX } from "./query-answers.ts";
import { queryProblem } from "./query-problems.ts";
import { runRoutes } from "./query-runs.ts";
import * as schemas from "./query-schemas.ts";
import { reply, route } from "./route.ts";

const JOBS_PAGE_DEFAULT = 50;

export const queryRoutes = {
  submit: route({
    id: "submitQuery",
    method: "POST",
    path: "/v1/query-jobs",
    scope: "queries:write",
    body: schemas.submissionBody,
    bodyBytesMax: QUERY_BYTES_MAX,
    handle: async (call) => reply(202, await call.tenant.queries.asking.admit(call.body)),
  }),

  byClient: route({
    id: "findQuery",
    method: "GET",
    path: "/v1/query-jobs/by-client/{clientJobId}",
    scope: "queries:read",
    query: schemas.jobQuery,
    codes: GENERATION_CODES,
    async handle(call) {
      const { asking } = call.tenant.queries;
      const clientJobId = call.params["clientJobId"] ?? "";
      const job = await asking.findByClientGeneration(clientJobId, call.query.generation);
      if (job === undefined) return { problem: queryProblem(new QueryJobNotFoundError()) };
      return reply(200, { job });
    },
  }),

  read: route({
    id: "readQuery",
    method: "GET",
    path: "/v1/query-jobs/{jobId}",
    scope: "queries:read",
    query: schemas.jobQuery,
    codes: GENERATION_CODES,
    async handle(call) {
      const { asking } = call.tenant.queries;
      return reply(200, { job: await asking.getSnapshot(jobIdOf(call), call.query.generation) });
    },
  }),

  list: route({
    id: "listQueries",
    method: "GET",
    path: "/v1/query-jobs",
    scope: "queries:read",
    gate: "heavy",
    query: schemas.listQuery,
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
    body: schemas.generationBody,
    codes: GENERATION_CODES,
    async handle(call) {
      const { asking } = call.tenant.queries;
      const { applied, job } = await asking.cancel(jobIdOf(call), call.body.generation);
      return reply(200, { applied, job });
    },
  }),

  acknowledge: route({
    id: "acknowledgeQuery",
    method: "POST",
    path: "/v1/query-jobs/{jobId}/ack",
    scope: "queries:write",
    body: schemas.generationBody,
    codes: GENERATION_CODES,
    async handle(call) {
      const { asking } = call.tenant.queries;
      const { applied, job } = await asking.acknowledge(jobIdOf(call), call.body.generation);
      return reply(200, { applied, job });
    },
  }),

  ...runRoutes,
};

/** Times of one length sort as texts. */
function orderOf({ acceptedAt, jobId }: { acceptedAt: string; jobId: string }): string {
  return `${acceptedAt} ${jobId}`;
}
