/** Bytes of records: their version, their text, and what is no record at all. */
import { createHash } from "node:crypto";
import type { Key } from "../../../src/core/key.ts";
import type { BackendRecord, Version } from "../../../src/ports/backend.ts";
import { RecordCorruptError } from "../../../src/ports/faults.ts";
import { codeOf } from "./disk.ts";

/** Hex SHA-256: unique for ever, because every body holds the id of the write (protocols 0). */
export function versionOf(bytes: Uint8Array): Version {
  return createHash("sha256").update(bytes).digest("hex") as Version;
}

/** Throws RecordCorruptError when the bytes are not UTF-8: another text would come back. */
export function recordOf(key: Key, bytes: Uint8Array): BackendRecord {
  return { body: textOf(key, bytes), version: versionOf(bytes) };
}

export function textOf(key: Key, bytes: Uint8Array): string {
  try {
    // A byte order mark belongs to the bytes: dropping it would change what is written back.
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (error) {
    throw new RecordCorruptError(key, "not UTF-8", { cause: error });
  }
}

/** What stands where another version was expected. Throws RecordCorruptError. */
export function currentRecord(
  key: Key,
  found: Uint8Array | null | "unread",
): BackendRecord | null | "unread" {
  return found === null || found === "unread" ? found : recordOf(key, found);
}

/** Turns the system's word for "a symlink or a directory lies there" into a corrupt record. */
export function corruptIfNoFile(key: Key, error: unknown): unknown {
  const code = codeOf(error);
  const isNoFile = code === "ELOOP" || code === "EMLINK" || code === "EISDIR" || code === "ENXIO";
  return isNoFile ? new RecordCorruptError(key, "not a regular file", { cause: error }) : error;
}

/** What the system says of one file that it will not read, while others may be read well. */
const UNREADABLE: ReadonlySet<string> = new Set(["EACCES", "EPERM", "EIO", "EUCLEAN", "EBADMSG"]);

/** The same of a read, where one file that cannot be read must not stop whoever reads others. */
export function corruptIfUnreadable(key: Key, error: unknown): unknown {
  const code = codeOf(error);
  if (code === null || !UNREADABLE.has(code)) return corruptIfNoFile(key, error);
  return new RecordCorruptError(key, `cannot be read (${code})`, { cause: error });
}
