/** What the tests of the DynamoDB adapter share: a server for a file, and storages on its tables. */
import { DynamoDBClient, PutItemCommand } from "@aws-sdk/client-dynamodb";
import { afterAll, afterEach, beforeAll } from "vitest";
import {
  type DynamodbStorageOptions,
  dynamodbStorage,
} from "../../../adapters/storage/dynamodb/index.ts";
import { itemOf } from "../../../adapters/storage/dynamodb/items.ts";
import type { Key } from "../../../src/core/key.ts";
import type { Backend, Storage, StorageContext, Version } from "../../../src/ports/backend.ts";
import { systemClock } from "../../../src/ports/clock.ts";
import { systemRandom } from "../../../src/ports/random.ts";
import { type DynamodbFront, dynamodbFront } from "../../fakes/dynamodb-front.ts";

/** What the SDK needs to sign; the servers of tests check no signatures. */
export const ACCESS = {
  region: "eu-central-1",
  credentials: { accessKeyId: "test", secretAccessKey: "test" },
} as const;

/** One server for all cases of a file; what was planned for one case ends with it. */
export function sharedFront(): () => DynamodbFront {
  let front: DynamodbFront | null = null;
  beforeAll(async () => {
    front = await dynamodbFront();
  });
  afterEach(() => front?.setPlan(null));
  afterAll(() => front?.close());
  return () => {
    if (front === null) throw new Error("the server is not started yet");
    return front;
  };
}

export function storageOn(
  endpoint: string,
  table: string,
  options: Partial<DynamodbStorageOptions> = {},
): Storage {
  return dynamodbStorage({ ...ACCESS, endpoint, table, ...options });
}

export function contextOf(context: Partial<StorageContext> = {}): StorageContext {
  const quiet = { clock: systemClock(), random: systemRandom(), observe: () => {} };
  return { ...quiet, dueOf: () => null, ...context };
}

/** A backend on a fresh table behind the front. */
export async function openedBackend(
  front: DynamodbFront,
  options: Partial<DynamodbStorageOptions> = {},
): Promise<{ table: string; backend: Backend }> {
  const table = await front.createTable();
  const backend = await storageOn(front.endpoint, table, options).open(contextOf());
  front.takeCounts();
  return { table, backend };
}

/** For tests that look at the table, or put into it what no backend would. */
export function rawClient(endpoint: string): DynamoDBClient {
  return new DynamoDBClient({ ...ACCESS, endpoint });
}

/** What the suites of the services need, on a fresh table. */
export async function emailsFixture(endpoint: string, table: string) {
  const client = rawClient(endpoint);
  return {
    storage: storageOn(endpoint, table),
    async plant(key: string, body: string): Promise<void> {
      const version = `planted-${Math.random()}` as Version;
      const Item = itemOf(key as Key, { body, version }, null, 1);
      await client.send(new PutItemCommand({ TableName: table, Item }));
    },
    destroy: async () => client.destroy(),
  };
}
