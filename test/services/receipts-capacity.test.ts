/**
 * Exact capacity under whatever happens (protocols 6.1): lost replies, late writes and processes that end
 * anywhere, checked at every write that takes effect.
 */
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  type FaultPlan,
  type MemoryFault,
  type MemoryStorage,
  memoryStorage,
} from "../../adapters/storage/memory.ts";
import { isJsonObject, type JsonObject } from "../../src/core/json.ts";
import { durationMs, epochMs } from "../../src/core/time.ts";
import { createHoldfast, type Holdfast } from "../../src/holdfast.ts";
import { scopeIdOf } from "../../src/machines/receipts/key.ts";
import type { Clock } from "../../src/ports/clock.ts";
import { MisconfiguredError } from "../../src/ports/faults.ts";
import type { Receipts } from "../../src/services/receipts.ts";
import { type Bench, openBench } from "./emails/bench.ts";
import { DAY } from "./receipts/given.ts";

const LIMIT = 3;
const SCOPE = `receipts/scopes/${scopeIdOf("default")}`;

type Step =
  | { readonly kind: "prepare" | "finish"; readonly operation: number; readonly who: number }
  | { readonly kind: "retire"; readonly who: number }
  | { readonly kind: "pass"; readonly ms: number }
  | { readonly kind: "late" }
  /** The next writes of an instance, from the `after`th on, meet `fault`; `dead`: it ends there. */
  | { readonly kind: "fault"; readonly who: number; readonly after: number; readonly fault: Fault };

/** `slow`: others come in between, and time passes. */
type Fault = MemoryFault | "dead" | "slow";

const who = fc.nat(2);
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    kind: fc.constantFrom("prepare" as const, "prepare" as const, "finish" as const),
    operation: fc.nat(5),
    who,
  }),
  fc.record({ kind: fc.constant("retire" as const), who }),
  fc.record({ kind: fc.constant("pass" as const), ms: fc.constantFrom(1, 60_000, DAY) }),
  fc.constant({ kind: "late" as const }),
  fc.record({
    kind: fc.constant("fault" as const),
    who,
    after: fc.nat(4),
    fault: fc.constantFrom<Fault>(
      ...(["lost_now", "lost_late", "lost_never", "unavailable", "dead"] as const),
      ...(["slow", "slow", "slow", "slow"] as const),
    ),
  }),
);

interface Planned {
  left: number;
  fault: Fault | null;
  isDead: boolean;
}

function planOf(planned: Planned, wait: () => Promise<void>): FaultPlan {
  return async ({ kind }, when) => {
    if (planned.isDead) return "lost_never";
    if (kind !== "put" || when === "after" || planned.fault === null) return null;
    planned.left -= 1;
    if (planned.left >= 0) return null;
    const { fault } = planned;
    planned.fault = null;
    if (fault === "slow") {
      await wait();
      return null;
    }
    planned.isDead = fault === "dead";
    return fault === "dead" ? "lost_never" : fault;
  };
}

function objects(storage: MemoryStorage): ReadonlyMap<string, JsonObject> {
  const parsed = [...storage.bodies()].flatMap(([key, body]): [string, JsonObject][] => {
    const value: unknown = body === "" ? null : JSON.parse(body);
    return isJsonObject(value) ? [[key, value]] : [];
  });
  return new Map(parsed);
}

function counted(storage: MemoryStorage): { live: number; used: number } {
  const all = objects(storage);
  const live = [...all].filter(([key, { holdfast }]) => {
    const isReceipt = key.startsWith("receipts/records/") && isJsonObject(holdfast);
    return isReceipt && typeof holdfast["slot"] === "string";
  });
  return { live: live.length, used: Number(all.get(SCOPE)?.["used"] ?? 0) };
}

interface World {
  readonly storage: MemoryStorage;
  /** What was wrong after a write. */
  readonly wrong: string[];
  pass(ms: number): void;
  /** Long enough for others to do much, and for what they find to be stale. */
  readonly wait: () => Promise<void>;
  open(plan: FaultPlan): Promise<Holdfast>;
}

function worldOf(dueIndex: "native" | "markers"): World {
  const storage = memoryStorage({ dueIndex });
  const wrong: string[] = [];
  storage.watch(() => {
    const { live, used } = counted(storage);
    if (live > used || used > LIMIT) wrong.push(`${live} live, ${used} used`);
  });
  let now = Date.parse("2026-01-31T09:00:00.000Z");
  const pass = (ms: number): void => {
    now += ms;
  };
  // Time passes only where something waits: giving up is by this clock, so sleeping moves it; real waiting would only be slow.
  const clock: Clock = {
    now: () => epochMs(now),
    elapsed: () => now,
    async sleep(ms) {
      pass(Math.min(ms, 1_000));
      await new Promise((resolve) => setImmediate(resolve));
    },
  };
  const limits = { receiptCapacity: LIMIT, receiptRetentionMs: DAY, commandMs: 1_000_000 };
  const open = (plan: FaultPlan): Promise<Holdfast> =>
    createHoldfast({ storage: storage.withFaults(plan), clock, limits });
  const wait = async (): Promise<void> => {
    for (let ticks = 0; ticks < 40; ticks += 1) {
      pass(2_000);
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
  return { storage, wrong, pass, wait, open };
}

async function run(dueIndex: "native" | "markers", steps: readonly Step[]): Promise<void> {
  const world = worldOf(dueIndex);
  const plans = [0, 1, 2].map((): Planned => ({ left: 0, fault: null, isDead: false }));
  const instances = await Promise.all(
    plans.map((planned) => world.open(planOf(planned, world.wait))),
  );
  const pending: Promise<unknown>[] = [];
  for (const one of steps) {
    if (one.kind === "pass") world.pass(one.ms);
    else if (one.kind === "late") world.storage.applyLate();
    else {
      const planned = plans[one.who] ?? { left: 0, fault: null, isDead: false };
      // Another process in the place of one that ended.
      if (planned.isDead) instances[one.who] = await world.open(planOf(planned, world.wait));
      planned.isDead = false;
      const { receipts } = instances[one.who] ?? (await world.open(() => null));
      pending.push(begun(receipts, one, planned));
    }
    // Some of them run into each other.
    if (pending.length > 4) await Promise.allSettled(pending.splice(0));
  }
  await Promise.allSettled(pending);
  await expectHealed(world);
}

async function begun(
  receipts: Receipts,
  one: Exclude<Step, { readonly kind: "pass" | "late" }>,
  planned: Planned,
): Promise<void> {
  if (one.kind === "fault") Object.assign(planned, { left: one.after, fault: one.fault });
  else if (one.kind === "retire") await receipts.retireExpired(10);
  else {
    const key = { operationId: `o-${one.operation}` };
    if (one.kind === "prepare") await receipts.prepare({ ...key, payload: 1 });
    else await receipts.once(key, 1, () => 1);
  }
}

/** Whatever was left unsettled is settled, once its makers have had their time. */
async function expectHealed({ storage, wrong, pass, open }: World): Promise<void> {
  storage.applyLate();
  const { receipts } = await open(() => null);
  pass(60_000);
  await receipts.retireExpired(100);
  await Promise.allSettled(
    Array.from({ length: LIMIT + 1 }, (_, n) =>
      receipts.prepare({ operationId: `last-${n}`, payload: 1 }),
    ),
  );
  const { live, used } = counted(storage);
  expect(wrong).toEqual([]);
  expect([live, used]).toEqual([LIMIT, LIMIT]);
}

describe("a process with many workspaces", () => {
  it("protocols 6.1 notes what is left to note of those that nobody asks for any more", async () => {
    const storage = memoryStorage();
    const { receipts } = await createHoldfast({ storage, limits: { receiptCapacity: LIMIT } });
    const workspaces = Array.from({ length: 257 }, (_, n) => `w-${n}`);
    const unsettled = (): readonly string[] => {
      const all = objects(storage);
      return workspaces.filter((workspaceId) => {
        const scope = all.get(`receipts/scopes/${scopeIdOf(workspaceId)}`);
        return Object.keys(scope?.["pend"] ?? {}).length > 0;
      });
    };
    for (const workspaceId of workspaces.slice(0, 256)) {
      await receipts.prepare({ operationId: "o-1", workspaceId, payload: 1 });
    }
    expect(unsettled()).toHaveLength(256);
    await receipts.prepare({ operationId: "o-1", workspaceId: "w-256", payload: 1 });
    expect(unsettled()).toEqual(workspaces.slice(1));
  });
});

describe("what a process notes of many workspaces beside its calls", () => {
  let bench: Bench;
  let storage: MemoryStorage;

  beforeEach(async () => {
    storage = memoryStorage();
    bench = await openBench({
      storage,
      plant: async (key, body) => storage.plant(key, body),
      destroy: async () => {},
    });
  });
  afterEach(() => bench.close());

  it.each(["credentials run out", "its record cannot be read"])(
    "protocols 6.1 ends no process where %s: it is told, and left to others",
    async (why) => {
      const told: string[] = [];
      const { holdfast, interference } = await bench.another({
        limits: { receiptCapacity: LIMIT },
        log: (_level, event) => void told.push(event),
      });
      const prepared = (workspaceId: string) =>
        holdfast.receipts.prepare({ operationId: "o-1", workspaceId, payload: 1 });
      for (let n = 0; n < 256; n += 1) await prepared(`w-${n}`);
      const oldest = `receipts/scopes/${scopeIdOf("w-0")}`;
      if (why === "its record cannot be read") storage.plant(oldest, '{"used":-1}');
      else {
        interference.beforePut = async (key) => {
          if (key === oldest) throw new MisconfiguredError("the token has expired");
        };
      }
      await prepared("w-256");
      for (let turns = 0; turns < 50; turns += 1) await bench.clock.sleep(durationMs(1));
      expect(told).toContain("receipt count not noted");
      expect((await holdfast.receipts.list()).receipts).not.toEqual([]);
    },
  );
});

describe.each(["native", "markers"] as const)("the places of a workspace (%s)", (dueIndex) => {
  it("RECEIPT-12 are never fewer than its receipts, never more than the limit, and all come back", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 40, size: "max" }), (steps) =>
        run(dueIndex, steps),
      ),
      { numRuns: 150, seed: 20_260_131 },
    );
  });
});
