/**
 * The due index: attributes of the record's own item, so that both change in one write. It is sharded,
 * since an index takes a thousand writes a second for each partition key and slows the table's writes
 * down beyond that. It follows the table with a lag, which passes.
 */
import { QueryCommand } from "@aws-sdk/client-dynamodb";
import { assert } from "../../../src/core/assert.ts";
import type { Queue } from "../../../src/core/machine.ts";
import { type EpochMs, epochMs } from "../../../src/core/time.ts";
import type { Cursor, DueEntry, DueIndex } from "../../../src/ports/backend.ts";
import type { Connection } from "./connection.ts";
import { type Item, instant, parseDueName, shardName } from "./items.ts";
import type { Shards } from "./shards.ts";
import { DUE_INDEX } from "./table.ts";

export function dueIndex(connection: Connection, shards: Shards): DueIndex {
  return {
    async page(root, queue, until, cursor, limit) {
      const from = cursor === null ? instant(0) : behind(cursor);
      const to = lastNameAt(until);
      if (from > to) return { entries: [], cursor: null };
      const count = cursor === null ? await shards.current() : shards.known();
      const read = (_: unknown, shard: number) =>
        // One more than is asked for tells whether anything follows.
        shardNames(connection, { shard: shardName(root, queue, shard), from, to }, limit + 1);
      // Each gives as many as the page has, so that the first of all are the first of the queue.
      const found = (await Promise.all(Array.from({ length: count }, read))).flat().sort();
      const page = found.slice(0, limit);
      const hasMore = found.length > page.length;
      return {
        entries: page.map((name) => entryOf(name, queue)),
        cursor: hasMore ? ((page.at(-1) ?? null) as Cursor | null) : null,
      };
    },
    // Index and record are one item: what is left over is lag, which passes by itself.
    mend: async () => {},
  };
}

interface Range {
  readonly shard: string;
  readonly from: string;
  readonly to: string;
}

/** The first `limit` names in the range. */
async function shardNames(
  connection: Connection,
  { shard, from, to }: Range,
  limit: number,
): Promise<readonly string[]> {
  const names: string[] = [];
  let start: Item | undefined;
  do {
    const query = new QueryCommand({
      TableName: connection.where.table,
      IndexName: DUE_INDEX,
      KeyConditionExpression: "duePk = :shard AND dueSk BETWEEN :from AND :to",
      ExpressionAttributeValues: { ":shard": { S: shard }, ":from": { S: from }, ":to": { S: to } },
      Limit: limit - names.length,
      ...(start === undefined ? {} : { ExclusiveStartKey: start }),
    });
    const page = await connection.send((client, options) => client.send(query, options));
    names.push(...(page.Items ?? []).map((item) => item["dueSk"]?.S ?? ""));
    start = page.LastEvaluatedKey;
  } while (start !== undefined && names.length < limit);
  return names;
}

function entryOf(name: string, queue: Queue): DueEntry {
  const parsed = parseDueName(name);
  assert(parsed !== null, `the due index has an entry of nobody's: ${name}`);
  return { key: parsed.key, queue, at: epochMs(parsed.at), name, writtenAt: null };
}

/** Less than every name that follows `cursor`: a space is in no key, and before all that is. */
function behind(cursor: Cursor): string {
  assert(parseDueName(cursor) !== null, "the cursor is not one of this index");
  return `${cursor} `;
}

/** Not less than any name at `until`: a tilde is in no key, and after all that is. */
function lastNameAt(until: EpochMs): string {
  return `${instant(until)}~`;
}
