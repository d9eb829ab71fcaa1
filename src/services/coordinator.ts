/**
 * Runs jobs with a runner (semantics C7): admits, starts what is accepted, one run of a session at a time
 * in the order of admission, and ends what it started, and what others left. Any number of coordinators
 * may share a storage: who starts a job first has it.
 */
import * as z from "zod/mini";
import { isOf } from "../core/foreign.ts";
import { uuid } from "../core/ids.ts";
import { isJsonObject } from "../core/json.ts";
import { type DurationMs, durationMs, seconds } from "../core/time.ts";
import { type QuerySnapshot, snapshotOf } from "../machines/queries/snapshot.ts";
import { isTerminal } from "../machines/queries/statuses.ts";
import type { Runner } from "../ports/runner.ts";
import { attendDue } from "./coordinator-due.ts";
import { type JobRun, type RunParts, runJob } from "./coordinator-run.ts";
import { openSlots } from "./coordinator-slots.ts";
import { InvalidInputError } from "./errors.ts";
import { checked } from "./input.ts";
import type { Admitted, Applied, QueryService } from "./queries.ts";
import { QueryJobNotFoundError } from "./query-errors.ts";
import { quietly, tellFault } from "./quietly.ts";
import { serialize } from "./serialized.ts";

export interface CoordinatorOptions {
  readonly runner: Runner;
  /** Runs at the same time, of different sessions; 1 to 1,000, default 16. */
  readonly atOnce?: number;
  /** How long a provider may take; 1,000 ms or more, default 21 minutes. */
  readonly deadlineMs?: number;
  /**
   * Told of every job that ends in this process and, when the coordinator opens, of the latest
   * generations that have ended and are kept, up to 10,000 (QUERY-79): it has to be idempotent. What it
   * throws is counted, and changes nothing of the job.
   */
  readonly project?: (job: QuerySnapshot) => unknown;
}

export interface Coordinator {
  /** Admits, with a session of its own for a request that names none, and runs (QUERY-74). */
  submit(request: unknown): Promise<Admitted>;
  /** Cancels the job first, and then its run. */
  cancel(jobId: string, generation: number): Promise<Applied>;
  /**
   * Ends what nobody goes on with, and looks for accepted jobs, now, as it does by itself every 30 seconds.
   * Throws the storage's faults where it could not look for accepted ones.
   */
  look(): Promise<void>;
  /** Tells `project` of every job that has ended and is kept, without a limit. Throws the storage's faults. */
  projectAll(): Promise<void>;
  /** Resolves when nothing runs or waits to be run here. */
  idle(): Promise<void>;
  /**
   * Refuses new requests, interrupts what runs (or completes it, where its answer is committed), and
   * waits for the runner to let go (QUERY-80).
   */
  close(): Promise<void>;
}

/** New requests are refused: this process ends. */
export class CoordinatorClosedError extends Error {
  override readonly name = "CoordinatorClosedError";
  readonly code = "coordinator_shutting_down";
}

const AT_ONCE = { min: 1, max: 1_000, default: 16 };
const DEADLINE_MS = { min: 1_000, max: 86_400_000, default: 21 * 60_000 };

const LOOK_MS = seconds(30);
const PAGE = 100;

/** Jobs that `project` is told of again at the start: each is read. `projectAll` has no such end. */
const PROJECTED_MAX = 10_000;

const SHUTDOWN = "The server that ran this query was shut down.";

interface Underway {
  readonly run: JobRun;
  /** Whether `project` was told of its end, or is being told. */
  isTold: boolean;
}

/** Throws InvalidInputError. */
export function createCoordinator(
  service: QueryService,
  { runner, project, ...limits }: CoordinatorOptions,
): Coordinator {
  if (typeof runner?.run !== "function") {
    throw new InvalidInputError([{ path: "runner", message: "must be a runner, with run" }]);
  }
  const atOnce = within(AT_ONCE, limits.atOnce, "atOnce");
  const deadlineMs = durationMs(within(DEADLINE_MS, limits.deadlineMs, "deadlineMs"));
  const { deps, runLeaseMs: leaseMs } = service;
  const { clock, random, owner } = deps;
  const runs = new Map<string, Underway>();
  /** What `project` is being told, by job. */
  const tellings = new Map<string, Promise<void>>();
  const closing = new AbortController();
  const inTurn = serialize();
  const parts: RunParts = { deps, service, runner, deadlineMs, leaseMs, owner };

  const slots = openSlots(clock, { atOnce, closing: closing.signal, run: runOne });

  async function runOne(jobId: string): Promise<DurationMs | null> {
    const underway: Underway = { run: runJob(parts, jobId), isTold: false };
    runs.set(jobId, underway);
    try {
      const end = await underway.run.end;
      if (end.kind === "held") return end.retryAfterMs;
      // Somebody else may have ended it, elsewhere.
      if (end.kind === "ended") await (underway.isTold ? tellings.get(jobId) : projected(jobId));
    } catch (fault) {
      // The job waits for the next look, or for its lease to lapse.
      tellFault(deps, "query run given up", fault);
    } finally {
      runs.delete(jobId);
    }
    return null;
  }

  /** Never rejects. */
  function projected(jobId: string): Promise<void> {
    if (project === undefined) return Promise.resolve();
    const telling = (async () => {
      await told(async () => snapshotOf((await service.reading.job(jobId, null)).job));
      tellings.delete(jobId);
    })();
    tellings.set(jobId, telling);
    return telling;
  }

  /** Never rejects. */
  async function told(read: () => Promise<QuerySnapshot> | QuerySnapshot): Promise<void> {
    if (project === undefined) return;
    try {
      const job = await read();
      if (isTerminal(job.status)) await project(job);
    } catch {
      deps.observe("query.projection_failed", 1);
    }
  }

  async function projectedAgain(max: number): Promise<void> {
    if (project === undefined) return;
    await walk(null, (job) => told(() => job), max);
  }

  /** Pages of the latest generations, whose jobs `visit` is shown, until `max` are. */
  async function walk(
    status: "accepted" | null,
    visit: (job: QuerySnapshot) => Promise<void> | void,
    max = Number.POSITIVE_INFINITY,
  ): Promise<void> {
    let cursor: string | null = null;
    let visited = 0;
    do {
      const page: Awaited<ReturnType<QueryService["lists"]["page"]>> = await service.lists.page({
        ...{ limit: PAGE, cursor, status },
      });
      for (const { job } of page.jobs) {
        if (closing.signal.aborted) return;
        await visit(snapshotOf(job));
      }
      visited += page.jobs.length;
      cursor = page.nextCursor;
    } while (cursor !== null && visited < max && !closing.signal.aborted);
  }

  const isAliveHere = (jobId: string): boolean => runs.get(jobId)?.run.isAlive() === true;

  /** Never rejects. */
  async function attendQuietly(retires: boolean): Promise<void> {
    const options = { retires, closing: closing.signal };
    const attended = attendDue({ deps, service, isAliveHere }, options);
    await quietly(deps, "due queries not looked for", attended);
  }

  async function look(): Promise<void> {
    // First: a session is to be held for a lapsed run before the next of that session is started.
    await attendQuietly(false);
    await walk("accepted", ({ jobId, sessionId }) => slots.enter(jobId, sessionId));
  }

  /** The next look may fare better. */
  const lookQuietly = () => quietly(deps, "accepted queries not looked for", look());

  async function lookNowAndThen(): Promise<void> {
    for (;;) {
      await clock.sleep(LOOK_MS, closing.signal);
      if (closing.signal.aborted) return;
      await lookQuietly();
    }
  }

  /** Beside the looks, since nothing that is to be started waits for it. */
  async function retireNowAndThen(): Promise<void> {
    for (;;) {
      await clock.sleep(LOOK_MS, closing.signal);
      if (closing.signal.aborted) return;
      await attendQuietly(true);
    }
  }

  const firstLook = lookQuietly();
  const looking = firstLook.then(lookNowAndThen);
  const firstRetired = firstLook.then(() => attendQuietly(true));
  const retiring = firstRetired.then(retireNowAndThen);
  const catchingUp = projectedAgain(PROJECTED_MAX).catch(() => {
    deps.observe("query.projection_failed", 1);
  });

  /** Behind those of its session that had been accepted before anybody was here (QUERY-83). */
  function enter(jobId: string, sessionId: string): void {
    void firstLook.then(() => slots.enter(jobId, sessionId));
  }

  const unwatch = service.watch.add({
    accepted: enter,
    ended(jobId) {
      const underway = runs.get(jobId);
      // Told before its runner lets go, which may take a while.
      void projected(jobId);
      if (underway === undefined) return;
      underway.isTold = true;
      underway.run.abort();
    },
  });

  /** The request with a session: the one that its repeat was given, or a new one. */
  async function withSession(request: unknown): Promise<unknown> {
    if (!isJsonObject(request) || (request["sessionId"] ?? "") !== "") return request;
    const generation = Number(request["generation"]);
    const clientJobId = String(request["clientJobId"]);
    const existing = await sessionOf(clientJobId, generation);
    return { ...request, sessionId: existing ?? uuid(random.bytes(16)) };
  }

  async function sessionOf(clientJobId: string, generation: number): Promise<string | null> {
    const id = clientJobId.trim().toLowerCase();
    const found = await service.reading.find(id, generation);
    return found?.job.request.sessionId ?? null;
  }

  return {
    async submit(request) {
      if (closing.signal.aborted) {
        throw new CoordinatorClosedError("this server takes no more requests");
      }
      return inTurn("admission", async () => {
        const answer = await service.asking.admit(await withSession(request));
        const { jobId, sessionId, status } = answer.job;
        if (!answer.created && status === "accepted") enter(jobId, sessionId);
        return answer;
      });
    },
    async cancel(jobId, generation) {
      const answer = await service.asking.cancel(jobId, generation);
      await tellings.get(answer.job.jobId);
      return answer;
    },
    look,
    projectAll: () => projectedAgain(Number.POSITIVE_INFINITY),
    async idle() {
      await firstRetired;
      await slots.idle();
    },
    async close() {
      closing.abort();
      const ends = await Promise.allSettled(
        [...runs.values()].map(({ run }) => run.interrupt(SHUTDOWN)),
      );
      await Promise.all([slots.idle(), looking, retiring, catchingUp]);
      unwatch();
      await Promise.all(tellings.values());
      for (const end of ends) {
        const isGone = end.status === "rejected" && isOf(end.reason, QueryJobNotFoundError);
        if (end.status === "rejected" && !isGone) throw end.reason;
      }
    },
  };
}

function within(
  { min, max, ...bounds }: { readonly min: number; readonly max: number; readonly default: number },
  value: number | undefined,
  path: string,
): number {
  return checked(z.int().check(z.minimum(min), z.maximum(max)), value ?? bounds.default, path);
}
