/**
 * The due index: attributes of the record's own item, so that both change in one write. It is sharded,
 * since an index takes a thousand writes a second for each partition key and slows the table's writes
 * down beyond that. It follows the table with a lag, which passes.
 */
import { QueryCommand } from "@aws-sdk/client-dynamodb";
import type { Queue } from "../../../src/core/machine.ts";
import type { EpochMs } from "../../../src/core/time.ts";
import type { Cursor, DueEntry, DueIndex } from "../../../src/ports/backend.ts";
import { MisconfiguredError } from "../../../src/ports/faults.ts";
import type { Connection } from "./connection.ts";
import { indexFault } from "./faults.ts";
import { DUE_INDEX, type Item, instant, parseDueName, shardName } from "./items.ts";
import type { Shards } from "./shards.ts";

/** Not greater than any name. */
const EARLIEST = "0";

export function dueIndex(connection: Connection, shards: Shards): DueIndex {
  return {
    async page(tenant, queue, until, cursor, limit) {
      const { main, late } = placesIn(cursor);
      const count = await shards.toRead();
      const to = lastNameAt(until);
      const ask = (places: Places): Promise<Turn> =>
        turn(places, limit, (shard, from) =>
          // One more than is asked for tells whether anything follows.
          shardEntries(connection, { tenant, queue, shard, from, to }, limit + 1),
        );
      const others = [...Array(count).keys()].filter((shard) => !late.has(shard));
      const first = await ask(new Map(others.map((shard) => [shard, main])));
      if (first.entries.length > 0) {
        const isLeft = first.hasMore || first.failed.size > 0 || late.size > 0;
        const places = new Map([...late, ...first.failed]);
        return { entries: first.entries, cursor: isLeft ? cursorAt(first.last, places) : null };
      }
      // Shards that failed come last: one that is slowed down must not hold up the others.
      const second = await ask(late);
      const places = new Map([...first.failed, ...second.failed, ...second.passed]);
      if (second.entries.length > 0) {
        return { entries: second.entries, cursor: cursorAt(main, places) };
      }
      const fault = first.fault ?? second.fault;
      if (fault !== null) throw fault;
      return { entries: [], cursor: null };
    },
    // Index and record are one item: what is left over is lag, which passes by itself.
    mend: async () => {},
  };
}

/** By shard, the last name that was looked at. */
type Places = ReadonlyMap<number, string>;

/** What some shards gave together: the first `limit` of their entries. */
interface Turn {
  readonly entries: readonly DueEntry[];
  /** The name of the last of them. */
  readonly last: string;
  readonly hasMore: boolean;
  /** The shards that answered, at the end of the entries; the others, where they were. */
  readonly passed: Places;
  readonly failed: Places;
  /** Of one that failed. */
  readonly fault: unknown;
}

/** Throws only what will not pass. */
async function turn(
  places: Places,
  limit: number,
  read: (shard: number, from: string) => Promise<readonly DueEntry[]>,
): Promise<Turn> {
  const failed = new Map<number, string>();
  let fault: unknown = null;
  const answers = await Promise.all(
    [...places].map(async ([shard, place]) => {
      try {
        return await read(shard, behind(place));
      } catch (error) {
        if (error instanceof MisconfiguredError) throw error;
        failed.set(shard, place);
        fault = error;
        return [];
      }
    }),
  );
  // Each gives as many as the page has, so that the first of all are the first of the queue.
  const found = answers.flat().sort(inOrder);
  const entries = found.slice(0, limit);
  const last = entries.at(-1)?.name ?? EARLIEST;
  const passed = new Map<number, string>();
  for (const [shard, place] of places) {
    const isBehind = place < last;
    if (!failed.has(shard)) passed.set(shard, isBehind ? last : place);
  }
  return { entries, last, hasMore: found.length > entries.length, passed, failed, fault };
}

/** A name has no space, so that spaces part the places of what is late from that of all others. */
function cursorAt(main: string, late: Places): Cursor {
  return [main, ...[...late].map(([shard, place]) => `${shard}@${place}`)].join(" ") as Cursor;
}

/** A cursor that is none of this index, perhaps of a storage that was before, leads to the beginning. */
function placesIn(cursor: Cursor | null): { readonly main: string; readonly late: Places } {
  const beginning = { main: EARLIEST, late: new Map<number, string>() };
  if (cursor === null) return beginning;
  const [main = EARLIEST, ...others] = cursor.split(" ");
  const late = new Map<number, string>();
  for (const other of others) {
    const [, shard, place = ""] = /^(\d{1,2})@(.*)$/.exec(other) ?? [];
    if (!isPlace(place)) return beginning;
    late.set(Number(shard), place);
  }
  return isPlace(main) ? { main, late } : beginning;
}

function isPlace(place: string): boolean {
  return place === EARLIEST || parseDueName(place) !== null;
}

interface Range {
  /** What its keys begin with. */
  readonly tenant: string;
  readonly queue: Queue;
  readonly shard: number;
  /** Names of entries, both included. */
  readonly from: string;
  readonly to: string;
}

/** The first `limit` entries of the range. */
async function shardEntries(
  connection: Connection,
  { tenant, queue, shard, from, to }: Range,
  limit: number,
): Promise<readonly DueEntry[]> {
  const entries: DueEntry[] = [];
  // No service takes a range that ends before it begins.
  if (from > to) return entries;
  const pk = shardName(tenant, queue, shard);
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
    const page = await connection.send(query).catch((fault: unknown) => {
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

/** Less than every name that follows `place`: a space is in no key, and before all that is. */
function behind(place: string): string {
  return `${place} `;
}

/** Not less than any name at `until`: a tilde is in no key, and after all that is. */
function lastNameAt(until: EpochMs): string {
  return `${instant(until)}~`;
}
