/**
 * The query service: the original store's methods under their names, with their parameters and results,
 * on any storage (semantics C3). A refusal is thrown, as a QueryJobStoreError or one of its kind.
 */
import { uuid } from "../core/ids.ts";
import { safeParse } from "../core/safe-parse.ts";
import type { DurationMs } from "../core/time.ts";
import type { HeldQueries } from "../machines/queries/admission.ts";
import type { ActivityKind } from "../machines/queries/events.ts";
import { queryInputs } from "../machines/queries/inputs.ts";
import type { QueryRequest } from "../machines/queries/request.ts";
import { type QuerySnapshot, snapshotOf } from "../machines/queries/snapshot.ts";
import type { QueryStatus } from "../machines/queries/statuses.ts";
import type { CorruptRecord } from "../store/store.ts";
import { checked, checkedOptions } from "./input.ts";
import { type Admit, admission } from "./query-admission.ts";
import { queryAppends } from "./query-appends.ts";
import { type QueryCommands, queryCommands } from "./query-commands.ts";
import { type DueQueries, dueQueries } from "./query-due.ts";
import { QueryJobNotFoundError } from "./query-errors.ts";
import { sessionFences } from "./query-fences.ts";
import { type GcPage, type QueryGc, queryGc } from "./query-gc.ts";
import { type KnownJobs, knownJobs } from "./query-known.ts";
import { type QueryLists, queryLists } from "./query-lists.ts";
import { type AskingMethods, askingMethods } from "./query-methods.ts";
import { type QueryReading, queryReading, type Replay } from "./query-reading.ts";
import { type QueryDeps, rootKey } from "./query-records.ts";
import { type QueryRetirement, queryRetirement } from "./query-retire.ts";
import { queryRoots } from "./query-roots.ts";
import { runMethods } from "./query-run-methods.ts";
import { queryScans } from "./query-scan.ts";
import { type EventListener, type Subscription, subscriber } from "./query-subscribe.ts";
import { type QueryTails, queryTails } from "./query-tails.ts";
import { runTokens } from "./query-tokens.ts";
import { type QueryWatch, queryWatch } from "./query-watch.ts";

export interface Admitted {
  readonly created: boolean;
  /** The job, whatever its status. */
  readonly job: QuerySnapshot;
}

export interface Applied {
  /** False: nothing changed, and nothing was written. */
  readonly applied: boolean;
  readonly job: QuerySnapshot;
  /** For the next call of this run that has a `requestId`; null: the one before is still good. */
  readonly position: string | null;
}

export interface Started extends Applied {
  /** The credential of the run; null for everybody but whoever holds it. */
  readonly leaseToken: string | null;
}

export interface StartOptions {
  /** Default: whichever the job has. */
  readonly generation?: number;
  /** From 1 to 86,400,000; default `limits.runLeaseMs`, which is 60,000. */
  readonly leaseMs?: number;
  /** Makes a repeat of the call get the same run; default: a fresh one. */
  readonly leaseToken?: string;
}

export interface HolderOptions {
  /** Default: the token that this service was given for the job, if it was. */
  readonly leaseToken?: string;
  /** Names this call, so that its repeat writes nothing more. */
  readonly requestId?: string;
  /** Of the answer before; the same again with a repeat. Without it the log is searched from its start. */
  readonly position?: string | null;
}

export interface HeartbeatOptions extends Pick<HolderOptions, "leaseToken"> {
  readonly leaseMs?: number;
}

export interface GivenAnswer {
  readonly text: string;
  readonly attachments?: unknown;
  readonly outputImageStats?: unknown;
  readonly linkage?: unknown;
}

/** What a job was asked, for whoever answers it: never to be shown. */
export interface QueryExecution {
  readonly request: QueryRequest;
  readonly job: QuerySnapshot;
}

export interface QueryJobPage {
  readonly jobs: readonly QuerySnapshot[];
  readonly corrupt: readonly CorruptRecord[];
  readonly nextCursor: string | null;
}

export interface QueryExecutionPage {
  readonly executions: readonly QueryExecution[];
  readonly corrupt: readonly CorruptRecord[];
  readonly nextCursor: string | null;
}

export interface ListOptions {
  /** 1 to 100, default 50. */
  readonly limit?: number;
  readonly cursor?: string | null;
}

export interface QueryHealth {
  readonly state: "ready";
  /** How many follow a job in this process. */
  readonly subscribers: number;
}

export interface Queries {
  /** Whether the storage answers; nothing needs to be opened first. */
  init(): Promise<QueryHealth>;
  /** Makes a job of a request, once; later calls answer the stored one (QUERY-1 to 15). */
  admit(request: unknown): Promise<Admitted>;
  /** Takes the run of an accepted job. Throws QueryJobFencedError while its session is held. */
  markStarting(jobId: string, options?: StartOptions): Promise<Started>;
  /** Sets the end of the run's lease to now and `leaseMs`. */
  heartbeat(jobId: string, options?: HeartbeatOptions): Promise<Applied>;
  markRunning(jobId: string, linkage?: unknown, options?: HolderOptions): Promise<Applied>;
  /** Confirms that the provider is ours, before it gets the prompt (QUERY-19, 75). */
  updateLinkage(jobId: string, linkage?: unknown, options?: HolderOptions): Promise<Applied>;
  /**
   * More of the answer. `fullText` is the original's, and not looked at: the log adds the deltas up.
   * `truncated`: the caller cut the answer here.
   */
  appendPartial(
    jobId: string,
    delta: string,
    fullText?: string,
    truncated?: boolean,
    options?: HolderOptions,
  ): Promise<Applied>;
  appendActivity(
    jobId: string,
    kind: ActivityKind,
    text: string,
    options?: HolderOptions,
  ): Promise<Applied>;
  /** Commits the answer: from then on the job can only complete. */
  markAnswerReady(
    jobId: string,
    text: string,
    linkage?: unknown,
    options?: HolderOptions,
  ): Promise<Applied>;
  complete(jobId: string, answer: GivenAnswer, options?: HolderOptions): Promise<Applied>;
  /** Completes it where the answer is committed already (QUERY-27). */
  fail(jobId: string, error: unknown, options?: HolderOptions): Promise<Applied>;
  /** Ends it, to be asked for again; holds its session where a provider may be at work (QUERY-31). */
  interrupt(jobId: string, reason?: string, options?: HolderOptions): Promise<Applied>;
  /** Throws `query_job_answer_committing` once the answer is committed (QUERY-28, 29). */
  cancel(jobId: string, generation: number): Promise<Applied>;
  /** Notes that the reader has the end (QUERY-33). */
  acknowledge(jobId: string, generation: number): Promise<Applied>;
  getSnapshot(jobId: string, generation?: number): Promise<QuerySnapshot>;
  /** With what was asked: for whoever answers the job. */
  getExecution(jobId: string): Promise<QueryExecution>;
  /** Of the latest generations; one page. */
  listRetainedExecutions(options?: ListOptions): Promise<QueryExecutionPage>;
  findByClientGeneration(
    clientJobId: string,
    generation: number,
  ): Promise<QuerySnapshot | undefined>;
  /** One page of the latest generations, in the storage's order; accepted ones the longest waiting first. */
  list(options?: ListOptions & { readonly status?: QueryStatus }): Promise<QueryJobPage>;
  /** A page of events behind `after`, at most `limit` (1 to 256, the default). */
  replay(
    jobId: string,
    generation: number,
    after?: number,
    options?: { readonly limit?: number },
  ): Promise<Replay>;
  /**
   * The first page, and every event behind it to `listener`, one after the other, each awaited, until the
   * job has ended (QUERY-61).
   */
  subscribe(
    jobId: string,
    generation: number,
    after: number,
    listener: EventListener,
  ): Promise<Subscription>;
  getHealth(): Promise<QueryHealth>;
  /** Removes everything of a client job, for ever. Throws `in_use` while it has not ended. */
  erase(clientJobId: string): Promise<void>;
  /** One page of the walk that removes logs which nothing names; an operator's, not a pass's. */
  gc(limit?: number): Promise<GcPage>;
}

export interface QueryServiceDeps extends QueryDeps {
  /** Of a run whose caller says nothing else. */
  readonly runLeaseMs: DurationMs;
  readonly heldQueries: HeldQueries;
}

/** What the HTTP routes, passes and coordinators of one tenant are made of, and the library's methods. */
export interface QueryService {
  readonly deps: QueryDeps;
  readonly jobs: KnownJobs;
  readonly asking: AskingMethods;
  readonly admit: Admit;
  readonly commands: QueryCommands;
  readonly reading: QueryReading;
  readonly lists: QueryLists;
  readonly tails: QueryTails;
  readonly due: DueQueries;
  readonly retirement: QueryRetirement;
  readonly watch: QueryWatch;
  readonly gc: QueryGc;
  /** Of a run whose caller says nothing else. */
  readonly runLeaseMs: DurationMs;
  /** For a run whose caller brings no token. */
  readonly freshToken: () => string;
}

const LIST_DEFAULT = 50;
const GC_DEFAULT = 1_000;

/** Any record does; there is none by this name. */
const PROBE = rootKey("");

export function createQueryService(deps: QueryServiceDeps): QueryService {
  const jobs = knownJobs(deps);
  const roots = queryRoots(deps);
  const fences = sessionFences(deps);
  const scans = queryScans(jobs);
  const reading = queryReading({ deps, jobs, roots });
  const tails = queryTails({ deps, jobs, roots, reading });
  const watch = queryWatch();
  const shared = { deps, jobs, roots, fences, scans, watch };
  const appends = queryAppends({ ...shared, onGrown: tails.wake });
  const admit = admission({ ...shared, heldQueries: deps.heldQueries });
  const commands = queryCommands({ ...shared, appends });
  const retirement = queryRetirement(shared);
  const due = dueQueries({ ...shared, commands, retirement });
  const lists = queryLists({ deps, jobs, reading });
  const gc = queryGc(deps);
  const { runLeaseMs } = deps;
  const freshToken = () => uuid(deps.random.bytes(16));
  return {
    ...{ deps, jobs, admit, commands, reading, lists, tails, due, retirement, watch, gc },
    asking: askingMethods({ deps, admit, commands, reading }),
    ...{ runLeaseMs, freshToken },
  };
}

/** The library's methods, which no service needs that only serves HTTP. */
export function queriesOf(service: QueryService): Queries {
  const { deps, jobs, reading, lists, tails, retirement, gc } = service;

  async function getHealth(): Promise<QueryHealth> {
    await deps.store.get(PROBE);
    return { state: "ready", subscribers: tails.followers() };
  }

  async function page({ limit = LIST_DEFAULT, cursor = null, status }: ListOptions & Filter) {
    return lists.page({
      limit: checked(queryInputs.limit, limit, "options.limit"),
      cursor,
      status: status === undefined ? null : checked(queryInputs.status, status, "options.status"),
    });
  }

  return {
    ...service.asking,
    ...runMethods(service, runTokens()),
    init: getHealth,
    getHealth,
    async list(options = {}) {
      const found = await page(checkedOptions(options, "options"));
      return { ...found, jobs: found.jobs.map(({ job }) => snapshotOf(job)) };
    },
    async listRetainedExecutions(options = {}) {
      const found = await page(checkedOptions(options, "options"));
      const { corrupt, nextCursor } = found;
      const executions = found.jobs.map(({ job }) => ({
        request: structuredClone(job.request),
        job: snapshotOf(job),
      }));
      return { executions, corrupt, nextCursor };
    },
    subscribe: subscriber(jobs, reading, tails),
    async erase(clientJobId) {
      const id = safeParse(queryInputs.id, clientJobId);
      if (!id.success) throw new QueryJobNotFoundError();
      await retirement.erase(id.data);
    },
    gc: async (limit = GC_DEFAULT) => gc.collect(checked(queryInputs.gcLimit, limit, "limit")),
  };
}

interface Filter {
  readonly status?: QueryStatus;
}
