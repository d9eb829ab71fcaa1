/** One machine's entries among those of others, in the queue that they share. */
import { describe, expect, it } from "vitest";
import { memoryStorage } from "../../adapters/storage/memory.ts";
import { key } from "../../src/core/key.ts";
import { type EpochMs, epochMs } from "../../src/core/time.ts";
import type { Cursor } from "../../src/ports/backend.ts";
import { systemClock } from "../../src/ports/clock.ts";
import { systemRandom } from "../../src/ports/random.ts";
import { OTHERS_PAGES_MAX } from "../../src/store/limits.ts";
import { createStore, type Store } from "../../src/store/store.ts";

const START = 1_800_000_000_000;

async function setUp() {
  let pages = 0;
  const storage = memoryStorage().withFaults(({ kind }, when) => {
    if (kind === "due" && when === "before") pages += 1;
    return null;
  });
  const deps = {
    clock: systemClock(),
    random: systemRandom(),
    observe: () => {},
    foreignDue: () => null,
  };
  const backend = await storage.open({ ...deps, dueOf: () => null });
  const store = createStore({ ...deps, backend, tenant: "acme" });
  return {
    store,
    takePages() {
      const taken = pages;
      pages = 0;
      return taken;
    },
  };
}

async function put(store: Store, name: string, at: number): Promise<void> {
  const deadlineAt = epochMs(Date.now() + 10_000);
  const due = { queue: "attend", at: epochMs(START + at) } as const;
  const body = { fields: {}, extra: {} };
  await store.put(key(name), body, { expected: "absent", due, deadlineAt });
}

const UNTIL: EpochMs = epochMs(START + 1_000_000);

async function all(store: Store, limit: number): Promise<readonly string[]> {
  const keys: string[] = [];
  let cursor: Cursor | null = null;
  do {
    const page: Awaited<ReturnType<Store["dueOf"]>> = await store.dueOf("things", "attend", {
      until: UNTIL,
      cursor,
      limit,
    });
    expect(page.entries.length).toBeLessThanOrEqual(limit);
    keys.push(...page.entries.map((entry) => entry.key));
    cursor = page.cursor;
  } while (cursor !== null);
  return keys;
}

describe("the entries of one machine", () => {
  it.each([1, 4, 100])("are all found, in order, %s a page", async (limit) => {
    const { store } = await setUp();
    for (let n = 0; n < 30; n += 1) await put(store, `others/records/o${n}`, n);
    for (let n = 0; n < 5; n += 1) await put(store, `things/records/t${n}`, 3 + 7 * n);
    const found = await all(store, limit);
    expect(found).toEqual([0, 1, 2, 3, 4].map((n) => `tenants/acme/things/records/t${n}`));
  });

  it("cost one page where there are no others", async () => {
    const { store, takePages } = await setUp();
    await put(store, "things/records/t", 0);
    await all(store, 10);
    expect(takePages()).toBe(1);
  });

  it("cost a bounded number of pages behind any number of others", async () => {
    const { store, takePages } = await setUp();
    for (let n = 0; n < 50; n += 1) await put(store, `others/records/o${n}`, n);
    await put(store, "things/records/t", 100);
    const page = await store.dueOf("things", "attend", { until: UNTIL, cursor: null, limit: 2 });
    expect(page).toMatchObject({ entries: [], cursor: expect.any(String), scanned: 20 });
    expect(takePages()).toBe(OTHERS_PAGES_MAX);
    expect(await all(store, 2)).toHaveLength(1);
  });
});
