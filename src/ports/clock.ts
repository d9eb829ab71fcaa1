/** The only source of time. */
import type { DurationMs, EpochMs } from "../core/time.ts";

export interface Clock {
  /** The wall clock. May step back; nothing that must be safe rests on it. */
  now(): EpochMs;
  /** Resolves after `duration`, or as soon as `signal` is aborted. Never rejects. */
  sleep(duration: DurationMs, signal?: AbortSignal): Promise<void>;
}
