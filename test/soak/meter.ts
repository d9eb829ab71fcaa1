/** What one service holds over time: samples of it, how they grow, and when that is a leak. */
import { readdirSync } from "node:fs";
import { median } from "../../bench/measure.ts";
import type { Held } from "./probe.ts";

export interface Sample extends Held {
  readonly atMs: number;
  /** Open files and sockets; null where there is no /proc. */
  readonly files: number | null;
}

export function filesOf(pid: number): number | null {
  try {
    return readdirSync(`/proc/${pid}/fd`).length;
  } catch {
    return null;
  }
}

export interface Growth {
  readonly what: string;
  readonly unit: string;
  /** Medians of the first and of the last fifth of the samples after warm-up. */
  readonly from: number;
  readonly to: number;
  /** By least squares over all samples after warm-up. */
  readonly slopePerHour: number;
  /** How much `to` may be above `from`: more is a leak. */
  readonly allowed: number;
}

/** The share of a soak in which caches fill and code is compiled. */
const WARM_UP = 0.25;

/** Fewer samples say nothing. */
const SAMPLES_MIN = 10;

/**
 * What may be added at once, and for each hour. Generous: a process takes memory in steps, and what waits is more at
 * one time than at another. What leaks for each request is far above it within minutes.
 */
const ALLOWED = {
  heapMiB: { once: 12, hourly: 12 },
  rssMiB: { once: 64, hourly: 48 },
  files: { once: 60, hourly: 0 },
  resources: { once: 60, hourly: 0 },
} as const;

/** Empty where there are too few samples. */
export function growthOf(samples: readonly Sample[]): readonly Growth[] {
  const warm = samples.slice(Math.floor(samples.length * WARM_UP));
  const [first, last] = [warm.at(0), warm.at(-1)];
  if (first === undefined || last === undefined || warm.length < SAMPLES_MIN) return [];
  const hours = (last.atMs - first.atMs) / 3_600_000;

  function growth(what: string, unit: string, name: keyof typeof ALLOWED): readonly Growth[] {
    const points = warm.flatMap((sample) => {
      const value = sample[name];
      return value === null ? [] : [{ x: sample.atMs / 3_600_000, y: value }];
    });
    if (points.length < SAMPLES_MIN) return [];
    const fifth = Math.ceil(points.length / 5);
    const { once, hourly } = ALLOWED[name];
    return [
      {
        what,
        unit,
        from: median(points.slice(0, fifth).map(({ y }) => y)),
        to: median(points.slice(-fifth).map(({ y }) => y)),
        slopePerHour: slopeOf(points),
        allowed: once + hourly * hours,
      },
    ];
  }

  return [
    ...growth("heap after a collection", "MiB", "heapMiB"),
    ...growth("resident memory", "MiB", "rssMiB"),
    ...growth("open files and sockets", "", "files"),
    ...growth("handles, timers and requests", "", "resources"),
  ];
}

/** What grew by more than is allowed; also that it is not known, which must not pass for good. */
export function leaks(growths: readonly Growth[]): readonly string[] {
  if (growths.length === 0) return ["too few samples to tell whether anything leaks"];
  return growths.flatMap(({ what, unit, from, to, allowed }) =>
    to - from > allowed
      ? [`${what} grew from ${from.toFixed(1)} to ${to.toFixed(1)} ${unit}`.trimEnd()]
      : [],
  );
}

interface Point {
  readonly x: number;
  readonly y: number;
}

function slopeOf(points: readonly Point[]): number {
  const mean = (values: readonly number[]) => values.reduce((a, b) => a + b, 0) / values.length;
  const [x, y] = [mean(points.map((one) => one.x)), mean(points.map((one) => one.y))];
  const down = points.reduce((sum, one) => sum + (one.x - x) ** 2, 0);
  const across = points.reduce((sum, one) => sum + (one.x - x) * (one.y - y), 0);
  return down === 0 ? 0 : across / down;
}
