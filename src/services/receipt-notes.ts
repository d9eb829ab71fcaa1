/** Late reports that were refused, kept beside their receipt. */
import type { JsonValue } from "../core/json.ts";
import { key as recordKey } from "../core/key.ts";
import { apply, unchanged } from "../core/machine.ts";
import {
  addNote,
  dueOfNotes,
  lateReport,
  type NotesState,
  notesRecord,
  parseNotes,
  type ReceiptNote,
} from "../machines/receipts/notes.ts";
import type { Resolution } from "../machines/receipts/receipt.ts";
import { RecordCorruptError } from "../ports/faults.ts";
import type { ReceiptDeps } from "./receipt-commands.ts";
import { type Codec, transact } from "./transact.ts";

export const RECEIPT_NOTES = "receipts/notes/";

export const notesCodec: Codec<NotesState> = {
  load(stored) {
    const parsed = parseNotes(stored.fields);
    if (!parsed.ok) throw new RecordCorruptError(stored.key, parsed.reason);
    return parsed.state;
  },
  save: (state) => ({ fields: notesRecord(state), extra: {} }),
  due: dueOfNotes,
};

export interface ReceiptNotes {
  /** Keeps what came after `resolution`, once. */
  add(id: string, result: JsonValue, resolution: Resolution): Promise<void>;
  read(id: string): Promise<readonly ReceiptNote[]>;
  /** Forgets them for good: their receipt is about to be retired. */
  close(id: string): Promise<void>;
}

export function receiptNotes(deps: ReceiptDeps): ReceiptNotes {
  const { store, observe } = deps;
  const keyOf = (id: string) => recordKey(RECEIPT_NOTES + id);

  return {
    async add(id, result, resolution) {
      let isContradiction = false;
      const end = await transact<NotesState, null>(deps, notesCodec, {
        key: keyOf(id),
        handle: null,
        decide(state, now) {
          const note = lateReport(result, resolution, now);
          isContradiction = note.kind === "contradiction";
          const next = addNote(state, id, note);
          if (next !== null) return apply(next);
          return state === null ? { kind: "reject", rejection: null } : unchanged(state);
        },
      });
      if (end.kind === "applied" && isContradiction) observe("receipt.contradiction", 1);
    },
    async read(id) {
      const stored = await store.get(keyOf(id));
      return stored === null ? [] : notesCodec.load(stored).notes;
    },
    async close(id) {
      await transact<NotesState, null>(deps, notesCodec, {
        key: keyOf(id),
        handle: null,
        decide(state) {
          if (state === null) return { kind: "reject", rejection: null };
          return state.isClosed ? unchanged(state) : apply({ id, notes: [], isClosed: true });
        },
      });
    },
  };
}
