/** Which item a record is, and what a listing of records asks for (design: one table). */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import {
  DeleteItemCommand,
  GetItemCommand,
  PutItemCommand,
  ScanCommand,
} from "@aws-sdk/client-dynamodb";
import { describe, expect, it } from "vitest";
import { keyOf, placeOf } from "../../../adapters/storage/dynamodb/keys.ts";
import { key } from "../../../src/core/key.ts";
import { epochMs } from "../../../src/core/time.ts";
import type { Backend, Cursor, PutCondition } from "../../../src/ports/backend.ts";
import { contextOf, openedBackend, rawClient, sharedFront, storageOn } from "./given.ts";

const ID = "c0ffee00-0000-4000-8000-000000000000";
const ABSENT = { expected: "absent", due: null, dueBefore: null } as const;

const front = sharedFront();

describe("a key's item", () => {
  it.each([
    [`emails/jobs/${ID}`, "emails/jobs#c", ID],
    [`tenants/acme/emails/jobs/${ID}`, "tenants/acme/emails/jobs#c", ID],
    [`receipts/${ID}`, "receipts#c", ID],
    [`queries/roots/${ID}`, "queries/roots#c", ID],
    [`queries/log/${ID}/000000000001`, `queries/log/${ID}`, "000000000001"],
    [`queries/log/${ID}/b/xyz/0`, `queries/log/${ID}`, "b/xyz/0"],
    [
      `tenants/acme/queries/log/${ID}/000000000001`,
      `tenants/acme/queries/log/${ID}`,
      "000000000001",
    ],
    ["things/records/xyz", "things/records#0", "xyz"],
    ["things/records/xyz/7a", "things/records#7", "xyz/7a"],
  ])("of %s is in partition %s, and leads back to the key", (text, pk, sk) => {
    expect(placeOf(key(text))).toEqual({ pk, sk });
    expect(keyOf({ pk, sk })).toBe(text);
  });

  it("holds its body, its version, and its due time; without a due time no index attribute", async () => {
    const { table, backend } = await openedBackend(front(), { dueShards: 1 });
    const client = rawClient(front().endpoint);
    const name = key(`emails/jobs/${ID}`);
    const itemNow = async () => {
      const Key = { pk: { S: "emails/jobs#c" }, sk: { S: ID } };
      return (await client.send(new GetItemCommand({ TableName: table, Key }))).Item;
    };
    const due = { queue: "deliver", at: epochMs(1_700_000_000_000) } as const;
    const made = await backend.putIf(name, '{"a":1}', { ...ABSENT, due });
    if (made.kind !== "stored") throw new Error("not stored");
    expect(await itemNow()).toEqual({
      pk: { S: "emails/jobs#c" },
      sk: { S: ID },
      body: { S: '{"a":1}' },
      version: { S: made.version },
      duePk: { S: "deliver#0" },
      dueSk: { S: `1700000000000/emails/jobs/${ID}` },
    });
    await backend.putIf(name, "{}", { expected: made.version, due: null, dueBefore: due });
    expect(Object.keys((await itemNow()) ?? {}).sort()).toEqual(["body", "pk", "sk", "version"]);
    await backend.close();
    client.destroy();
  });
});

describe("a listing", () => {
  async function plantForeign(table: string, pk: string): Promise<void> {
    const client = rawClient(front().endpoint);
    const Item = { pk: { S: pk }, sk: { S: "x" } };
    await client.send(new PutItemCommand({ TableName: table, Item }));
    client.destroy();
  }

  const put = (backend: Backend, name: string, condition: PutCondition = ABSENT) =>
    backend.putIf(key(name), "{}", condition);

  async function walk(backend: Backend, prefix: string, limit: number): Promise<string[]> {
    const keys: string[] = [];
    let cursor: Cursor | null = null;
    do {
      const page = await backend.list(prefix, cursor, limit);
      expect(page.entries.length).toBeLessThanOrEqual(limit);
      keys.push(...page.entries.map((entry) => entry.key));
      cursor = page.cursor;
    } while (cursor !== null);
    return keys;
  }

  it("of a collection is sixteen queries, in the order of its partitions", async () => {
    const { backend } = await openedBackend(front());
    const ids = ["0a", "1a", "1b", "7a", "fa", "fb"].map((id) => `emails/jobs/${id}`);
    for (const id of [...ids].reverse()) await put(backend, id);
    await put(backend, "emails/config/0a");
    await put(backend, "tenants/acme/emails/jobs/0a");
    front().takeCounts();
    expect(await walk(backend, "emails/jobs/", 100)).toEqual(ids);
    expect(front().takeCounts()).toEqual({ Query: 16 });
    for (const limit of [1, 2, 3]) expect(await walk(backend, "emails/jobs/", limit)).toEqual(ids);
    await backend.close();
  });

  it("of a job's log is one query, in the order of its parts", async () => {
    const { backend } = await openedBackend(front());
    const parts = ["000000000001", "000000000009", "000000000010", "b/xyz/0"];
    for (const part of [...parts].reverse()) await put(backend, `queries/log/${ID}/${part}`);
    await put(backend, "queries/log/c0ffee01/000000000001");
    front().takeCounts();
    const keys = parts.map((part) => `queries/log/${ID}/${part}`);
    expect(await walk(backend, `queries/log/${ID}/`, 100)).toEqual(keys);
    expect(front().takeCounts()).toEqual({ Query: 1 });
    await backend.close();
  });

  it("of anything wider finds all below it, and nothing else", async () => {
    const { table, backend } = await openedBackend(front());
    const keys = [
      "emails/jobs/0a",
      "emails/config/7f",
      "emailsbeside/jobs/0a",
      "queries/roots/0a",
      `queries/log/${ID}/000000000001`,
      "receipts/0a",
      "receipts/notes/0a",
      "tenants/acme/emails/jobs/0a",
      "tenants/acme-2/emails/jobs/0a",
    ];
    for (const name of keys) await put(backend, name);
    // Items of a foreign program: a scan meets them, and may end a page at any.
    for (let n = 0; n < 5; n += 1) await plantForeign(table, `theirs ${n}`);
    const prefixes = ["", "emails/", "queries/", "queries/log/", "receipts/", "tenants/"];
    for (const prefix of [...prefixes, "tenants/acme/", "tenants/acme/emails/"]) {
      const below = keys.filter((name) => name.startsWith(prefix)).sort();
      for (const limit of [1, 2, 100]) {
        expect((await walk(backend, prefix, limit)).sort()).toEqual(below);
      }
    }
    await backend.close();
  });

  it("goes on behind a record that was removed meanwhile", async () => {
    const { table, backend } = await openedBackend(front());
    for (const id of ["1a", "1b", "1c"]) await put(backend, `things/records/${id}`);
    const { entries, cursor } = await backend.list("things/records/", null, 1);
    expect(entries.map((entry) => entry.key)).toEqual(["things/records/1a"]);
    const client = rawClient(front().endpoint);
    const Key = { pk: { S: "things/records#1" }, sk: { S: "1a" } };
    await client.send(new DeleteItemCommand({ TableName: table, Key }));
    const rest = await backend.list("things/records/", cursor, 10);
    expect(rest.entries.map((entry) => entry.key)).toEqual([
      "things/records/1b",
      "things/records/1c",
    ]);
    await backend.close();
    client.destroy();
  });

  it("and a read show what the last write left, since they ask for that", async () => {
    const { backend } = await openedBackend(front());
    const asked: unknown[] = [];
    front().setPlan((operation, input) => {
      asked.push([operation, input["ConsistentRead"]]);
      return null;
    });
    await backend.get(key("emails/jobs/0a"));
    await backend.list(`queries/log/${ID}/`, null, 10);
    await backend.list("", null, 10);
    expect(asked).toEqual([
      ["GetItem", true],
      ["Query", true],
      ["Scan", true],
    ]);
    await backend.close();
  });

  it("goes on behind a full answer of a service that says nothing of what follows", async () => {
    const terse = createServer(async (incoming, response) => {
      const { ExpressionAttributeValues: values, ExclusiveStartKey } = JSON.parse(
        await text(incoming),
      );
      const { S: pk = "" } = values?.[":pk"] ?? {};
      const sk = pk.slice(-1);
      const item = { pk: { S: pk }, sk: { S: sk }, body: { S: "{}" }, version: { S: "v" } };
      const items = ExclusiveStartKey === undefined ? [item] : [];
      const setting = { dueShards: { N: "4" } };
      response.setHeader("content-type", "application/x-amz-json-1.0");
      response.end(JSON.stringify(values === undefined ? { Item: setting } : { Items: items }));
    });
    await new Promise<void>((resolve) => terse.listen(0, "127.0.0.1", resolve));
    const { port } = terse.address() as AddressInfo;
    const backend = await storageOn(`http://127.0.0.1:${port}`, "jobs").open(contextOf());
    for (const limit of [1, 3, 16]) {
      expect(await walk(backend, "emails/jobs/", limit)).toHaveLength(16);
    }
    await backend.close();
    await new Promise((resolve) => terse.close(resolve));
  });

  it("begins anew for a cursor of another listing", async () => {
    const { backend } = await openedBackend(front());
    for (const id of ["1a", "1b"]) await put(backend, `things/records/${id}`);
    const { cursor } = await backend.list("things/records/", null, 1);
    await put(backend, "emails/jobs/1a");
    for (const foreign of [cursor, "things/records/1a", "9:a", "0:", "x"] as Cursor[]) {
      expect((await backend.list("emails/jobs/", foreign, 10)).entries).toHaveLength(1);
    }
    await backend.close();
  });

  it("goes on behind items of others, whatever their names are", async () => {
    const { table, backend } = await openedBackend(front());
    const client = rawClient(front().endpoint);
    for (let n = 0; n < 10; n += 1) {
      await put(backend, `emails/jobs/${n}a`);
      for (const pk of [`${n}\nx`, `${n}:\ny`]) {
        const Item = { pk: { S: pk }, sk: { S: "\n1:a" } };
        await client.send(new PutItemCommand({ TableName: table, Item }));
      }
    }
    for (const limit of [1, 2, 7]) expect(await walk(backend, "", limit)).toHaveLength(10);
    await backend.close();
    client.destroy();
  });

  it("shows nothing of what the adapter keeps for itself", async () => {
    const { table, backend } = await openedBackend(front());
    const client = rawClient(front().endpoint);
    const due = { queue: "deliver", at: epochMs(1) } as const;
    await backend.putIf(key("emails/jobs/1a"), "{}", { expected: "absent", due, dueBefore: null });
    expect((await client.send(new ScanCommand({ TableName: table }))).Count).toBe(2);
    expect(await walk(backend, "", 10)).toEqual(["emails/jobs/1a"]);
    await backend.close();
    client.destroy();
  });
});
