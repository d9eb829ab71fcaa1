/** The client of the HTTP service: `fetch` and nothing else, for browsers, Workers and Node. */
import { caller, DEADLINE_MS, type RetryOptions } from "./call.ts";
import { type EmailsClient, emailsClient, get, queryText } from "./emails.ts";
import { type Events, eventStreams } from "./events.ts";
import { type QueriesClient, queriesClient } from "./queries.ts";
import { type ReceiptsClient, receiptsClient } from "./receipts.ts";
import { type ClientDeps, systemDeps } from "./time.ts";
import type { CallOptions, OperationRoutes, RouteAnswer, RouteBody, RouteQuery } from "./types.ts";
import { type WireOptions, wire } from "./wire.ts";

export type { RetryOptions } from "./call.ts";
export type { EmailsClient } from "./emails.ts";
export { type ClientCode, HoldfastError, type ProblemBody } from "./errors.ts";
export type { Events, EventsOptions } from "./events.ts";
export type { FollowOptions, QuerySnapshotFrame } from "./follow.ts";
export type { QueriesClient } from "./queries.ts";
export type { QueryRun, Started, Told } from "./query-run.ts";
export { type QueryRunner, runnerHandler } from "./query-runner.ts";
export { type QueryHandler, type QueryWorkerOptions, runQueries } from "./query-worker.ts";
export type { ReceiptsClient } from "./receipts.ts";
export type { StreamEvent } from "./sse.ts";
export type { ClientDeps } from "./time.ts";
export type {
  CallOptions,
  Job,
  QueryEvent,
  QueryJob,
  QueryRequest,
  Receipt,
  RouteAnswer,
  RouteBody,
  RouteQuery,
} from "./types.ts";
export type { Fetch } from "./wire.ts";
export {
  type Handler,
  type Outcome,
  PermanentError,
  type Worker,
  type WorkerOptions,
  worker,
} from "./worker.ts";

export interface ClientOptions extends WireOptions {
  readonly retry?: RetryOptions;
  readonly deps?: Partial<ClientDeps>;
}

/**
 * Every call throws HoldfastError, or the reason of its signal. Calls that may fare better later (429, 503
 * but `misconfigured`, no answer) are repeated within bounds, under one request id: that never does harm,
 * but the answer may then be that of the repeat, such as `created: false`, or a refusal that tells the
 * record's `state` as an earlier attempt left it.
 */
export interface Client {
  readonly emails: EmailsClient;
  readonly receipts: ReceiptsClient;
  readonly queries: QueriesClient;
  /** How much waits, from the due index alone. */
  health(options?: CallOptions): Promise<RouteAnswer<OperationRoutes["health"]>>;
  /** One page of what waits for a person, why, and what to do. */
  stuck(
    query?: RouteQuery<OperationRoutes["stuck"]>,
    options?: CallOptions,
  ): Promise<RouteAnswer<OperationRoutes["stuck"]>>;
  /**
   * Removes everything personal of a record for good; its key then answers `erased`, or a receipt's
   * `operation_expired`. Throws `in_use` while the email is being sent, the receipt is dispatching, or
   * the query's job has not ended.
   */
  erase(
    body: RouteBody<OperationRoutes["erase"]>,
    options?: CallOptions,
  ): Promise<RouteAnswer<OperationRoutes["erase"]>>;
  /**
   * One pass over the key's tenant, not repeated. Waits for it as long as its `budgetMs` lets it go on;
   * without one, as long as any service's may. Node's own `fetch` gives up after five minutes.
   */
  reconcile(
    body?: RouteBody<OperationRoutes["reconcile"]>,
    options?: CallOptions,
  ): Promise<RouteAnswer<OperationRoutes["reconcile"]>>;
  /** One page of the walk that removes logs which belong to no query job; call it until `isComplete`. */
  collect(
    body?: RouteBody<OperationRoutes["collect"]>,
    options?: CallOptions,
  ): Promise<RouteAnswer<OperationRoutes["collect"]>>;
  readonly events: Events;
}

/** The longest that a service lets one pass be. Which budget it gives by itself is not known here. */
const PASS_MS_MAX = 3_600_000;

/** What an answer may take behind the pass: it ends five seconds after its budget. */
const ANSWER_MS = 30_000;

/** Asks nothing of the service yet. Throws HoldfastError `invalid_request` for a url or a key that is none. */
export function createClient(options: ClientOptions): Client {
  const deps = { ...systemDeps, ...options.deps };
  const { retry = {} } = options;
  const send = wire(options);
  const call = caller(send, retry, deps);
  // A second pass at once would only do the same; the one has all the time there is.
  const callOnce = caller(send, { attempts: 1, attemptMs: Number.POSITIVE_INFINITY }, deps);
  const events = eventStreams(send, deps, retry.deadlineMs ?? DEADLINE_MS);
  return {
    emails: emailsClient(call),
    receipts: receiptsClient(call),
    queries: queriesClient(call, events, deps),
    health: (callOptions) => call(get("/v1/health"), callOptions),
    stuck: (query, callOptions) => call(get(`/v1/stuck${queryText(query)}`), callOptions),
    erase: (body, callOptions) => call({ method: "POST", path: "/v1/erasures", body }, callOptions),
    collect: (body = {}, callOptions) =>
      call({ method: "POST", path: "/v1/query-collections", body }, callOptions),
    reconcile: (body = {}, callOptions) =>
      callOnce(
        { method: "POST", path: "/v1/reconciliations", body },
        { timeoutMs: (body.budgetMs ?? PASS_MS_MAX) + ANSWER_MS, ...callOptions },
      ),
    events,
  };
}
