/**
 * The due index: attributes of the record's own item, so that both change in one write. It is sharded,
 * since an index takes a thousand writes a second for each partition key and slows the table's writes
 * down beyond that. It follows the table with a lag, which passes.
 */
import { QueryCommand } from "@aws-sdk/client-dynamodb";
import { assert } from "../../../src/core/assert.ts";
import type { Queue } from "../../../src/core/machine.ts";
import type { EpochMs } from "../../../src/core/time.ts";
import type { Cursor, DueEntry, DueIndex } from "../../../src/ports/backend.ts";
import type { Connection } from "./connection.ts";
import { indexFault } from "./faults.ts";
import { type Item, instant, parseDueName, shardName } from "./items.ts";
import type { Shards } from "./shards.ts";
import { DUE_INDEX } from "./table.ts";

/** Not greater than any name. */
const EARLIEST = "0";

export function dueIndex(connection: Connection, shards: Shards): DueIndex {
  return {
    async page(root, queue, until, cursor, limit) {
      const from = cursor === null ? EARLIEST : behind(cursor);
      const to = lastNameAt(until);
      if (from > to) return { entries: [], cursor: null };
      const count = await shards.current();
      const read = (_: unknown, shard: number) =>
        // One more than is asked for tells whether anything follows.
        shardEntries(connection, { root, queue, shard, from, to }, limit + 1);
      // Each gives as many as the page has, so that the first of all are the first of the queue.
      const found = (await Promise.all(Array.from({ length: count }, read))).flat();
      const entries = found.sort(inOrder).slice(0, limit);
      const last = entries.at(-1);
      const hasMore = found.length > entries.length && last !== undefined;
      return { entries, cursor: hasMore ? (last.name as Cursor) : null };
    },
    // Index and record are one item: what is left over is lag, which passes by itself.
    mend: async () => {},
  };
}

interface Range {
  readonly root: string;
  readonly queue: Queue;
  readonly shard: number;
  /** Names of entries, both included. */
  readonly from: string;
  readonly to: string;
}

/** The first `limit` entries of the range. */
async function shardEntries(
  connection: Connection,
  { root, queue, shard, from, to }: Range,
  limit: number,
): Promise<readonly DueEntry[]> {
  const entries: DueEntry[] = [];
  const pk = shardName(root, queue, shard);
  let start: Item | undefined;
  do {
    const query = new QueryCommand({
      TableName: connection.where.table,
      IndexName: DUE_INDEX,
      KeyConditionExpression: "duePk = :pk AND dueSk BETWEEN :from AND :to",
      ProjectionExpression: "dueSk",
      ExpressionAttributeValues: { ":pk": { S: pk }, ":from": { S: from }, ":to": { S: to } },
      Limit: limit - entries.length,
      ...(start === undefined ? {} : { ExclusiveStartKey: start }),
    });
    const page = await connection
      .send((client, options) => client.send(query, options))
      .catch((fault: unknown) => {
        throw indexFault(connection.where, fault);
      });
    entries.push(...(page.Items ?? []).flatMap((item) => entryIn(item, queue)));
    start = page.LastEvaluatedKey;
  } while (start !== undefined && entries.length < limit);
  return entries;
}

/** None for what a foreign program put there: it must not stop the entries behind it. */
function entryIn(item: Item, queue: Queue): readonly DueEntry[] {
  const name = item["dueSk"]?.S ?? "";
  const parsed = parseDueName(name);
  return parsed === null ? [] : [{ ...parsed, queue, name, writtenAt: null }];
}

function inOrder(one: DueEntry, other: DueEntry): number {
  return one.name < other.name ? -1 : 1;
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
