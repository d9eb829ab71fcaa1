/** What workers share: looking for work now and then, a few places to do it in, and stopping when told to. */
import { HoldfastError, invalid } from "./errors.ts";
import { type ClientDeps, systemDeps } from "./time.ts";

export interface PollingOptions {
  /**
   * Told what goes wrong on the way to the service, a lost lease and an end that was not taken included: a
   * HoldfastError, which may be logged, since it shows no job. What it throws is ignored. Not told what a
   * handler throws: that is told of the job.
   */
  readonly onError: (error: unknown) => void;
  /** Handlers at the same time, 1 to 100; 4 by default. */
  readonly concurrency?: number;
  /** How soon after a look that left a handler free the next one comes; 1,000 ms by default. */
  readonly pollMs?: number;
  /** What that grows to while nothing is due or the service cannot be reached; 10,000 ms by default. */
  readonly idleMs?: number;
  readonly deps?: Partial<ClientDeps>;
}

export interface Worker {
  /**
   * Takes no more jobs, waits for the handlers that run, and resolves when all is quiet. After `graceMs`
   * (without it: never) aborts their signals. Jobs that were asked for before it was called are run, since
   * giving them back would cost each an attempt. Handlers that ignore their signal are waited for, too.
   */
  stop(options?: { readonly graceMs?: number }): Promise<void>;
  /** Resolves when the worker has stopped. Never rejects. */
  readonly stopped: Promise<void>;
}

/** What one look for work came to. */
export interface Look {
  readonly isFound: boolean;
  /** Whether every free slot has its job, so that there may be more. */
  readonly isFull: boolean;
}

export interface Slots {
  free(): number;
  /** `task` never throws. */
  run(task: () => Promise<void>): void;
}

export interface Workplace {
  readonly deps: ClientDeps;
  readonly slots: Slots;
  /** Aborted when no more jobs are to be taken. */
  readonly stopping: AbortSignal;
  /** Aborted when the grace is over: every job that is held is to be let go. */
  readonly hard: AbortSignal;
  /** Never throws. */
  readonly report: (error: unknown) => void;
}

/**
 * Looks at once, and for as long as it is wanted. `open` is given the place to work in and gives the look:
 * it asks the service and starts on what it finds, no more than slots are free; what it throws is reported.
 */
export function polling(
  options: PollingOptions,
  open: (place: Workplace) => () => Promise<Look>,
): Worker {
  const { concurrency = 4, pollMs = 1_000, idleMs = 10_000 } = options;
  bounded("concurrency", concurrency, 1, 100);
  bounded("pollMs", pollMs, 1, idleMs);
  const hard = new AbortController();
  const stopping = new AbortController();
  const quiet = new AbortController();
  const report = reporter(options.onError);
  const deps = { ...systemDeps, ...options.deps };
  const slots = slotsOf(concurrency);
  const look = open({ deps, slots, stopping: stopping.signal, hard: hard.signal, report });

  async function looked(): Promise<Look & { readonly askedMs: number }> {
    try {
      return { ...(await look()), askedMs: 0 };
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

  const stopped = run();
  return {
    stopped,
    stop({ graceMs } = {}) {
      stopping.abort();
      if (graceMs !== undefined) void deps.sleep(graceMs, quiet.signal).then(() => hard.abort());
      return stopped;
    },
  };
}

/** Throws HoldfastError `invalid_request`. */
export function bounded(name: string, value: number, min: number, max: number): void {
  if (Number.isInteger(value) && value >= min && value <= max) return;
  throw invalid(`${name} must be a whole number from ${min} to ${max}`);
}

/** The longest wait that the service may ask a worker for. */
const ASKED_MS_MAX = 60_000;

/** How long the service wants to be left alone, within bounds. */
export function askedMsOf(error: unknown): number {
  const askedMs = error instanceof HoldfastError ? (error.retryAfterMs ?? 0) : 0;
  return Math.min(askedMs, ASKED_MS_MAX);
}

function reporter(onError: PollingOptions["onError"]): Workplace["report"] {
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
function slotsOf(count: number): Slots & { change(): Promise<void> } {
  let taken = 0;
  let wake = (): void => {};
  return {
    free: () => count - taken,
    run(task) {
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
