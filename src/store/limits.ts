/** Bounds that hold on every storage, so that data can move between them. */
import { utf8Length } from "../core/json.ts";
import { type DurationMs, seconds } from "../core/time.ts";
import { RecordTooLargeError } from "../ports/faults.ts";

/** Bytes of one body. DynamoDB takes 400 KB an item, with names and index attributes. */
export const BODY_BYTES_MAX = 256 * 1_024;

/** Records of one page of a listing or of the due index. */
export const PAGE_MAX = 1_000;

/** Pages of the due index that one call reads while they hold nothing but other machines' entries. */
export const OTHERS_PAGES_MAX = 10;

/** Characters of the jobs, or receipts, of one page: a page of the largest would be a hundred times what one needs. */
export const PAGE_BYTES_MAX = 2 * 1_024 * 1_024;

/** Ids of the latest writes that a header keeps: how many later writes an own one survives unnoticed. */
export const RECENT_WRITES = 8;

/** Sends of one write. Past this the storage is ill; more would only add load. */
export const SENDS_MAX = 12;

/** Bodies read at the same time by one listing (and so files open at the same time on a folder). */
export const READS_AT_ONCE = 16;

/**
 * Continuations of one part of a log, 4 MiB in all. Not more than READS_AT_ONCE, since they are read
 * together; the largest request there is, 224,000 characters that each take seven bytes, needs six.
 */
export const CONTINUATIONS_MAX = 16;

/** How long one command may take, waiting for others included, when its caller says nothing. */
export const COMMAND_DEADLINE_MS: DurationMs = seconds(15);

export function isTooLarge(body: string): boolean {
  // No character takes more than three bytes, and most bodies are far below the limit.
  return body.length > BODY_BYTES_MAX / 3 && utf8Length(body) > BODY_BYTES_MAX;
}

export function checkBodySize(key: string, body: string): void {
  if (!isTooLarge(body)) return;
  const bytes = utf8Length(body);
  throw new RecordTooLargeError(`record ${key}: ${bytes} bytes, at most ${BODY_BYTES_MAX}`);
}
