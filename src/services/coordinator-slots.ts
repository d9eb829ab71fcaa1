/** Who may run now: one job of a session at a time, in their order, and not too many of all. */
import { type DurationMs, durationMs, seconds } from "../core/time.ts";
import type { Clock } from "../ports/clock.ts";

export interface Slots {
  /** Puts a job into the queue of its session, unless it is there, or runs. */
  enter(jobId: string, sessionId: string): void;
  /** Resolves when nothing waits or runs. */
  idle(): Promise<void>;
}

export interface SlotOptions {
  readonly atOnce: number;
  /** Nothing more is begun once this is aborted. */
  readonly closing: AbortSignal;
  /** Never rejects. Answers after how long the job may be tried again; null: it is done with. */
  readonly run: (jobId: string) => Promise<DurationMs | null>;
}

/** A held session is looked at again after this long at most: its hold may have been taken back. */
const HOLD_RECHECK_MS = seconds(30);

export function openSlots(clock: Clock, { atOnce, closing, run }: SlotOptions): Slots {
  /** By session, its jobs in order; the first one runs, or is about to. */
  const queues = new Map<string, string[]>();
  const entered = new Set<string>();
  const waiting: (() => void)[] = [];
  const idlers = new Set<() => void>();
  let free = atOnce;

  async function acquire(): Promise<void> {
    if (free > 0) free -= 1;
    else await new Promise<void>((resolve) => waiting.push(resolve));
  }

  function release(): void {
    const next = waiting.shift();
    if (next === undefined) free += 1;
    else next();
  }

  async function serve(sessionId: string, queue: string[]): Promise<void> {
    for (let jobId = queue[0]; jobId !== undefined && !closing.aborted; jobId = queue[0]) {
      await acquire();
      const wait = closing.aborted ? null : await run(jobId);
      release();
      if (wait === null) {
        queue.shift();
        entered.delete(jobId);
      } else {
        await clock.sleep(durationMs(Math.min(wait, HOLD_RECHECK_MS)), closing);
      }
    }
    for (const jobId of queue) entered.delete(jobId);
    queues.delete(sessionId);
    if (queues.size > 0) return;
    for (const wake of idlers) wake();
    idlers.clear();
  }

  return {
    enter(jobId, sessionId) {
      if (closing.aborted || entered.has(jobId)) return;
      entered.add(jobId);
      const queue = queues.get(sessionId);
      if (queue !== undefined) {
        queue.push(jobId);
        return;
      }
      const own = [jobId];
      queues.set(sessionId, own);
      void serve(sessionId, own);
    },
    idle: () =>
      queues.size === 0
        ? Promise.resolve()
        : new Promise((resolve) => {
            idlers.add(resolve);
          }),
  };
}
