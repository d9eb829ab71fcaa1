/** What the budget of a pass is spent on. */
import { type DurationMs, durationMs } from "../../core/time.ts";
import type { Clock } from "../../ports/clock.ts";
import { type Deadline, deadline, openEnd, type Patience } from "./deadline.ts";

/** The ends of a pass, earliest first; whatever ends the pass early ends the first two of them at once. */
export interface PassTime extends Patience {
  /** No job is leased any more. */
  readonly lease: Deadline;
  /** No send begins any more: one that began before has some time at least. */
  readonly send: Deadline;
  /** What is still being sent is given up. */
  readonly over: Deadline;
  /** Nothing is waited for any more, not even the storage. */
  readonly end: Deadline;
  /** What a send, a prepare, or one answer of the storage has at least. */
  readonly leastMs: DurationMs;
  /** Whether somebody wanted it to end before its time. */
  isStopped(): boolean;
  stop(): void;
}

/** What a send has at least before it is given up for want of time. Slow servers take a few seconds. */
export const SEND_MS_MIN = durationMs(5_000);

/** What the storage has to take the last settlements, after the last sends were given up. */
export const SETTLING_MS = durationMs(3_000);

const GRACE_MS_MAX = 1_000;

/** `stopped`: somebody wants the pass to end; what is being sent then has the same least time. */
export function passTime(clock: Clock, budgetMs: DurationMs, stopped: Deadline): PassTime {
  // Of a small budget each part gets a share, so that such passes get on, too.
  const reserve = durationMs(Math.min(SEND_MS_MIN, Math.floor(budgetMs / 5)));
  const graceMs = durationMs(Math.min(GRACE_MS_MAX, Math.floor(budgetMs / 20)));
  const lease = deadline(clock, durationMs(budgetMs - 2 * reserve), [stopped]);
  const send = deadline(clock, durationMs(budgetMs - reserve), [stopped]);
  const over = deadline(clock, budgetMs);
  const end = openEnd();
  const late: Deadline[] = [];
  const after = (ms: number, then: () => void): void => {
    const one = deadline(clock, durationMs(ms));
    late.push(one);
    one.onOver(then);
  };
  const forget = [
    stopped.onOver(() => after(reserve, over.end)),
    over.onOver(() => after(graceMs + SETTLING_MS, end.end)),
  ];
  return {
    clock,
    graceMs,
    lease,
    send,
    over,
    end,
    leastMs: reserve,
    isStopped: stopped.isOver,
    stop() {
      for (const one of forget) one();
      for (const one of [lease, send, over, ...late]) one.stop();
    },
  };
}
