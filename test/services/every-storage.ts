/** Every storage there is, empty, with everything that lies in it as bytes: for what must hold on each. */

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ScanCommand } from "@aws-sdk/client-dynamodb";
import { afterAll } from "vitest";
import { memoryStorage } from "../../adapters/storage/memory.ts";
import { r2Storage } from "../../adapters/storage/r2.ts";
import type { Cursor, Storage } from "../../src/ports/backend.ts";
import { systemClock } from "../../src/ports/clock.ts";
import { systemRandom } from "../../src/ports/random.ts";
import { emailsFixture, rawClient, sharedFront } from "../adapters/dynamodb/given.ts";
import { openR2 } from "../adapters/r2/fixture.ts";
import { storageOn } from "../adapters/s3/fixture.ts";
import { fakeS3 } from "../fakes/s3.ts";
import type { EmailsFixture } from "./emails/bench.ts";
import { folderFixture } from "./emails/folder-fixture.ts";

export interface RawStorage extends EmailsFixture {
  /** Every byte and every name that is stored, whatever it is for. */
  raw(): Promise<string>;
}

export type OpenStorage = () => Promise<RawStorage>;

export const context = {
  clock: systemClock(),
  random: systemRandom(),
  observe: (): void => {},
  dueOf: (): null => null,
};

/** Starts what the storages need for the cases of one file. */
export async function everyStorage(): Promise<readonly (readonly [string, OpenStorage])[]> {
  const front = sharedFront();
  const r2 = await openR2();
  afterAll(() => r2.close());
  return [
    ["memory, due index of its own", async () => inMemory("native")],
    ["memory, due markers", async () => inMemory("markers")],
    ["a folder of processes", async () => inFolder("processes")],
    ["a folder of one process", async () => inFolder("exclusive")],
    ["DynamoDB", async () => inTable(front().endpoint, await front().createTable())],
    ["S3", inBucket],
    ["R2", async () => inR2(r2)],
  ];
}

function inMemory(dueIndex: "native" | "markers"): RawStorage {
  const storage = memoryStorage({ dueIndex });
  return {
    storage,
    plant: async (key, body) => storage.plant(key, body),
    raw: () => listed(storage),
    destroy: async () => {},
  };
}

function inFolder(sharing: "processes" | "exclusive"): RawStorage {
  const { directory, ...fixture } = folderFixture(sharing);
  const raw = async (): Promise<string> =>
    readdirSync(directory, { withFileTypes: true, recursive: true })
      .map((entry) => {
        const file = join(entry.parentPath, entry.name);
        return `${file}\n${entry.isFile() ? readFileSync(file, "latin1") : ""}`;
      })
      .join("\n");
  return { ...fixture, raw };
}

async function inTable(endpoint: string, TableName: string): Promise<RawStorage> {
  const client = rawClient(endpoint);
  return {
    ...(await emailsFixture(endpoint, TableName)),
    async raw() {
      const { Items = [], LastEvaluatedKey } = await client.send(new ScanCommand({ TableName }));
      if (LastEvaluatedKey !== undefined) throw new Error("more than one page is stored");
      return JSON.stringify(Items);
    },
    destroy: async () => client.destroy(),
  };
}

async function inBucket(): Promise<RawStorage> {
  const fake = await fakeS3();
  return {
    storage: storageOn(fake),
    plant: async (key, body) => fake.plant(key, body),
    raw: async () => [...fake.objects].map(([key, { body }]) => `${key}\n${body}`).join("\n"),
    destroy: () => fake.close(),
  };
}

function inR2({ place }: Awaited<ReturnType<typeof openR2>>): RawStorage {
  const { bucket, prefix, plant, destroy } = place();
  const storage = r2Storage({ bucket, prefix });
  return { storage, plant, raw: () => listed(storage), destroy };
}

/** Of storages whose listing leaves nothing out: names and bodies, due markers too. */
async function listed(storage: Storage): Promise<string> {
  const backend = await storage.open(context);
  const found: string[] = [];
  let cursor: Cursor | null = null;
  do {
    const page: Awaited<ReturnType<typeof backend.list>> = await backend.list("", cursor, 1_000);
    for (const { key } of page.entries) found.push(`${key}\n${(await backend.get(key))?.body}`);
    cursor = page.cursor;
  } while (cursor !== null);
  await backend.close();
  return found.join("\n");
}
