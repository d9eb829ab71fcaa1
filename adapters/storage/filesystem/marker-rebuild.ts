/** Rebuilds the due index of a folder that processes share; one process at a time does it. */
import { uuid } from "../../../src/core/ids.ts";
import { durationMs } from "../../../src/core/time.ts";
import { StoreUnavailableError } from "../../../src/ports/faults.ts";
import { dropCheckpoint, readCheckpoint, writeCheckpoint } from "./checkpoint.ts";
import { codeOf, type Disk } from "./disk.ts";
import { markerPath } from "./due-markers.ts";
import type { Folder } from "./folder.ts";
import type { RootPlace } from "./layout.ts";
import { type Maintenance, takeMaintenance } from "./maintenance.ts";
import type { Presence } from "./presence.ts";
import { type FoundDue, type Rebuild, type RebuildTarget, startRebuild } from "./rebuild.ts";
import { type FoundRootState, type RootState, readRootState } from "./root-state.ts";
import type { Steps } from "./steps.ts";
import type { Writer } from "./writer.ts";

/** How long to wait before looking again whether somebody else is through with the due index. */
export const WAIT_MS = durationMs(100);

/**
 * Whether the due index of a root is in its markers, all of it. Where there is no boot id, what an
 * earlier opening left is not trusted.
 */
export function hasWholeMarkers(
  folder: Folder,
  state: RootState | null,
  isFirst: boolean,
): boolean {
  const { bootId } = folder.self;
  if (state === null || state.due !== "markers" || state.bootId !== bootId) return false;
  return bootId !== null || !isFirst;
}

export interface MarkerOpening {
  readonly folder: Folder;
  readonly writer: Writer;
  readonly presence: Presence;
  /** Lets no exclusive owner stand in the way; throws ContendedError while it lives. */
  clearOwner(place: RootPlace): Promise<void>;
}

/** `found`: the state that calls for it. */
export function rebuildMarkers(
  { folder, writer }: MarkerOpening,
  place: RootPlace,
  found: FoundRootState,
): Rebuild {
  // An exclusive owner's checkpoint speaks of its index file, which nobody keeps from now on.
  if (readCheckpoint(place)?.due !== "markers") dropCheckpoint(place);
  return startRebuild({
    context: folder.context,
    options: folder.layout,
    root: place,
    see: folder.see,
    writer,
    target: markerTarget(folder, place, found),
  });
}

interface Holding {
  readonly maintenance: Maintenance;
  readonly found: FoundRootState;
}

function markerTarget(folder: Folder, place: RootPlace, cause: FoundRootState): RebuildTarget {
  const { clock } = folder.context;
  const { bootId } = folder.self;
  let held: Holding | null = null;

  function holding(): Holding {
    if (held === null) throw new StoreUnavailableError("the rebuild has not begun");
    return held;
  }

  return {
    async begin(signs) {
      for (;;) {
        signs.check();
        const maintenance = takeMaintenance(folder, place);
        if (maintenance !== null) {
          held = { maintenance, found: readRootState(folder.disk, place) };
          return isDoneByOthers(folder, held.found, cause) ? "done" : "mine";
        }
        await clock.sleep(WAIT_MS);
        signs.progressed();
      }
    },
    async resumeAfter() {
      const checkpoint = readCheckpoint(place);
      return checkpoint !== null && checkpoint.bootId === bootId ? checkpoint.after : null;
    },
    add: async (found) => addMarker(folder, place, found),
    async checkpoint(after) {
      holding().maintenance.touch();
      if (bootId === null) return;
      const checkpoint = { bootId, due: "markers", after } as const;
      const mayPublish = (): Steps<boolean> => isUnowned(folder.disk, place.folderLock);
      writeCheckpoint(place, checkpoint, { disk: folder.disk, u: folder.newId(), mayPublish });
    },
    async finish() {
      const { maintenance, found } = holding();
      maintenance.replaceState(found, { bootId, due: "markers" });
      dropCheckpoint(place);
    },
    release: () => held?.maintenance.release(),
  };
}

/** Somebody wrote the state since, and it says that the markers are whole. */
function isDoneByOthers(folder: Folder, found: FoundRootState, cause: FoundRootState): boolean {
  return found.stamp !== cause.stamp && hasWholeMarkers(folder, found.state, false);
}

function addMarker(folder: Folder, place: RootPlace, { key, due, version }: FoundDue): void {
  // Named after the version, so that a second rebuild does not make a second marker.
  const u = uuid(Buffer.from(version, "hex"));
  try {
    folder.disk.createEmpty(markerPath(place, key, due, u));
  } catch (error) {
    if (codeOf(error) !== "EEXIST") throw error;
  }
}

function* isUnowned(disk: Disk, folderLock: string): Steps<boolean> {
  yield "folder.check";
  return !disk.exists(folderLock);
}
