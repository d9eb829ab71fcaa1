/**
 * What others leave behind in `locks/` and `tmp/`: a live process of an original (refused, protocols
 * 7.5), and what a dead one left (EMAIL-62, 63; protocols 7.2, Leftovers).
 */
import { lstatSync, unlinkSync } from "node:fs";
import { join } from "node:path";
import type { EpochMs } from "../../../src/core/time.ts";
import { MisconfiguredError } from "../../../src/ports/faults.ts";
import type { Observe } from "../../../src/ports/observe.ts";
import { absentIs, namesIn } from "./disk.ts";
import type { Level, RootPlace } from "./layout.ts";
import { LOCK_STALE_MS } from "./lock-file.ts";
import { quietly } from "./temp-file.ts";

/** `POLITENESS_MS` of protocols 0: younger may still be in use. Decides no correctness. */
export const POLITENESS_MS = 60_000;

/** What one look at a directory of records removes at most; the next look goes on. */
const RECORD_LEFTOVERS_MAX = 100;

const FOLDER_LEFTOVER = /^(?:folder\.[0-9a-f-]{36}\.take|holdfast\.json\.[0-9a-f-]{36}\.tmp)$/;
const ORIGINAL_TEMP = /^\.?[0-9a-f]{64}\.json\.\d+\.[0-9a-f-]{36}\.tmp$/;

/**
 * Throws MisconfiguredError when a file in `locks/` shows a process of an original at work: it writes
 * without looking at what we do. One that is idle, or starts later, is not noticed.
 */
export function refuseLiveOriginal(root: RootPlace, now: EpochMs): void {
  for (const name of namesIn(root.locks)) {
    const path = join(root.locks, name);
    const found = absentIs(null, () => lstatSync(path));
    if (found === null || now - found.mtimeMs > LOCK_STALE_MS) continue;
    const isLock = name.endsWith(".lock") && found.size === 0 && found.nlink === 2;
    if (!isLock && !isOriginalMark(name)) continue;
    throw new MisconfiguredError(
      `${path} shows that another program that writes this folder is running: stop it, and start ` +
        `again ${LOCK_STALE_MS / 1_000} seconds later`,
    );
  }
}

/** Whether an original was here and did not end properly: its writes are not in our due index. */
export function hasOriginalMarks(root: RootPlace): boolean {
  return namesIn(root.locks).some(isOriginalMark);
}

/** Removes what is older than POLITENESS_MS and nobody will come back for. */
export function sweepLeftovers(root: RootPlace, now: EpochMs, observe: Observe): void {
  const inLocks = namesIn(root.locks).filter(
    // A lock too: whoever still believes to hold it is refused by its check (protocols 7.3).
    (name) => isOriginalMark(name) || /\.(?:lock|take|tmp)$/.test(name),
  );
  const paths = [
    ...inLocks.map((name) => join(root.locks, name)),
    ...namesIn(root.temps).map((name) => join(root.temps, name)),
  ];
  const swept = paths.filter((path) => sweepOne(path, now)).length;
  if (swept > 0) observe("folder.leftovers.swept", swept);
}

/** The same for what lies beside `folder.lock`. */
export function sweepFolderLeftovers(directory: string, now: EpochMs, observe: Observe): void {
  const names = namesIn(directory).filter((name) => FOLDER_LEFTOVER.test(name));
  const swept = names.filter((name) => sweepOne(join(directory, name), now)).length;
  if (swept > 0) observe("folder.leftovers.swept", swept);
}

/** The same for an original's temps, which lie beside its records: as a listing meets them. */
export function sweepRecordLeftovers(
  level: Level,
  names: readonly string[],
  by: { readonly now: EpochMs; readonly observe: Observe },
): void {
  if (level.kind !== "collection" && level.kind !== "root") return;
  const temps = names.filter((name) => ORIGINAL_TEMP.test(name)).slice(0, RECORD_LEFTOVERS_MAX);
  const swept = temps.filter((name) => sweepOne(join(level.path, name), by.now)).length;
  if (swept > 0) by.observe("folder.leftovers.swept", swept);
}

function isOriginalMark(name: string): boolean {
  return name.endsWith(".owner") || name.endsWith(".takeover");
}

function sweepOne(path: string, now: EpochMs): boolean {
  let isSwept = false;
  quietly(() => {
    const found = lstatSync(path);
    if (!found.isFile() || now - found.mtimeMs <= POLITENESS_MS) return;
    unlinkSync(path);
    isSwept = true;
  });
  return isSwept;
}
