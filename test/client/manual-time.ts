/** Time as a number that the test moves, for the client and the service alike. */
import { setImmediate } from "node:timers/promises";
import type { ClientDeps } from "../../src/client/client.ts";
import { epochMs } from "../../src/core/time.ts";
import type { Clock } from "../../src/ports/clock.ts";

export interface ManualTime {
  readonly clock: Clock;
  /** `random` is always 0. */
  readonly deps: ClientDeps;
  /** Milliseconds since the beginning. */
  now(): number;
  /** How many wait for time to go on. */
  sleeping(): number;
  /** Goes on by `ms`, waking whoever is due on the way. */
  advance(ms: number): Promise<void>;
  /** Goes on from wake to wake until `task` ends; what it ends with. */
  until<T>(task: Promise<T>): Promise<T>;
}

/** 2026-01-01T00:00:00.000Z */
export const START_MS = 1_767_225_600_000;

/** Turns of the event loop after which everything that waits for no time has come to rest. */
const TURNS = 12;

export function manualTime(): ManualTime {
  let now = 0;
  const sleepers = new Set<{ readonly at: number; readonly wake: () => void }>();

  function sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      if (signal?.aborted === true) return resolve();
      const sleeper = { at: now + Math.max(ms, 0), wake };
      function wake(): void {
        sleepers.delete(sleeper);
        signal?.removeEventListener("abort", wake);
        resolve();
      }
      sleepers.add(sleeper);
      signal?.addEventListener("abort", wake, { once: true });
    });
  }

  async function rest(): Promise<void> {
    for (let turn = 0; turn < TURNS; turn += 1) await setImmediate();
  }

  function next() {
    return [...sleepers].reduce<{ at: number; wake: () => void } | null>(
      (first, one) => (first === null || one.at < first.at ? one : first),
      null,
    );
  }

  return {
    clock: { now: () => epochMs(START_MS + now), elapsed: () => now, sleep },
    deps: { now: () => now, sleep, random: () => 0 },
    now: () => now,
    sleeping: () => sleepers.size,
    async advance(ms) {
      const end = now + ms;
      await rest();
      for (let one = next(); one !== null && one.at <= end; one = next()) {
        now = one.at;
        one.wake();
        await rest();
      }
      now = end;
    },
    async until(task) {
      let isOver = false;
      const over = (): void => {
        isOver = true;
      };
      task.then(over, over);
      await rest();
      while (!isOver) {
        const one = next();
        if (one === null) throw new Error("nothing is left to happen");
        now = one.at;
        one.wake();
        await rest();
      }
      return task;
    },
  };
}
