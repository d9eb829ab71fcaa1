/** What the budget of a pass is spent on. */
import { type DurationMs, durationMs } from "../../core/time.ts";
import type { Clock } from "../../ports/clock.ts";
import { type Deadline, deadline } from "./deadline.ts";

/** The ends of a pass, earliest first; whatever ends the pass early ends the first two of them at once. */
export interface PassTime {
  /** No job is leased any more. */
  readonly lease: Deadline;
  /** No send begins any more: one that began before has some time at least. */
  readonly send: Deadline;
  /** What is still being sent is given up. */
  readonly over: Deadline;
  stop(): void;
}

/** What a send has at least before it is given up for want of time. Slow servers take a few seconds. */
export const SEND_MS_MIN = durationMs(5_000);

/** `stopped`: somebody wants the pass to end; what is being sent then has the same least time. */
export function passTime(clock: Clock, budgetMs: DurationMs, stopped: Deadline): PassTime {
  // Of a small budget each part gets a share, so that such passes get on, too.
  const reserve = Math.min(SEND_MS_MIN, Math.floor(budgetMs / 5));
  const lease = deadline(clock, durationMs(budgetMs - 2 * reserve), [stopped]);
  const send = deadline(clock, durationMs(budgetMs - reserve), [stopped]);
  const over = deadline(clock, budgetMs);
  let last: Deadline | null = null;
  const forget = stopped.onOver(() => {
    last = deadline(clock, durationMs(reserve));
    last.onOver(over.end);
  });
  return {
    lease,
    send,
    over,
    stop() {
      forget();
      for (const one of [lease, send, over, last]) one?.stop();
    },
  };
}
