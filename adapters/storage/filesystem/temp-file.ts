/** New content on its way: a temp beside the records, and the moment in which it becomes one. */
import type { Version } from "../../../src/ports/backend.ts";
import { codeOf, type Disk } from "./disk.ts";
import type { RecordPlace } from "./layout.ts";
import { versionOf } from "./record-bytes.ts";
import type { Steps } from "./steps.ts";

/** Repeats of a rename that the system refuses while a scanner or backup holds the file. */
export const RENAME_REPEATS_MAX = 4;
export const RENAME_PAUSE_MS = 10;

const TEMP = /^[0-9a-f-]{36,64}\.[0-9a-f-]{36}\.(?:upd|new)$/;

/** `.new` for creation, `.upd` for update (protocols 7.1). */
export function tempPath(place: RecordPlace, u: string, kind: "upd" | "new"): string {
  return `${place.root.temps}/${place.id}.${u}.${kind}`;
}

/** Whether `name` is one that `tempPath` makes: nothing else in `tmp/` is ours to remove. */
export function isTempName(name: string): boolean {
  return TEMP.test(name);
}

/** A record that is there stays there, so whoever repeats a creation need not sync a temp for it. */
export function* isThere(disk: Disk, place: RecordPlace): Steps<boolean> {
  yield "record.look";
  return disk.exists(place.file);
}

/** The temp, whole and durable: a name that appears in a record's place never has less behind it. */
export function* writeTemp(disk: Disk, path: string, bytes: Uint8Array): Steps<void> {
  yield "temp.create";
  const fd = disk.create(path);
  try {
    yield "temp.write";
    disk.write(fd, bytes);
    yield "temp.sync";
    disk.sync(fd);
    // Here a thread that has other writes to go on with waits; an error of the fsync comes back here.
    yield "temp.synced";
  } catch (error) {
    disk.close(fd);
    throw error;
  }
  yield "temp.close";
  disk.close(fd);
}

export type Outcome =
  | { readonly kind: "stored"; readonly version: Version }
  | { readonly kind: "unknown"; readonly error: unknown };

/** `again`: the system refuses for the moment. Throws what is neither that nor the fence. */
export function* renameTemp(
  disk: Disk,
  from: string,
  to: string,
): Steps<"done" | "fenced" | "again"> {
  yield "record.rename";
  try {
    disk.rename(from, to);
    return "done";
  } catch (error) {
    const code = codeOf(error);
    if (code === "ENOENT") return "fenced";
    if (code === "EPERM" || code === "EBUSY") return "again";
    throw error;
  }
}

export function* linkTemp(
  disk: Disk,
  from: string,
  to: string,
): Steps<"done" | "fenced" | "exists"> {
  yield "record.link";
  try {
    disk.link(from, to);
    return "done";
  } catch (error) {
    const code = codeOf(error);
    if (code === "ENOENT") return "fenced";
    if (code === "EEXIST") return "exists";
    throw error;
  }
}

/**
 * The only point at which a write can become unknown (protocols 0): after an error, `stored` is said
 * only if a second fsync succeeds and the bytes are ours.
 */
export function* makeDurable(disk: Disk, place: RecordPlace, version: Version): Steps<Outcome> {
  try {
    yield* settle(disk, place);
    return { kind: "stored", version };
  } catch (error) {
    return yield* classify(disk, place, { version, error });
  }
}

/**
 * Makes durable what was found in a record's place. Whoever wrote it may not have come to that yet, and
 * what a reader was shown must not be undone by a power cut (G4).
 */
export function* settle(disk: Disk, place: RecordPlace): Steps<void> {
  yield "directory.sync";
  disk.syncDirectory(place.directory, place.isLasting);
  yield "directory.synced";
}

function* classify(
  disk: Disk,
  place: RecordPlace,
  failed: { readonly version: Version; readonly error: unknown },
): Steps<Outcome> {
  try {
    yield* settle(disk, place);
    yield "record.read";
    const now = disk.read(place.file);
    if (now !== null && versionOf(now) === failed.version) {
      return { kind: "stored", version: failed.version };
    }
  } catch {
    // The first error tells more than the second.
  }
  return { kind: "unknown", error: failed.error };
}

/** Unlinking a temp is safe at any time: it only fences its writer. */
export function* dropTemp(disk: Disk, path: string): Steps<void> {
  yield "temp.unlink";
  quietly(() => disk.unlink(path));
}

/** For what may stay behind: the sweep of left-overs finds it. */
export function quietly(run: () => void): void {
  try {
    run();
  } catch {
    // Nothing depends on it.
  }
}
