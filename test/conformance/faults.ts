/** Lost replies, refusals without reason, and processes that die between any two steps. */
import { describe, expect, it } from "vitest";
import { after, durationMs, minutes } from "../../src/core/time.ts";
import {
  ContendedError,
  OutcomeUnknownError,
  StoreThrottledError,
} from "../../src/ports/faults.ts";
import type { Store, Stored } from "../../src/store/store.ts";
import { dueEntries, dueIds } from "./due.ts";
import {
  type Bench,
  Crash,
  crashingBackend,
  type FaultyBackend,
  faultyBackend,
  later,
  type PutFault,
  testKey,
} from "./fixture.ts";
import { body, countOf, deadline, increment } from "./steps.ts";

interface Faulty {
  readonly backend: FaultyBackend;
  readonly store: Store;
  /** A healthy store on the same data. */
  readonly other: Store;
}

function faulty(bench: Bench, plan: readonly PutFault[]): Faulty {
  const backend = faultyBackend(bench.backend);
  backend.plan.push(...plan);
  return { backend, store: bench.store({ backend }), other: bench.store() };
}

async function created(bench: Bench, store: Store): Promise<Stored> {
  const result = await store.put(testKey("a"), body(1), deadline(bench, "absent"));
  if (result.kind !== "stored") throw new Error("not stored");
  return result.stored;
}

export function describeFaults(bench: () => Bench): void {
  describe("lost replies", () => describeLostReplies(bench));
  describe("refusals without reason", () => describeRefusals(bench));
  describe("crashes", () => describeCrashes(bench));
}

function describeLostReplies(bench: () => Bench): void {
  for (const fault of ["lost_now", "lost_never", "lost_late"] as const) {
    it(`a creation whose reply is ${fault} is answered as stored, once`, async () => {
      const { backend, store, other } = faulty(bench(), [fault]);
      const result = await store.put(testKey("a"), body(1), deadline(bench(), "absent"));
      expect(result).toMatchObject({ kind: "stored", stored: { header: { v: 1 } } });
      await backend.applyLate();
      expect(await other.get(testKey("a"))).toMatchObject({
        fields: { count: 1 },
        header: { v: 1 },
      });
    });

    it(`a replacement whose reply is ${fault} is answered as stored, once`, async () => {
      const { backend, store, other } = faulty(bench(), []);
      const first = await created(bench(), store);
      backend.plan.push(fault);
      const result = await store.put(testKey("a"), body(2), deadline(bench(), first));
      expect(result).toMatchObject({ kind: "stored", stored: { header: { v: 2 } } });
      const before = await other.get(testKey("a"));
      await backend.applyLate();
      expect(await other.get(testKey("a"))).toEqual(before);
    });
  }

  it("a late copy that lands before the resend is recognised as our own write", async () => {
    const { backend, store, other } = faulty(bench(), ["lost_late"]);
    let isFirst = true;
    backend.get = async (name) => {
      const found = await bench().backend.get(name);
      if (isFirst) await backend.applyLate();
      isFirst = false;
      return found;
    };
    const result = await store.put(testKey("a"), body(1), deadline(bench(), "absent"));
    expect(result.kind).toBe("stored");
    expect(await other.get(testKey("a"))).toMatchObject({ header: { v: 1 } });
  });

  it("our write that others have built on is still ours", async () => {
    const { backend, store, other } = faulty(bench(), []);
    const first = await created(bench(), store);
    backend.plan.push("lost_now");
    backend.afterLoss = async () => {
      for (let n = 0; n < 7; n += 1) await increment(bench(), other, testKey("a"));
    };
    const result = await store.put(testKey("a"), body(100), deadline(bench(), first));
    expect(result.kind).toBe("stored");
    expect(await countOf(other, testKey("a"))).toBe(107);
    if (result.kind !== "stored") return;
    const again = await store.put(testKey("a"), body(200), deadline(bench(), result.stored));
    expect(again).toMatchObject({ kind: "conflict", current: { fields: { count: 107 } } });
  });

  it("a write that did not land before others wrote is a conflict, and its late copy is dead", async () => {
    const { backend, store, other } = faulty(bench(), []);
    const first = await created(bench(), store);
    backend.plan.push("lost_late");
    backend.afterLoss = () => increment(bench(), other, testKey("a"));
    const result = await store.put(testKey("a"), body(100), deadline(bench(), first));
    expect(result).toMatchObject({ kind: "conflict", current: { fields: { count: 2 } } });
    await backend.applyLate();
    expect(await countOf(other, testKey("a"))).toBe(2);
  });

  it("is told to be unknown when so many wrote since that the evidence is gone", async () => {
    for (const fault of ["lost_now", "lost_never"] as const) {
      const { backend, store, other } = faulty(bench(), []);
      const handle = (await other.get(testKey("a"))) ?? (await created(bench(), store));
      backend.plan.push(fault);
      backend.afterLoss = async () => {
        for (let n = 0; n < 9; n += 1) await increment(bench(), other, testKey("a"));
      };
      await expect(
        store.put(testKey("a"), body(100), deadline(bench(), handle)),
      ).rejects.toBeInstanceOf(OutcomeUnknownError);
    }
  });

  it("is told to be unknown, never a conflict, when it cannot be read back", async () => {
    const { backend, store, other } = faulty(bench(), ["lost_now"]);
    backend.afterLoss = async () => {
      backend.isBlind = true;
    };
    await expect(
      store.put(testKey("a"), body(1), deadline(bench(), "absent")),
    ).rejects.toBeInstanceOf(OutcomeUnknownError);
    expect(await countOf(other, testKey("a"))).toBe(1);
  });

  it("is told to be unknown, although it can be seen, when the backend says that it may not stay", async () => {
    const { store, other } = faulty(bench(), ["not_durable"]);
    await expect(
      store.put(testKey("a"), body(1), deadline(bench(), "absent")),
    ).rejects.toBeInstanceOf(OutcomeUnknownError);
    expect(await countOf(other, testKey("a"))).toBe(1);
  });

  it("is told to be unknown when the time is up and a copy may still land", async () => {
    const { store } = faulty(
      bench(),
      Array.from({ length: 20 }, () => "lost_never"),
    );
    const deadlineAt = after(bench().clock.now(), durationMs(150));
    await expect(
      store.put(testKey("a"), body(1), { expected: "absent", due: null, deadlineAt }),
    ).rejects.toBeInstanceOf(OutcomeUnknownError);
  });
}

function describeRefusals(bench: () => Bench): void {
  it("a refusal although nothing had changed is repeated until it is stored", async () => {
    const { backend, store } = faulty(bench(), ["refused", "refused"]);
    const first = await created(bench(), store);
    expect(first.header.v).toBe(1);
    backend.plan.push("refused");
    const second = await store.put(testKey("a"), body(2), deadline(bench(), first));
    expect(second).toMatchObject({ kind: "stored", stored: { header: { v: 2 } } });
  });

  it("endless refusals end as contended, with nothing written", async () => {
    const { store, other } = faulty(
      bench(),
      Array.from({ length: 20 }, () => "refused"),
    );
    await expect(
      store.put(testKey("a"), body(1), deadline(bench(), "absent")),
    ).rejects.toBeInstanceOf(ContendedError);
    expect(await other.get(testKey("a"))).toBeNull();
  });

  it("throttling is waited out, and told when it does not end", async () => {
    const { backend, store, other } = faulty(bench(), ["throttled", "throttled"]);
    const first = await created(bench(), store);
    backend.plan.push(...Array.from({ length: 20 }, () => "throttled" as const));
    await expect(store.put(testKey("a"), body(2), deadline(bench(), first))).rejects.toBeInstanceOf(
      StoreThrottledError,
    );
    expect(await countOf(other, testKey("a"))).toBe(1);
  });
}

/** Bounds the search for the last step; no operation of the store has as many. */
const STEPS_MAX = 60;

function describeCrashes(bench: () => Bench): void {
  it("a creation killed at any step leaves all or nothing, found when due, and the key usable", async () => {
    for (let dieAt = 1; dieAt <= STEPS_MAX; dieAt += 1) {
      const id = `create-${dieAt}`;
      const at = later(bench().clock, 1_000);
      const due = { queue: "deliver", at } as const;
      const backend = crashingBackend(bench().backend, dieAt);
      const isDone = await survives(() =>
        bench()
          .store({ backend })
          .put(testKey(id), body(1), { ...deadline(bench(), "absent"), due }),
      );
      await expectWhole(bench(), id, [1]);
      if (isDone) return;
    }
    throw new Error("the operation never came to its end");
  });

  it("a replacement killed at any step leaves old or new, found when due, and the key usable", async () => {
    for (let dieAt = 1; dieAt <= STEPS_MAX; dieAt += 1) {
      const id = `replace-${dieAt}`;
      const soon = { queue: "deliver", at: later(bench().clock, 1_000) } as const;
      const first = await bench()
        .store()
        .put(testKey(id), body(1), {
          ...deadline(bench(), "absent"),
          due: { queue: "deliver", at: later(bench().clock, 2_000) },
        });
      if (first.kind !== "stored") throw new Error("not stored");
      const backend = crashingBackend(bench().backend, dieAt);
      const isDone = await survives(() =>
        bench()
          .store({ backend })
          .put(testKey(id), body(2), { ...deadline(bench(), first.stored), due: soon }),
      );
      await expectWhole(bench(), id, [1, 2]);
      if (isDone) return;
    }
    throw new Error("the operation never came to its end");
  });
}

async function survives(work: () => Promise<unknown>): Promise<boolean> {
  try {
    await work();
    return true;
  } catch (error) {
    if (hasCrash(error)) return false;
    throw error;
  }
}

/** A store that dies while it reads back wraps the crash; nobody is there any more to be told so. */
function hasCrash(error: unknown): boolean {
  return error instanceof Crash || (error instanceof Error && hasCrash(error.cause));
}

async function expectWhole(bench: Bench, id: string, counts: readonly number[]): Promise<void> {
  const store = bench.store();
  const found = await store.get(testKey(id));
  bench.clock.advance(minutes(2));
  const ids = await dueIds(store, "deliver", bench.clock.now());
  expect(ids).toEqual(found === null ? [] : [id]);
  if (found !== null) expect(counts).toContain(found.fields["count"]);
  const now = await store.get(testKey(id));
  const result = await store.put(testKey(id), body(50), deadline(bench, now ?? "absent"));
  expect(result.kind).toBe("stored");
  expect(await dueIds(store, "deliver", bench.clock.now())).toEqual([]);
  expect(await dueEntries(store, "deliver", bench.clock.now())).toEqual([]);
}
