import { describe, expect, it } from "vitest";
import { memoryStorage } from "../../adapters/storage/memory.ts";
import { key } from "../../src/core/key.ts";
import { apply, reject, unchanged } from "../../src/core/machine.ts";
import { durationMs } from "../../src/core/time.ts";
import type { Backend } from "../../src/ports/backend.ts";
import { systemClock } from "../../src/ports/clock.ts";
import { ContendedError } from "../../src/ports/faults.ts";
import { systemRandom } from "../../src/ports/random.ts";
import { type Codec, NO_EXTRAS } from "../../src/services/codec.ts";
import { type TransactDeps, transact } from "../../src/services/transact.ts";
import { createStore, type Stored } from "../../src/store/store.ts";

const KEY = key("things/records/a");

const codec: Codec<number> = {
  load: ({ fields }) => Number(fields["count"]),
  save: (count) => ({ fields: { count }, extra: {} }),
  due: () => null,
  extras: NO_EXTRAS,
  isRemains: () => false,
};

interface Counted {
  readonly deps: TransactDeps;
  readonly calls: { gets: number; puts: number };
}

async function setUp(
  change: (backend: Backend) => Partial<Backend> = () => ({}),
): Promise<Counted> {
  const common = { clock: systemClock(), random: systemRandom(), observe: () => {} };
  const inner = await memoryStorage().open({ ...common, dueOf: () => null });
  const calls = { gets: 0, puts: 0 };
  const counted: Backend = {
    ...inner,
    get: (name) => {
      calls.gets += 1;
      return inner.get(name);
    },
    putIf: (...call) => {
      calls.puts += 1;
      return inner.putIf(...call);
    },
  };
  const backend = { ...counted, ...change(counted) };
  const store = createStore({ ...common, backend, foreignDue: () => null, tenant: null });
  return { deps: { ...common, store, deadlineMs: durationMs(2_000) }, calls };
}

const add = (by: number) => (count: number | null) => apply((count ?? 0) + by);

async function put(deps: TransactDeps, handle: Stored | "absent" | null = null): Promise<Stored> {
  const result = await transact<number, never>(deps, codec, { key: KEY, handle, decide: add(1) });
  if (result.kind === "rejected") throw new Error("rejected");
  return result.stored;
}

describe("transact", () => {
  it("costs a read and a write, and one write with the handle of an earlier answer", async () => {
    const { deps, calls } = await setUp();
    const first = await put(deps);
    expect(calls).toEqual({ gets: 1, puts: 1 });
    const second = await put(deps, first);
    expect(calls).toEqual({ gets: 1, puts: 2 });
    expect(second.fields).toEqual({ count: 2 });
  });

  it("decides again on what is really there when its handle is stale", async () => {
    const { deps } = await setUp();
    const first = await put(deps);
    await put(deps, first);
    const third = await put(deps, first);
    expect(third.fields).toEqual({ count: 3 });
  });

  it("never answers a refusal from a handle alone", async () => {
    const { deps } = await setUp();
    const first = await put(deps);
    await put(deps);
    const decide = (count: number | null) => (count === 1 ? reject("one") : apply(10));
    const result = await transact(deps, codec, { key: KEY, handle: first, decide });
    expect(result).toMatchObject({ kind: "applied", state: 10 });
  });

  it("never answers from the belief that there is nothing", async () => {
    const { deps } = await setUp();
    await put(deps);
    const decide = (count: number | null) => (count === null ? reject("absent") : unchanged(count));
    const result = await transact(deps, codec, { key: KEY, handle: "absent", decide });
    expect(result).toMatchObject({ kind: "unchanged", state: 1 });
  });

  it("of sixteen callers in one process each succeeds with one put", async () => {
    const { deps, calls } = await setUp();
    await put(deps);
    const before = calls.puts;
    await Promise.all(Array.from({ length: 16 }, () => put(deps)));
    expect(calls.puts - before).toBe(16);
    expect((await deps.store.get(KEY))?.fields).toEqual({ count: 17 });
  });

  it("ends as contended, with nothing written, when others always write first", async () => {
    let foreign: () => Promise<unknown> = async () => null;
    let isNested = false;
    const { deps } = await setUp((backend) => ({
      async putIf(...call) {
        if (!isNested) {
          isNested = true;
          await foreign();
          isNested = false;
        }
        return backend.putIf(...call);
      },
    }));
    foreign = async () => {
      const stored = await deps.store.get(KEY);
      await deps.store.put(KEY, codec.save(1_000), {
        expected: stored ?? "absent",
        due: null,
        deadlineAt: (deps.clock.now() + 5_000) as ReturnType<typeof deps.clock.now>,
      });
    };
    const slow = transact(deps, codec, { key: KEY, handle: null, decide: add(1) });
    await expect(slow).rejects.toBeInstanceOf(ContendedError);
    expect((await deps.store.get(KEY))?.fields).toEqual({ count: 1_000 });
  });
});
