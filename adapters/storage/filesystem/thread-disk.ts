/**
 * The disk as the writing thread uses it. All calls but the fsyncs take microseconds and are made at
 * once; an fsync waits for the disk, so it is only begun, and whoever runs the protocol waits for it
 * while other writes go on. One fsync of a directory serves every name entered before it (7.6, 4).
 */
import { closeSync, constants, fsync, openSync } from "node:fs";
import { type NodeDisk, nodeDisk } from "./disk.ts";
import type { Steps } from "./steps.ts";

export interface ThreadDisk extends NodeDisk {
  /** The fsync that the last call began; null when there is none, or it was taken already. */
  takeSync(): Promise<void> | null;
}

/** Directories kept open; more are opened anew each time. */
const OPEN_DIRECTORIES_MAX = 32;

export function threadDisk(): ThreadDisk {
  const groups = new Map<string, SyncGroup>();
  let begun: Promise<void> | null = null;

  function groupOf(path: string): SyncGroup | null {
    const known = groups.get(path);
    if (known !== undefined) return known;
    if (groups.size >= OPEN_DIRECTORIES_MAX) return null;
    const fd = openDirectory(path);
    const group = syncGroup(() => synced(fd));
    groups.set(path, group);
    return group;
  }

  return {
    ...nodeDisk(),
    sync(fd) {
      begun = synced(fd);
    },
    syncDirectory(path, isLasting) {
      const group = isLasting ? groupOf(path) : null;
      begun = group === null ? syncedOnce(path) : group();
    },
    takeSync() {
      const taken = begun;
      begun = null;
      return taken;
    },
  };
}

/** Runs a protocol to its end; while it waits for the disk, others in this thread go on. */
export async function runWaiting<Result>(disk: ThreadDisk, steps: Steps<Result>): Promise<Result> {
  let next = steps.next();
  while (next.done !== true) {
    const waiting = disk.takeSync();
    if (waiting === null) {
      next = steps.next();
      continue;
    }
    const failure = await waiting.then(
      () => null,
      (error: unknown) => ({ error }),
    );
    next = failure === null ? steps.next() : steps.throw(failure.error);
  }
  return next.value;
}

/** Resolves when an fsync is through that began after the call. */
type SyncGroup = () => Promise<void>;

interface Waiter {
  resolve(): void;
  reject(error: unknown): void;
}

/** `sync` is never under way twice; those who call meanwhile share the next one. */
export function syncGroup(sync: () => Promise<void>): SyncGroup {
  let waiting: Waiter[] = [];
  let isRunning = false;

  async function run(): Promise<void> {
    isRunning = true;
    while (waiting.length > 0) {
      const served = waiting;
      waiting = [];
      try {
        await sync();
        for (const waiter of served) waiter.resolve();
      } catch (error) {
        for (const waiter of served) waiter.reject(error);
      }
    }
    isRunning = false;
  }

  return () =>
    new Promise((resolve, reject) => {
      waiting.push({ resolve, reject });
      if (!isRunning) void run();
    });
}

function synced(fd: number): Promise<void> {
  return new Promise((resolve, reject) => {
    fsync(fd, (error) => (error === null ? resolve() : reject(error)));
  });
}

async function syncedOnce(path: string): Promise<void> {
  const fd = openDirectory(path);
  try {
    await synced(fd);
  } finally {
    closeSync(fd);
  }
}

function openDirectory(path: string): number {
  return openSync(path, constants.O_RDONLY | constants.O_DIRECTORY);
}
