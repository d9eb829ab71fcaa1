/**
 * Which item a key is. A collection lies in sixteen partitions, by a hex digit of the record's id, so
 * that its writes are spread and its listing is sixteen queries; the log of one job is one partition, so
 * that a replay is one query.
 */
import { assert } from "../../../src/core/assert.ts";
import { type Key, lastSegment } from "../../../src/core/key.ts";

/** The primary key of an item. Never longer than a key: DynamoDB allows 2,048 and 1,024 bytes. */
export interface Place {
  readonly pk: string;
  readonly sk: string;
}

/** Where the records below a prefix are; null: anywhere. */
export interface Partitions {
  /** In the order of a listing. */
  readonly pks: readonly string[];
  /** What their sort keys begin with; empty: anything. */
  readonly below: string;
}

const TENANTS = "tenants";
const LOG = "log";
const DIGITS = [..."0123456789abcdef"];

/** Stands in no key, so that a partition's name is read back in one way only. */
const DIGIT_MARK = "#";

export function placeOf(key: Key): Place {
  const { root, inside } = split(key.split("/"));
  assert(inside.length > 0, `key ${key} names no record inside a root`);
  const [collection = "", job = ""] = inside;
  if (collection === LOG && inside.length > 2) {
    return { pk: joined(root, LOG, job), sk: joined(...inside.slice(2)) };
  }
  // A record directly below its root (`receipts/<id>`) has no collection.
  const depth = inside.length > 1 ? 1 : 0;
  const pk = joined(root, ...inside.slice(0, depth));
  return { pk: pk + DIGIT_MARK + digitOf(key), sk: joined(...inside.slice(depth)) };
}

export function keyOf({ pk, sk }: Place): Key {
  const [collection = ""] = pk.split(DIGIT_MARK);
  return `${collection}/${sk}` as Key;
}

/** `prefix` is empty or ends in `/`. */
export function partitionsOf(prefix: string): Partitions | null {
  const { root, inside } = split(prefix.split("/").slice(0, -1));
  const [collection, job] = inside;
  if (collection === undefined) return null;
  if (collection === LOG) {
    if (job === undefined) return null;
    return { pks: [joined(root, LOG, job)], below: prefixOf(inside.slice(2)) };
  }
  const pks = DIGITS.map((digit) => joined(root, collection) + DIGIT_MARK + digit);
  return { pks, below: prefixOf(inside.slice(1)) };
}

/** What a partition's name begins with when keys below `prefix` (not empty) may be in it. */
export function partitionNamesOf(prefix: string): readonly [string, string] {
  return [prefix, prefix.slice(0, -1) + DIGIT_MARK];
}

function split(segments: readonly string[]): { root: string; inside: readonly string[] } {
  const depth = segments[0] === TENANTS ? 3 : 1;
  return { root: joined(...segments.slice(0, depth)), inside: segments.slice(depth) };
}

/** Ids are hashes and UUIDs; any other name has its place, too. */
function digitOf(key: Key): string {
  return /[0-9a-f]/.exec(lastSegment(key))?.[0] ?? "0";
}

function joined(...segments: readonly string[]): string {
  return segments.join("/");
}

function prefixOf(segments: readonly string[]): string {
  return segments.map((segment) => `${segment}/`).join("");
}
