/** Late reports that were refused, kept beside their receipt. */
import type { JsonValue } from "../core/json.ts";
import { lastSegment, key as recordKey } from "../core/key.ts";
import { apply, unchanged } from "../core/machine.ts";
import {
  addNote,
  dueOfNotes,
  lateReport,
  type NotesState,
  notesRecord,
  parseNotes,
  type ReceiptNote,
  shownNote,
} from "../machines/receipts/notes.ts";
import type { Resolution } from "../machines/receipts/receipt.ts";
import type { KeptOutcome } from "../machines/receipts/record.ts";
import { RecordCorruptError } from "../ports/faults.ts";
import { type Codec, NO_EXTRAS } from "./codec.ts";
import type { ReceiptDeps } from "./receipt-commands.ts";
import { transact } from "./transact.ts";

export const RECEIPT_NOTES = "receipts/notes/";

export const notesCodec: Codec<NotesState> = {
  load(stored) {
    const parsed = parseNotes(stored.fields);
    if (!parsed.ok) throw new RecordCorruptError(stored.key, parsed.reason);
    return parsed.state;
  },
  save: (state) => ({ fields: notesRecord(state), extra: {} }),
  due: dueOfNotes,
  extras: NO_EXTRAS,
  isRemains: ({ isClosed }) => isClosed,
};

/** What cannot be read of a record is replaced all the same. */
const closingCodec: Codec<NotesState> = {
  ...notesCodec,
  load(stored) {
    const parsed = parseNotes(stored.fields);
    return parsed.ok ? parsed.state : { id: lastSegment(stored.key), notes: [], isClosed: false };
  },
};

export interface ReceiptNotes {
  /** Keeps what came after `resolution`, once; what there is no room for is counted all the same, once. */
  add(id: string, result: JsonValue, resolution: Resolution): Promise<void>;
  /** Counts what came when the receipt was over already, with this outcome; nothing of it is kept. */
  addOver(outcome: KeptOutcome): void;
  read(id: string): Promise<readonly ReceiptNote[]>;
  /**
   * Forgets them for good, and keeps away what is still on its way: their receipt ends. Throws
   * RecordCorruptError where what stands is no record at all.
   */
  close(id: string): Promise<void>;
}

export function receiptNotes(deps: ReceiptDeps): ReceiptNotes {
  const { store, observe } = deps;
  const keyOf = (id: string) => recordKey(RECEIPT_NOTES + id);

  return {
    async add(id, result, resolution) {
      let isNews = false;
      await transact<NotesState, null>(deps, notesCodec, {
        key: keyOf(id),
        handle: null,
        decide(state, now) {
          const note = lateReport(result, resolution, now);
          const next = addNote(state, id, note);
          // Of one that is closed nobody can tell any more whether it was reported before.
          const isNew = next !== null || state?.isClosed === true;
          isNews = isNew && note.kind === "contradiction";
          if (next !== null) return apply(next);
          return state === null ? { kind: "reject", rejection: null } : unchanged(state);
        },
      });
      if (isNews) observe("receipt.contradiction", 1);
    },
    addOver(outcome) {
      // What happened may have had this very result, which nobody can tell any more.
      const isDenied = outcome === "did_not_happen" || outcome === "abandoned";
      if (isDenied) observe("receipt.contradiction", 1);
    },
    async read(id) {
      const stored = await store.get(keyOf(id));
      return stored === null ? [] : notesCodec.load(stored).notes.map(shownNote);
    },
    async close(id) {
      await transact<NotesState, null>(deps, closingCodec, {
        key: keyOf(id),
        handle: null,
        decide: (state) =>
          state?.isClosed === true ? unchanged(state) : apply({ id, notes: [], isClosed: true }),
      });
    },
  };
}
