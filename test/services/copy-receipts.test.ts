/** Copies of receipts: what is counted at the target is exact afterwards (protocols 6.1). */
import { describe, expect, it } from "vitest";
import { sha256Hex } from "../../src/core/hash.ts";
import { createHoldfast, type Holdfast } from "../../src/holdfast.ts";
import { scopeIdOf } from "../../src/machines/receipts/key.ts";
import type { Backend, Storage } from "../../src/ports/backend.ts";
import { systemClock } from "../../src/ports/clock.ts";
import type { Receipts } from "../../src/services/receipts.ts";
import {
  advance,
  clock,
  copy,
  folderPlace,
  type MemoryPlace,
  memoryPlace,
  type Place,
  records,
} from "./copy/places.ts";

const WORKSPACE = "shop";
const SCOPE = `receipts/scopes/${scopeIdOf(WORKSPACE)}`;
const DAY = 86_400_000;

interface Limits {
  readonly receiptCapacity: number | "off";
  readonly receiptRetentionMs?: number;
}

async function opened<T>(
  storage: Storage,
  work: (holdfast: Holdfast) => Promise<T>,
  limits: Limits = { receiptCapacity: 20 },
): Promise<T> {
  const sleeping = { ...clock, sleep: systemClock().sleep };
  const holdfast = await createHoldfast({ storage, clock: sleeping, limits });
  try {
    return await work(holdfast);
  } finally {
    await holdfast.close();
  }
}

const operation = (operationId: string) => ({ workspaceId: WORKSPACE, operationId, payload: 1 });

async function prepare(receipts: Receipts, name: string, count: number): Promise<void> {
  for (let n = 0; n < count; n += 1) await receipts.prepare(operation(`${name}-${n}`));
}

function filled(storage: Storage, name: string, count: number, limits?: Limits): Promise<void> {
  return opened(storage, ({ receipts }) => prepare(receipts, name, count), limits);
}

async function used(place: Place): Promise<unknown> {
  return JSON.parse((await records(place)).get(SCOPE) ?? "{}").used;
}

/** How many more the workspace takes. */
async function room(storage: Storage, limits?: Limits): Promise<number> {
  return opened(
    storage,
    async ({ receipts }) => {
      for (let n = 0; ; n += 1) {
        try {
          await receipts.prepare(operation(`more-${n}`));
        } catch (error) {
          expect(error).toMatchObject({ code: "operation_receipt_capacity" });
          return n;
        }
      }
    },
    limits,
  );
}

/** `before` is called with the calls of whoever has it open; the target of a copy is opened once. */
function watched(
  storage: Storage,
  before: (call: "list" | "put", key: string) => Promise<void>,
): Storage {
  return {
    async open(opening) {
      const backend: Backend = await storage.open(opening);
      return {
        ...backend,
        async list(prefix, ...rest) {
          const page = await backend.list(prefix, ...rest);
          await before("list", prefix);
          return page;
        },
        async putIf(key, ...rest) {
          await before("put", key);
          return backend.putIf(key, ...rest);
        },
      };
    },
  };
}

describe("receipts that are copied", () => {
  it.each(["folder", "markers", "native"] as const)(
    "into a workspace that has some are counted along with them (%s)",
    async (kind) => {
      const placed = (): Place => (kind === "folder" ? folderPlace() : memoryPlace(kind));
      const [from, to] = [placed(), placed()];
      await filled(from.storage, "theirs", 13);
      await filled(to.storage, "ours", 5);
      const { report, troubles } = await copy(from.reader, to.storage);
      expect(troubles).toEqual([]);
      expect(report).toEqual({
        ...{ copied: 13, present: 0, conflicting: 0, unreadable: 0, failed: 0, stopped: null },
      });
      expect(await used(to)).toBe(18);
      expect(await room(to.storage)).toBe(2);
    },
  );

  it("into an empty storage are counted there, and those of its tenants", async () => {
    const [from, to] = [memoryPlace("native"), memoryPlace("markers")];
    await filled(from.storage, "theirs", 3);
    await opened(from.storage, ({ tenant }) => prepare(tenant("acme").receipts, "acme", 4));
    expect((await copy(from.reader, to.storage)).report).toMatchObject({ copied: 7 });
    expect(await used(to)).toBe(3);
    const theirs = (await records(to)).get(`tenants/acme/${SCOPE}`) ?? "";
    expect(JSON.parse(theirs)).toMatchObject({ used: 4, pend: {}, out: {} });
    expect(await room(to.storage)).toBe(17);
  });

  it("give their places back one by one when they are retired", async () => {
    const [from, to] = [memoryPlace("native"), memoryPlace("native")];
    const limits = { receiptCapacity: 20, receiptRetentionMs: DAY };
    await filled(from.storage, "theirs", 3, limits);
    await filled(to.storage, "ours", 2, limits);
    await copy(from.reader, to.storage);
    advance(DAY);
    await opened(
      to.storage,
      async ({ receipts }) => {
        expect(await receipts.retireExpired(10)).toBe(5);
      },
      limits,
    );
    expect(await used(to)).toBe(0);
    // The tombstones came of the copy, too, and have nothing more to give back.
    await copy(to.reader, from.storage);
    expect(await used(from)).toBe(3);
  });

  it("whose retirement was cut off at the source keep their place until it is finished", async () => {
    const [from, to] = [memoryPlace("native"), memoryPlace("native")];
    const limits = { receiptCapacity: 20, receiptRetentionMs: DAY };
    await filled(from.storage, "theirs", 1, limits);
    advance(DAY);
    const cut = watched(from.storage, async (call, key) => {
      if (call === "put" && key === SCOPE) throw new Error("killed");
    });
    const retired = opened(cut, ({ receipts }) => receipts.retireExpired(10), limits);
    await retired.catch(() => 0);
    await copy(from.reader, to.storage);
    expect(await used(to)).toBe(1);
    await opened(to.storage, ({ receipts }) => receipts.retireExpired(10), limits);
    expect(await used(to)).toBe(0);
  });

  it("without a place, since they were never counted, take none", async () => {
    const [from, to] = [memoryPlace("native"), memoryPlace("native")];
    await filled(from.storage, "theirs", 3, { receiptCapacity: "off" });
    await filled(to.storage, "ours", 5);
    await copy(from.reader, to.storage);
    expect(await used(to)).toBe(5);
  });

  it("by a copy that is cut off before it counts are counted by the next", async () => {
    const [from, to] = [memoryPlace("native"), memoryPlace("markers")];
    await filled(from.storage, "theirs", 13);
    await filled(to.storage, "ours", 5);
    const dying = watched(to.storage, async (call, key) => {
      if (call === "put" && key === SCOPE) throw new Error("killed");
    });
    expect((await copy(from.reader, dying)).report.stopped).not.toBeNull();
    expect(await used(to)).toBe(5);
    const { report } = await copy(from.reader, to.storage);
    expect(report).toMatchObject({ copied: 0, present: 13, stopped: null });
    expect(await used(to)).toBe(18);
  });

  it("are not counted by a copy that tries only", async () => {
    const [from, to] = [memoryPlace("native"), memoryPlace("native")];
    await filled(from.storage, "theirs", 1);
    await filled(to.storage, "ours", 1);
    const before = to.storage.bodies();
    await copy(from.reader, to.storage, { isDryRun: true });
    expect(to.storage.bodies()).toEqual(before);
  });
});

const KEYS = {
  books: { call: "list", key: "receipts/scopes/" },
  list: { call: "list", key: "receipts/records/" },
  put: { call: "put", key: SCOPE },
} as const;

describe("others who use the target while it is counted", () => {
  /** What they do when the books or receipts of the target have been listed, or are about to be noted. */
  async function beside(
    at: "books" | "list" | "put",
    work: (receipts: Receipts, time: number) => Promise<unknown>,
    copied = 3,
  ): Promise<{ readonly to: MemoryPlace; readonly receipts: number; readonly times: number }> {
    const [from, to] = [memoryPlace("native"), memoryPlace("native")];
    const limits = { receiptCapacity: 20, receiptRetentionMs: DAY };
    await filled(to.storage, "old", 2, limits);
    advance(DAY);
    await filled(from.storage, "theirs", copied, limits);
    let times = 0;
    await opened(
      to.storage,
      async ({ receipts }) => {
        const live = watched(to.storage, async (call, key) => {
          if (call !== KEYS[at].call || key !== KEYS[at].key) return;
          times += 1;
          await work(receipts, times);
        });
        expect((await copy(from.reader, live)).report.stopped).toBeNull();
      },
      limits,
    );
    const receipts = [...(await records(to)).entries()].filter(
      ([key, body]) => key.startsWith("receipts/records/") && !body.includes('"freed":true'),
    );
    return { to, receipts: receipts.length, times };
  }

  it.each(["list", "put"] as const)(
    "prepare more: they are counted once (at each %s)",
    async (at) => {
      const { to, receipts, times } = await beside(at, async (theirs, time) => {
        if (time <= 3) await prepare(theirs, `new-${time}`, 2);
      });
      expect(times).toBeGreaterThan(1);
      expect(receipts).toBe(2 + 3 + 6);
      expect(await used(to)).toBe(receipts);
    },
  );

  it.each(["list", "put"] as const)(
    "retire some: they are no more counted (at the %s)",
    async (at) => {
      const { to, receipts } = await beside(at, async (theirs, time) => {
        if (time === 1) expect(await theirs.retireExpired(10)).toBe(2);
      });
      expect(receipts).toBe(3);
      expect(await used(to)).toBe(receipts);
    },
  );

  it("retire so many that the number stays the same: it is not taken for the count", async () => {
    // What was read has a place and a reservation of theirs, what is listed then the copied one alone.
    const { to, receipts } = await beside(
      "books",
      async (theirs, time) => {
        if (time === 1) expect(await theirs.retireExpired(10)).toBe(2);
      },
      1,
    );
    expect(receipts).toBe(1);
    expect(await used(to)).toBe(receipts);
  });

  it("retire what has just come into a workspace of which there was nothing", async () => {
    const [from, to] = [memoryPlace("native"), memoryPlace("native")];
    const limits = { receiptCapacity: 20, receiptRetentionMs: DAY };
    await filled(from.storage, "theirs", 2, limits);
    advance(DAY);
    await opened(
      to.storage,
      async ({ receipts }) => {
        let retired = 0;
        const live = watched(to.storage, async (_, key) => {
          if (key === KEYS.list.key) retired += await receipts.retireExpired(10);
        });
        expect((await copy(from.reader, live)).report).toMatchObject({ copied: 2, stopped: null });
        expect(retired).toBe(2);
      },
      limits,
    );
    expect(await used(to)).toBe(0);
  });

  it("never rest: the copy says so, and is to be run again", async () => {
    const [from, to] = [memoryPlace("native"), memoryPlace("native")];
    await filled(to.storage, "ours", 1);
    await filled(from.storage, "theirs", 1);
    await opened(
      to.storage,
      async ({ receipts }) => {
        let n = 0;
        const busy = watched(to.storage, async (call, key) => {
          if (call === "put" && key === SCOPE) await prepare(receipts, `busy-${n++}`, 1);
        });
        const { report } = await copy(from.reader, busy);
        expect(report).toMatchObject({ copied: 1, stopped: expect.stringContaining("counted") });
      },
      { receiptCapacity: 1_000 },
    );
    expect((await copy(from.reader, to.storage)).report.stopped).toBeNull();
    const there = [...(await records(to)).keys()].filter((key) => key.includes("/records/"));
    expect(await used(to)).toBe(there.length);
  });
});

it("a count at the target that cannot be read is named, and the others are made", async () => {
  const [from, to] = [memoryPlace("native"), memoryPlace("native")];
  await filled(from.storage, "theirs", 2);
  const broken = `receipts/scopes/${sha256Hex("broken")}`;
  to.storage.plant(broken, "{");
  const { report, troubles } = await copy(from.reader, to.storage);
  expect(report).toMatchObject({ copied: 2, unreadable: 1, stopped: null });
  expect(troubles).toMatchObject([
    { kind: "unreadable", key: broken, reason: expect.stringContaining("counted at the target") },
  ]);
  expect(await used(to)).toBe(2);
});
