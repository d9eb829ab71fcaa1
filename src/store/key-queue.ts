/**
 * Callers of one key in one process wait for each other, first come first served: the next one reads
 * after the one before has its verdict, so losers of a race write nothing. Saves attempts; no safety
 * rests on it, since other processes do not queue here.
 */
import type { Key } from "../core/key.ts";
import { durationMs, type EpochMs, epochMs } from "../core/time.ts";
import type { Clock } from "../ports/clock.ts";
import { ContendedError } from "../ports/faults.ts";

export interface KeyQueue {
  /**
   * Runs `work` when all earlier callers of `key` are done, or hang past their own `deadlineAt`: one
   * whose storage never answers must not keep its key for ever. Throws ContendedError at `deadlineAt`.
   */
  run<T>(key: Key, deadlineAt: EpochMs, work: () => Promise<T>): Promise<T>;
}

/** How long after its deadline a caller hangs for sure: the last answer may come a little later. */
const HANGING_MS = 1_000;

interface Turn {
  /** Resolves when everybody up to this caller has had their turn. */
  readonly done: Promise<void>;
  /** The last of theirs. */
  readonly deadlineAt: EpochMs;
}

export function keyQueue(clock: Clock): KeyQueue {
  const tails = new Map<Key, Turn>();

  /** Whether it is the caller's turn. */
  async function waitFor(previous: Turn, deadlineAt: EpochMs): Promise<boolean> {
    const giveUp = new AbortController();
    const passedAt = previous.deadlineAt + HANGING_MS;
    const until = Math.min(deadlineAt, passedAt);
    const left = durationMs(Math.max(0, until - clock.now()));
    const isDone = await Promise.race([
      previous.done.then(() => true),
      clock.sleep(left, giveUp.signal).then(() => false),
    ]);
    giveUp.abort();
    return isDone || passedAt < deadlineAt;
  }

  return {
    async run(key, deadlineAt, work) {
      const previous = tails.get(key);
      let release = (): void => {};
      const done = new Promise<void>((resolve) => {
        release = resolve;
      });
      const last = epochMs(Math.max(deadlineAt, previous?.deadlineAt ?? 0));
      const tail: Turn = { done, deadlineAt: last };
      tails.set(key, tail);
      const leave = (): void => {
        release();
        if (tails.get(key) === tail) tails.delete(key);
      };
      if (previous !== undefined && !(await waitFor(previous, deadlineAt))) {
        // Whoever is behind waits for whoever is before.
        void previous.done.then(leave);
        throw new ContendedError("gave up waiting for earlier callers of the same record");
      }
      try {
        return await work();
      } finally {
        leave();
      }
    },
  };
}
