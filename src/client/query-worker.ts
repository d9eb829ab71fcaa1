/** A worker: takes accepted query jobs over HTTP and runs a handler on each, for as long as it is wanted. */
import { mayPass } from "./call.ts";
import { HoldfastError } from "./errors.ts";
import { fieldOf, storable } from "./outcome.ts";
import {
  bounded,
  type Look,
  type PollingOptions,
  polling,
  type Worker,
  type Workplace,
} from "./polling.ts";
import type { QueriesClient } from "./queries.ts";
import type { Given, QueryRun } from "./query-run.ts";
import { isAnswer, LOSSES } from "./renewal.ts";
import { type ClientDeps, LATE, within } from "./time.ts";
import type { QueryJob } from "./types.ts";

export interface QueryWorkerOptions extends PollingOptions {
  /**
   * As of every worker, and told what a handler throws without meaning it for whoever asks: that may hold
   * anything, the prompt included.
   */
  readonly onError: PollingOptions["onError"];
  /** 1,000 to 86,400,000 ms; 60,000 by default. A dead worker's jobs are interrupted after it. */
  readonly leaseMs?: number;
  /** How long a handler may take, 1,000 to 86,400,000 ms; 21 minutes by default. */
  readonly deadlineMs?: number;
}

/**
 * Answers the query: `run.request` holds it, `run.delta` tells the answer as it comes. Aborting `signal`
 * says that nothing more is taken: the job was canceled, the lease is lost, or the time is up. Nothing of
 * a job is ever run twice, so start what costs money only once.
 */
export type QueryHandler = (
  run: QueryRun,
  context: { readonly signal: AbortSignal },
  // biome-ignore lint/suspicious/noConfusingVoidType: a handler that returns nothing has told its deltas.
) => Promise<Given<"complete"> | string | void>;

/** Jobs of one look at most: behind so many that cannot be started now it begins anew. */
const PAGES_MAX = 100;
const PAGE = 100;

/** For how long a job that could not be started for a reason of its own is left alone. */
const REST_MS = 60_000;

const STOPPED = "the worker was stopped";

/**
 * Starts at once. A handler's answer completes its job, its text being the joined deltas where there is no
 * other; what it throws fails the job: an error with a `code` that is no system's (they are all capitals,
 * as ENOENT) with its `code`, `message`, `retryable` and `retryAfterMs`, and any other as `runner_failed`,
 * without its text, which `onError` is told.
 * In the order of admission, one job of a session at a time; jobs of a session that the service holds wait.
 * Runs that a stop ends are interrupted. Throws HoldfastError `invalid_request` for options out of bounds.
 */
export function runQueries(
  client: { readonly queries: Pick<QueriesClient, "list" | "start"> },
  handler: QueryHandler,
  options: QueryWorkerOptions,
): Worker {
  const { leaseMs = 60_000, deadlineMs = 1_260_000 } = options;
  bounded("leaseMs", leaseMs, 1_000, 86_400_000);
  bounded("deadlineMs", deadlineMs, 1_000, 86_400_000);
  const { queries } = client;
  return polling(options, (place) => {
    const { deps, slots, stopping, hard, report } = place;
    const starts = openStarts(place, queries, leaseMs);
    /** By session. */
    const runs = new Map<string, QueryRun>();
    hard.addEventListener("abort", () => {
      for (const run of runs.values()) void interrupted(run);
    });
    const tell = (error: unknown): void => {
      if (!hard.aborted) report(error);
    };

    async function interrupted(run: QueryRun): Promise<void> {
      await run.interrupt(STOPPED).catch(report);
      run.drop();
    }

    /** Whether it is under way now. */
    async function begun(job: QueryJob): Promise<boolean> {
      const { sessionId } = job;
      const run = runs.has(sessionId) ? null : await starts.start(job);
      if (run === null) return false;
      runs.set(sessionId, run);
      slots.run(async () => {
        if (hard.aborted) await interrupted(run);
        else await answered(deps, { run, handler, deadlineMs, report: tell });
        runs.delete(sessionId);
      });
      return true;
    }

    return async (): Promise<Look> => {
      let isFound = false;
      for await (const job of waiting(queries, hard)) {
        if (stopping.aborted) break;
        isFound = (await begun(job)) || isFound;
        if (slots.free() <= 0) return { isFound, isFull: true };
      }
      return { isFound, isFull: false };
    };
  });
}

/** Starts jobs, and leaves those alone for a while that cannot be started now. */
function openStarts(
  { deps, hard, report }: Workplace,
  queries: Pick<QueriesClient, "start">,
  leaseMs: number,
) {
  /** Sessions and jobs, and until when. */
  const resting = new Map<string, number>();

  /** Throws what the next job would meet, too. */
  function judge(error: unknown, { jobId, sessionId }: QueryJob): void {
    if (hard.aborted || !(error instanceof HoldfastError) || mayPass(error)) throw error;
    const isHeld = error.code === "provider_orphan_fence";
    // Taken by another, or no more: nothing to tell.
    if (!isAnswer(error, LOSSES)) report(error);
    const restMs = error.retryAfterMs ?? REST_MS;
    resting.set(isHeld ? sessionId : jobId, deps.now() + restMs);
  }

  return {
    /** The job's run; null: not now. */
    async start(job: QueryJob): Promise<QueryRun | null> {
      const { jobId, generation, sessionId } = job;
      for (const [name, until] of resting) if (deps.now() >= until) resting.delete(name);
      if (resting.has(jobId) || resting.has(sessionId)) return null;
      try {
        return (await queries.start(jobId, { generation, leaseMs }, { signal: hard })).run;
      } catch (error) {
        judge(error, job);
        return null;
      }
    },
  };
}

/** Jobs that nobody has started, those that were admitted first before the others. */
async function* waiting(
  queries: Pick<QueriesClient, "list">,
  signal: AbortSignal,
): AsyncGenerator<QueryJob, void> {
  let cursor: string | null = null;
  for (let pages = 0; pages < PAGES_MAX; pages += 1) {
    const query = { status: "accepted", limit: PAGE } as const;
    const page: Awaited<ReturnType<QueriesClient["list"]>> = await queries.list(
      cursor === null ? query : { ...query, cursor },
      { signal },
    );
    yield* page.jobs;
    cursor = page.nextCursor;
    if (cursor === null) return;
  }
}

interface Held {
  readonly run: QueryRun;
  readonly handler: QueryHandler;
  readonly deadlineMs: number;
  readonly report: (error: unknown) => void;
}

/** Until the job has ended or the run is lost. Never throws. */
async function answered(deps: ClientDeps, { run, handler, deadlineMs, report }: Held) {
  try {
    const answer = await within(deps, deadlineMs, run.signal, (signal) => handler(run, { signal }));
    await run.complete(typeof answer === "string" ? { text: answer } : (answer ?? {}));
  } catch (error) {
    await run.fail(error === LATE ? TIMEOUT : toldFailure(error, report)).catch(report);
  } finally {
    run.drop();
  }
}

const TIMEOUT = {
  code: "provider_timeout",
  message: "The provider did not answer in time.",
  retryable: true,
};

const UNEXPECTED = {
  code: "runner_failed",
  message: "The runner met an error that it did not expect.",
};

/** Of Node and of drivers, whose messages hold paths, addresses and values. */
const SYSTEM_CODE = /^[A-Z0-9_]*$/;

/** Anything at all may be thrown. */
function toldFailure(error: unknown, report: (error: unknown) => void) {
  const code = fieldOf(error, "code");
  if (typeof code !== "string" || SYSTEM_CODE.test(code)) {
    report(error);
    return UNEXPECTED;
  }
  const retryAfterMs = fieldOf(error, "retryAfterMs");
  return {
    code,
    message: storable(error),
    retryable: fieldOf(error, "retryable") === true,
    ...(typeof retryAfterMs === "number" && Number.isFinite(retryAfterMs) ? { retryAfterMs } : {}),
  };
}
