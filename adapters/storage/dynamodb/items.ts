/** A record as an item: its primary key, body, version, and its entry in the due index. */
import type { AttributeValue } from "@aws-sdk/client-dynamodb";
import { sha256Hex } from "../../../src/core/hash.ts";
import { utf8Length } from "../../../src/core/json.ts";
import { type Key, keyProblem, tenantPrefix } from "../../../src/core/key.ts";
import type { Due, Queue } from "../../../src/core/machine.ts";
import { type EpochMs, epochMs } from "../../../src/core/time.ts";
import type { BackendRecord, Version } from "../../../src/ports/backend.ts";
import { RecordCorruptError, RecordTooLargeError } from "../../../src/ports/faults.ts";
import { keyOf, placeOf } from "./keys.ts";

/** As the SDK gives it. */
export type Item = Readonly<Record<string, AttributeValue>>;

/** As it is written: of texts alone. */
export type TextItem = Record<string, { readonly S: string }>;

/** The due index: sparse, since only an item with both attributes is in it. */
export const DUE_INDEX = "due";

/** DynamoDB's limit, names of attributes included. */
const ITEM_BYTES_MAX = 400 * 1_024;

const INSTANT_DIGITS = 13;

/**
 * The item of one record. Without a due time it has no index attributes, so that the index does not hold
 * it. Throws RecordTooLargeError.
 */
export function itemOf(
  key: Key,
  { body, version }: BackendRecord,
  due: Due | null,
  shards: number,
): TextItem {
  const { pk, sk } = placeOf(key);
  const item: TextItem = {
    pk: { S: pk },
    sk: { S: sk },
    body: { S: body },
    version: { S: version },
  };
  if (due !== null) {
    item["duePk"] = { S: shardName(tenantPrefix(key), due.queue, shardOf(key, shards)) };
    item["dueSk"] = { S: dueName(due.at, key) };
  }
  checkSize(key, item);
  return item;
}

/** Throws RecordCorruptError. */
export function recordOf(key: Key, item: Item): BackendRecord {
  const body = item["body"]?.S;
  const version = item["version"]?.S;
  if (body === undefined || version === undefined) {
    throw new RecordCorruptError(key, "its item has no body or no version");
  }
  return { body, version: version as Version };
}

export function keyOfItem(item: Item): Key {
  return keyOf({ pk: item["pk"]?.S ?? "", sk: item["sk"]?.S ?? "" });
}

/** The partition key of one shard of one queue in the due index. `tenant`: what its keys begin with. */
export function shardName(tenant: string, queue: Queue, shard: number): string {
  return `${tenant}${queue}#${shard}`;
}

/** The sort key of an entry of the due index: the order of time, and one name for one record. */
function dueName(at: EpochMs, key: Key): string {
  return `${instant(at)}/${key}`;
}

/** Thirteen digits, so that the order of names is that of time. */
export function instant(at: EpochMs): string {
  return String(at).padStart(INSTANT_DIGITS, "0");
}

/** The inverse of `dueName`; null for what is no such name. */
export function parseDueName(name: string): { readonly at: EpochMs; readonly key: Key } | null {
  const [, at = "", key = ""] = /^(\d{13})\/(.+)$/.exec(name) ?? [];
  return keyProblem(key) === null ? { at: epochMs(Number(at)), key: key as Key } : null;
}

function shardOf(key: Key, shards: number): number {
  return Number.parseInt(sha256Hex(key).slice(0, 8), 16) % shards;
}

/** Before writing, since a refusal by DynamoDB may come after a resend that hides what was before. */
function checkSize(key: Key, item: TextItem): void {
  let bytes = 0;
  for (const [name, { S }] of Object.entries(item)) bytes += utf8Length(name) + utf8Length(S);
  if (bytes > ITEM_BYTES_MAX) {
    throw new RecordTooLargeError(`record ${key}: ${bytes} bytes, at most ${ITEM_BYTES_MAX}`);
  }
}
