/** Waiting for a lock or for a fence to pass, within a budget. */
import { jitteredMs } from "../../../src/core/backoff.ts";
import { durationMs } from "../../../src/core/time.ts";
import type { Clock } from "../../../src/ports/clock.ts";
import { ContendedError } from "../../../src/ports/faults.ts";
import type { Random } from "../../../src/ports/random.ts";

/** Time spent waiting for one write. A lock is held for about a millisecond. */
const BUDGET_MS = 5_000;

/** Bounds the attempts when the waits happen to be short. */
const ATTEMPTS_MAX = 2_000;

const WAIT = { base: durationMs(2), cap: durationMs(50) };

export interface Patience {
  /** Waits a little. Throws ContendedError, saying `why`, when the budget is spent. */
  wait(why: string): Promise<void>;
}

export function createPatience({ clock, random }: { clock: Clock; random: Random }): Patience {
  let spent = 0;
  let attempts = 0;
  return {
    async wait(why) {
      attempts += 1;
      const duration = durationMs(1 + jitteredMs(attempts, random.fraction(), WAIT));
      if (spent + duration > BUDGET_MS || attempts > ATTEMPTS_MAX) throw new ContendedError(why);
      spent += duration;
      await clock.sleep(duration);
    },
  };
}
