/** How an exclusive owner comes to the due index of a root (protocols 7.6, step 9). */
import { unlinkSync } from "node:fs";
import { join } from "node:path";
import { StoreUnavailableError } from "../../../src/ports/faults.ts";
import { type Checkpoint, dropCheckpoint, readCheckpoint, writeCheckpoint } from "./checkpoint.ts";
import { namesIn } from "./disk.ts";
import { type DueIndexFile, loadDueIndex, newDueIndex } from "./due-index.ts";
import { allMarkers, removeMarkerFiles } from "./due-markers.ts";
import { type Folder, makeRootDirectories } from "./folder.ts";
import { holdsFolder } from "./folder-lock.ts";
import { writeOwned } from "./folder-writes.ts";
import { type RootPlace, splitKey } from "./layout.ts";
import { hasOriginalMarks, sweepLeftovers } from "./leftovers.ts";
import { hasRecords } from "./list.ts";
import { type Rebuild, type RebuildTarget, startRebuild } from "./rebuild.ts";
import {
  type FoundRootState,
  isIndexName,
  NO_BOOT,
  readRootState,
  rootStateBytes,
  statePlace,
} from "./root-state.ts";
import { runSteps } from "./steps.ts";
import { quietly } from "./temp-file.ts";
import type { Writer } from "./writer.ts";

export interface IndexRoot {
  readonly place: RootPlace;
  readonly index: DueIndexFile;
  /** The name of the index file in `due/`. */
  readonly name: string;
  /** Null: the index is whole. */
  readonly rebuild: Rebuild | null;
}

export interface IndexOpening {
  readonly folder: Folder;
  readonly writer: Writer;
  /** The owner's `u` in `folder.lock`. */
  readonly folderU: string;
  /** Called when it turns out that the folder is somebody else's by now. */
  lose(folderLock: string): void;
  keepInBackground(work: Promise<unknown>): void;
}

export async function openIndexRoot(opening: IndexOpening, place: RootPlace): Promise<IndexRoot> {
  const { clock, observe } = opening.folder.context;
  makeRootDirectories(opening.folder, place);
  const isForeign = hasOriginalMarks(place);
  const found = readRootState(opening.folder.disk, place);
  const whole = isForeign ? null : await wholeRoot(opening, place, found);
  const root = whole ?? (await rebuildingRoot(opening, place, isForeign));
  // Not earlier: the marks of an original tell that its writes are not in our index.
  sweepLeftovers(place, clock.now(), observe);
  for (const name of namesIn(place.due)) {
    if (!isIndexName(name) || name === root.name) continue;
    quietly(() => unlinkSync(join(place.due, name)));
  }
  return root;
}

/** Writes the index of `root` anew under another name, and says so in `holdfast.json`. */
export async function renewIndex(opening: IndexOpening, root: IndexRoot): Promise<IndexRoot> {
  const { place, index } = root;
  const name = newIndexName(opening);
  const { bootId } = opening.folder.self;
  await index.moveTo(join(place.due, name), () => {
    writeState(opening, place, { index: name, bootId });
  });
  quietly(() => unlinkSync(join(place.due, root.name)));
  return { ...root, name };
}

/** The root where its due index is known to be whole; null: it has to be rebuilt. */
async function wholeRoot(
  opening: IndexOpening,
  place: RootPlace,
  found: FoundRootState,
): Promise<IndexRoot | null> {
  const { folder } = opening;
  const { bootId } = folder.self;
  const name = newIndexName(opening);
  const path = join(place.due, name);
  const isFresh = found.version === null && !(await hasRecords(folder.layout, `${place.root}/`));
  const isThisBoot = bootId !== null && found.state?.bootId === bootId;
  if (!isFresh && !isThisBoot) return null;
  const due = found.state?.due ?? "markers";
  const index =
    due === "markers" ? newDueIndex(path) : await loadDueIndex(join(place.due, due.index));
  if (index === null) return null;
  const markers: string[] = [];
  for await (const marker of allMarkers(place)) {
    if (due === "markers") index.add(marker.due, splitKey(marker.key).rest);
    markers.push(marker.path);
  }
  index.flush();
  const commit = (): void => writeState(opening, place, { index: name, bootId });
  if (due === "markers") commit();
  else await index.moveTo(path, commit);
  dropCheckpoint(place);
  // The state was written through the fence after these were listed, so all are older than whoever
  // may take the folder from us.
  opening.keepInBackground(removeMarkerFiles(place, markers));
  return { place, index, name, rebuild: null };
}

/**
 * The state says at once that the index is this file and not whole: who opens the folder after us must
 * not go by an older state, nor go on with what it did before.
 */
async function rebuildingRoot(
  opening: IndexOpening,
  place: RootPlace,
  isForeign: boolean,
): Promise<IndexRoot> {
  const checkpoint = isForeign ? null : readCheckpoint(place);
  const old = await resumable(opening, place, checkpoint);
  const name = newIndexName(opening);
  const path = join(place.due, name);
  if (old === null || checkpoint === null) {
    dropCheckpoint(place);
    const index = newDueIndex(path);
    writeState(opening, place, { index: name, bootId: NO_BOOT });
    return startIndexRebuild(opening, { place, index, name, rebuild: null });
  }
  await old.moveTo(path, () => {
    writeState(opening, place, { index: name, bootId: NO_BOOT });
    saveCheckpoint(opening, { place, name }, checkpoint.after);
  });
  return startIndexRebuild(opening, { place, index: old, name, rebuild: null });
}

/** The index file of a rebuild that was interrupted during this boot. */
async function resumable(
  { folder }: IndexOpening,
  place: RootPlace,
  checkpoint: Checkpoint | null,
): Promise<DueIndexFile | null> {
  if (checkpoint === null || checkpoint.bootId !== folder.self.bootId) return null;
  if (checkpoint.due === "markers") return null;
  return loadDueIndex(join(place.due, checkpoint.due.index));
}

/** The same root with a rebuild running, from the last checkpoint on. */
export function startIndexRebuild(opening: IndexOpening, root: IndexRoot): IndexRoot {
  const { folder, writer } = opening;
  const rebuild = startRebuild({
    context: folder.context,
    options: folder.layout,
    root: root.place,
    see: folder.see,
    writer,
    target: indexTarget(opening, root),
  });
  return { ...root, rebuild };
}

function indexTarget(opening: IndexOpening, root: IndexRoot): RebuildTarget {
  const { place, index, name } = root;
  return {
    begin: async () => "mine",
    resumeAfter: async () => readCheckpoint(place)?.after ?? null,
    async add({ key, due }) {
      index.add(due, splitKey(key).rest);
    },
    async checkpoint(after) {
      index.flush();
      saveCheckpoint(opening, root, after);
    },
    async finish() {
      const markers: string[] = [];
      for await (const marker of allMarkers(place)) markers.push(marker.path);
      index.flush();
      writeState(opening, place, { index: name, bootId: opening.folder.self.bootId });
      dropCheckpoint(place);
      await removeMarkerFiles(place, markers);
    },
    release() {},
  };
}

function saveCheckpoint(
  { folder, folderU }: IndexOpening,
  { place, name }: Pick<IndexRoot, "place" | "name">,
  after: string,
): void {
  const { bootId } = folder.self;
  if (bootId === null) return;
  const checkpoint = { bootId, due: { index: name }, after };
  writeCheckpoint(place, checkpoint, {
    disk: folder.disk,
    u: folder.newId(),
    mayPublish: () => holdsFolder(folder.disk, place.folderLock, folderU),
  });
}

/** Through the fence: whoever lost the folder must not say where its due index is. */
function writeState(
  opening: IndexOpening,
  place: RootPlace,
  { index, bootId }: { readonly index: string; readonly bootId: string | null },
): void {
  const { folder, folderU } = opening;
  const found = readRootState(folder.disk, place);
  const write = {
    place: statePlace(place),
    u: folder.newId(),
    expected: found.version ?? ("absent" as const),
    bytes: rootStateBytes({ bootId, due: { index } }),
  };
  const verdict = runSteps(writeOwned(folder.disk, folderU, write));
  if (verdict.kind === "stored") return;
  if (verdict.kind === "lost") opening.lose(place.folderLock);
  // Unknown is only whether it survives a reboot, after which the index is rebuilt anyway.
  if (verdict.kind === "unknown") {
    const { state } = readRootState(folder.disk, place);
    if (state !== null && state.due !== "markers" && state.due.index === index) return;
  }
  throw new StoreUnavailableError(`${place.state} was not replaced: ${verdict.kind}`);
}

function newIndexName({ folder }: IndexOpening): string {
  return `index-${folder.newId()}.log`;
}
