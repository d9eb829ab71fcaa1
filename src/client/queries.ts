/** The query calls: one for each route, and on top of them a run, and a stream that is followed. */
import type { Call } from "./call.ts";
import { get, queryText } from "./emails.ts";
import type { Events } from "./events.ts";
import { type Follow, followed } from "./follow.ts";
import { jobPath, type StartBody, type Started, startedRun } from "./query-run.ts";
import type { ClientDeps } from "./time.ts";
import type { CallOptions, QueryRoutes, RouteAnswer, RouteBody, RouteQuery } from "./types.ts";

type Body<R extends keyof QueryRoutes> = RouteBody<QueryRoutes[R]>;
type Answer<R extends keyof QueryRoutes> = Promise<RouteAnswer<QueryRoutes[R]>>;
type Query<R extends keyof QueryRoutes> = RouteQuery<QueryRoutes[R]>;

/**
 * `jobId` is a job's id, as `submit` answers it. Every call throws HoldfastError; `query_job_not_found`,
 * `erased`, `record_corrupt` and, where there is a generation, `query_job_generation_mismatch` are
 * possible wherever there is an id.
 */
export interface QueriesClient {
  /**
   * Admits a job once: the same clientJobId, generation and request again is answered with the stored job.
   * Throws `job_identity_conflict`, `job_generation_active`, `job_generation_out_of_order`,
   * `job_history_full`, and `provider_orphan_fence` with `retryAfterMs` while its session is held.
   */
  submit(body: Body<"submit">, options?: CallOptions): Answer<"submit">;
  get(jobId: string, query: Query<"read">, options?: CallOptions): Answer<"read">;
  /** For whoever lost the answer of `submit`. */
  byClient(
    clientJobId: string,
    query: Query<"byClient">,
    options?: CallOptions,
  ): Answer<"byClient">;
  /** One page of the latest generations; it may be short, even empty, and have a `nextCursor`. */
  list(query?: Query<"list">, options?: CallOptions): Answer<"list">;
  /** One page of a job's events behind `after`; `follow` goes on with those that are still to come. */
  events(jobId: string, query: Query<"events">, options?: CallOptions): Answer<"events">;
  readonly follow: Follow;
  /** Throws `query_job_answer_committing`. */
  cancel(jobId: string, body: Body<"cancel">, options?: CallOptions): Answer<"cancel">;
  /** Throws `query_job_not_terminal`. */
  ack(jobId: string, body: Body<"acknowledge">, options?: CallOptions): Answer<"acknowledge">;
  /** A key for a browser or a phone, good for this job alone: give it to a client as its `key`. */
  ticket(jobId: string, body: Body<"ticket">, options?: CallOptions): Answer<"ticket">;
  /**
   * Takes the run of an accepted job: `leaseMs` is 60,000 by default and renewed from now on. Without a
   * `leaseToken` in its body it has one of its own, so that its retries get the same run. Throws
   * `provider_orphan_fence` with `retryAfterMs` while the session is held.
   */
  start(jobId: string, body: StartBody, options?: CallOptions): Promise<Started>;
}

export function queriesClient(call: Call, events: Events, deps: ClientDeps): QueriesClient {
  const post = <T>(path: string, body: unknown, options?: CallOptions) =>
    call<T>({ method: "POST", path, body }, options);
  return {
    submit: (body, options) => post("/v1/query-jobs", body, options),
    get: (jobId, query, options) => call(get(jobPath(jobId) + queryText(query)), options),
    byClient: (clientJobId, query, options) => {
      const path = `/v1/query-jobs/by-client/${encodeURIComponent(clientJobId)}`;
      return call(get(path + queryText(query)), options);
    },
    list: (query, options) => call(get(`/v1/query-jobs${queryText(query)}`), options),
    events: (jobId, query, options) =>
      call(get(`${jobPath(jobId)}/events${queryText(query)}`), options),
    follow: (jobId, options) => {
      const { generation } = options;
      return followed(events, `${jobPath(jobId)}/events${queryText({ generation })}`, options);
    },
    cancel: (jobId, body, options) => post(`${jobPath(jobId)}/cancel`, body, options),
    ack: (jobId, body, options) => post(`${jobPath(jobId)}/ack`, body, options),
    ticket: (jobId, body, options) => post(`${jobPath(jobId)}/tickets`, body, options),
    start: (jobId, body, options) => startedRun({ ...deps, call }, jobId, body, options),
  };
}
