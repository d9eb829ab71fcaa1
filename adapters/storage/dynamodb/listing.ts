/** Listings: the partitions of a collection or a log one after another, or the whole table. */
import { QueryCommand, ScanCommand } from "@aws-sdk/client-dynamodb";
import { type Key, keyProblem } from "../../../src/core/key.ts";
import type { BackendRecord, Cursor, ListedRecord, ListPage } from "../../../src/ports/backend.ts";
import { RecordCorruptError } from "../../../src/ports/faults.ts";
import type { Connection } from "./connection.ts";
import { type Item, keyOfItem, recordOf } from "./items.ts";
import { type Partitions, partitionNamesOf, partitionsOf } from "./keys.ts";

export interface ListRequest {
  readonly prefix: string;
  /** The primary key of the item looked at last: a place, also when the item is gone meanwhile. */
  readonly cursor: Cursor | null;
  readonly limit: number;
}

/** Strong, as reads are. Throws faults. */
export function listPage(connection: Connection, request: ListRequest): Promise<ListPage> {
  const partitions = partitionsOf(request.prefix);
  if (partitions === null) return scanned(connection, request);
  return queried(connection, partitions, request);
}

async function queried(
  connection: Connection,
  { pks, below }: Partitions,
  { cursor, limit }: ListRequest,
): Promise<ListPage> {
  let start = startAt(cursor);
  // A cursor of another listing, which somebody may have made up, begins this one.
  if (start !== null && !(pks.includes(start.pk.S) && start.sk.S.startsWith(below))) start = null;
  const first = start === null ? 0 : pks.indexOf(start.pk.S);
  const entries: ListedRecord[] = [];
  for (const pk of pks.slice(first)) {
    const page = await connection.send(
      new QueryCommand({
        TableName: connection.where.table,
        ConsistentRead: true,
        KeyConditionExpression: below === "" ? "pk = :pk" : "pk = :pk AND begins_with(sk, :below)",
        ExpressionAttributeValues: {
          ":pk": { S: pk },
          ...(below === "" ? {} : { ":below": { S: below } }),
        },
        Limit: limit - entries.length,
        ...(start === null ? {} : { ExclusiveStartKey: start }),
      }),
    );
    const { Items: items = [], LastEvaluatedKey: next } = page;
    entries.push(...items.map(listed));
    // An answer ends at a megabyte, too, and so does a page, which is short then.
    const last = next ?? (entries.length >= limit ? items.at(-1) : undefined);
    if (last !== undefined) return { entries, cursor: cursorAt(last) };
    start = null;
  }
  return { entries, cursor: null };
}

/** One request: who lists everything goes on until there is no cursor. */
async function scanned(
  connection: Connection,
  { prefix, cursor, limit }: ListRequest,
): Promise<ListPage> {
  const start = startAt(cursor);
  const page = await connection.send(
    new ScanCommand({
      TableName: connection.where.table,
      ConsistentRead: true,
      Limit: limit,
      ...(prefix === "" ? {} : filterOf(prefix)),
      ...(start === null ? {} : { ExclusiveStartKey: start }),
    }),
  );
  const { Items: items = [], LastEvaluatedKey: next } = page;
  // What is named as no record is, such as our own settings, is none.
  const records = items.filter((item) => keyProblem(keyOfItem(item)) === null);
  return { entries: records.map(listed), cursor: next === undefined ? null : cursorAt(next) };
}

function filterOf(prefix: string) {
  const [deeper, here] = partitionNamesOf(prefix);
  return {
    FilterExpression: "begins_with(pk, :deeper) OR begins_with(pk, :here)",
    ExpressionAttributeValues: { ":deeper": { S: deeper }, ":here": { S: here } },
  };
}

function listed(item: Item): ListedRecord {
  const key = keyOfItem(item);
  return { key, found: foundIn(key, item), writtenAt: null };
}

/** Null for an item that is no record, which who reads it alone is told. */
function foundIn(key: Key, item: Item): BackendRecord | null {
  try {
    return recordOf(key, item);
  } catch (fault) {
    if (fault instanceof RecordCorruptError) return null;
    throw fault;
  }
}

/**
 * Not the record's key: a scan may end at an item that is no record. Its name is anything at all, so that
 * only a length tells where its halves meet.
 */
function cursorAt(item: Item): Cursor {
  const pk = item["pk"]?.S ?? "";
  return `${pk.length}:${pk}${item["sk"]?.S}` as Cursor;
}

/** Null, which begins the listing, also for what somebody may have made up. */
function startAt(cursor: Cursor | null): { pk: { S: string }; sk: { S: string } } | null {
  const [, length, rest = ""] = /^(\d+):(.*)$/s.exec(cursor ?? "") ?? [];
  const [pk, sk] = [rest.slice(0, Number(length)), rest.slice(Number(length))];
  return pk === "" || sk === "" ? null : { pk: { S: pk }, sk: { S: sk } };
}
