/**
 * Writes in folders that processes share (protocols 7.2 to 7.4). The order of the steps is the proof:
 * do not change it without the model. No `finally` anywhere: whoever dies half-way leaves all of it
 * behind, and that has to be safe.
 */
import { join } from "node:path";
import type { Version } from "../../../src/ports/backend.ts";
import type { Disk } from "./disk.ts";
import { type Attempt, clearTemps, holdsLock, lockKey, unlockKey } from "./key-lock.ts";
import type { RecordPlace } from "./layout.ts";
import { versionOf } from "./record-bytes.ts";
import type { Steps } from "./steps.ts";
import {
  dropTemp,
  isThere,
  linkTemp,
  makeDurable,
  type Outcome,
  quietly,
  RENAME_PAUSE_MS,
  RENAME_REPEATS_MAX,
  renameTemp,
  settle,
  tempPath,
  writeTemp,
} from "./temp-file.ts";

/** What a write does to the due markers. */
export interface MarkerChange {
  /** The path of the new marker, whose name ends in the attempt's `u`; null: none is needed. */
  readonly create: string | null;
  /**
   * What `holdfast.json` was when its due index was found to be marker files. Another one means that
   * an exclusive owner has been here since, and that its index may not know our markers.
   */
  readonly rootStamp: string | null;
  readonly remove: OldMarkers | null;
}

/** The markers of the version that is replaced: one name, or all that begin with it. */
export interface OldMarkers {
  readonly directory: string;
  readonly name: string;
  readonly isWhole: boolean;
}

export interface Change {
  readonly bytes: Uint8Array;
  readonly marker: MarkerChange;
}

/**
 * All but `stored` and `unknown` say: definitely not written. `busy`: a living owner has the lock.
 * `fenced`: somebody took the lock or the temp. `folder`: the folder has, or is getting, an exclusive
 * owner. `moved`: see `rootStamp`.
 */
export type WriteVerdict =
  | Outcome
  | { readonly kind: "refused"; readonly current: Uint8Array | null | "unread" }
  | { readonly kind: "busy" | "fenced" | "folder" | "moved" };

export const NO_MARKER: MarkerChange = { create: null, rootStamp: null, remove: null };

/** Replaces the record if its version is `expected` (7.2, Update). */
export function* updateRecord(
  attempt: Attempt,
  expected: Version,
  change: Change,
): Steps<WriteVerdict> {
  if ((yield* lockKey(attempt)) === "busy") return yield* whileBusy(attempt, expected);
  try {
    const verdict = yield* updateLocked(attempt, expected, change);
    yield* unlockKey(attempt);
    return verdict;
  } catch (error) {
    yield* unlockKey(attempt);
    throw error;
  }
}

/**
 * A version that is gone never comes back, so there is nothing to wait for. Without this look a writer
 * that waits long is refused only after so many others that nobody can tell its write from theirs.
 */
function* whileBusy({ disk, place }: Attempt, expected: Version): Steps<WriteVerdict> {
  yield "record.read";
  const now = disk.read(place.file);
  if (now !== null && versionOf(now) === expected) return { kind: "busy" };
  return yield* refused(disk, place, now);
}

/** Its writer may be at work still, or dead, with its temp or lock taken away by us: see settle. */
function* refused(disk: Disk, place: RecordPlace, current: Uint8Array | null): Steps<WriteVerdict> {
  if (current !== null) yield* settle(disk, place);
  return { kind: "refused", current };
}

/** Steps 4 to 9, by whoever has the lock. */
export function* updateLocked(
  attempt: Attempt,
  expected: Version,
  change: Change,
): Steps<WriteVerdict> {
  const { disk, place } = attempt;
  const temp = tempPath(place, attempt.u, "upd");
  let old: readonly string[];
  try {
    yield* clearTemps(attempt);
    yield "record.read";
    const before = disk.read(place.file);
    if (before === null || versionOf(before) !== expected) {
      return yield* refused(disk, place, before);
    }
    yield* writeTemp(disk, temp, change.bytes);
    // Found before the check, used after the rename: what is here now cannot be the marker of a later
    // writer, because with one around the check or the rename fails.
    old = yield* findMarkers(disk, change.marker.remove);
    yield* createMarker(disk, change.marker);
    const outcome = yield* publish(attempt, temp, change.marker);
    if (outcome !== "done") {
      yield* dropTemp(disk, temp);
      yield* dropMarker(disk, change.marker);
      return { kind: outcome };
    }
  } catch (error) {
    yield* dropTemp(disk, temp);
    throw error;
  }
  const verdict = yield* makeDurable(disk, place, versionOf(change.bytes));
  if (verdict.kind === "stored") yield* removeMarkers(disk, old);
  return verdict;
}

/** Writes a record that must not exist (7.2, Create). Takes no lock. */
export function* createRecord(attempt: Attempt, change: Change): Steps<WriteVerdict> {
  const { disk, place } = attempt;
  const temp = tempPath(place, attempt.u, "new");
  if (yield* isThere(disk, place)) return { kind: "refused", current: "unread" };
  try {
    yield* writeTemp(disk, temp, change.bytes);
    // Not before the temp: a sweep that sees a marker without temp and record judges it dead (7.3).
    yield* createMarker(disk, change.marker);
    const obstacle = yield* folderObstacle(attempt, change.marker);
    const outcome = obstacle ?? (yield* linkTemp(disk, temp, place.file));
    if (outcome !== "done") {
      yield* dropTemp(disk, temp);
      yield* dropMarker(disk, change.marker);
      return outcome === "exists" ? { kind: "refused", current: "unread" } : { kind: outcome };
    }
  } catch (error) {
    yield* dropTemp(disk, temp);
    throw error;
  }
  const verdict = yield* makeDurable(disk, place, versionOf(change.bytes));
  yield* dropTemp(disk, temp);
  return verdict;
}

/** Steps 8 and 9, without the fsync. */
export function* publish(
  attempt: Attempt,
  temp: string,
  marker: MarkerChange,
): Steps<"done" | "fenced" | "folder" | "moved"> {
  const { disk, place } = attempt;
  for (let repeats = 0; ; repeats += 1) {
    if (!(yield* holdsLock(attempt))) return "fenced";
    const obstacle = yield* folderObstacle(attempt, marker);
    if (obstacle !== null) return obstacle;
    const outcome = yield* renameTemp(disk, temp, place.file);
    if (outcome !== "again") return outcome;
    if (repeats >= RENAME_REPEATS_MAX) return "fenced";
    yield "pause";
    disk.pause(RENAME_PAUSE_MS);
  }
}

/** Not null: the folder has another owner, or its due index is no longer the markers we write. */
export function* folderObstacle(
  { disk, place }: Attempt,
  marker: MarkerChange,
): Steps<"folder" | "moved" | null> {
  yield "folder.check";
  if (disk.exists(place.root.folderLock)) return "folder";
  if (marker.create === null) return null;
  yield "root.check";
  return disk.stamp(place.root.state) === marker.rootStamp ? null : "moved";
}

export function* findMarkers(disk: Disk, old: OldMarkers | null): Steps<readonly string[]> {
  if (old === null) return [];
  if (old.isWhole) return [join(old.directory, old.name)];
  yield "marker.find";
  const names = disk.list(old.directory).filter((name) => name.startsWith(old.name));
  return names.map((name) => join(old.directory, name));
}

export function* createMarker(disk: Disk, { create }: MarkerChange): Steps<void> {
  if (create === null) return;
  yield "marker.create";
  disk.createEmpty(create);
}

/** One that stays is an entry too many, which the sweep mends. */
export function* removeMarkers(disk: Disk, paths: readonly string[]): Steps<void> {
  for (const path of paths) {
    yield "marker.unlink";
    quietly(() => disk.unlink(path));
  }
}

/** Only after a definite "not written": while that is unknown, the marker may be needed. */
function* dropMarker(disk: Disk, { create }: MarkerChange): Steps<void> {
  if (create !== null) yield* removeMarkers(disk, [create]);
}
