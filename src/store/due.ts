/** The due index as the store keeps it: over the backend's own, or by marker objects (protocols 3). */
import type { WriteId } from "../core/ids.ts";
import type { Key } from "../core/key.ts";
import { type Due, sameDue } from "../core/machine.ts";
import type { EpochMs } from "../core/time.ts";
import type { DueEntry, DueIndex } from "../ports/backend.ts";
import type { Observe } from "../ports/observe.ts";
import type { Stored } from "./record.ts";

/** What becomes of a marker once its write has a verdict. */
export type WriteEnd = "stored" | "refused";

/** A write that has not begun. */
export interface ComingWrite {
  readonly due: Due | null;
  readonly w: WriteId;
  readonly deadlineAt: EpochMs;
}

export interface DueKeeper {
  /**
   * Before a write over `base`: makes the index hold its `due`; the marker that the header names. What it
   * throws says of the record: not written.
   */
  before(key: Key, base: Stored | null, write: ComingWrite): Promise<string | null>;
  /** After the write has a verdict: takes away what the index need not hold any more; best effort. */
  after(base: Stored | null, marker: string | null, end: WriteEnd): Promise<void>;
  readonly page: DueIndex["page"];
  /** The record of `entry` if it is due as the entry says; else mends the index and answers null. */
  confirm(entry: DueEntry): Promise<Stored | null>;
}

/** A backend with its own index needs no markers: index and record change together. */
export function nativeDueKeeper(
  index: DueIndex,
  read: (key: Key) => Promise<Stored | null>,
  observe: Observe,
): DueKeeper {
  return {
    before: async () => null,
    after: async () => {},
    page: (...request) => index.page(...request),
    async confirm(entry) {
      const stored = await read(entry.key);
      if (stored !== null && sameDue(stored.due, entry)) return stored;
      await index.mend(entry);
      observe("store.due.mended", 1);
      return null;
    },
  };
}
