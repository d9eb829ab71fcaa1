/** Leasing the next due job, opening and memory, with few and with many jobs stored. */
import { join } from "node:path";
import { filesystemStorage } from "../adapters/storage/filesystem/index.ts";
import { createHoldfast, type Holdfast } from "../src/holdfast.ts";
import { elapsedMs, inFolder, median, quantile, table } from "./measure.ts";
import { fillOriginal, openAndRebuild } from "./originals.ts";

const DUE = 1_000;
const LEASES = 300;

export async function millionTable(stored: number): Promise<string> {
  return inFolder(async (directory) => {
    const small = join(directory, "small");
    const large = join(directory, "large");
    for (const [directory, count] of [
      [small, 1_000],
      [large, stored],
    ] as const) {
      fillOriginal(directory, count, {
        every: Math.floor(count / DUE),
        at: "2026-01-01T00:00:00.000Z",
      });
    }
    const firstOpen = [await openAndRebuild(small), await openAndRebuild(large)];
    const reopened: number[] = [];
    const folders: Holdfast[] = [];
    for (const folder of [small, large]) {
      const ms = await elapsedMs(async () => void folders.push(await open(folder)));
      reopened.push(ms);
    }
    const before = process.memoryUsage().rss;
    const latencies: [number[], number[]] = [[], []];
    for (let n = 0; n < LEASES; n += 1) {
      // In turns, so that a slow moment of the machine hits both.
      for (const [which, folder] of folders.entries()) {
        latencies[which]?.push(await elapsedMs(() => leaseNext(folder)));
      }
    }
    const grown = (process.memoryUsage().rss - before) / 2 ** 20;
    for (const folder of folders) await folder.close();
    const rows = [1_000, stored].map((count, which) => [
      count.toLocaleString("en"),
      median(latencies[which] ?? []).toFixed(2),
      quantile(latencies[which] ?? [], 0.99).toFixed(2),
      (reopened[which] ?? 0).toFixed(0),
      ((firstOpen[which] ?? 0) / 1_000).toFixed(1),
    ]);
    const ratio = median(latencies[1]) / median(latencies[0]);
    return [
      table(
        ["stored (1,000 due)", "lease, median ms", "p99 ms", "opening, ms", "first index, s"],
        rows,
      ),
      "",
      `Ratio of the medians: ${ratio.toFixed(2)}. Memory grown over ${2 * LEASES} leases: ${grown.toFixed(1)} MiB.`,
    ].join("\n");
  });
}

async function leaseNext({ emails }: Holdfast): Promise<void> {
  const [job] = await emails.acquireDueLeases({ durationMs: 600_000, limit: 1 });
  if (job === undefined) throw new Error("nothing was due");
}

function open(directory: string): Promise<Holdfast> {
  return createHoldfast({ storage: filesystemStorage({ directory, sharing: "exclusive" }) });
}
