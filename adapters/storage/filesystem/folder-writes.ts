/**
 * Writes of an exclusive owner, many at once (protocols 7.6, step 4): all temps, one look at the
 * folder's lock, all renames and links, one fsync per directory. Keys of one batch are distinct, and
 * nobody else in this process writes them meanwhile.
 */
import type { Version } from "../../../src/ports/backend.ts";
import type { Disk } from "./disk.ts";
import { holdsFolder } from "./folder-lock.ts";
import type { RecordPlace } from "./layout.ts";
import { versionOf } from "./record-bytes.ts";
import type { Steps } from "./steps.ts";
import {
  classify,
  dropTemp,
  linkTemp,
  type Outcome,
  RENAME_PAUSE_MS,
  RENAME_REPEATS_MAX,
  renameTemp,
  tempPath,
  writeTemp,
} from "./temp-file.ts";

export interface FolderTask {
  readonly place: RecordPlace;
  /** Fresh for every attempt; names the temp. */
  readonly u: string;
  readonly expected: "absent" | Version;
  readonly bytes: Uint8Array;
}

/**
 * All but `stored` and `unknown` say: definitely not written. `fenced`: somebody cleared the temp.
 * `lost`: the folder belongs to another. `failed`: the system refused; not published.
 */
export type BatchVerdict =
  | Outcome
  | { readonly kind: "refused"; readonly current: Uint8Array | null | "unread" }
  | { readonly kind: "fenced" | "lost" }
  | { readonly kind: "failed"; readonly error: unknown };

interface Work extends FolderTask {
  readonly temp: string;
  readonly version: Version;
  verdict: BatchVerdict | null;
}

/** `folderU`: the owner's `u`. A verdict per task, in order; the error of one never fails another. */
export function* writeBatch(
  disk: Disk,
  folderU: string,
  tasks: readonly FolderTask[],
): Steps<readonly BatchVerdict[]> {
  const works: Work[] = tasks.map((task) => ({
    ...task,
    temp: tempPath(task.place, task.u, task.expected === "absent" ? "new" : "upd"),
    version: versionOf(task.bytes),
    verdict: null,
  }));
  for (const work of works) yield* guarded(disk, work, prepare(disk, work));
  const ready = works.filter((work) => work.verdict === null);
  if (ready.length > 0) yield* publishAll(disk, folderU, ready);
  return works.map((work) => work.verdict ?? { kind: "lost" });
}

function* publishAll(disk: Disk, folderU: string, ready: readonly Work[]): Steps<void> {
  // One look serves every temp that was complete before it, and none that was not.
  if (!(yield* holdsEvery(disk, folderU, ready))) {
    for (const work of ready) {
      yield* dropTemp(disk, work.temp);
      work.verdict = { kind: "lost" };
    }
    return;
  }
  for (const work of ready) yield* guarded(disk, work, publish(disk, folderU, work));
  yield* syncDirectories(
    disk,
    ready.filter((work) => work.verdict === null),
  );
  for (const work of ready) {
    if (work.expected === "absent") yield* dropTemp(disk, work.temp);
  }
}

function* prepare(disk: Disk, work: Work): Steps<void> {
  if (work.expected !== "absent") {
    yield "record.read";
    const before = disk.read(work.place.file);
    if (before === null || versionOf(before) !== work.expected) {
      work.verdict = { kind: "refused", current: before };
      return;
    }
  }
  yield* writeTemp(disk, work.temp, work.bytes);
}

/** Leaves the verdict null when the name is in place: `stored` only after the fsync. */
function* publish(disk: Disk, folderU: string, work: Work): Steps<void> {
  for (let repeats = 0; ; repeats += 1) {
    const outcome =
      work.expected === "absent"
        ? yield* linkTemp(disk, work.temp, work.place.file)
        : yield* renameTemp(disk, work.temp, work.place.file);
    if (outcome === "done") return;
    if (outcome !== "again" || repeats >= RENAME_REPEATS_MAX) {
      yield* dropTemp(disk, work.temp);
      work.verdict =
        outcome === "exists" ? { kind: "refused", current: "unread" } : { kind: "fenced" };
      return;
    }
    yield "pause";
    disk.pause(RENAME_PAUSE_MS);
    if (!(yield* holdsFolder(disk, work.place.root.folderLock, folderU))) {
      yield* dropTemp(disk, work.temp);
      work.verdict = { kind: "lost" };
      return;
    }
  }
}

function* holdsEvery(disk: Disk, folderU: string, works: readonly Work[]): Steps<boolean> {
  const locks = new Set(works.map((work) => work.place.root.folderLock));
  for (const lock of locks) {
    if (!(yield* holdsFolder(disk, lock, folderU))) return false;
  }
  return true;
}

function* syncDirectories(disk: Disk, published: readonly Work[]): Steps<void> {
  const directories = new Map(
    published.map((work) => [work.place.directory, work.place.isLasting]),
  );
  for (const [directory, isLasting] of directories) {
    const inside = published.filter((work) => work.place.directory === directory);
    try {
      yield "directory.sync";
      disk.syncDirectory(directory, isLasting);
      for (const work of inside) work.verdict = { kind: "stored", version: work.version };
    } catch (error) {
      for (const work of inside) {
        work.verdict = yield* classify(disk, work.place, { version: work.version, error });
      }
    }
  }
}

function* guarded(disk: Disk, work: Work, steps: Steps<void>): Steps<void> {
  try {
    yield* steps;
  } catch (error) {
    work.verdict = { kind: "failed", error };
    yield* dropTemp(disk, work.temp);
  }
}
