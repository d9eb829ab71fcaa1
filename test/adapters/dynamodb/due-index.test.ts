/** The sharded due index: one order over all shards, a count that grows, a lag that passes. */
import { DeleteItemCommand, PutItemCommand, QueryCommand } from "@aws-sdk/client-dynamodb";
import { describe, expect, it } from "vitest";
import { sha256Hex } from "../../../src/core/hash.ts";
import { type Key, key } from "../../../src/core/key.ts";
import { EPOCH_MS_MAX, type EpochMs, epochMs, minutes } from "../../../src/core/time.ts";
import { createHoldfast } from "../../../src/holdfast.ts";
import type { Backend, Cursor, DueIndex } from "../../../src/ports/backend.ts";
import { MisconfiguredError, StoreUnavailableError } from "../../../src/ports/faults.ts";
import { testClock } from "../../conformance/fixture.ts";
import { ready } from "../../services/emails/given.ts";
import { contextOf, openedBackend, rawClient, sharedFront, storageOn } from "./given.ts";

const front = sharedFront();

const START = 1_700_000_000_000;
const END = epochMs(EPOCH_MS_MAX);

const idOf = (n: number): Key => key(`emails/jobs/${sha256Hex(String(n))}`);

async function putDue(backend: Backend, n: number, at = epochMs(START + n)): Promise<void> {
  const due = { queue: "deliver", at } as const;
  const verdict = await backend.putIf(idOf(n), "{}", { expected: "absent", due, dueBefore: null });
  expect(verdict.kind).toBe("stored");
}

function indexOf({ due }: Backend): DueIndex {
  if (due === null) throw new Error("no index");
  return due;
}

async function keysDue(backend: Backend, until: EpochMs, limit: number): Promise<Key[]> {
  const keys: Key[] = [];
  let cursor: Cursor | null = null;
  do {
    const page = await indexOf(backend).page("", "deliver", until, cursor, limit);
    expect(page.entries.length).toBeLessThanOrEqual(limit);
    keys.push(...page.entries.map((entry) => entry.key));
    cursor = page.cursor;
  } while (cursor !== null);
  return keys;
}

describe("the due index", () => {
  it("spreads entries over its shards, and gives them in the order of time whatever the page", async () => {
    const { table, backend } = await openedBackend(front(), { dueShards: 5 });
    const order = [...Array(40).keys()];
    for (const n of order) await putDue(backend, 39 - n);
    const client = rawClient(front().endpoint);
    for (let shard = 0; shard < 5; shard += 1) {
      const query = new QueryCommand({
        TableName: table,
        IndexName: "due",
        KeyConditionExpression: "duePk = :pk",
        ExpressionAttributeValues: { ":pk": { S: `deliver#${shard}` } },
      });
      expect((await client.send(query)).Count).toBeGreaterThan(0);
    }
    for (const limit of [1, 3, 7, 40, 1_000]) {
      expect(await keysDue(backend, END, limit)).toEqual(order.map(idOf));
    }
    const until = epochMs(START + 12);
    expect(await keysDue(backend, until, 4)).toEqual(order.slice(0, 13).map(idOf));
    await backend.close();
    client.destroy();
  });

  it("tells that nothing follows a page that is just full, by one query for each shard", async () => {
    const { backend } = await openedBackend(front());
    for (const n of [0, 1, 2]) await putDue(backend, n);
    front().takeCounts();
    const page = await indexOf(backend).page("", "deliver", END, null, 3);
    expect(page).toMatchObject({ cursor: null });
    expect(page.entries).toHaveLength(3);
    expect(front().takeCounts()).toEqual({ QueryIndex: 4 });
    await backend.close();
  });

  it("goes on from a cursor after entries before it have left and others have come", async () => {
    const { backend } = await openedBackend(front());
    for (const n of [1, 2, 5, 6]) await putDue(backend, n);
    const { cursor } = await indexOf(backend).page("", "deliver", END, null, 2);
    await backend.remove(idOf(2));
    for (const n of [0, 3, 7]) await putDue(backend, n);
    const rest = await indexOf(backend).page("", "deliver", END, cursor, 10);
    expect(rest.entries.map((entry) => entry.key)).toEqual([3, 5, 6, 7].map(idOf));
    await backend.close();
  });

  it("has nothing behind a cursor that is later than the time asked for", async () => {
    const { backend } = await openedBackend(front());
    for (const n of [10, 20, 30]) await putDue(backend, n);
    const { cursor } = await indexOf(backend).page("", "deliver", END, null, 2);
    expect(cursor).not.toBeNull();
    const earlier = epochMs(START + 15);
    const page = await indexOf(backend).page("", "deliver", earlier, cursor, 10);
    expect(page).toEqual({ entries: [], cursor: null });
    await backend.close();
  });

  it("passes over what a foreign program put into it", async () => {
    const { table, backend } = await openedBackend(front(), { dueShards: 1 });
    const client = rawClient(front().endpoint);
    for (const dueSk of ["0", "soon", `${START}/nothing`, `${START}/a//b`]) {
      const index = { duePk: { S: "deliver#0" }, dueSk: { S: dueSk } };
      const Item = { pk: { S: "theirs" }, sk: { S: dueSk }, ...index };
      await client.send(new PutItemCommand({ TableName: table, Item }));
    }
    for (const n of [1, 2, 3]) await putDue(backend, n);
    for (const limit of [1, 10]) {
      expect(await keysDue(backend, END, limit)).toEqual([1, 2, 3].map(idOf));
    }
    await backend.close();
    client.destroy();
  });

  it("begins at its beginning for a cursor of another storage", async () => {
    const { backend } = await openedBackend(front());
    await putDue(backend, 1);
    const foreign = "complete:17" as string as Cursor;
    const { entries } = await indexOf(backend).page("", "deliver", END, foreign, 10);
    expect(entries).toHaveLength(1);
    await backend.close();
  });

  it("answers late and is looked at again: a new entry is missing only for as long as it lags", async () => {
    const { table, backend } = await openedBackend(front());
    await putDue(backend, 1);
    await front().holdIndex(table);
    await putDue(backend, 2);
    expect(await keysDue(backend, END, 10)).toEqual([idOf(1)]);
    front().releaseIndex(table);
    expect(await keysDue(backend, END, 10)).toEqual([1, 2].map(idOf));
    await backend.close();
  });
});

describe("a due index of which one shard does not answer", () => {
  const stop = (): void => {
    front().setPlan((operation, input) =>
      operation === "Query" && JSON.stringify(input).includes("deliver#2")
        ? { status: 400, type: "AnotherException" }
        : null,
    );
  };

  it("still gives what the others have, and then says so: it is never told complete", async () => {
    const { backend } = await openedBackend(front());
    for (let n = 0; n < 24; n += 1) await putDue(backend, n);
    stop();
    const keys: Key[] = [];
    let cursor: Cursor | null = null;
    const next = () => indexOf(backend).page("", "deliver", END, cursor, 5);
    const walked = async (): Promise<void> => {
      do {
        const page = await next();
        keys.push(...page.entries.map((entry) => entry.key));
        cursor = page.cursor;
      } while (cursor !== null);
    };
    await expect(walked()).rejects.toBeInstanceOf(StoreUnavailableError);
    expect(cursor).not.toBeNull();
    expect(keys.length).toBeGreaterThan(10);
    expect(keys.length).toBeLessThan(24);
    front().setPlan(null);
    // The cursor knows how far the shard was read.
    await walked();
    expect(keys.toSorted()).toEqual([...Array(24).keys()].map(idOf).toSorted());
    await backend.close();
  });
});

describe("a due index that lags", () => {
  it("leads to no job that is not due any more, and to none that another worker has", async () => {
    const table = await front().createTable();
    const open = () => createHoldfast({ storage: storageOn(front().endpoint, table) });
    const [one, other] = [await open(), await open()];
    for (const name of ["cancelled", "taken", "due"]) await ready(one.emails, name);
    await front().holdIndex(table);
    await one.emails.transition("cancelled", ["ready"], "cancelled");
    await one.emails.acquireSendingLease("taken", 60_000);
    const leases = { durationMs: 60_000, limit: 10 };
    const jobs = await other.emails.acquireDueLeases(leases);
    expect(jobs.map((job) => job.logicalKey)).toEqual(["due"]);
    expect(await one.emails.acquireDueLeases(leases)).toEqual([]);
    front().releaseIndex(table);
    expect(await one.emails.acquireDueLeases(leases)).toEqual([]);
    await Promise.all([one.close(), other.close()]);
  });
});

describe("the number of shards", () => {
  it("is remembered by the table: who asks for fewer, or does not ask, uses as many", async () => {
    const { table, backend } = await openedBackend(front(), { dueShards: 16 });
    for (let n = 0; n < 40; n += 1) await putDue(backend, n);
    const all = [...Array(40).keys()].map(idOf);
    for (const options of [{}, { dueShards: 1 }, { dueShards: 16 }]) {
      const other = await storageOn(front().endpoint, table, options).open(contextOf());
      front().takeCounts();
      expect(await keysDue(other, END, 1_000)).toEqual(all);
      expect(front().takeCounts()).toEqual({ QueryIndex: 16 });
      await other.close();
    }
    await backend.close();
  });

  it("can be raised: what was put before is still found, and what is put then is spread", async () => {
    const { table, backend } = await openedBackend(front(), { dueShards: 1 });
    for (let n = 0; n < 20; n += 1) await putDue(backend, n);
    const raised = await storageOn(front().endpoint, table, { dueShards: 8 }).open(contextOf());
    for (let n = 20; n < 40; n += 1) await putDue(raised, n);
    expect(await keysDue(raised, END, 7)).toEqual([...Array(40).keys()].map(idOf));
    await Promise.all([backend.close(), raised.close()]);
  });

  it("is not written before the first entry: a table that is only read stays as it is", async () => {
    const table = await front().createTable();
    front().setPlan((operation) =>
      operation === "PutItem" ? { status: 400, type: "AccessDeniedException" } : null,
    );
    const reader = await storageOn(front().endpoint, table, { dueShards: 8 }).open(contextOf());
    expect(await keysDue(reader, END, 10)).toEqual([]);
    expect((await reader.list("", null, 10)).entries).toEqual([]);
    await reader.close();
  });

  it("that was lost is the largest there can be for who opens then", async () => {
    const { table, backend } = await openedBackend(front(), { dueShards: 8 });
    for (let n = 0; n < 20; n += 1) await putDue(backend, n);
    await backend.close();
    await loseSettings(table);
    const later = await storageOn(front().endpoint, table).open(contextOf());
    expect(await keysDue(later, END, 1_000)).toEqual([...Array(20).keys()].map(idOf));
    await later.close();
  });

  it("that was lost is restored by a process that still knows it", async () => {
    const clock = testClock();
    const table = await front().createTable();
    const open = () =>
      storageOn(front().endpoint, table, { dueShards: 8 }).open(contextOf({ clock }));
    const backend = await open();
    await putDue(backend, 1);
    await loseSettings(table);
    clock.advance(minutes(1));
    await keysDue(backend, END, 10);
    await putDue(backend, 2);
    const other = await storageOn(front().endpoint, table).open(contextOf());
    front().takeCounts();
    expect(await keysDue(other, END, 10)).toHaveLength(2);
    expect(front().takeCounts()).toEqual({ QueryIndex: 8 });
    await Promise.all([backend.close(), other.close()]);
  });

  it("raised by another process is learnt within a minute, by one read", async () => {
    const clock = testClock();
    const table = await front().createTable();
    const old = await storageOn(front().endpoint, table, { dueShards: 1 }).open(
      contextOf({ clock }),
    );
    const raised = await storageOn(front().endpoint, table, { dueShards: 8 }).open(contextOf());
    for (let n = 0; n < 20; n += 1) await putDue(raised, n);
    expect((await keysDue(old, END, 1_000)).length).toBeLessThan(20);
    clock.advance(minutes(1));
    front().takeCounts();
    expect(await keysDue(old, END, 1_000)).toHaveLength(20);
    expect(front().takeCounts()).toEqual({ GetItem: 1, QueryIndex: 8 });
    await Promise.all([old.close(), raised.close()]);
  });

  it("is the larger one when several processes put the first entries at the same time", async () => {
    const table = await front().createTable();
    const open = (dueShards: number) =>
      storageOn(front().endpoint, table, { dueShards }).open(contextOf());
    const backends = await Promise.all([open(3), open(7), open(5)]);
    await Promise.all(backends.map((backend, n) => putDue(backend, n)));
    const last = await storageOn(front().endpoint, table).open(contextOf());
    front().takeCounts();
    expect(await keysDue(last, END, 10)).toHaveLength(3);
    expect(front().takeCounts()).toEqual({ QueryIndex: 7 });
    for (const backend of [...backends, last]) await backend.close();
  });

  it("that cannot be read is refused by name", async () => {
    const { table, backend } = await openedBackend(front());
    const client = rawClient(front().endpoint);
    const Item = { pk: { S: "#settings" }, sk: { S: "due" }, dueShards: { N: "0" } };
    await client.send(new PutItemCommand({ TableName: table, Item }));
    const opening = storageOn(front().endpoint, table).open(contextOf());
    await expect(opening).rejects.toBeInstanceOf(MisconfiguredError);
    await expect(opening).rejects.toThrow(/#settings.*dueShards/);
    await backend.close();
    client.destroy();
  });
});

async function loseSettings(table: string): Promise<void> {
  const client = rawClient(front().endpoint);
  const Key = { pk: { S: "#settings" }, sk: { S: "due" } };
  await client.send(new DeleteItemCommand({ TableName: table, Key }));
  client.destroy();
}
