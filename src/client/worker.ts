/** A worker: leases due emails over HTTP and runs a handler on each, for as long as it is wanted. */
import { invalid, unexpected } from "./errors.ts";
import { askedMsOf, type HeldDeps, work } from "./held-job.ts";
import { leasedJobs } from "./leased.ts";
import type { Handler } from "./outcome.ts";
import { type ClientDeps, systemDeps } from "./time.ts";
import type { Job } from "./types.ts";

export { type Handler, type Outcome, PermanentError } from "./outcome.ts";

export interface WorkerOptions {
  /**
   * Told what goes wrong on the way to the service, a lost lease and a settlement that was not taken
   * included: a HoldfastError, which may be logged, since it shows no job. What it throws is ignored. Not
   * told what a handler throws: that becomes the job's `lastError`.
   */
  readonly onError: (error: unknown) => void;
  /** Handlers at the same time, 1 to 100; 4 by default. */
  readonly concurrency?: number;
  /** 1,000 to 86,400,000 ms; 120,000 by default. A dead worker's jobs are taken over after it. */
  readonly leaseMs?: number;
  /** How soon after a look that left a handler free the next one comes; 1,000 ms by default. */
  readonly pollMs?: number;
  /** What that grows to while nothing is due or the service cannot be reached; 10,000 ms by default. */
  readonly idleMs?: number;
  readonly deps?: Partial<ClientDeps>;
}

export interface Worker {
  /**
   * Asks for no more leases, waits for the handlers that run, and resolves when all is quiet. After
   * `graceMs` (without it: never) aborts their signals and settles nothing more; their jobs are taken over
   * when their leases have run out. A request for leases that is under way is waited for and its jobs are
   * run, since giving them back would cost each an attempt. Handlers that ignore their signal are waited
   * for, too.
   */
  stop(options?: { readonly graceMs?: number }): Promise<void>;
  /** Resolves when the worker has stopped. Never rejects. */
  readonly stopped: Promise<void>;
}

/**
 * Starts at once. A handler that returns nothing or `"sent"` has its job settled as sent, one that returns
 * `{ to, lastError? }`, `to` being `sent`, `ready`, `cancelled` or `failed`, as that, and with anything
 * else as sent; one that throws has it tried again after the service's back-off, or failed for a
 * PermanentError. Leases only as many jobs as handlers are free, and renews each at a third of its time
 * until it is settled. Nothing that the service or a handler's outcome is ends the worker. Throws HoldfastError `invalid_request` for
 * options out of bounds.
 */
export function worker(
  client: { readonly emails: HeldDeps["emails"] },
  handler: Handler,
  options: WorkerOptions,
): Worker {
  const { concurrency = 4, leaseMs = 120_000, pollMs = 1_000, idleMs = 10_000 } = options;
  bounded("concurrency", concurrency, 1, 100);
  bounded("leaseMs", leaseMs, 1_000, 86_400_000);
  bounded("pollMs", pollMs, 1, idleMs);
  const { emails } = client;
  const hard = new AbortController();
  const stopping = new AbortController();
  const quiet = new AbortController();
  const report = reporter(options.onError);
  const clock = { ...systemDeps, ...options.deps };
  const deps: HeldDeps = { ...clock, emails, handler, leaseMs, report };
  // One for each job: Node warns of a leak where many listen to one signal.
  const held = new Set<AbortController>();
  const slots = slotsOf(concurrency);

  function start(job: Job, askedAt: number): void {
    const lost = new AbortController();
    held.add(lost);
    slots.run(async () => {
      try {
        await work(deps, job, askedAt, lost);
      } catch {
        // Never for anything known; and whatever it is, it may show the job.
        report(unexpected("a job ended with a fault"));
      } finally {
        held.delete(lost);
      }
    });
  }

  /** Leases what the free slots can take, and starts on it. */
  async function looked(): Promise<Look> {
    const limit = slots.free();
    const askedAt = deps.now();
    try {
      // Tried once: the loop comes again, and each try has to know when it began.
      const callOptions = { signal: hard.signal, attempts: 1, timeoutMs: leaseMs };
      const answer = await emails.leaseDue({ durationMs: leaseMs, limit }, callOptions);
      const jobs = leasedJobs(answer, limit, report);
      if (!hard.signal.aborted) for (const job of jobs) start(job, askedAt);
      return { isFound: jobs.length > 0, isFull: jobs.length >= limit, askedMs: 0 };
    } catch (error) {
      if (!hard.signal.aborted) report(error);
      return { isFound: false, isFull: false, askedMs: askedMsOf(error) };
    }
  }

  async function run(): Promise<void> {
    let waitMs = pollMs;
    while (!stopping.signal.aborted) {
      const { isFound, isFull, askedMs } = await looked();
      while (slots.free() <= 0) await slots.change();
      if (isFound) waitMs = pollMs;
      if (isFull) continue;
      const jitteredMs = waitMs * (1 - deps.random() / 4);
      await deps.sleep(Math.max(jitteredMs, askedMs), stopping.signal);
      waitMs = Math.min(waitMs * 2, idleMs);
    }
    while (slots.free() < concurrency) await slots.change();
    quiet.abort();
  }

  function drop(): void {
    hard.abort();
    for (const lost of held) lost.abort(hard.signal.reason);
  }

  const stopped = run();
  return {
    stopped,
    stop({ graceMs } = {}) {
      stopping.abort();
      if (graceMs !== undefined) void deps.sleep(graceMs, quiet.signal).then(drop);
      return stopped;
    },
  };
}

/** What one look for due jobs came to. */
interface Look {
  readonly isFound: boolean;
  /** Whether every free slot has its job, so that more may be due. */
  readonly isFull: boolean;
  /** How long the service wants to be left alone. */
  readonly askedMs: number;
}

function bounded(name: string, value: number, min: number, max: number): void {
  if (Number.isInteger(value) && value >= min && value <= max) return;
  throw invalid(`${name} must be a whole number from ${min} to ${max}`);
}

function reporter(onError: WorkerOptions["onError"]): HeldDeps["report"] {
  return (error) => {
    // Telling must never be a reason for work to stop, nor for the process to end.
    try {
      const result: unknown = onError(error);
      if (result instanceof Promise) result.catch(() => {});
    } catch {
      // As above.
    }
  };
}

/** Places for tasks, and a way to wait until one becomes free. */
function slotsOf(count: number) {
  let taken = 0;
  let wake = (): void => {};
  return {
    free: () => count - taken,
    /** `task` never throws. */
    run(task: () => Promise<void>): void {
      taken += 1;
      void task().finally(() => {
        taken -= 1;
        wake();
      });
    },
    /** Resolves when the next task ends. One waits at a time. */
    change: () =>
      new Promise<void>((resolve) => {
        wake = resolve;
      }),
  };
}
