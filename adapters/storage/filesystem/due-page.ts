/** Pages of the due index of one root, also while it is being rebuilt. */
import type { DueEntry } from "../../../src/ports/backend.ts";
import type { Rebuild } from "./rebuild.ts";

/** An entry, and where it stands in the index of its root. */
export interface PlacedEntry {
  readonly entry: DueEntry;
  readonly position: string;
}

export interface IndexPage {
  readonly entries: readonly PlacedEntry[];
  readonly hasMore: boolean;
}

export interface RootPage extends IndexPage {
  /** Null: the index is whole. Else resolves when more was found, and rejects with what stopped it. */
  readonly progress: Promise<void> | null;
}

/** Of a root that does not exist. */
export const NO_ENTRIES: RootPage = { entries: [], hasMore: false, progress: null };

/** While a rebuild runs it gives what was found so far. */
export async function rootPage(
  rebuild: Rebuild | null,
  read: () => Promise<IndexPage>,
): Promise<RootPage> {
  // Asked for before reading: progress made meanwhile must not be missed.
  const progress = rebuild?.isRunning() === true ? rebuild.progress() : null;
  // Not everybody gets to wait for it.
  progress?.catch(() => {});
  return { ...(await read()), progress };
}
