/** Being the one owner of a folder: the heartbeat, and finding out that it is over (7.6, 5 to 7). */
import { dirname } from "node:path";
import { StoreUnavailableError } from "../../../src/ports/faults.ts";
import type { Folder } from "./folder.ts";
import { beatFolderLock, holdsFolder, releaseFolderLock } from "./folder-lock.ts";
import { parseLock } from "./lock-file.ts";
import type { HeldLock } from "./opening.ts";
import { runSteps } from "./steps.ts";
import { quietly } from "./temp-file.ts";

export interface Ownership {
  readonly u: string;
  /** Looks at the lock; throws StoreUnavailableError, for good, when it is somebody else's. */
  check(folderLock: string): void;
  /** To be called by whoever saw that it is; the answer is to be thrown. */
  lose(folderLock: string): StoreUnavailableError;
  /** Stops the heartbeat and lets go of every lock that is still ours. */
  release(): void;
}

/** Six per LOCK_STALE_MS, so that a few may come late. */
const HEARTBEAT_MS = 5_000;

/** `onLost` is called once, with what to tell later callers. */
export function createOwnership(
  folder: Folder,
  held: { readonly u: string; readonly locks: HeldLock[] },
  onLost: (message: string) => void,
): Ownership {
  const { disk, context } = folder;
  let lost: string | null = null;
  const heartbeat = setInterval(beat, HEARTBEAT_MS);
  // The folder is not held for the sake of the heartbeat: a process that is through may end.
  heartbeat.unref();

  function beat(): void {
    for (const { claim, fd } of held.locks) {
      quietly(() => runSteps(beatFolderLock(disk, fd, context.clock.now())));
      if (isOurs(claim.path)) continue;
      lose(claim.path);
      return;
    }
  }

  function isOurs(folderLock: string): boolean {
    try {
      return runSteps(holdsFolder(disk, folderLock, held.u));
    } catch {
      // Unreadable is not lost: the look before each write decides.
      return true;
    }
  }

  function lose(folderLock: string): StoreUnavailableError {
    if (lost === null) {
      lost = lostMessage(folderLock);
      clearInterval(heartbeat);
      context.observe("folder.lock.lost", 1);
      onLost(lost);
    }
    return new StoreUnavailableError(lost, { isNotWritten: true });
  }

  function lostMessage(folderLock: string): string {
    const how = howLost(folderLock);
    return `${dirname(folderLock)} ${how}: this process no longer serves it`;
  }

  function howLost(folderLock: string): string {
    try {
      const bytes = disk.read(folderLock);
      if (bytes === null) return "was moved or removed, with its folder.lock";
      const pid = parseLock(bytes).owner?.pid ?? null;
      return `was taken over by ${pid === null ? "another process" : `process ${pid}`}`;
    } catch {
      return "was taken over by another process";
    }
  }

  return {
    u: held.u,
    check(folderLock) {
      if (lost !== null || !isOurs(folderLock)) throw lose(folderLock);
    },
    lose,
    release() {
      clearInterval(heartbeat);
      // Once: the number of a closed descriptor is somebody else's soon.
      for (const { claim, fd } of held.locks.splice(0)) runSteps(releaseFolderLock(claim, fd));
    },
  };
}
