/** Listings: complete, each record once, in one stable order. */
import { describe, expect, it } from "vitest";
import type { Cursor } from "../../src/ports/backend.ts";
import type { Store } from "../../src/store/store.ts";
import { type Bench, testKey } from "./fixture.ts";
import { body, deadline } from "./steps.ts";

async function fill(bench: Bench, store: Store, ids: readonly string[]): Promise<void> {
  for (let start = 0; start < ids.length; start += 32) {
    await Promise.all(
      ids
        .slice(start, start + 32)
        .map((id, n) => store.put(testKey(id), body(n), deadline(bench, "absent"))),
    );
  }
}

async function walk(
  store: Store,
  limit: number,
  between: () => Promise<void> = async () => {},
): Promise<string[]> {
  const ids: string[] = [];
  let cursor: Cursor | null = null;
  do {
    const page = await store.list("things/records/", cursor, limit);
    expect(page.records.length).toBeLessThanOrEqual(limit);
    ids.push(...page.records.map((record) => record.key.slice("things/records/".length)));
    cursor = page.cursor;
    await between();
  } while (cursor !== null);
  return ids;
}

export function describeListing(bench: () => Bench): void {
  describe("listing", () => {
    it("is empty where there is nothing", async () => {
      expect(await walk(bench().store(), 10)).toEqual([]);
    });

    it("shows each of more than a thousand records exactly once", async () => {
      const store = bench().store();
      const ids = Array.from({ length: 1_005 }, (_, n) => `n${String(n).padStart(5, "0")}`);
      await fill(bench(), store, ids);
      expect((await walk(store, 1_000)).sort()).toEqual(ids);
      expect((await walk(store, 173)).sort()).toEqual(ids);
    });

    it("keeps its order, and skips or repeats nothing while others are created", async () => {
      const store = bench().store();
      const ids = Array.from({ length: 60 }, (_, n) => `m${String(n).padStart(3, "0")}`);
      await fill(bench(), store, ids);
      const before = await walk(store, 7);
      let added = 0;
      const during = await walk(store, 7, async () => {
        added += 1;
        await fill(bench(), store, [`a${added}`, `m030-${added}`, `z${added}`]);
      });
      expect(during.filter((id) => ids.includes(id))).toEqual(before);
      expect(new Set(during).size).toBe(during.length);
    });

    it("keeps to its prefix, also where one key continues another", async () => {
      const store = bench().store();
      await fill(bench(), store, ["a", "a.b", "a-b", "a/b", "a/b/c", "ab"]);
      expect((await walk(store, 2)).sort()).toEqual(["a", "a-b", "a.b", "a/b", "a/b/c", "ab"]);
      const below = await store.list("things/records/a/", null, 10);
      expect(below.records.map((record) => String(record.key)).sort()).toEqual([
        "things/records/a/b",
        "things/records/a/b/c",
      ]);
    });

    it("reports a record that cannot be read beside the others", async () => {
      const store = bench().store();
      await fill(bench(), store, ["good", "other"]);
      const condition = { expected: "absent", due: null, dueBefore: null } as const;
      await bench().backend.putIf(testKey("broken"), '{"half":', condition);
      const page = await store.list("things/records/", null, 10);
      expect(page.records).toHaveLength(2);
      expect(page.corrupt).toEqual([{ id: "broken", reason: "not JSON" }]);
    });

    it("does not show what was removed, and removing the absent is no error", async () => {
      const store = bench().store();
      await fill(bench(), store, ["keep", "drop"]);
      await store.remove(testKey("drop"));
      await store.remove(testKey("drop"));
      expect(await store.get(testKey("drop"))).toBeNull();
      expect(await walk(store, 10)).toEqual(["keep"]);
    });
  });
}
