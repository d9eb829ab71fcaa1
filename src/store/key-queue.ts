/**
 * Callers of one key in one process wait for each other, first come first served: the next one reads
 * after the one before has its verdict, so losers of a race write nothing. Saves attempts; no safety
 * rests on it, since other processes do not queue here.
 */
import type { Key } from "../core/key.ts";
import { durationMs, type EpochMs } from "../core/time.ts";
import type { Clock } from "../ports/clock.ts";
import { ContendedError } from "../ports/faults.ts";

export interface KeyQueue {
  /** Runs `work` when all earlier callers of `key` are done. Throws ContendedError at `deadlineAt`. */
  run<T>(key: Key, deadlineAt: EpochMs, work: () => Promise<T>): Promise<T>;
}

export function keyQueue(clock: Clock): KeyQueue {
  const tails = new Map<Key, Promise<void>>();

  async function waitFor(previous: Promise<void>, deadlineAt: EpochMs): Promise<boolean> {
    const giveUp = new AbortController();
    const left = durationMs(Math.max(0, deadlineAt - clock.now()));
    const first = await Promise.race([
      previous.then(() => true),
      clock.sleep(left, giveUp.signal).then(() => false),
    ]);
    giveUp.abort();
    return first;
  }

  return {
    async run(key, deadlineAt, work) {
      const previous = tails.get(key);
      let release = (): void => {};
      const own = new Promise<void>((resolve) => {
        release = resolve;
      });
      const tail = previous === undefined ? own : previous.then(() => own);
      tails.set(key, tail);
      try {
        if (previous !== undefined && !(await waitFor(previous, deadlineAt))) {
          throw new ContendedError("gave up waiting for earlier callers of the same record");
        }
        return await work();
      } finally {
        release();
        if (tails.get(key) === tail) tails.delete(key);
      }
    },
  };
}
