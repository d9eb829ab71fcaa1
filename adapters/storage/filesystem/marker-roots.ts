/** Roots of a folder that processes share: due index in marker files (protocols 7.4, 7.6 step 9). */
import { unlink } from "node:fs/promises";
import { join } from "node:path";
import { QUEUES } from "../../../src/core/machine.ts";
import { EPOCH_MS_MAX, type EpochMs, epochMs } from "../../../src/core/time.ts";
import { ContendedError, StoreUnavailableError } from "../../../src/ports/faults.ts";
import { dropCheckpoint } from "./checkpoint.ts";
import { loadDueIndex } from "./due-index.ts";
import { markerPath } from "./due-markers.ts";
import { type Folder, makeRootDirectories } from "./folder.ts";
import { keyIn, type RootPlace, rootPlace } from "./layout.ts";
import {
  hasOriginalMarks,
  POLITENESS_MS,
  refuseLiveOriginal,
  sweepLeftovers,
} from "./leftovers.ts";
import { hasRecords } from "./list.ts";
import { createState, type Maintenance, takeMaintenance } from "./maintenance.ts";
import { digits } from "./marker-names.ts";
import { hasWholeMarkers, type MarkerOpening, rebuildMarkers, WAIT_MS } from "./marker-rebuild.ts";
import type { Rebuild } from "./rebuild.ts";
import { type FoundRootState, NO_BOOT, readRootState } from "./root-state.ts";

export interface MarkerRoot {
  readonly place: RootPlace;
  /** Of `holdfast.json` as it was when the root was opened: see MarkerChange. */
  readonly stamp: string | null;
  /** Null: the index is whole. */
  readonly rebuild: Rebuild | null;
}

export interface MarkerRoots {
  /** Makes the root if need be, and its markers from an exclusive owner's index. */
  open(root: string): Promise<MarkerRoot>;
  /** Removes left-overs, but not more often than there can be new ones. */
  sweep(root: MarkerRoot): void;
  /** The root as it is since its `holdfast.json` was replaced. */
  reopen(root: string, known: MarkerRoot): Promise<MarkerRoot>;
  close(): Promise<void>;
}

/** Entries written before others in this process get their turn. */
const TURN_ENTRIES = 500;

export function createMarkerRoots(by: MarkerOpening): MarkerRoots {
  const { folder } = by;
  const opened = new Map<string, Promise<MarkerRoot>>();
  const rebuilds = new Set<Rebuild>();
  const sweptAt = new Map<string, EpochMs>();
  const { clock, observe } = folder.context;
  let isClosed = false;

  function start(root: string, isFirst: boolean): Promise<MarkerRoot> {
    if (isClosed) return Promise.reject(new StoreUnavailableError("the folder was closed"));
    const place = rootPlace(folder.layout, root);
    const opening = by
      .clearOwner(place)
      .then(() => openRoot(by, place, isFirst))
      .then((result) => {
        if (result.rebuild !== null) rebuilds.add(result.rebuild);
        return result;
      });
    opened.set(root, opening);
    opening.catch(() => {
      if (opened.get(root) === opening) opened.delete(root);
    });
    return opening;
  }

  return {
    open: (root) => opened.get(root) ?? start(root, true),
    sweep({ place }) {
      const now = clock.now();
      const last = sweptAt.get(place.root);
      if (last !== undefined && Math.abs(now - last) <= POLITENESS_MS) return;
      sweptAt.set(place.root, now);
      // The first time, opening the root has swept it.
      if (last !== undefined) sweepLeftovers(place, now, observe);
    },
    async reopen(root, known) {
      const now = opened.get(root);
      // Several callers notice at once; the first one opens it for all.
      if (now !== undefined && (await now) !== known) return now;
      const { rebuild } = known;
      if (rebuild !== null && !rebuild.isRunning()) rebuilds.delete(rebuild);
      return start(root, rebuild?.hasFailed() === true);
    },
    async close() {
      isClosed = true;
      await Promise.allSettled(opened.values());
      await Promise.all([...rebuilds].map((rebuild) => rebuild.stop()));
    },
  };
}

async function openRoot(
  by: MarkerOpening,
  place: RootPlace,
  isFirst: boolean,
): Promise<MarkerRoot> {
  const { folder, presence } = by;
  const { clock, observe } = folder.context;
  presence.check(place.folderLock);
  makeRootDirectories(folder, place);
  if (isFirst) {
    refuseLiveOriginal(place, clock.now());
    if (hasOriginalMarks(place)) await distrust(folder, place);
  }
  sweepLeftovers(place, clock.now(), observe);
  for (;;) {
    const found = readRootState(folder.disk, place);
    if (hasWholeMarkers(folder, found.state, isFirst)) {
      dropCheckpoint(place);
      return { place, stamp: found.stamp, rebuild: null };
    }
    const step = await prepare(folder, place, found);
    if (step === "rebuild") {
      return { place, stamp: found.stamp, rebuild: rebuildMarkers(by, place, found) };
    }
    if (step === "wait") await clock.sleep(WAIT_MS);
  }
}

/** An original wrote here: the due index counts as lost, also if we die before it is rebuilt. */
async function distrust(folder: Folder, place: RootPlace): Promise<void> {
  const { bootId } = folder.self;
  dropCheckpoint(place);
  while (readRootState(folder.disk, place).state?.bootId === bootId) {
    const maintenance = takeMaintenance(folder, place);
    if (maintenance === null) await folder.context.clock.sleep(WAIT_MS);
    else {
      try {
        const found = readRootState(folder.disk, place);
        maintenance.replaceState(found, { bootId: NO_BOOT, due: "markers" });
      } finally {
        maintenance.release();
      }
    }
  }
}

/** `again`: look at the state once more. */
async function prepare(
  folder: Folder,
  place: RootPlace,
  { state, version }: FoundRootState,
): Promise<"again" | "wait" | "rebuild"> {
  const { bootId } = folder.self;
  if (version === null && !(await hasRecords(folder.layout, `${place.root}/`))) {
    const verdict = createState(folder, place, { bootId, due: "markers" });
    if (verdict.kind === "folder") {
      throw new ContendedError(`${place.folderLock} is held by an exclusive owner`);
    }
    return "again";
  }
  if (state === null || state.due === "markers") return "rebuild";
  if (bootId === null || state.bootId !== bootId) return "rebuild";
  return convert(folder, place, state.due.index);
}

/** Writes the markers that the index file of an exclusive owner names, before anybody works. */
async function convert(
  folder: Folder,
  place: RootPlace,
  indexName: string,
): Promise<"again" | "wait" | "rebuild"> {
  const maintenance = takeMaintenance(folder, place);
  if (maintenance === null) return "wait";
  try {
    const found = readRootState(folder.disk, place);
    const due = found.state?.due;
    if (due === undefined || due === "markers" || due.index !== indexName) return "again";
    const path = join(place.due, indexName);
    if (!(await writeMarkers(folder, place, { path, maintenance }))) return "rebuild";
    maintenance.replaceState(found, { bootId: folder.self.bootId, due: "markers" });
    await unlink(path).catch(() => {});
    return "again";
  } finally {
    maintenance.release();
  }
}

/** False when the index file is missing or damaged. */
async function writeMarkers(
  folder: Folder,
  place: RootPlace,
  by: { readonly path: string; readonly maintenance: Maintenance },
): Promise<boolean> {
  const index = await loadDueIndex(by.path);
  if (index === null) return false;
  for (const queue of QUEUES) {
    for (let after = ""; ; ) {
      const entries = index.page(queue, epochMs(EPOCH_MS_MAX), after, TURN_ENTRIES);
      for (const { at, rest } of entries) {
        const key = keyIn(place.root, rest);
        if (key === null) continue;
        folder.disk.createEmpty(markerPath(place, key, { queue, at }, folder.newId()));
      }
      const last = entries.at(-1);
      if (last === undefined) break;
      after = `${digits(last.at)}.${last.rest}`;
      by.maintenance.touch();
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
  index.release();
  return true;
}
