/** Waiting between attempts. */
import { type DurationMs, durationMs } from "./time.ts";

/**
 * Full jitter for a storage retry: anything from 0 to `base · 2^(attempt−1)`, at most `cap`. `attempt`
 * counts from 1; `fraction` is uniform in [0, 1).
 */
export function jitteredMs(
  attempt: number,
  fraction: number,
  { base, cap }: { base: DurationMs; cap: DurationMs },
): DurationMs {
  const ceiling = Math.min(cap, base * 2 ** Math.min(attempt - 1, 20));
  return durationMs(Math.floor(ceiling * fraction));
}
