/** The opened roots of a folder with one owner, each with its due index in memory. */

import {
  type IndexOpening,
  type IndexRoot,
  openIndexRoot,
  renewIndex,
  startIndexRebuild,
} from "./index-opening.ts";
import { type RootPlace, rootPlace } from "./layout.ts";

export interface IndexRoots {
  /** Makes the root if need be, and reads or rebuilds its due index. */
  open(root: string): Promise<IndexRoot>;
  /** The same, with another rebuild in the place of one that failed. */
  resume(root: string): Promise<IndexRoot>;
  /** Writes the index anew, in the background, when its file has grown well past what is live. */
  tidy(root: IndexRoot): void;
  /** Stops what runs in the background; who waits for a rebuild is told. */
  stop(): Promise<void>;
  /** Lets go of the index files. */
  close(): Promise<void>;
}

/** Index files that stay open; those of further roots are opened when they are appended to. */
const OPEN_FILES_MAX = 64;

export function createIndexRoots(by: Omit<IndexOpening, "keepInBackground">): IndexRoots {
  const opened = new Map<string, Promise<IndexRoot>>();
  const warm = new Map<string, IndexRoot>();
  const background = new Set<Promise<unknown>>();
  const opening: IndexOpening = { ...by, keepInBackground };

  function keepInBackground(work: Promise<unknown>): void {
    const quiet = work.catch(() => {});
    background.add(quiet);
    void quiet.finally(() => background.delete(quiet));
  }

  function start(place: RootPlace): Promise<IndexRoot> {
    const starting = openIndexRoot(opening, place);
    opened.set(place.root, starting);
    starting.catch(() => opened.delete(place.root));
    return starting;
  }

  function replace(root: IndexRoot): IndexRoot {
    opened.set(root.place.root, Promise.resolve(root));
    return root;
  }

  async function open(name: string): Promise<IndexRoot> {
    const root = await (opened.get(name) ?? start(rootPlace(by.folder.layout, name)));
    warm.delete(name);
    warm.set(name, root);
    const [coldest] = warm;
    if (warm.size > OPEN_FILES_MAX && coldest !== undefined) {
      warm.delete(coldest[0]);
      coldest[1].index.release();
    }
    return root;
  }

  async function settled(): Promise<readonly IndexRoot[]> {
    const results = await Promise.allSettled(opened.values());
    return results.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
  }

  return {
    open,
    async resume(name) {
      const root = await open(name);
      if (root.rebuild?.hasFailed() !== true) return root;
      return replace(startIndexRebuild(opening, root));
    },
    tidy(root) {
      // A checkpoint names the file, so it stays until the rebuild is over.
      if (!root.index.isOvergrown() || root.rebuild?.isRunning() === true) return;
      keepInBackground(renewIndex(opening, root).then(replace));
    },
    async stop() {
      for (const root of await settled()) await root.rebuild?.stop();
      await Promise.all(background);
    },
    async close() {
      for (const root of await settled()) {
        await root.rebuild?.stop();
        root.index.close();
      }
    },
  };
}
