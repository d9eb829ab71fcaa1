/**
 * The header of every record: what recognises a write, names its due marker and tells when it is due.
 * It sits under the reserved property `holdfast` of the body, on every storage, beside what a service
 * adds to an original's record; so the original's own fields stay exactly the original's.
 */
import * as z from "zod/mini";
import type { WriteId } from "../core/ids.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../core/json.ts";
import type { Key } from "../core/key.ts";
import type { Due } from "../core/machine.ts";
import { safeParse } from "../core/safe-parse.ts";
import { EPOCH_MS_MAX, epochMs } from "../core/time.ts";
import { RecordCorruptError } from "../ports/faults.ts";
import { RECENT_WRITES } from "./limits.ts";

/** Raised only by a change that an older release could not read. */
export const SCHEMA = 1;

export interface Header {
  readonly schema: typeof SCHEMA;
  /** Counts the writes of this record from 1; 0 for a file that an original store wrote. */
  readonly v: number;
  /** The write that made this version; null for a file that an original store wrote. */
  readonly w: WriteId | null;
  /** The writes of the latest versions, own last, at most RECENT_WRITES. */
  readonly recent: readonly WriteId[];
  /** The name of this record's due marker where the store keeps markers (protocols 3), else null. */
  readonly marker: string | null;
  readonly due: Due | null;
  /** Every reader takes a void record for absent; a creator replaces it by its version. */
  readonly isVoid: boolean;
}

/** The body of a record, apart: the fields its machine defines, and what we keep beside them. */
export interface RecordBody {
  readonly fields: JsonObject;
  readonly extra: JsonObject;
}

export interface DecodedRecord extends RecordBody {
  readonly header: Header;
  /** Whether an original store wrote it, so that it has no header of ours. */
  readonly isForeign: boolean;
}

/** The property of a record's body that is ours. */
export const RESERVED = "holdfast";

export const writeIdSchema = z.custom<WriteId>(
  (value) => typeof value === "string" && /^[A-Za-z0-9_-]{16}$/.test(value),
);

const headerSchema = z.object({
  schema: z.literal(SCHEMA),
  v: z.int().check(z.minimum(1)),
  w: writeIdSchema,
  recent: z.array(writeIdSchema).check(z.minLength(1), z.maxLength(RECENT_WRITES)),
  marker: z.nullable(z.string()),
  due: z.nullable(
    z.strictObject({
      queue: z.enum(["deliver", "attend", "stuck"]),
      at: z.int().check(z.minimum(0), z.maximum(EPOCH_MS_MAX)),
    }),
  ),
  void: z.optional(z.literal(true)),
});

const FOREIGN: Header = {
  schema: SCHEMA,
  v: 0,
  w: null,
  recent: [],
  marker: null,
  due: null,
  isVoid: false,
};

/** The header of the write `w` on top of `base` (null: on top of nothing). */
export function nextHeader(
  base: Header | null,
  write: { w: WriteId; marker: string | null; due: Due | null; isVoid?: boolean },
): Header {
  return {
    schema: SCHEMA,
    v: (base?.v ?? 0) + 1,
    w: write.w,
    recent: [...(base?.recent ?? []), write.w].slice(-RECENT_WRITES),
    marker: write.marker,
    due: write.due,
    isVoid: write.isVoid ?? false,
  };
}

export function encodeRecord(
  { fields, extra }: RecordBody,
  header: Header,
  format: "compact" | "indented",
): string {
  const { isVoid, due, ...rest } = header;
  const own = {
    ...rest,
    due: due === null ? null : { queue: due.queue, at: due.at },
    ...(isVoid ? { void: true } : {}),
    ...extra,
  };
  const body = { ...fields, [RESERVED]: own };
  return format === "indented" ? `${JSON.stringify(body, null, 2)}\n` : JSON.stringify(body);
}

/** Throws RecordCorruptError when `text` is no record, or one that only a newer release can read. */
export function decodeRecord(key: Key, text: string): DecodedRecord {
  const body = parseObject(key, text);
  const own = body[RESERVED];
  if (own === undefined) return { fields: body, extra: {}, header: FOREIGN, isForeign: true };
  if (!isJsonObject(own)) throw new RecordCorruptError(key, `"${RESERVED}" is not an object`);
  refuseNewer(key, own);
  const parsed = safeParse(headerSchema, own);
  if (!parsed.success) {
    const where = parsed.error.issues[0]?.path.join(".") ?? "";
    throw new RecordCorruptError(key, `its header does not fit at "${RESERVED}.${where}"`);
  }
  const { [RESERVED]: _own, ...fields } = body;
  const { schema: _s, v: _v, w: _w, recent: _r, marker: _m, due: _d, void: _o, ...extra } = own;
  const { due, void: isVoid, ...rest } = parsed.data;
  return {
    fields,
    extra,
    header: {
      ...rest,
      due: due === null ? null : { queue: due.queue, at: epochMs(due.at) },
      isVoid: isVoid ?? false,
    },
    isForeign: false,
  };
}

/** Throws RecordCorruptError. */
export function parseObject(key: Key, text: string): JsonObject {
  let body: JsonValue;
  try {
    body = JSON.parse(text);
  } catch (cause) {
    throw new RecordCorruptError(key, "not JSON", { cause });
  }
  if (!isJsonObject(body)) throw new RecordCorruptError(key, "not a JSON object");
  return body;
}

/** Throws RecordCorruptError for the header of a record, or part, that a newer release wrote. */
export function refuseNewer(key: Key, own: JsonObject): void {
  const schema = own["schema"];
  if (typeof schema === "number" && schema > SCHEMA) {
    throw new RecordCorruptError(
      key,
      `written by a newer release (record schema ${schema}; this release reads up to ${SCHEMA})`,
    );
  }
}
