/** Reads records without blocking this thread. */
import { type BigIntStats, close, constants, fstat, open, read, type Stats } from "node:fs";
import { promisify } from "node:util";
import type { Key } from "../../../src/core/key.ts";
import type { BackendRecord } from "../../../src/ports/backend.ts";
import { RecordCorruptError } from "../../../src/ports/faults.ts";
import { codeOf } from "./disk.ts";
import { recordOf } from "./record-bytes.ts";
import { recordFault } from "./trouble.ts";

const openFile = promisify(open);
const closeFile = promisify(close);
const statFile: (fd: number) => Promise<Stats | BigIntStats> = promisify(fstat);

/** A record as it lies there. */
export interface FoundRecord {
  readonly record: BackendRecord;
  /** Names of the file: two while whoever creates it has not come to its end. */
  readonly links: number;
}

/** Null: absent. Throws RecordCorruptError, also for what is no regular file; StoreUnavailableError. */
export async function findRecord(key: Key, file: string): Promise<FoundRecord | null> {
  try {
    const found = await readLinked(key, file);
    return found === null ? null : { record: recordOf(key, found.bytes), links: found.links };
  } catch (error) {
    throw recordFault(key, file, error);
  }
}

/** The same, without what only tells whether it is durable. */
export async function readRecord(key: Key, file: string): Promise<BackendRecord | null> {
  return (await findRecord(key, file))?.record ?? null;
}

interface LinkedBytes {
  readonly bytes: Uint8Array;
  readonly links: number;
}

async function readLinked(key: Key, file: string): Promise<LinkedBytes | null> {
  // Not to be led away by a symlink, nor to hang on a pipe that someone put in a record's place.
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  let fd: number;
  try {
    fd = await openFile(file, flags);
  } catch (error) {
    if (codeOf(error) === "ENOENT") return null;
    throw error;
  }
  try {
    const found = await statFile(fd);
    if (!found.isFile()) throw new RecordCorruptError(key, "not a regular file");
    return { bytes: await readAll(fd, Number(found.size)), links: Number(found.nlink) };
  } finally {
    await closeFile(fd);
  }
}

/** Records are replaced, never written in place, so the size holds. */
async function readAll(fd: number, size: number): Promise<Uint8Array> {
  const bytes = new Uint8Array(size);
  let filled = 0;
  while (filled < size) {
    const count = await readSome(fd, bytes, filled);
    if (count === 0) break;
    filled += count;
  }
  return bytes.subarray(0, filled);
}

function readSome(fd: number, bytes: Uint8Array, from: number): Promise<number> {
  return new Promise((resolve, reject) => {
    read(fd, bytes, from, bytes.length - from, null, (error, count) => {
      if (error === null) resolve(count);
      else reject(error);
    });
  });
}
