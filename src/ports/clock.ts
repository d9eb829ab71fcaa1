/** The only source of time. */
import { type DurationMs, type EpochMs, epochMs } from "../core/time.ts";

export interface Clock {
  /** The wall clock. May step back; nothing that must be safe rests on it. */
  now(): EpochMs;
  /**
   * Milliseconds of a clock that never steps back; only differences count. It may stand still while the
   * machine sleeps, so an end that must be kept is looked for on the wall clock, too.
   */
  elapsed(): number;
  /** Resolves after `duration`, or as soon as `signal` is aborted. Never rejects. */
  sleep(duration: DurationMs, signal?: AbortSignal): Promise<void>;
}

/** A longer timer would end at once. */
const TIMER_MS_MAX = 2 ** 31 - 1;

export function systemClock(): Clock {
  return {
    now: () => epochMs(Date.now()),
    elapsed: () => performance.now(),
    sleep: (duration, signal) =>
      new Promise((resolve) => {
        if (signal?.aborted === true) return resolve();
        const finish = (): void => {
          clearTimeout(timer);
          signal?.removeEventListener("abort", finish);
          resolve();
        };
        const timer = setTimeout(finish, Math.min(duration, TIMER_MS_MAX));
        signal?.addEventListener("abort", finish, { once: true });
      }),
  };
}
