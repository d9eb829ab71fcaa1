/** A folder that any number of processes of one host share (protocols 7.1 to 7.5). */

import { join } from "node:path";
import type { Backend } from "../../../src/ports/backend.ts";
import { ContendedError, FolderInUseError } from "../../../src/ports/faults.ts";
import { pageMarkers } from "./due-markers.ts";
import { mergedPage, type RootWalk } from "./due-merge.ts";
import { NO_ENTRIES, rootPage } from "./due-page.ts";
import { type Folder, isDirectory } from "./folder.ts";
import { createGate } from "./gate.ts";
import { createWriteQueue } from "./key-queue.ts";
import { foldersOf, levelOf, type RootPlace, recordPlace, rootPlace } from "./layout.ts";
import { keptLevels, listPage } from "./list.ts";
import { createMarkerMemory } from "./marker-memory.ts";
import { parseEntryName } from "./marker-names.ts";
import { createMarkerRoots, type MarkerRoot } from "./marker-roots.ts";
import { createNames } from "./names.ts";
import { checkFolder, clearDeadOwner, rootsInUse, tenantRootsInUse } from "./opening.ts";
import { createPresence } from "./presence.ts";
import { findRecord } from "./reading.ts";
import { mendMarker, putShared, type SharedWrites } from "./shared-writes.ts";
import { createWriter } from "./writer.ts";

/**
 * Throws MisconfiguredError, or FolderInUseError while an exclusive owner lives. What a dead one left
 * is cleared away (7.6, 8).
 */
export async function openProcesses(folder: Folder): Promise<Backend> {
  checkFolder(folder);
  for (const directory of foldersOf(folder.layout)) {
    await clearDeadOwner(folder, join(directory, "folder.lock"));
  }
  const presence = createPresence(folder.layout);
  const clearOwner = (place: RootPlace): Promise<void> => letOwnerGo(folder, place);
  const names = createNames(folder.context.clock);
  const writer = createWriter({
    layout: folder.layout,
    marks: presence.marks,
    self: folder.self,
  });
  const roots = createMarkerRoots({ folder, writer, presence, clearOwner });
  const writes: SharedWrites = {
    folder,
    roots,
    writer,
    queue: createWriteQueue(),
    memory: createMarkerMemory(),
    presence,
    letOwnerGo: clearOwner,
  };
  try {
    for (const root of rootsInUse(folder)) await roots.open(root.root);
  } catch (error) {
    await roots.close();
    await writer.close();
    folder.disk.closeAll();
    throw error;
  }
  return backend(writes, names);
}

function backend(writes: SharedWrites, names: ReturnType<typeof createNames>): Backend {
  const { folder, roots, writer, memory, presence } = writes;
  const gate = createGate();
  const readLevel = keptLevels(folder.layout, names, folder.see);

  /** In a folder that was moved away no root is found, which says nothing about what is due. */
  const here: RootWalk = {
    root: ".",
    async read() {
      presence.check(join(folder.layout.directory, "folder.lock"));
      return NO_ENTRIES;
    },
  };

  /** The root while its due index is in marker files that we know to be all. */
  async function current(name: string): Promise<MarkerRoot> {
    const root = await roots.open(name);
    const isSame = folder.disk.stamp(root.place.state) === root.stamp;
    if (isSame && root.rebuild?.hasFailed() !== true) return root;
    memory.forgetAll();
    return roots.reopen(name, root);
  }

  return {
    format: "indented",
    owner: null,
    get(key) {
      return gate.enter(key, async () => {
        const { file, lock, root } = recordPlace(folder.layout, key);
        const found = await findRecord(key, file);
        if (found === null) {
          // In a folder that was moved away nothing is found, which says nothing about the record.
          presence.check(root.folderLock);
          return null;
        }
        // Whoever creates a record keeps its second name, and whoever updates it its lock, until it is
        // durable; so this look has to come after the read.
        if (found.links > 1 || folder.disk.exists(lock)) await writer.run("settle", key);
        return found.record;
      });
    },
    putIf(key, body, condition) {
      return gate.enter(key, () => putShared(writes, { key, body, condition }));
    },
    list(prefix, cursor, limit) {
      return gate.enter(prefix, async () => {
        const page = await listPage(folder.layout, readLevel, { prefix, cursor, limit });
        if (page.entries.length === 0) {
          const { root } = levelOf(folder.layout, prefix);
          const { folderLock } = rootPlace(folder.layout, root ?? "");
          presence.check(folderLock);
        }
        return page;
      });
    },
    remove(key) {
      return gate.enter(key, async () => {
        const { root } = recordPlace(folder.layout, key);
        await writes.letOwnerGo(root);
        const done = await writes.queue.run(key, () =>
          writer.run("remove", { key, folderU: null }),
        );
        if (done !== "removed") throw new ContendedError(`${root.folderLock} has an owner`);
        // What is not there counts as removed, so the folder must have been there.
        presence.check(root.folderLock);
      });
    },
    due: {
      page(tenant, queue, until, cursor, limit) {
        return gate.enter(tenant, async () => {
          const walks = tenantRootsInUse(folder, tenant).map((place) => ({
            root: place.root,
            async read(position: string, limit: number) {
              if (!(await isDirectory(place.directory))) {
                presence.check(place.folderLock);
                return NO_ENTRIES;
              }
              const { rebuild } = await current(place.root);
              const now = folder.context.clock.now();
              return rootPage(rebuild, () =>
                pageMarkers(names, { root: place, queue, until, position, limit, now }),
              );
            },
          }));
          const page = await mergedPage([here, ...walks], { cursor, limit });
          for (const entry of page.entries) {
            memory.learn(entry.key, entry, parseEntryName(entry.name).file);
          }
          return page;
        });
      },
      mend: (entry) => gate.enter(entry.key, () => mendMarker(writes, entry)),
    },
    async close() {
      gate.shut("the folder was closed");
      await roots.close();
      await gate.empty();
      await writer.close();
      folder.disk.closeAll();
    },
  };
}

/** A living owner is waited for by whoever calls again, not here: it keeps the folder for its life. */
async function letOwnerGo(folder: Folder, place: RootPlace): Promise<void> {
  try {
    await clearDeadOwner(folder, place.folderLock);
  } catch (error) {
    if (!(error instanceof FolderInUseError)) throw error;
    throw new ContendedError(error.message, { cause: error });
  }
}
