/**
 * A world of its own for one seed: virtual time, one stream of randomness, and processes that can be
 * killed at any await. Everything that happens is decided by the seed, so a run can be repeated.
 */
import { type DurationMs, epochMs } from "../../src/core/time.ts";
import type { Clock } from "../../src/ports/clock.ts";
import type { Random } from "../../src/ports/random.ts";

export interface Chance {
  /** Uniform in [0, 1). */
  fraction(): number;
  /** A whole number from `low` to `high`, both included. */
  between(low: number, high: number): number;
  /** True with this probability. */
  happens(probability: number): boolean;
  pick<T>(items: readonly [T, ...T[]]): T;
}

export interface Process {
  readonly name: string;
  readonly clock: Clock;
  readonly random: Random;
  isAlive(): boolean;
  /**
   * Stops it for so long. What it waits for comes in its order when it goes on; `isAsleep`: its own clock
   * did not go meanwhile, as on a machine that slept.
   */
  standStill(ms: number, isAsleep: boolean): void;
  /** How long it has stood still so far. */
  stoodStillMs(): number;
  /** From now on nothing that this process waits for ever comes back to it. */
  kill(): void;
  /** Waits in virtual time; for ever when the process is killed meanwhile. */
  pause(ms: number): Promise<void>;
}

export interface World {
  readonly chance: Chance;
  now(): number;
  /** A process whose wall clock is `skewMs` off, and drifts a little now and then. */
  process(name: string, skewMs: number): Process;
  /** Runs `task` now, beside all others; its failure fails the run. */
  start(task: () => Promise<void>): void;
  /** Calls `task` once virtual time has come so far. */
  at(ms: number, task: () => void): void;
  /** Goes on until virtual time `untilMs`, or until nothing is left to happen. */
  run(untilMs: number): Promise<void>;
  /** One line of history; the digest of all lines proves that a run was repeated exactly. */
  note(line: string): void;
  lines(): readonly string[];
}

/** 2026-01-01, when every simulated world begins. */
export const START_MS = 1_767_225_600_000;

/** Small, fast and good enough to spread faults; every bit of a run comes out of it. */
export function chanceOf(seed: number): Chance {
  let state = (seed ^ 0x9e3779b9) >>> 0;
  const fraction = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return {
    fraction,
    between: (low, high) => low + Math.floor(fraction() * (high - low + 1)),
    happens: (probability) => fraction() < probability,
    pick: (items) => items[Math.floor(fraction() * items.length)] ?? items[0],
  };
}

interface Wake {
  readonly at: number;
  readonly order: number;
  readonly wake: () => void;
}

export function createWorld(seed: number): World {
  const chance = chanceOf(seed);
  const wakes: Wake[] = [];
  const lines: string[] = [];
  let now = 0;
  let order = 0;
  let failure: unknown = null;

  function at(ms: number, wake: () => void): void {
    order += 1;
    const entry = { at: now + ms, order, wake };
    let place = wakes.length;
    while (place > 0 && (wakes[place - 1]?.at ?? 0) <= entry.at) place -= 1;
    wakes.splice(place, 0, entry);
  }

  /** Lets every promise that can go on do so: immediates run after all of them. */
  const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

  function createProcess(name: string, skewMs: number): Process {
    let alive = true;
    let skew = skewMs;
    let stillUntil = 0;
    let still = 0;
    let asleep = 0;
    const wakes = (resolve: () => void) => (): void => {
      if (!alive) return;
      if (now < stillUntil) at(stillUntil - now, wakes(resolve));
      else resolve();
    };
    const pause = (ms: number): Promise<void> =>
      new Promise((resolve) => {
        at(ms, wakes(resolve));
      });
    return {
      name,
      clock: {
        now() {
          if (chance.happens(0.01)) skew += chance.between(-50, 50);
          return epochMs(START_MS + now + skew);
        },
        elapsed: () => now - asleep,
        sleep: (duration: DurationMs, signal) =>
          new Promise((resolve) => {
            if (signal?.aborted === true) return resolve();
            const wake = wakes(() => {
              signal?.removeEventListener("abort", wake);
              resolve();
            });
            at(duration, wake);
            signal?.addEventListener("abort", wake, { once: true });
          }),
      },
      random: {
        bytes: (count) => Uint8Array.from({ length: count }, () => chance.between(0, 255)),
        fraction: () => chance.fraction(),
      },
      isAlive: () => alive,
      standStill(ms, isAsleep) {
        stillUntil = now + ms;
        still += ms;
        if (isAsleep) asleep += ms;
      },
      stoodStillMs: () => still,
      kill: () => {
        alive = false;
      },
      pause,
    };
  }

  return {
    chance,
    now: () => now,
    process: createProcess,
    at,
    start(task) {
      task().catch((error: unknown) => {
        failure ??= error;
      });
    },
    async run(untilMs) {
      for (;;) {
        await settle();
        if (failure !== null) throw failure;
        const next = wakes.pop();
        if (next === undefined) return;
        if (next.at > untilMs) {
          wakes.push(next);
          now = untilMs;
          return;
        }
        now = next.at;
        next.wake();
      }
    },
    note: (line) => {
      lines.push(`${now} ${line}`);
    },
    lines: () => lines,
  };
}
