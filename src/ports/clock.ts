/** The only source of time. */
import { type DurationMs, type EpochMs, epochMs } from "../core/time.ts";

export interface Clock {
  /** The wall clock. May step back; nothing that must be safe rests on it. */
  now(): EpochMs;
  /** Resolves after `duration`, or as soon as `signal` is aborted. Never rejects. */
  sleep(duration: DurationMs, signal?: AbortSignal): Promise<void>;
}

export function systemClock(): Clock {
  return {
    now: () => epochMs(Date.now()),
    sleep: (duration, signal) =>
      new Promise((resolve) => {
        if (signal?.aborted === true) return resolve();
        const finish = (): void => {
          clearTimeout(timer);
          signal?.removeEventListener("abort", finish);
          resolve();
        };
        const timer = setTimeout(finish, duration);
        signal?.addEventListener("abort", finish, { once: true });
      }),
  };
}
