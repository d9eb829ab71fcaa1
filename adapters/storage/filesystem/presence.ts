/**
 * Whether an opened folder is still where it was. One that was renamed or unmounted must not be taken
 * for an empty one: nothing may be told from its place, and nothing made there.
 */
import { lstatSync } from "node:fs";
import { dirname, join } from "node:path";
import { StoreUnavailableError } from "../../../src/ports/faults.ts";
import { stampOf } from "./disk.ts";
import { foldersOf, type LayoutOptions } from "./layout.ts";

/** What tells each directory from another one at its path, null where there was nothing. Plain data. */
export type FolderMarks = Readonly<Record<string, string | null>>;

export interface Presence {
  readonly marks: FolderMarks;
  /** `folderLock` names the directory: that of a root, or of the data directory. */
  isHere(folderLock: string): boolean;
  /** Throws StoreUnavailableError when it is not: whatever was about to be done was not. */
  check(folderLock: string): void;
}

/** `marks`: those of an earlier look, for a thread. */
export function createPresence(layout: LayoutOptions, marks = marksOf(layout)): Presence {
  const isHere = (folderLock: string): boolean => {
    const mark = marks[dirname(folderLock)] ?? null;
    return mark !== null && markOf(layout, dirname(folderLock)) === mark;
  };
  return {
    marks,
    isHere,
    check(folderLock) {
      if (!isHere(folderLock)) throw goneFolder(folderLock);
    },
  };
}

export function goneFolder(folderLock: string): StoreUnavailableError {
  return new StoreUnavailableError(
    `${dirname(folderLock)} is not the folder that was opened: it was moved, removed or unmounted`,
    { isNotWritten: true },
  );
}

function marksOf(layout: LayoutOptions): FolderMarks {
  return Object.fromEntries(foldersOf(layout).map((path) => [path, markOf(layout, path)]));
}

/** The format file of the data directory is written once. An original's root has nothing like it. */
function markOf(layout: LayoutOptions, path: string): string | null {
  if (path === layout.directory) return stampOf(join(path, "holdfast.json"));
  const found = lstatSync(path, { throwIfNoEntry: false });
  return found === undefined ? null : `${found.dev}.${found.ino}`;
}
