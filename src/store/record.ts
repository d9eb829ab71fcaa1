/** A record as services see it, and how it is read from what a backend returned. */
import type { JsonObject } from "../core/json.ts";
import type { Key } from "../core/key.ts";
import type { Due } from "../core/machine.ts";
import type { BackendRecord, Version } from "../ports/backend.ts";
import { decodeRecord, type Header, type RecordBody } from "./header.ts";
import { isLogKey } from "./log-keys.ts";

export interface Stored extends RecordBody {
  readonly key: Key;
  readonly version: Version;
  readonly header: Header;
  /** When the record needs attention; computed by its machine for a file of an original store. */
  readonly due: Due | null;
}

/** When a record without header is due, by the machine of its collection. */
export type ForeignDue = (key: Key, fields: JsonObject) => Due | null;

/** Throws RecordCorruptError. */
export function readRecord(key: Key, found: BackendRecord, foreignDue: ForeignDue): Stored {
  const { fields, extra, header, isForeign } = decodeRecord(key, found.body);
  const due = isForeign ? foreignDue(key, fields) : header.due;
  return { key, version: found.version, header, due, fields, extra };
}

/** What a backend needs to rebuild or mend its own due index: see `StorageContext.dueOf`. */
export function dueOfBody(foreignDue: ForeignDue): (key: Key, body: string) => Due | null {
  return (key, body) => {
    // No part of a log waits for anything.
    if (isLogKey(key)) return null;
    const { fields, header, isForeign } = decodeRecord(key, body);
    return isForeign ? foreignDue(key, fields) : header.due;
  };
}
