/** What Holdfast is measured beside: the same lifecycle of a job, done in other ways on the same disk. */
import { randomUUID } from "node:crypto";
import { mkdirSync } from "node:fs";
import {
  link,
  lstat,
  mkdir,
  open,
  readFile,
  rename,
  stat,
  unlink,
  writeFile,
} from "node:fs/promises";
import { join } from "node:path";
import { filesystemStorage } from "../adapters/storage/filesystem/index.ts";
import { sha256Hex } from "../src/core/hash.ts";
import { createHoldfast } from "../src/holdfast.ts";
import { emailKinds } from "../src/machines/emails/kinds.ts";
import { parseEmailRecord } from "../src/machines/emails/record.ts";

/** Enqueue → ready → lease → sent, once, with every step durable before the next. */
export interface Contender {
  readonly lifecycle: (key: string) => Promise<void>;
  readonly close: () => Promise<void>;
}

export type Open = (directory: string) => Promise<Contender>;

export function holdfast(sharing: "exclusive" | "processes"): Open {
  return async (directory) => {
    const opened = await createHoldfast({ storage: filesystemStorage({ directory, sharing }) });
    const { emails } = opened;
    return {
      async lifecycle(key) {
        const payload = { type: "first-view", recipient: "ann@example.com", recordingIds: [key] };
        const { job } = await emails.enqueue(key, payload);
        const ready = await emails.transition(job, ["pending"], "ready");
        const lease = ready && (await emails.acquireSendingLease(ready, 120_000));
        const sent =
          lease && (await emails.transitionSending(lease, lease.leaseToken ?? "", "sent"));
        if (sent?.state !== "sent") throw new Error(`the lifecycle of ${key} broke`);
      },
      close: () => opened.close(),
    };
  };
}

/** A record of the size that a job has. */
function recordText(key: string, state: string): string {
  const job = {
    logicalKey: key,
    type: "first-view",
    state,
    recipient: "ann@example.com",
    recordingIds: [key],
    attempts: 1,
    createdAt: new Date().toISOString(),
    updatedAt: new Date().toISOString(),
    readyAt: new Date().toISOString(),
    sendingAt: new Date().toISOString(),
    lastError: null,
    leaseUntil: state === "sending" ? new Date().toISOString() : null,
    leaseToken: state === "sending" ? "123e4567-e89b-42d3-a456-426614174000" : null,
    // As long as a record of ours with its header.
    generatedSummary: "x".repeat(230),
  };
  return `${JSON.stringify(job, null, 2)}\n`;
}

const STATES = ["pending", "ready", "sending", "sent"] as const;

/** Write temp, fsync, rename, fsync directory: four times, with no lock, no check and no index. */
export const plainLoop: Open = async (directory) => {
  mkdirSync(directory, { recursive: true });
  return {
    async lifecycle(key) {
      const id = sha256Hex(key);
      for (const state of STATES) {
        const temp = join(directory, `.${id}.${randomUUID()}.tmp`);
        const file = await open(temp, "wx", 0o600);
        await file.writeFile(recordText(key, state));
        await file.sync();
        await file.close();
        await rename(temp, join(directory, `${id}.json`));
        await syncDirectory(directory);
      }
    },
    close: async () => {},
  };
};

async function syncDirectory(directory: string): Promise<void> {
  const handle = await open(directory, "r");
  await handle.sync();
  await handle.close();
}

/**
 * The scheme of the original email store: directories made sure of by every call, records checked by
 * their schema when read and before they are written, creation by a synced temp and a link, updates
 * under a lock of hard links and by a rename without any fsync.
 */
export const originalScheme: Open = async (directory) => {
  const jobs = join(directory, "jobs");
  const locks = join(directory, "locks");
  const kinds = emailKinds([]);
  function checked(text: string): string {
    const parsed = parseEmailRecord(JSON.parse(text), {}, kinds);
    if (!parsed.ok) throw new Error(parsed.reason);
    return text;
  }
  const ensure = (path: string) => mkdir(path, { recursive: true, mode: 0o700 });
  return {
    async lifecycle(key) {
      const id = sha256Hex(key);
      await ensure(jobs);
      await originalCreate(jobs, id, checked(recordText(key, "pending")));
      for (const state of STATES.slice(1)) {
        await ensure(locks);
        await withOriginalLock(locks, id, async () => {
          checked(await readFile(join(jobs, `${id}.json`), "utf8"));
          const temp = join(jobs, `.${id}.json.${process.pid}.${randomUUID()}.tmp`);
          await writeFile(temp, checked(recordText(key, state)), { mode: 0o600, flag: "wx" });
          await rename(temp, join(jobs, `${id}.json`));
        });
      }
    },
    close: async () => {},
  };
};

async function originalCreate(jobs: string, id: string, text: string): Promise<void> {
  const temp = join(jobs, `.${id}.json.${process.pid}.${randomUUID()}.tmp`);
  const file = await open(temp, "wx", 0o600);
  await file.writeFile(text);
  await file.sync();
  await file.close();
  await link(temp, join(jobs, `${id}.json`));
  await syncDirectory(jobs);
  await unlink(temp);
}

async function withOriginalLock(
  locks: string,
  id: string,
  work: () => Promise<void>,
): Promise<void> {
  const lock = join(locks, `${id}.lock`);
  const takeover = `${lock}.takeover`;
  const owner = `${lock}.${process.pid}.${randomUUID()}.owner`;
  const file = await open(owner, "wx", 0o600);
  await file.sync();
  const own = await file.stat();
  await file.close();
  if (await exists(takeover)) throw new Error("a takeover is in progress");
  await link(owner, lock);
  if (await exists(takeover)) throw new Error("a takeover is in progress");
  if ((await stat(lock)).ino !== own.ino) throw new Error("the lock was lost");
  await work();
  await link(owner, takeover);
  if ((await lstat(lock)).ino === own.ino) await unlink(lock);
  await unlink(takeover);
  await unlink(owner);
}

async function exists(path: string): Promise<boolean> {
  try {
    await lstat(path);
    return true;
  } catch {
    return false;
  }
}
