/**
 * A write of an exclusive owner (protocols 7.6, step 4): temp, a look at the folder's lock, rename or
 * link, fsync. Nobody else in this process writes the key meanwhile.
 */
import type { Version } from "../../../src/ports/backend.ts";
import type { Disk } from "./disk.ts";
import { holdsFolder } from "./folder-lock.ts";
import type { RecordPlace } from "./layout.ts";
import { versionOf } from "./record-bytes.ts";
import type { Steps } from "./steps.ts";
import {
  dropTemp,
  isThere,
  linkTemp,
  makeDurable,
  type Outcome,
  RENAME_PAUSE_MS,
  RENAME_REPEATS_MAX,
  renameTemp,
  tempPath,
  writeTemp,
} from "./temp-file.ts";

export interface OwnedWrite {
  readonly place: RecordPlace;
  /** Fresh for every attempt; names the temp. */
  readonly u: string;
  readonly expected: "absent" | Version;
  readonly bytes: Uint8Array;
}

/**
 * All but `stored` and `unknown` say: definitely not written. `fenced`: somebody cleared the temp.
 * `lost`: the folder belongs to another.
 */
export type OwnedVerdict =
  | Outcome
  | { readonly kind: "refused"; readonly current: Uint8Array | null | "unread" }
  | { readonly kind: "fenced" | "lost" };

/** `folderU`: the owner's `u`. Throws the system's error when it refuses; not written then. */
export function* writeOwned(disk: Disk, folderU: string, write: OwnedWrite): Steps<OwnedVerdict> {
  const { place, expected, bytes } = write;
  const temp = tempPath(place, write.u, expected === "absent" ? "new" : "upd");
  try {
    if (expected === "absent") {
      if (yield* isThere(disk, place)) return { kind: "refused", current: "unread" };
    } else {
      yield "record.read";
      const before = disk.read(place.file);
      if (before === null || versionOf(before) !== expected) {
        return { kind: "refused", current: before };
      }
    }
    yield* writeTemp(disk, temp, bytes);
    const outcome = yield* publish(disk, folderU, { write, temp });
    if (outcome !== "done") {
      yield* dropTemp(disk, temp);
      return outcome === "exists" ? { kind: "refused", current: "unread" } : { kind: outcome };
    }
  } catch (error) {
    yield* dropTemp(disk, temp);
    throw error;
  }
  const verdict = yield* makeDurable(disk, place, versionOf(bytes));
  if (expected === "absent") yield* dropTemp(disk, temp);
  return verdict;
}

/** The look comes after the temp is whole, and again before every repeat. */
function* publish(
  disk: Disk,
  folderU: string,
  { write, temp }: { readonly write: OwnedWrite; readonly temp: string },
): Steps<"done" | "fenced" | "exists" | "lost"> {
  const { place, expected } = write;
  for (let repeats = 0; ; repeats += 1) {
    if (!(yield* holdsFolder(disk, place.root.folderLock, folderU))) return "lost";
    const outcome =
      expected === "absent"
        ? yield* linkTemp(disk, temp, place.file)
        : yield* renameTemp(disk, temp, place.file);
    if (outcome !== "again") return outcome;
    if (repeats >= RENAME_REPEATS_MAX) return "fenced";
    yield "pause";
    disk.pause(RENAME_PAUSE_MS);
  }
}
