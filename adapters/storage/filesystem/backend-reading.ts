/**
 * A folder that is only read, such as the source of a copy: nothing is made, locked or swept in it, so it
 * may as well be a backup on a disk that cannot be written.
 */
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Backend } from "../../../src/ports/backend.ts";
import { FolderInUseError, MisconfiguredError } from "../../../src/ports/faults.ts";
import type { Folder } from "./folder.ts";
import { createGate } from "./gate.ts";
import { foldersOf, type LayoutOptions, levelOf, recordPlace, rootPlace } from "./layout.ts";
import { refuseLiveOriginal } from "./leftovers.ts";
import { keptLevels, listPage } from "./list.ts";
import { createNames } from "./names.ts";
import { checkExternals, rootsInUse } from "./opening.ts";
import { folderOwner } from "./owner.ts";
import { createPresence } from "./presence.ts";
import { readRecord } from "./reading.ts";
import { parseFormat, readRootState } from "./root-state.ts";
import { misconfigured } from "./trouble.ts";

/**
 * Throws MisconfiguredError (a newer format, a live process of an original), or FolderInUseError while an
 * exclusive owner lives. Processes that share the folder cannot be seen.
 */
export async function openReading(folder: Folder): Promise<Backend> {
  const { layout, disk, context } = folder;
  checkExternals(layout);
  checkFormat(layout);
  const now = context.clock.now();
  for (const directory of foldersOf(layout)) {
    const owner = folderOwner(directory, now);
    if (owner === null) continue;
    const { pid, address, since } = owner;
    const message = `${directory} belongs to process ${pid ?? "unknown"}, which has to end first`;
    throw new FolderInUseError(message, { pid, address, since });
  }
  for (const root of rootsInUse(folder)) {
    readRootState(disk, root);
    refuseLiveOriginal(root, now);
  }
  return backend(folder);
}

function checkFormat({ directory }: LayoutOptions): void {
  const file = join(directory, "holdfast.json");
  try {
    if (existsSync(file)) parseFormat(file, readFileSync(file));
  } catch (error) {
    throw misconfigured(file, error);
  }
}

function backend({ layout, context, disk }: Folder): Backend {
  const presence = createPresence(layout);
  const gate = createGate();
  const readLevel = keptLevels(layout, createNames(context.clock), () => {});
  const refuse = async (): Promise<never> => {
    throw new MisconfiguredError(`${layout.directory} was opened to be read only`);
  };

  /** In a folder that was moved away nothing is found, which says nothing about its records. */
  function checkHere(root: string): void {
    const { folderLock } = rootPlace(layout, root);
    const marked = presence.marks[dirname(folderLock)] ?? null;
    if (marked !== null) presence.check(folderLock);
  }

  return {
    format: "indented",
    owner: null,
    get(key) {
      return gate.enter(key, async () => {
        const { file, root } = recordPlace(layout, key);
        const found = await readRecord(key, file);
        if (found === null) checkHere(root.root);
        return found;
      });
    },
    putIf: refuse,
    list(prefix, cursor, limit) {
      return gate.enter(prefix, async () => {
        const page = await listPage(layout, readLevel, { prefix, cursor, limit });
        if (page.entries.length === 0) checkHere(levelOf(layout, prefix).root ?? "");
        return page;
      });
    },
    remove: refuse,
    due: { page: refuse, mend: refuse },
    async close() {
      gate.shut("the folder was closed");
      await gate.empty();
      disk.closeAll();
    },
  };
}
