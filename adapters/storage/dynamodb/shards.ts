/**
 * How many shards the due index has. The table remembers it, so that everyone looks for entries where
 * anyone puts them: it can be raised at any time, and never falls.
 */
import { GetItemCommand, PutItemCommand } from "@aws-sdk/client-dynamodb";
import type { EpochMs } from "../../../src/core/time.ts";
import type { Clock } from "../../../src/ports/clock.ts";
import { MisconfiguredError } from "../../../src/ports/faults.ts";
import type { Connection } from "./connection.ts";
import { isRefusal } from "./faults.ts";

const SHARDS_DEFAULT = 4;

/** Each page of the index asks every shard. */
export const SHARDS_MAX = 64;

export interface Shards {
  /** As it was when it was last looked at. */
  known(): number;
  /** The same, at most LOOK_MS old. Throws faults. */
  current(): Promise<number>;
}

/** How long entries in shards that another process added may be overlooked. */
const LOOK_MS = 60_000;

/** An item that no key leads to, and that no listing takes for a record. */
const SETTING = { pk: { S: "#settings" }, sk: { S: "due" } };

/** `wanted` null: as many as the table has. Throws faults. */
export async function openShards(
  connection: Connection,
  clock: Clock,
  wanted: number | null,
): Promise<Shards> {
  let count = await settled(connection, wanted);
  let lookedAt: EpochMs = clock.now();
  return {
    known: () => count,
    async current() {
      const now = clock.now();
      // A clock that was set back must not put the look off.
      if (Math.abs(now - lookedAt) >= LOOK_MS) {
        count = Math.max(count, (await stored(connection)) ?? 0);
        lookedAt = now;
      }
      return count;
    },
  };
}

async function settled(connection: Connection, wanted: number | null): Promise<number> {
  const found = await stored(connection);
  if (found !== null && found >= (wanted ?? 0)) return found;
  const count = wanted ?? SHARDS_DEFAULT;
  await raise(connection, count);
  // Somebody else may have raised it higher at the same time.
  return (await stored(connection)) ?? count;
}

async function stored({ where, send }: Connection): Promise<number | null> {
  const { Item } = await send((client, options) =>
    client.send(
      new GetItemCommand({ TableName: where.table, Key: SETTING, ConsistentRead: true }),
      options,
    ),
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
    await send((client, options) =>
      client.send(
        new PutItemCommand({
          TableName: where.table,
          Item: { ...SETTING, dueShards: number },
          ConditionExpression: "attribute_not_exists(pk) OR dueShards < :count",
          ExpressionAttributeValues: { ":count": number },
        }),
        options,
      ),
    );
  } catch (error) {
    // Somebody else raised it as high or higher, or it was this request's own first copy.
    if (!isRefusal(error)) throw error;
  }
}
