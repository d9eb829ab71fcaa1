/** Timing, medians and temporary folders. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { performance } from "node:perf_hooks";

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((one, other) => one - other);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? upper) + upper) / 2;
}

export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

export async function elapsedMs(work: () => Promise<void>): Promise<number> {
  const begun = performance.now();
  await work();
  return performance.now() - begun;
}

/** Runs `work` for 0 … count−1, `atOnce` at a time. */
export async function repeat(
  count: number,
  atOnce: number,
  work: (n: number) => Promise<void>,
): Promise<void> {
  let next = 0;
  const runner = async (): Promise<void> => {
    while (next < count) {
      const n = next;
      next += 1;
      await work(n);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, runner));
}

/**
 * Work in a fresh folder below HOLDFAST_BENCH_DIR, or the system's temporary one. ext4 looks for a new
 * inode past all that were deleted in the last minutes in the same part of the disk, so a folder beside
 * much churn makes every creation slow, whoever creates.
 */
export async function inFolder<T>(work: (directory: string) => Promise<T>): Promise<T> {
  const directory = mkdtempSync(
    join(process.env["HOLDFAST_BENCH_DIR"] ?? tmpdir(), "holdfast-bench-"),
  );
  try {
    return await work(directory);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** A table in Markdown. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n");
}
