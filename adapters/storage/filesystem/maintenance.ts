/**
 * The lock of a root's `holdfast.json`, held by the one process that rebuilds or converts the due index
 * of a folder that processes share.
 */
import { closeSync, openSync, readFileSync } from "node:fs";
import { StoreUnavailableError } from "../../../src/ports/faults.ts";
import { absentIs } from "./disk.ts";
import type { Folder } from "./folder.ts";
import { type Attempt, lockKey, unlockKey } from "./key-lock.ts";
import { createRecord, NO_MARKER, updateLocked, type WriteVerdict } from "./key-writes.ts";
import type { RootPlace } from "./layout.ts";
import { holderIn, isStaleLock, lockText } from "./lock-file.ts";
import { type FoundRootState, type RootState, rootStateBytes, statePlace } from "./root-state.ts";
import { runSteps } from "./steps.ts";

export interface Maintenance {
  /** Keeps the lock from going stale. On the own open file, as the owner of a folder does. */
  touch(): void;
  /** Throws StoreUnavailableError when somebody else came first; `instead` is what was found before. */
  replaceState(instead: FoundRootState, state: RootState): void;
  release(): void;
}

/** Null: another living process has it. */
export function takeMaintenance(folder: Folder, root: RootPlace): Maintenance | null {
  const attempt = stateAttempt(folder, root);
  const { disk } = folder;
  if (runSteps(lockKey(attempt)) === "busy") return null;
  const fd = absentIs(null, () => openSync(attempt.place.lock, "r"));
  if (fd === null) return null;
  if (holderIn(readFileSync(fd)) !== attempt.u) {
    closeSync(fd);
    return null;
  }
  return {
    touch: () => disk.touch(fd, folder.context.clock.now()),
    replaceState(instead, state) {
      const change = { bytes: rootStateBytes(state), marker: NO_MARKER };
      const verdict =
        instead.version === null
          ? createState(folder, root, state)
          : runSteps(updateLocked(attempt, instead.version, change));
      if (verdict.kind !== "stored") {
        throw new StoreUnavailableError(`${root.state} was not replaced: ${verdict.kind}`);
      }
    },
    release() {
      closeSync(fd);
      runSteps(unlockKey(attempt));
    },
  };
}

/** Writes the state of a root that has none; needs no lock. */
export function createState(folder: Folder, root: RootPlace, state: RootState): WriteVerdict {
  const change = { bytes: rootStateBytes(state), marker: NO_MARKER };
  return runSteps(createRecord(stateAttempt(folder, root), change));
}

function stateAttempt(folder: Folder, root: RootPlace): Attempt {
  const { disk, self, context } = folder;
  const u = folder.newId();
  return {
    disk,
    place: statePlace(root),
    u,
    lockText: lockText(u, self, null),
    isStale: (lock) => isStaleLock(lock, context.clock.now(), self),
  };
}
