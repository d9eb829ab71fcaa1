/** Folders that an original left behind, of any size. */
import { closeSync, mkdirSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import { filesystemStorage } from "../adapters/storage/filesystem/index.ts";
import { sha256Hex } from "../src/core/hash.ts";
import { createHoldfast } from "../src/holdfast.ts";
import { receiptIdOf } from "../src/machines/receipts/key.ts";
import type { HoldfastOptions } from "../src/services/options.ts";
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
    writeRecord(jobs, sha256Hex(key), job);
  }
}

/** Receipts of one workspace: a folder counts them, to 8,192 at most. */
const OF_A_WORKSPACE = 5_000;

/** The same of receipts: of finished operations, in as many workspaces as they need. */
export function fillReceipts(directory: string, stored: number): void {
  const receipts = join(directory, "receipts");
  mkdirSync(receipts, { recursive: true, mode: 0o700 });
  const at = Date.parse("2026-01-01T00:00:00.000Z");
  for (let n = 0; n < stored; n += 1) {
    const key = {
      principalId: "bench",
      workspaceId: `stored-${Math.floor(n / OF_A_WORKSPACE)}`,
      sessionId: "session",
      memberId: "owner",
      memberGeneration: 1,
      tool: "session",
      action: "start-pi",
      operationId: `stored-${n}`,
    };
    const id = receiptIdOf(key);
    writeRecord(receipts, id, {
      ...{ version: 1, id, ...key, payloadHash: sha256Hex(String(n)), state: "terminal" },
      ...{ createdAt: at, updatedAt: at, preparedAt: at, dispatchingAt: at, acceptedAt: at },
      result: { ok: true, status: "succeeded", data: { taskId: `task-${n}` } },
      terminalAt: at,
    });
  }
}

function writeRecord(directory: string, id: string, record: object): void {
  const file = openSync(join(directory, `${id}.json`), "wx", 0o600);
  writeSync(file, `${JSON.stringify(record, null, 2)}\n`);
  closeSync(file);
}

/** The first opening makes the index by reading every record once; how many milliseconds it took. */
export async function openAndRebuild(
  directory: string,
  limits: NonNullable<HoldfastOptions["limits"]> = {},
): Promise<number> {
  return elapsedMs(async () => {
    let finished = (): void => {};
    const rebuilt = new Promise<void>((resolve) => {
      finished = resolve;
    });
    const folder = await createHoldfast({
      storage: filesystemStorage({ directory, sharing: "exclusive" }),
      limits,
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
