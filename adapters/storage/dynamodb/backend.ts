/** The table as a backend: one item per record, one request per operation. */
import {
  DeleteItemCommand,
  GetItemCommand,
  PutItemCommand,
  type PutItemCommandInput,
} from "@aws-sdk/client-dynamodb";
import { WRITE_ID_BYTES, writeId } from "../../../src/core/ids.ts";
import type { Key } from "../../../src/core/key.ts";
import type {
  Backend,
  BackendRecord,
  PutCondition,
  PutVerdict,
  Version,
} from "../../../src/ports/backend.ts";
import type { Random } from "../../../src/ports/random.ts";
import type { Connection } from "./connection.ts";
import { dueIndex } from "./due-index.ts";
import { isRefusal } from "./faults.ts";
import { type Item, itemOf, recordOf } from "./items.ts";
import { placeOf } from "./keys.ts";
import { listPage } from "./listing.ts";
import type { Shards } from "./shards.ts";

export function tableBackend(connection: Connection, shards: Shards, random: Random): Backend {
  const { table } = connection.where;

  async function get(key: Key): Promise<BackendRecord | null> {
    const read = new GetItemCommand({
      TableName: table,
      Key: primaryKey(key),
      ConsistentRead: true,
    });
    const { Item } = await connection.send(read);
    return Item === undefined ? null : recordOf(key, Item);
  }

  async function putIf(
    key: Key,
    body: string,
    { expected, due }: PutCondition,
  ): Promise<PutVerdict> {
    // Fresh for each attempt, so unique for ever; a resend is recognised by its body (protocols 1.1).
    const version = writeId(random.bytes(WRITE_ID_BYTES)) as string as Version;
    const write = new PutItemCommand({
      TableName: table,
      Item: itemOf(key, { body, version }, due, due === null ? 0 : await shards.toWrite()),
      ...conditionOf(expected),
      ReturnValuesOnConditionCheckFailure: "ALL_OLD",
    });
    try {
      await connection.sendOnce(write);
      return { kind: "stored", version };
    } catch (error) {
      if (!isRefusal(error)) throw error;
      return { kind: "refused", current: currentIn(key, error) };
    }
  }

  async function remove(key: Key): Promise<void> {
    const removal = new DeleteItemCommand({ TableName: table, Key: primaryKey(key) });
    await connection.send(removal);
  }

  return {
    format: "compact",
    owner: null,
    get,
    putIf,
    list: (prefix, cursor, limit) => listPage(connection, { prefix, cursor, limit }),
    remove,
    due: dueIndex(connection, shards),
    close: () => connection.close(),
  };
}

function primaryKey(key: Key) {
  const { pk, sk } = placeOf(key);
  return { pk: { S: pk }, sk: { S: sk } };
}

function conditionOf(
  expected: "absent" | Version,
): Pick<
  PutItemCommandInput,
  "ConditionExpression" | "ExpressionAttributeNames" | "ExpressionAttributeValues"
> {
  if (expected === "absent") return { ConditionExpression: "attribute_not_exists(pk)" };
  return {
    ConditionExpression: "#version = :expected",
    ExpressionAttributeNames: { "#version": "version" },
    ExpressionAttributeValues: { ":expected": { S: expected } },
  };
}

/** What a refusal shows of the record: nothing where it is absent, or the server does not show it. */
function currentIn(key: Key, refusal: unknown): BackendRecord | "unread" {
  const { Item } = refusal as { readonly Item?: Item };
  return Item === undefined ? "unread" : recordOf(key, Item);
}
