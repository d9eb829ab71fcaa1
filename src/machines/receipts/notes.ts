/** Reports that came after a person had resolved a receipt: kept beside it, changing nothing in it. */
import * as z from "zod/mini";
import { assert } from "../../core/assert.ts";
import { sha256Hex } from "../../core/hash.ts";
import { reasonOf } from "../../core/issues.ts";
import { type JsonObject, type JsonValue, utf8Length } from "../../core/json.ts";
import type { Due } from "../../core/machine.ts";
import { safeParse } from "../../core/safe-parse.ts";
import { type EpochMs, epochMs } from "../../core/time.ts";
import { wholeText } from "./canonical.ts";
import { hexDigest, instant } from "./fields.ts";
import { isSameResult } from "./outcome.ts";
import type { Resolution } from "./receipt.ts";
import { storedValue } from "./stored.ts";

/** A refused late report of a dispatch's owner, as it is shown. */
export type ReceiptNote = {
  readonly at: number;
  /** `confirmation`: the resolution says the same. */
  readonly kind: "confirmation" | "contradiction";
  /** Left out when there was no room for it. */
  readonly result?: JsonValue;
};

/** As it is kept. */
export type KeptNote = ReceiptNote & {
  /**
   * SHA-256 of the result's whole text: the same report is known by it also without its result. Left out
   * where neither was stored.
   */
  readonly hash?: string;
};

/** One that just came. */
export type NewNote = KeptNote & { readonly hash: string };

export interface NotesState {
  /** The id of their receipt. */
  readonly id: string;
  readonly notes: readonly KeptNote[];
  /** Hashes of reports that came when there were enough, so that each is counted once. */
  readonly beyond?: readonly string[];
  /** Whether the receipt is retired, so that nobody need look at them any more. */
  readonly isClosed: boolean;
}

/** Different reports of one owner; more would tell nothing new. */
const NOTES_MAX = 8;

/** Reports past those; of still more nothing is counted. */
const BEYOND_MAX = 64;

/** Bytes of all results, so that the record keeps to the limit of one body on every storage. */
const RESULTS_BYTES_MAX = 100 * 1_024;

const storedNotes = z.strictObject({
  id: hexDigest,
  notes: z.array(
    z.strictObject({
      at: instant,
      kind: z.enum(["confirmation", "contradiction"]),
      result: z.exactOptional(storedValue),
      hash: z.exactOptional(hexDigest),
    }),
  ),
  beyond: z.exactOptional(z.array(hexDigest)),
  isClosed: z.boolean(),
});

export type ParsedNotes =
  | { readonly ok: true; readonly state: NotesState }
  | { readonly ok: false; readonly reason: string };

export function parseNotes(fields: JsonObject): ParsedNotes {
  const parsed = safeParse(storedNotes, fields);
  if (!parsed.success) return { ok: false, reason: reasonOf(parsed.error) };
  const notes = parsed.data.notes.map((note) =>
    note.result === undefined ? note : { hash: hashOf(note.result), ...note },
  );
  return { ok: true, state: { ...parsed.data, notes } };
}

export function notesRecord({ id, notes, beyond, isClosed }: NotesState): JsonObject {
  return { id, notes, ...(beyond === undefined ? {} : { beyond }), isClosed };
}

/** What a late report of `result` says to the answer that stands. */
export function lateReport(
  result: JsonValue,
  { outcome, result: standing }: Resolution,
  at: EpochMs,
): NewNote {
  const isSame = outcome === "happened" && isSameResult(standing ?? null, result);
  return { at, kind: isSame ? "confirmation" : "contradiction", result, hash: hashOf(result) };
}

function hashOf(result: JsonValue): string {
  const whole = wholeText(result);
  assert(whole.ok, "what was checked as a result is JSON");
  return sha256Hex(whole.text);
}

/** Whether the same was reported before. */
function isKnown(state: NotesState | null, { hash }: NewNote): boolean {
  if (state === null) return false;
  return state.notes.some((note) => note.hash === hash) || (state.beyond?.includes(hash) ?? false);
}

export function shownNote({ hash: _hash, ...note }: KeptNote): ReceiptNote {
  return note;
}

/**
 * Null: nothing is to be added, as the same was reported before, there is more than enough, or nobody need
 * look any more.
 */
export function addNote(state: NotesState | null, id: string, note: NewNote): NotesState | null {
  const { notes = [], beyond = [] } = state ?? {};
  if (state?.isClosed === true || isKnown(state, note) || beyond.length >= BEYOND_MAX) return null;
  const kept = { ...(state ?? { notes }), id, isClosed: false };
  if (notes.length >= NOTES_MAX) return { ...kept, beyond: [...beyond, note.hash] };
  const { result: _result, ...short } = note;
  const all = [...notes, note];
  const isFitting = utf8Length(JSON.stringify(all, null, 2)) <= RESULTS_BYTES_MAX;
  return { ...kept, notes: isFitting ? all : [...notes, short] };
}

/** A contradiction waits for a person until its receipt is retired. */
export function dueOfNotes({ notes, isClosed }: NotesState): Due | null {
  const first = notes.find(({ kind }) => kind === "contradiction");
  return first === undefined || isClosed ? null : { queue: "stuck", at: epochMs(first.at) };
}
