/** Folders that an original left behind, of any size. */
import { closeSync, mkdirSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import { filesystemStorage } from "../adapters/storage/filesystem/index.ts";
import { sha256Hex } from "../src/core/hash.ts";
import { createHoldfast } from "../src/holdfast.ts";
import { elapsedMs } from "./measure.ts";

/**
 * An original's folder: every `ready.every`th job is ready from `ready.at` on, the others are sent.
 * Written without fsync, to be done in time.
 */
export function fillOriginal(
  directory: string,
  stored: number,
  ready: { readonly every: number; readonly at: string },
): void {
  const jobs = join(directory, "emails", "jobs");
  mkdirSync(jobs, { recursive: true, mode: 0o700 });
  const at = "2026-01-01T00:00:00.000Z";
  for (let n = 0; n < stored; n += 1) {
    const key = `first-view:recording-${n}`;
    const isReady = n % ready.every === 0;
    const job = {
      logicalKey: key,
      type: "first-view",
      state: isReady ? "ready" : "sent",
      recipient: "ann@example.com",
      recordingIds: [`recording-${n}`],
      attempts: isReady ? 0 : 1,
      createdAt: at,
      updatedAt: at,
      readyAt: isReady ? ready.at : at,
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

/** The first opening makes the index by reading every record once; how many milliseconds it took. */
export async function openAndRebuild(directory: string): Promise<number> {
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
    // Whoever asks for what is due has the index made; without a mailer nothing is leased.
    await folder.reconcile();
    await rebuilt;
    await folder.close();
  });
}
