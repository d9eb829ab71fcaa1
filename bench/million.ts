/** Leasing the next due job, opening and memory, with few and with many jobs stored. */
import { closeSync, mkdirSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import { filesystemStorage } from "../adapters/storage/filesystem/index.ts";
import { sha256Hex } from "../src/core/hash.ts";
import { createHoldfast, type Holdfast } from "../src/holdfast.ts";
import { elapsedMs, inFolder, median, quantile, table } from "./measure.ts";

const DUE = 1_000;
const LEASES = 300;

export async function millionTable(stored: number): Promise<string> {
  return inFolder(async (directory) => {
    const small = join(directory, "small");
    const large = join(directory, "large");
    fill(small, 1_000);
    fill(large, stored);
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

/** The first opening makes the index by reading every record once. */
async function openAndRebuild(directory: string): Promise<number> {
  return elapsedMs(async () => {
    let finished = (): void => {};
    const rebuilt = new Promise<void>((resolve) => {
      finished = resolve;
    });
    const folder = await createHoldfast({
      storage: filesystemStorage({ directory, sharing: "exclusive" }),
      observe: (name) => {
        if (name === "folder.rebuild.finished") finished();
      },
    });
    await folder.emails.acquireDueLeases({ durationMs: 1, limit: 1 });
    await rebuilt;
    await folder.close();
  });
}

/** An original's folder: sent jobs, and DUE ready ones. Written without fsync, to be done in time. */
function fill(directory: string, stored: number): void {
  const jobs = join(directory, "emails", "jobs");
  mkdirSync(jobs, { recursive: true, mode: 0o700 });
  const at = "2026-01-01T00:00:00.000Z";
  for (let n = 0; n < stored; n += 1) {
    const key = `first-view:recording-${n}`;
    const isReady = n % Math.floor(stored / DUE) === 0;
    const job = {
      logicalKey: key,
      type: "first-view",
      state: isReady ? "ready" : "sent",
      recipient: "ann@example.com",
      recordingIds: [`recording-${n}`],
      attempts: isReady ? 0 : 1,
      createdAt: at,
      updatedAt: at,
      readyAt: at,
      ...(isReady ? {} : { sendingAt: at, sentAt: at }),
      lastError: null,
      leaseUntil: null,
      leaseToken: null,
    };
    const file = openSync(join(jobs, `${sha256Hex(key)}.json`), "wx", 0o600);
    writeSync(file, `${JSON.stringify(job, null, 2)}\n`);
    closeSync(file);
  }
}
