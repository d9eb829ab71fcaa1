/**
 * How many shards the due index has. The table remembers it, so that everyone looks for entries where
 * anyone puts them: it can be raised at any time, and never falls.
 */
import { GetItemCommand, PutItemCommand, ScanCommand } from "@aws-sdk/client-dynamodb";
import type { EpochMs } from "../../../src/core/time.ts";
import type { Clock } from "../../../src/ports/clock.ts";
import { MisconfiguredError } from "../../../src/ports/faults.ts";
import type { Connection } from "./connection.ts";
import { indexFault, isRefusal } from "./faults.ts";
import { DUE_INDEX } from "./items.ts";

const SHARDS_DEFAULT = 4;

/** Each page of the index asks every shard. */
export const SHARDS_MAX = 64;

export interface Shards {
  /** For an entry that is about to be written: the table remembers it by then. Throws faults. */
  toWrite(): Promise<number>;
  /** Where entries may be: what the table says, at most LOOK_MS ago. Throws faults. */
  toRead(): Promise<number>;
}

/** How long entries in shards that another process added may be overlooked. */
const LOOK_MS = 60_000;

/** An item that no key leads to, and that no listing takes for a record. */
const SETTING = { pk: { S: "#settings" }, sk: { S: "due" } };

/**
 * `wanted` null: as many as the table has. Only the first entry writes to the table, so that one that is
 * merely read stays as it is, and needs no permission but that. Throws faults.
 */
export async function openShards(
  connection: Connection,
  clock: Clock,
  wanted: number | null,
): Promise<Shards> {
  let { count, isStored } = await lookedUp(connection);
  let lookedAt: EpochMs = clock.now();
  let settling: Promise<void> | null = null;

  async function settle(): Promise<void> {
    if (isStored && count >= (wanted ?? 0)) return;
    const least = count === 0 ? (wanted ?? SHARDS_DEFAULT) : Math.max(count, wanted ?? 0);
    await raise(connection, least);
    // Somebody else may have raised it higher at the same time.
    count = Math.max(least, (await stored(connection)) ?? 0);
    isStored = true;
  }

  return {
    async toWrite() {
      settling ??= settle();
      try {
        await settling;
      } catch (fault) {
        settling = null;
        throw fault;
      }
      return count;
    },
    async toRead() {
      const now = clock.now();
      // A clock that was set back must not put the look off.
      if (Math.abs(now - lookedAt) >= LOOK_MS) {
        const found = (await stored(connection)) ?? 0;
        // Who still knows it restores what the table has lost, with the next entry.
        isStored = found >= count && found > 0;
        if (!isStored) settling = null;
        count = Math.max(count, found);
        lookedAt = now;
      }
      return count === 0 ? SHARDS_DEFAULT : count;
    },
  };
}

interface Found {
  /** 0: there was no entry yet. */
  readonly count: number;
  readonly isStored: boolean;
}

async function lookedUp(connection: Connection): Promise<Found> {
  const found = await stored(connection);
  if (found !== null) return { count: found, isStored: true };
  if (!(await hasEntries(connection))) return { count: 0, isStored: false };
  // Entries come after the number, so that it was lost unless it is seen now. Any may be in use then.
  const count = await stored(connection);
  return { count: count ?? SHARDS_MAX, isStored: count !== null };
}

async function hasEntries({ where, send }: Connection): Promise<boolean> {
  const scan = new ScanCommand({ TableName: where.table, IndexName: DUE_INDEX, Limit: 1 });
  const { Items: items = [] } = await send(scan).catch((fault: unknown) => {
    throw indexFault(where, fault);
  });
  return items.length > 0;
}

async function stored({ where, send }: Connection): Promise<number | null> {
  const { Item } = await send(
    new GetItemCommand({ TableName: where.table, Key: SETTING, ConsistentRead: true }),
  );
  if (Item === undefined) return null;
  const count = Number(Item["dueShards"]?.N);
  if (Number.isInteger(count) && count >= 1 && count <= SHARDS_MAX) return count;
  throw new MisconfiguredError(
    `DynamoDB table ${where.table}: its item ${SETTING.pk.S} must have dueShards from 1 to ${SHARDS_MAX}`,
  );
}

/** Repeating it does no harm: the number only grows. */
async function raise({ where, send }: Connection, count: number): Promise<void> {
  const number = { N: String(count) };
  try {
    await send(
      new PutItemCommand({
        TableName: where.table,
        Item: { ...SETTING, dueShards: number },
        ConditionExpression: "attribute_not_exists(pk) OR dueShards < :count",
        ExpressionAttributeValues: { ":count": number },
      }),
    );
  } catch (error) {
    // Somebody else raised it as high or higher, or it was this request's own first copy.
    if (!isRefusal(error)) throw error;
  }
}
