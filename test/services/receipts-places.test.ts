/** Places of a workspace under histories that take several processes, each paused where it hurts (protocols 6.1). */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type MemoryStorage, memoryStorage } from "../../adapters/storage/memory.ts";
import { scopeIdOf } from "../../src/machines/receipts/key.ts";
import type { Receipts } from "../../src/services/receipts.ts";
import { type Bench, openBench } from "./emails/bench.ts";
import {
  codeOf,
  DAY,
  operation,
  originals,
  prepared,
  RECORD,
  START,
  ID as START_ID,
} from "./receipts/given.ts";

const SCOPE = `receipts/scopes/${scopeIdOf("workspace")}`;
const POLITENESS_MS = 60_000;

let storage: MemoryStorage;
let bench: Bench;

beforeEach(async () => {
  storage = memoryStorage();
  bench = await openBench({
    storage,
    plant: async (key, body) => storage.plant(key, body),
    destroy: async () => {},
  });
});
afterEach(() => bench.close());

const limitsOf = (receiptCapacity: number) => ({ receiptCapacity, commandMs: 3_600_000 });

async function limited(receiptCapacity: number): Promise<Receipts> {
  return (await bench.another({ limits: limitsOf(receiptCapacity) })).holdfast.receipts;
}

interface Paused {
  readonly receipts: Receipts;
  /** Resolves when it stands still. */
  readonly reached: Promise<void>;
  goOn(): void;
}

/** An instance that stands still at its first request of this kind. */
async function paused(
  capacity: number,
  at: { readonly kind: string; readonly key: string; readonly when: "before" | "after" },
): Promise<Paused> {
  let reach = (): void => {};
  let goOn = (): void => {};
  const reached = new Promise<void>((resolve) => {
    reach = resolve;
  });
  const gate = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  let isMet = false;
  const view = storage.withFaults(async ({ kind, key }, when) => {
    if (isMet || kind !== at.kind || !key.startsWith(at.key) || when !== at.when) return null;
    isMet = true;
    reach();
    await gate;
    return null;
  });
  const { holdfast } = await bench.another({ storage: view, limits: limitsOf(capacity) });
  return { receipts: holdfast.receipts, reached, goOn };
}

const used = async (): Promise<number> =>
  JSON.parse((await bench.contents()).get(SCOPE) ?? "{}").used;

describe("a reservation that was given back", () => {
  it("protocols 6.1 creates nothing, whatever void receipts were written over each other since", async () => {
    const dead = await bench.another({ limits: limitsOf(2) });
    dead.interference.beforePut = async (key) => {
      if (key === RECORD) dead.interference.isBlind = true;
      if (dead.interference.isBlind) throw new Error("killed");
    };
    expect(await codeOf(dead.holdfast.receipts.prepare(START))).toBe("outcome_unknown");
    bench.clock.advance(POLITENESS_MS);
    const others = await limited(2);
    await prepared(others, operation("z-1"));
    // One finds the workspace full, reads that nothing came of the dead one's reservation, and stops there.
    const healer = await paused(2, { kind: "get", key: RECORD, when: "after" });
    const healing = codeOf(healer.receipts.prepare(operation("z-a")));
    await healer.reached;
    // Another gives it back.
    await prepared(await limited(2), operation("z-2"));
    for (const { id } of (await others.list()).receipts) await others.erase(id);
    // A creator sees the void receipt, reserves, and stops before it creates.
    const creator = await paused(2, { kind: "put", key: RECORD, when: "before" });
    const creating = codeOf(creator.receipts.prepare(START));
    await creator.reached;
    // Its reservation is given back in turn, and the places are taken by others.
    bench.clock.advance(POLITENESS_MS);
    const last = await limited(2);
    await prepared(last, operation("z-3"));
    await prepared(last, operation("z-4"));
    healer.goOn();
    expect(await healing).toBe("operation_receipt_capacity");
    creator.goOn();
    expect(await creating).toBe("operation_receipt_capacity");
    expect((await last.list()).receipts).toHaveLength(2);
    expect(await used()).toBe(2);
  });
});

describe("many retirements in one workspace", () => {
  it("protocols 8 cost three reads and four writes each, or less: those of a process are noted together", async () => {
    const limits = { receiptCapacity: 200, receiptRetentionMs: DAY };
    const { holdfast, traffic } = await bench.another({ limits });
    const count = 100;
    for (let n = 0; n < count; n += 1) await prepared(holdfast.receipts, operation(`many-${n}`));
    bench.clock.advance(DAY);
    const before = { ...traffic };
    const report = await holdfast.reconcile();
    expect(report).toMatchObject({ receipts: { retired: count }, failures: [] });
    expect(traffic.reads - before.reads).toBeLessThanOrEqual(3 * count);
    expect(traffic.puts - before.puts).toBeLessThanOrEqual(4 * count);
    expect(await used()).toBe(0);
  });

  it("protocols 6.1 of several processes at once give every place back once", async () => {
    const limits = { receiptCapacity: 40, receiptRetentionMs: DAY, commandMs: 3_600_000 };
    const instances = await Promise.all([1, 2, 3].map(() => bench.another({ limits })));
    const [one, ...others] = instances;
    for (let n = 0; n < 20; n += 1) {
      await prepared(one?.holdfast.receipts ?? bench.holdfast.receipts, operation(`all-${n}`));
    }
    bench.clock.advance(DAY);
    await prepared(bench.holdfast.receipts, operation("elsewhere", "elsewhere"));
    await Promise.all([one, ...others].map((instance) => instance?.holdfast.reconcile()));
    await one?.holdfast.reconcile();
    expect(await used()).toBe(0);
  });
});

describe("receipts of an original that are over before they were counted", () => {
  it("protocols 6.1 leave no place taken for ever", async () => {
    await bench.plant(RECORD, originals({}));
    const counter = await paused(2, { kind: "list", key: "receipts/records/", when: "after" });
    const counting = prepared(counter.receipts, operation("o-1"));
    await counter.reached;
    await (await limited(2)).erase(START_ID);
    counter.goOn();
    await counting;
    expect(await used()).toBe(1);
    await prepared(await limited(2), operation("o-2"));
  });

  it("protocols 6.1 leave none where they are erased by a service that counts nothing", async () => {
    await bench.plant(RECORD, originals({}));
    const counter = await paused(2, { kind: "list", key: "receipts/records/", when: "after" });
    const counting = prepared(counter.receipts, operation("o-1"));
    await counter.reached;
    await bench.holdfast.receipts.erase(START_ID);
    counter.goOn();
    await counting;
    await bench.holdfast.receipts.retireExpired(10);
    await (await limited(2)).retireExpired(10);
    expect(await used()).toBe(1);
  });

  it("protocols 6.1 keep theirs until the count is done, also when that fails at first", async () => {
    await bench.plant(RECORD, originals({}));
    const blind = storage.withFaults(({ kind, key }, when) =>
      kind === "list" && key.startsWith("receipts/records/") && when === "before"
        ? "unavailable"
        : null,
    );
    const { holdfast } = await bench.another({ storage: blind, limits: limitsOf(1) });
    await holdfast.receipts.erase(START_ID);
    const { receipts } = (await bench.another({ limits: limitsOf(1) })).holdfast;
    expect(await codeOf(receipts.prepare(operation("o-1")))).toBe("operation_receipt_capacity");
    await receipts.retireExpired(10);
    await prepared(receipts, operation("o-1"));
    expect(await used()).toBe(1);
  });
});
