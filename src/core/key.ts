/** Where a record lives: `collection/…/<hash or UUID>`. */
import { assert } from "./assert.ts";
import type { Brand } from "./brand.ts";

export type Key = Brand<string, "Key">;

/** Bytes of a whole key; the same on all storages, so that data can move. */
export const KEY_BYTES_MAX = 512;

/** Bytes of one segment: file systems allow 255 for a name, and ours carry additions. */
export const KEY_SEGMENT_BYTES_MAX = 128;

/** Bytes of a key that can have a due time: its due entry is named after it. */
export const DUE_KEY_BYTES_MAX = 160;

const SEGMENT = /^[A-Za-z0-9_-][A-Za-z0-9._-]*$/;

/**
 * Checks and brands a key: 2 or more segments of letters, digits, `.`, `_` and `-`, none starting with
 * a dot. Keys are made by services from hashes and UUIDs, never from a caller's text, so a bad one is
 * a bug.
 */
export function key(text: string): Key {
  const problem = keyProblem(text);
  assert(problem === null, `bad key ${JSON.stringify(text.slice(0, 80))}: ${problem}`);
  return text as Key;
}

/** Null for what no record can be named, such as an object that others put beside ours. */
export function keyOrNull(text: string): Key | null {
  return keyProblem(text) === null ? (text as Key) : null;
}

export function keyProblem(text: string): string | null {
  if (text.length > KEY_BYTES_MAX) return `longer than ${KEY_BYTES_MAX} bytes`;
  const segments = text.split("/");
  if (segments.length < 2) return "a key has at least two segments";
  for (const segment of segments) {
    if (segment.length > KEY_SEGMENT_BYTES_MAX) {
      return `a segment is longer than ${KEY_SEGMENT_BYTES_MAX} bytes`;
    }
    if (!SEGMENT.test(segment)) return "a segment is empty or has a character that is not allowed";
  }
  return null;
}

const OF_A_TENANT = /^tenants\/[^/]+\//;

/** What the keys of the same tenant begin with: `tenants/acme/`, or nothing for the default one. */
export function tenantPrefix(text: Key): string {
  return OF_A_TENANT.exec(text)?.[0] ?? "";
}

/** The machine whose record it is: `emails` of `emails/jobs/x` and of `tenants/acme/emails/jobs/x`. */
export function machineOf(text: Key): string {
  const [machine = ""] = text.slice(tenantPrefix(text).length).split("/");
  return machine;
}

/** The last segment of a key: the record's id in its collection. */
export function lastSegment(text: Key): string {
  return text.slice(text.lastIndexOf("/") + 1);
}
