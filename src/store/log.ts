/**
 * Parts of an event log: written once, never changed, removed only with their whole job. A part's
 * creation is the commit, and the next key is always the end of the last part + 1, so all writers aim at
 * the same key (protocols 5.1). Parts are compact: their header is `{schema, w}` alone (5.8).
 */
import { assert } from "../core/assert.ts";
import { WRITE_ID_BYTES, writeId } from "../core/ids.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../core/json.ts";
import { key as checkedKey, type Key, lastSegment } from "../core/key.ts";
import type { EpochMs } from "../core/time.ts";
import type { BackendRecord, Cursor } from "../ports/backend.ts";
import { RecordCorruptError } from "../ports/faults.ts";
import { RESERVED, SCHEMA } from "./header.ts";
import { type SendDeps, sendUntilSettled } from "./sending.ts";

export interface LogPart {
  /** The sequence number of its first event. */
  readonly first: number;
  readonly body: JsonObject;
}

export interface LogPartPage {
  /** First sequence numbers, ascending. */
  readonly firsts: readonly number[];
  readonly cursor: Cursor | null;
}

export interface Log {
  /**
   * Creates the part that begins at `first` (1..999,999,999,999). `taken`: another part stands there.
   * Throws OutcomeUnknownError when that cannot be told, RecordTooLargeError before anything is sent.
   */
  create(first: number, body: JsonObject, deadlineAt: EpochMs): Promise<"created" | "taken">;
  get(first: number): Promise<LogPart | null>;
  list(cursor: Cursor | null, limit: number): Promise<LogPartPage>;
  /** Only after the job was marked as retired (protocols 5.4), or for an own part found to be late. */
  remove(first: number): Promise<void>;
}

const SEQUENCE_MAX = 999_999_999_999;

/** The log below `prefix`, such as `queries/log/<jobId>`; tenants are in the prefix. */
export function openLog(deps: SendDeps, prefix: string): Log {
  const { backend, random } = deps;

  function partKey(first: number): Key {
    assert(Number.isInteger(first) && first >= 1 && first <= SEQUENCE_MAX, "no sequence number");
    return checkedKey(`${prefix}/${String(first).padStart(12, "0")}`);
  }

  async function create(first: number, body: JsonObject, deadlineAt: EpochMs) {
    assert(!(RESERVED in body), `"${RESERVED}" is reserved in a part`);
    const key = partKey(first);
    const w = writeId(random.bytes(WRITE_ID_BYTES));
    return sendUntilSettled<"created" | "taken">(deps, {
      key,
      text: JSON.stringify({ ...body, [RESERVED]: { schema: SCHEMA, w } }),
      condition: { expected: "absent", due: null, dueBefore: null },
      deadlineAt,
      onStored: () => "created",
      // A part never changes, so its write id tells for ever whose it is.
      judge: (found) => {
        if (found === null) return "not_landed";
        return decodePart(key, found).w === w ? "created" : "taken";
      },
    });
  }

  return {
    create,
    async get(first) {
      const key = partKey(first);
      const found = await backend.get(key);
      return found === null ? null : { first, body: decodePart(key, found).body };
    },
    async list(cursor, limit) {
      const page = await backend.list(`${prefix}/`, cursor, limit);
      const firsts = page.entries
        .map(({ key }) => lastSegment(key))
        .filter((name) => /^\d{12}$/.test(name))
        .map(Number);
      return { firsts, cursor: page.cursor };
    },
    remove: (first) => backend.remove(partKey(first)),
  };
}

/** Whether `key` is that of a part or of a continuation (protocols 5.8), not of a record. */
export function isLogKey(key: Key): boolean {
  return /^(?:tenants\/[^/]+\/)?queries\/log\//.test(key);
}

/** Throws RecordCorruptError for what is no part. */
export function checkPart(key: Key, found: BackendRecord): void {
  decodePart(key, found);
}

function decodePart(key: Key, found: BackendRecord): { w: JsonValue; body: JsonObject } {
  let value: JsonValue;
  try {
    value = JSON.parse(found.body);
  } catch (cause) {
    throw new RecordCorruptError(key, "not JSON", { cause });
  }
  if (!isJsonObject(value)) throw new RecordCorruptError(key, "not a JSON object");
  const { [RESERVED]: own, ...body } = value;
  if (!isJsonObject(own) || own["schema"] !== SCHEMA) {
    throw new RecordCorruptError(key, "its header does not fit");
  }
  return { w: own["w"] ?? null, body };
}
