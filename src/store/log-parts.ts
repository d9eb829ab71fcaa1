/**
 * How a part of an event log is written. It is compact, since it never changes: its header is
 * `{schema, w}` alone. Where the whole would be over the limit of a body, the items go into
 * continuations, and the part tells how many and their hash instead (protocols 5.8).
 */
import * as z from "zod/mini";
import { assert } from "../core/assert.ts";
import { sha256Hex } from "../core/hash.ts";
import type { WriteId } from "../core/ids.ts";
import {
  isJsonObject,
  type JsonArray,
  type JsonObject,
  type JsonValue,
  utf8Length,
} from "../core/json.ts";
import type { Key } from "../core/key.ts";
import { safeParse } from "../core/safe-parse.ts";
import { RecordCorruptError, RecordTooLargeError } from "../ports/faults.ts";
import { parseObject, RESERVED, refuseNewer, SCHEMA, writeIdSchema } from "./header.ts";
import { BODY_BYTES_MAX, CONTINUATIONS_MAX, isTooLarge } from "./limits.ts";

export interface PartBody {
  /** What the part says of itself. It is read without continuations, and has to fit into one body. */
  readonly about: JsonObject;
  /** One for each number of the log, one or more. */
  readonly items: JsonArray;
}

export interface EncodedPart {
  readonly text: string;
  /** In order; none where the part holds its items itself. */
  readonly continuations: readonly string[];
}

/** Items that are in continuations. */
export interface MovedItems {
  readonly count: number;
  readonly continuations: number;
  /** Of the text of the continuations, joined. */
  readonly sha256: string;
}

export interface DecodedPart {
  readonly w: WriteId;
  readonly about: JsonObject;
  readonly items: JsonArray | MovedItems;
}

/** The property of a part that has its items. */
const ITEMS = "items";

/** Leaves room in a continuation for what stands around its text. */
const PIECE_BYTES_MAX = BODY_BYTES_MAX - 128;

// No part is ever written again, so what a later release adds to one is passed over.
const headerSchema = z.object({
  schema: z.literal(SCHEMA),
  w: writeIdSchema,
  moved: z.optional(
    z.strictObject({
      count: z.int().check(z.minimum(1)),
      continuations: z.int().check(z.minimum(1), z.maximum(CONTINUATIONS_MAX)),
      sha256: z.string().check(z.regex(/^[0-9a-f]{64}$/)),
    }),
  ),
});

/** Throws RecordTooLargeError where `about` is over the limit of a body, or the items over theirs. */
export function encodePart(w: WriteId, { about, items }: PartBody): EncodedPart {
  assert(items.length > 0, "a part has an item");
  assert(!(RESERVED in about || ITEMS in about), "what a part is about has a reserved property");
  const header = { schema: SCHEMA, w };
  const whole = JSON.stringify({ ...about, [ITEMS]: items, [RESERVED]: header });
  if (!isTooLarge(whole)) return { text: whole, continuations: [] };

  const moved = JSON.stringify(items);
  const pieces = cut(moved);
  if (pieces.length > CONTINUATIONS_MAX) {
    throw new RecordTooLargeError(`a part of a log takes at most ${CONTINUATIONS_MAX} records`);
  }
  const told: MovedItems = {
    count: items.length,
    continuations: pieces.length,
    sha256: sha256Hex(moved),
  };
  const text = JSON.stringify({ ...about, [RESERVED]: { ...header, moved: told } });
  if (isTooLarge(text)) {
    throw new RecordTooLargeError(`a part of a log is over ${BODY_BYTES_MAX} bytes without items`);
  }
  const continuations = pieces.map((piece) => JSON.stringify({ text: piece, [RESERVED]: header }));
  return { text, continuations };
}

/** Throws RecordCorruptError. */
export function decodePart(key: Key, text: string): DecodedPart {
  const { [RESERVED]: own, [ITEMS]: items, ...about } = parseObject(key, text);
  const { w, moved } = decodeHeader(key, own);
  if (moved !== undefined && items === undefined) return { w, about, items: moved };
  if (moved !== undefined || !isItems(items)) throw new RecordCorruptError(key, "it has no items");
  return { w, about, items };
}

/** The items of the part with this key, from the texts of all its continuations. */
export function joinItems(key: Key, moved: MovedItems, pieces: readonly string[]): JsonArray {
  const text = pieces.join("");
  if (sha256Hex(text) !== moved.sha256) {
    throw new RecordCorruptError(key, "its continuations are not what it was written with");
  }
  const items: JsonValue = JSON.parse(text);
  if (!isItems(items) || items.length !== moved.count) {
    throw new RecordCorruptError(key, "its continuations hold other items than it tells");
  }
  return items;
}

/** The text that a continuation carries. Throws RecordCorruptError. */
export function decodeContinuation(key: Key, text: string): string {
  const body = parseObject(key, text);
  decodeHeader(key, body[RESERVED]);
  if (typeof body["text"] !== "string") throw new RecordCorruptError(key, "it has no text");
  return body["text"];
}

/** Throws RecordCorruptError for what is neither a part nor a continuation. */
export function checkLogBody(key: Key, text: string): void {
  decodeHeader(key, parseObject(key, text)[RESERVED]);
}

function decodeHeader(key: Key, own: JsonValue | undefined): z.infer<typeof headerSchema> {
  if (isJsonObject(own)) refuseNewer(key, own);
  const parsed = safeParse(headerSchema, own);
  if (!parsed.success) throw new RecordCorruptError(key, "its header does not fit");
  return parsed.data;
}

function isItems(value: JsonValue | undefined): value is JsonArray {
  return Array.isArray(value) && value.length > 0;
}

/** Pieces that each fit into a continuation; none begins or ends within a surrogate pair. */
function cut(text: string): readonly string[] {
  const pieces: string[] = [];
  let start = 0;
  let end = 0;
  let bytes = 0;
  for (const character of text) {
    const cost = storedBytes(character);
    if (bytes + cost > PIECE_BYTES_MAX) {
      pieces.push(text.slice(start, end));
      start = end;
      bytes = 0;
    }
    bytes += cost;
    end += character.length;
  }
  return [...pieces, text.slice(start)];
}

/** Of one character of a text that is JSON already: it has no other characters to escape. */
function storedBytes(character: string): number {
  return character === '"' || character === "\\" ? 2 : utf8Length(character);
}
