/** A folder with one owner (protocols 7.6): no key locks, no marker files. */
import { join } from "node:path";
import type { Backend, DueEntry } from "../../../src/ports/backend.ts";
import { mergedPage } from "./due-merge.ts";
import { type IndexPage, NO_ENTRIES, type PlacedEntry, rootPage } from "./due-page.ts";
import { type Folder, isDirectory } from "./folder.ts";
import { createGate, type Gate } from "./gate.ts";
import type { IndexRoot } from "./index-opening.ts";
import { createIndexRoots } from "./index-roots.ts";
import { createWriteQueue } from "./key-queue.ts";
import { keyIn, recordPlace } from "./layout.ts";
import { keptLevels, listPage } from "./list.ts";
import { digits } from "./marker-names.ts";
import { createNames } from "./names.ts";
import { checkFolder, rootsInUse, takeFolder, tenantRootsInUse } from "./opening.ts";
import { mendEntry, type OwnedWrites, putOwned } from "./owned-writes.ts";
import { createOwnership } from "./ownership.ts";
import { createPresence } from "./presence.ts";
import { readRecord } from "./reading.ts";
import { createWriter } from "./writer.ts";

/** Throws MisconfiguredError, or FolderInUseError while another owner lives. */
export async function openExclusive(folder: Folder): Promise<Backend> {
  checkFolder(folder);
  const u = folder.newId();
  const locks = await takeFolder(folder, u);
  const gate = createGate();
  const ownership = createOwnership(folder, { u, locks: [...locks] }, (message) =>
    gate.shut(message),
  );
  const writer = createWriter({
    layout: folder.layout,
    marks: createPresence(folder.layout).marks,
    self: folder.self,
  });
  const lose = (lock: string): void => void ownership.lose(lock);
  const roots = createIndexRoots({ folder, writer, folderU: u, lose });
  try {
    for (const root of rootsInUse(folder)) await roots.open(root.root);
    // Somebody may have judged us dead while we cleared and read.
    for (const lock of locks) ownership.check(lock.claim.path);
  } catch (error) {
    await roots.close();
    await writer.close();
    ownership.release();
    folder.disk.closeAll();
    throw error;
  }
  return backend({ folder, roots, writer, queue: createWriteQueue(), ownership }, gate);
}

function backend(writes: OwnedWrites, gate: Gate): Backend {
  const { folder, roots, ownership, writer } = writes;
  const { layout } = folder;
  const readLevel = keptLevels(layout, createNames(folder.context.clock), folder.see);

  return {
    format: "indented",
    owner: ownership.u,
    get(key) {
      return gate.enter(key, async () => {
        const { file, root } = recordPlace(layout, key);
        const found = await readRecord(key, file);
        // In a folder that was moved away nothing is found, which says nothing about the record.
        if (found === null) ownership.check(root.folderLock);
        else if (writes.queue.isBusy(key)) await writer.run("settle", key);
        return found;
      });
    },
    putIf(key, body, condition) {
      return gate.enter(key, () => putOwned(writes, { key, body, condition }));
    },
    list(prefix, cursor, limit) {
      return gate.enter(prefix, async () => {
        const page = await listPage(layout, readLevel, { prefix, cursor, limit });
        if (page.entries.length === 0) ownership.check(join(layout.directory, "folder.lock"));
        return page;
      });
    },
    remove(key) {
      return gate.enter(key, async () => {
        const input = { key, folderU: ownership.u };
        const done = await writes.queue.run(key, () => writer.run("remove", input));
        if (done !== "removed") throw ownership.lose(recordPlace(layout, key).root.folderLock);
      });
    },
    due: {
      page(tenant, queue, until, cursor, limit) {
        return gate.enter(tenant, async () => {
          // In a folder that was moved away no root is found, which says nothing about what is due.
          ownership.check(join(layout.directory, "folder.lock"));
          const walks = tenantRootsInUse(folder, tenant).map(({ root, directory, folderLock }) => ({
            root,
            async read(position: string, limit: number) {
              ownership.check(folderLock);
              if (!(await isDirectory(directory))) return NO_ENTRIES;
              const { rebuild, ...opened } = await roots.resume(root);
              return rootPage(rebuild, async () =>
                indexPage(opened, queue, { until, position, limit }),
              );
            },
          }));
          return mergedPage(walks, { cursor, limit });
        });
      },
      mend: (entry) => gate.enter(entry.key, () => mendEntry(writes, entry)),
    },
    async close() {
      gate.shut("the folder was closed");
      await roots.stop();
      await gate.empty();
      await roots.close();
      await writer.close();
      ownership.release();
      folder.disk.closeAll();
    },
  };
}

function indexPage(
  { place, index }: Pick<IndexRoot, "place" | "index">,
  queue: DueEntry["queue"],
  walk: { readonly until: DueEntry["at"]; readonly position: string; readonly limit: number },
): IndexPage {
  const entries: PlacedEntry[] = [];
  let { position } = walk;
  for (;;) {
    const found = index.page(queue, walk.until, position, walk.limit);
    for (const { at, rest } of found) {
      position = `${digits(at)}.${rest}`;
      const key = keyIn(place.root, rest);
      if (key === null) continue;
      entries.push({ entry: { key, queue, at, name: position, writtenAt: null }, position });
    }
    const hasMore = found.length >= walk.limit;
    if (entries.length > 0 || !hasMore) return { entries, hasMore };
  }
}
