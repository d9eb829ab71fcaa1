/** The due index: may hold an extra or early entry, never lacks one. */
import { describe, expect, it } from "vitest";
import { key } from "../../src/core/key.ts";
import { type Due, QUEUES, type Queue } from "../../src/core/machine.ts";
import { type EpochMs, epochMs, minutes } from "../../src/core/time.ts";
import type { Cursor, DueEntry } from "../../src/ports/backend.ts";
import type { Store, Stored } from "../../src/store/store.ts";
import { type Bench, later, testKey } from "./fixture.ts";
import { body, deadline } from "./steps.ts";

export async function putDue(
  bench: Bench,
  store: Store,
  id: string,
  due: Due | null,
  expected: "absent" | Stored = "absent",
): Promise<Stored> {
  const result = await store.put(testKey(id), body(1), { ...deadline(bench, expected), due });
  if (result.kind !== "stored") throw new Error("not stored");
  return result.stored;
}

/** All entries of a queue up to `until`, page by page. */
export async function dueEntries(
  store: Store,
  queue: Queue,
  until: EpochMs,
  limit = 100,
): Promise<DueEntry[]> {
  const entries: DueEntry[] = [];
  let cursor: Cursor | null = null;
  do {
    const page = await store.due(queue, { until, cursor, limit });
    expect(page.entries.length).toBeLessThanOrEqual(limit);
    entries.push(...page.entries);
    cursor = page.cursor;
  } while (cursor !== null);
  return entries;
}

/** The ids that are really due, in order; what is left over gets mended on the way. */
export async function dueIds(store: Store, queue: Queue, until: EpochMs): Promise<string[]> {
  const ids: string[] = [];
  for (const entry of await dueEntries(store, queue, until)) {
    const stored = await store.confirmDue(entry);
    if (stored !== null) ids.push(stored.key.slice(stored.key.lastIndexOf("/") + 1));
  }
  return ids;
}

export function describeDue(bench: () => Bench): void {
  describe("due index", () => {
    it("gives entries in the order of their times, page by page, up to and including `until`", async () => {
      const store = bench().store();
      const start = bench().clock.now() - 100_000;
      const order = [7, 3, 9, 0, 5, 1, 8, 2, 6, 4];
      for (const n of order) {
        await putDue(bench(), store, `r${n}`, { queue: "deliver", at: epochMs(start + n * 1_000) });
      }
      const entries = await dueEntries(store, "deliver", epochMs(start + 6_000), 3);
      expect(entries.map((entry) => entry.at - start)).toEqual([
        0, 1_000, 2_000, 3_000, 4_000, 5_000, 6_000,
      ]);
      expect(entries.map((entry) => String(entry.key).slice(-2))).toEqual([
        "r0",
        "r1",
        "r2",
        "r3",
        "r4",
        "r5",
        "r6",
      ]);
    });

    it("is one for all machines of a tenant, in the order of their times, page by page", async () => {
      const store = bench().store();
      const start = bench().clock.now() - 100_000;
      for (const [n, machine] of ["things", "others", "things", "more", "others"].entries()) {
        await store.put(key(`${machine}/records/r${n}`), body(1), {
          ...deadline(bench(), "absent"),
          due: { queue: "attend", at: epochMs(start + 1_000 * ((n * 3) % 5)) },
        });
      }
      const until = bench().clock.now();
      for (const limit of [1, 2, 10]) {
        const entries = await dueEntries(store, "attend", until, limit);
        expect(entries.map((entry) => entry.key)).toEqual([
          "things/records/r0",
          "things/records/r2",
          "others/records/r4",
          "others/records/r1",
          "more/records/r3",
        ]);
      }
      const page = await store.dueOf("others", "attend", { until, cursor: null, limit: 10 });
      expect(page.entries.map((entry) => entry.key)).toEqual([
        "others/records/r4",
        "others/records/r1",
      ]);
      for (const entry of page.entries) expect(await store.confirmDue(entry)).not.toBeNull();
    });

    it("finds every one of many records that are due at the same instant, once", async () => {
      const store = bench().store();
      const at = bench().clock.now();
      const ids = Array.from({ length: 23 }, (_, n) => `same-${String(n).padStart(2, "0")}`);
      await Promise.all(ids.map((id) => putDue(bench(), store, id, { queue: "attend", at })));
      const entries = await dueEntries(store, "attend", at, 5);
      expect(entries.map((entry) => String(entry.key).split("/").at(-1)).sort()).toEqual(ids);
    });

    it("keeps the queues apart, and follows a record from one to the next", async () => {
      const store = bench().store();
      const at = bench().clock.now();
      let stored = await putDue(bench(), store, "a", { queue: "attend", at });
      for (const queue of ["deliver", "stuck"] as const) {
        stored = await putDue(bench(), store, "a", { queue, at }, stored);
        for (const other of QUEUES) {
          expect(await dueIds(store, other, at)).toEqual(other === queue ? ["a"] : []);
        }
      }
    });

    it("forgets a record that is no longer due", async () => {
      const store = bench().store();
      const at = bench().clock.now();
      const stored = await putDue(bench(), store, "a", { queue: "deliver", at });
      await putDue(bench(), store, "a", null, stored);
      expect(await dueIds(store, "deliver", at)).toEqual([]);
      expect(await dueEntries(store, "deliver", at)).toEqual([]);
    });

    it("finds a record at its earlier time when it is brought forward", async () => {
      const store = bench().store();
      const soon = later(bench().clock, 10_000);
      const stored = await putDue(bench(), store, "a", {
        queue: "deliver",
        at: later(bench().clock, 60_000),
      });
      await putDue(bench(), store, "a", { queue: "deliver", at: soon }, stored);
      bench().clock.advance(minutes(1));
      expect(await dueIds(store, "deliver", soon)).toEqual(["a"]);
    });

    it("does not take an early entry of a postponed record for due, and mends it", async () => {
      const store = bench().store();
      const first = later(bench().clock, 1_000);
      const second = later(bench().clock, 3_600_000);
      const stored = await putDue(bench(), store, "a", { queue: "deliver", at: first });
      await putDue(bench(), store, "a", { queue: "deliver", at: second }, stored);
      bench().clock.advance(minutes(2));
      expect(await dueIds(store, "deliver", first)).toEqual([]);
      expect(await dueEntries(store, "deliver", first)).toEqual([]);
      bench().clock.advance(minutes(60));
      expect(await dueIds(store, "deliver", second)).toEqual(["a"]);
    });

    it("finds the record after an early entry was mended and it is postponed and hastened again", async () => {
      const store = bench().store();
      const times = [5_000, 1_000, 9_000, 2_000, 2_000, 7_000, 500];
      let stored: Stored | "absent" = "absent";
      for (const time of times) {
        const at = later(bench().clock, time);
        stored = await putDue(bench(), store, "a", { queue: "deliver", at }, stored);
        bench().clock.advance(minutes(1));
        expect(await dueIds(store, "deliver", bench().clock.now())).toEqual(["a"]);
        stored = (await store.get(testKey("a"))) ?? "absent";
      }
    });

    it("answers null for an entry whose record is absent, otherwise due or in another queue", async () => {
      const store = bench().store();
      const at = bench().clock.now();
      await putDue(bench(), store, "a", { queue: "deliver", at });
      const [entry] = await dueEntries(store, "deliver", at);
      if (entry === undefined) throw new Error("no entry");
      const stored = await store.get(testKey("a"));
      await putDue(bench(), store, "a", { queue: "stuck", at }, stored ?? "absent");
      bench().clock.advance(minutes(2));
      expect(await store.confirmDue(entry)).toBeNull();
      expect(await dueIds(store, "stuck", at)).toEqual(["a"]);
    });
  });
}
