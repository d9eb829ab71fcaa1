/** Reports that came after a person had resolved a receipt: kept beside it, changing nothing in it. */
import * as z from "zod";
import { reasonOf } from "../../core/issues.ts";
import { type JsonObject, type JsonValue, utf8Length } from "../../core/json.ts";
import type { Due } from "../../core/machine.ts";
import { type EpochMs, epochMs } from "../../core/time.ts";
import { hexDigest, instant } from "./fields.ts";
import { isSameResult } from "./outcome.ts";
import type { Resolution } from "./receipt.ts";

/** A refused late report of a dispatch's owner. */
export type ReceiptNote = {
  readonly at: number;
  /** `confirmation`: the resolution says the same. */
  readonly kind: "confirmation" | "contradiction";
  /** Left out when there was no room for it. */
  readonly result?: JsonValue;
};

export interface NotesState {
  /** The id of their receipt. */
  readonly id: string;
  readonly notes: readonly ReceiptNote[];
  /** Whether the receipt is retired, so that nobody need look at them any more. */
  readonly isClosed: boolean;
}

/** Different reports of one owner; more would tell nothing new. */
const NOTES_MAX = 8;

/** Bytes of all results, so that the record keeps to the limit of one body on every storage. */
const RESULTS_BYTES_MAX = 100 * 1_024;

const storedNotes = z.strictObject({
  id: hexDigest,
  notes: z.array(
    z.strictObject({
      at: instant,
      kind: z.enum(["confirmation", "contradiction"]),
      result: z.json().exactOptional(),
    }),
  ),
  isClosed: z.boolean(),
});

export type ParsedNotes =
  | { readonly ok: true; readonly state: NotesState }
  | { readonly ok: false; readonly reason: string };

export function parseNotes(fields: JsonObject): ParsedNotes {
  const parsed = storedNotes.safeParse(fields);
  return parsed.success
    ? { ok: true, state: parsed.data }
    : { ok: false, reason: reasonOf(parsed.error) };
}

export function notesRecord({ id, notes, isClosed }: NotesState): JsonObject {
  return { id, notes, isClosed };
}

/** What a late report of `result` says to the answer that stands. */
export function lateReport(
  result: JsonValue,
  { outcome, result: standing }: Resolution,
  at: EpochMs,
): ReceiptNote {
  const isSame = outcome === "happened" && isSameResult(standing ?? null, result);
  return { at, kind: isSame ? "confirmation" : "contradiction", result };
}

/** Null: nothing is to be added, as the same was reported before, or nobody need look any more. */
export function addNote(
  state: NotesState | null,
  id: string,
  note: ReceiptNote,
): NotesState | null {
  if (state?.isClosed === true) return null;
  const notes = state?.notes ?? [];
  const isKnown = notes.some(({ result }) => isSameResult(result ?? null, note.result ?? null));
  if (isKnown || notes.length >= NOTES_MAX) return null;
  const { result: _result, ...short } = note;
  const all = [...notes, note];
  const isFitting = utf8Length(JSON.stringify(all, null, 2)) <= RESULTS_BYTES_MAX;
  return { id, notes: isFitting ? all : [...notes, short], isClosed: false };
}

/** A contradiction waits for a person until its receipt is retired. */
export function dueOfNotes({ notes, isClosed }: NotesState): Due | null {
  const first = notes.find(({ kind }) => kind === "contradiction");
  return first === undefined || isClosed ? null : { queue: "stuck", at: epochMs(first.at) };
}
