/** `folder.lock`: one owner for a whole folder (protocols 7.6, steps 1, 2, 5 and 6). */
import { dirname, join } from "node:path";
import type { EpochMs } from "../../../src/core/time.ts";
import { type AgedFile, codeOf, type Disk } from "./disk.ts";
import { holderIn } from "./lock-file.ts";
import type { Steps } from "./steps.ts";
import { isTempName, quietly } from "./temp-file.ts";

/** One acquisition. Whoever lost the folder never comes back with the same `u` (7.6, 7). */
export interface FolderClaim {
  readonly disk: Disk;
  /** The path of `folder.lock`. */
  readonly path: string;
  readonly u: string;
  readonly lockText: string;
  readonly isStale: (lock: AgedFile) => boolean;
  readonly now: EpochMs;
}

/** `fd`: the own lock file, left open for the heartbeat. */
export type FolderVerdict =
  | { readonly kind: "taken"; readonly fd: number; readonly isTakeOver: boolean }
  | { readonly kind: "in_use"; readonly file: AgedFile }
  | { readonly kind: "again" };

/** Step 1. `again`: the lock vanished while it was looked at. */
export function* takeFolderLock(claim: FolderClaim): Steps<FolderVerdict> {
  const { disk, path } = claim;
  yield "lock.create";
  try {
    const fd = disk.create(path);
    yield* fillFolderLock(claim, fd, path);
    return { kind: "taken", fd, isTakeOver: false };
  } catch (error) {
    if (codeOf(error) !== "EEXIST") throw error;
  }
  yield "lock.look";
  const file = disk.readAged(path);
  if (file === null) return { kind: "again" };
  if (!claim.isStale(file)) return { kind: "in_use", file };
  const take = join(dirname(path), `folder.${claim.u}.take`);
  yield "take.create";
  const fd = disk.create(take);
  yield* fillFolderLock(claim, fd, take);
  yield "take.rename";
  disk.rename(take, path);
  return { kind: "taken", fd, isTakeOver: true };
}

/**
 * Step 2, the fence for the whole folder: every temp of every root, whatever key. Nothing may be read
 * and nobody served before it is through (7.6, "the new owner serves while it still clears").
 */
export function* clearAllTemps(disk: Disk, directories: readonly string[]): Steps<number> {
  let cleared = 0;
  for (const directory of directories) {
    yield "temps.list";
    for (const name of disk.list(directory)) {
      if (!isTempName(name)) continue;
      yield "temp.clear";
      if (disk.unlink(join(directory, name))) cleared += 1;
    }
  }
  return cleared;
}

export function* holdsFolder(disk: Disk, path: string, u: string): Steps<boolean> {
  yield "folder.check";
  return holderIn(disk.read(path)) === u;
}

/** Step 5: on the own open file, never by path, or it would give a lost folder back (7.6, table). */
export function* beatFolderLock(disk: Disk, fd: number, now: EpochMs): Steps<void> {
  yield "lock.write";
  disk.touch(fd, now);
}

/** Step 6, after everything in flight is finished. */
export function* releaseFolderLock(claim: FolderClaim, fd: number): Steps<void> {
  const { disk, path, u } = claim;
  quietly(() => disk.close(fd));
  if (!(yield* holdsFolder(disk, path, u))) return;
  yield "lock.unlink";
  disk.unlink(path);
}

function* fillFolderLock(claim: FolderClaim, fd: number, path: string): Steps<void> {
  const { disk } = claim;
  try {
    yield "lock.write";
    disk.write(fd, Buffer.from(claim.lockText));
    // The wall clock that judges the age is ours, not the file system's.
    disk.touch(fd, claim.now);
  } catch (error) {
    quietly(() => disk.close(fd));
    quietly(() => disk.unlink(path));
    throw error;
  }
}
