/**
 * Runners, a canceller, a reader and passes on one job at once, each behind a storage that loses replies,
 * turns away and answers late, as a seed has it (peer fault 12; protocols 4, 5). Whatever happens: the log
 * is dense, ends once, and holds what was acknowledged exactly once.
 */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type FaultPlan,
  type MemoryFault,
  type MemoryStorage,
  memoryStorage,
} from "../../adapters/storage/memory.ts";
import { isTerminal } from "../../src/machines/queries/statuses.ts";
import type { Applied, HolderOptions, Queries } from "../../src/services/queries.ts";
import { type Bench, openBench } from "./emails/bench.ts";
import { LEASE_MS, REQUEST } from "./queries/given.ts";

const RUNS = 40;
const APPENDS = 6;

/** Numbers from 0 to below 1, the same for the same seed (mulberry32). */
function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const FAULTS: readonly MemoryFault[] = [
  ...(["unavailable", "throttled", "lost_now", "lost_late", "lost_never"] as const),
];

/** Lets others come in between anywhere, and fails one operation in `rarity`. */
function unsteady(next: () => number, rarity: number): FaultPlan {
  return async ({ kind }, when) => {
    for (let turns = Math.floor(next() * 4); turns > 0; turns -= 1) await new Promise(setImmediate);
    if (when === "after" || next() * rarity >= 1) return null;
    const fault = FAULTS[Math.floor(next() * FAULTS.length)] ?? null;
    return fault === "lost_late" && kind !== "put" ? "unavailable" : fault;
  };
}

interface Told {
  /** What was told as written. */
  readonly acknowledged: string[];
  /** What may have been: nobody knows. */
  readonly unknown: string[];
}

const TOKEN = "token-a";

/**
 * Appends `name0 name1 …`, each again with its mark until it is told what became of it, or gives up; every
 * try by another of `instances`, and with heartbeats between, which move the root's hint.
 */
async function runner(
  instances: readonly Queries[],
  jobId: string,
  name: string,
  told: Told,
): Promise<void> {
  let position: string | null = null;
  for (let n = 0; n < APPENDS; n += 1) {
    const delta = `${name}${n} `;
    const options: HolderOptions = { leaseToken: TOKEN, requestId: `${name}-${n}`, position };
    const answer: Applied | null = await persistently((tries) => {
      const queries = instances[(n + tries) % instances.length];
      if (queries === undefined) throw new Error("no instance");
      return queries.appendPartial(jobId, delta, "", false, options);
    });
    const beating = instances[n % instances.length];
    await persistently(async () => beating?.heartbeat(jobId, { leaseToken: TOKEN }));
    if (answer === null) told.unknown.push(delta);
    else if (answer.applied) told.acknowledged.push(delta);
    position = answer?.position ?? null;
  }
}

const TRIES = 3;

/** Null: it is not known what became of it. */
async function persistently<T>(call: (tries: number) => Promise<T>): Promise<T | null> {
  for (let tries = 0; tries < TRIES; tries += 1) {
    try {
      return await call(tries);
    } catch {
      // Whatever it was, the same call again does no harm.
    }
  }
  return null;
}

interface World {
  readonly storage: MemoryStorage;
  readonly bench: Bench;
  instance(): Promise<Bench["holdfast"]>;
}

async function world(seed: number, dueIndex: "native" | "markers"): Promise<World> {
  const storage = memoryStorage({ dueIndex });
  const bench = await openBench({
    storage,
    plant: async (key, body) => storage.plant(key, body),
    destroy: async () => {},
  });
  const next = numbers(seed);
  return {
    storage,
    bench,
    instance: async () =>
      (await bench.another({ storage: storage.withFaults(unsteady(next, 12)) })).holdfast,
  };
}

async function expectSound({ bench }: World, jobId: string, told: Told): Promise<void> {
  const { queries } = (await bench.another()).holdfast;
  const { events, job } = await queries.replay(jobId, 1);
  expect(events.map(({ eventSeq }) => eventSeq)).toEqual(events.map((_, index) => index + 1));
  const ends = events.filter(({ type, status }) => isTerminal(status) && type !== "acknowledged");
  expect(ends).toHaveLength(1);
  const behind = events.slice(events.findIndex(({ status }) => isTerminal(status)) + 1);
  expect(behind.every(({ type }) => type === "acknowledged")).toBe(true);
  expect(behind.length).toBeLessThanOrEqual(1);
  const written = job.partialText.split(/(?<= )/).filter((delta) => delta !== "");
  expect(new Set(written).size).toBe(written.length);
  expect(written).toEqual(expect.arrayContaining(told.acknowledged));
  const possible = new Set([...told.acknowledged, ...told.unknown]);
  expect(written.filter((delta) => !possible.has(delta))).toEqual([]);
}

for (const dueIndex of ["native", "markers"] as const) {
  describe(`one job among many, on an unsteady storage (due index: ${dueIndex})`, () => {
    it("keeps what was acknowledged, once, whoever ends it", async () => {
      await fc.assert(
        fc.asyncProperty(fc.integer(), fc.boolean(), async (seed, isCanceled) => {
          const here = await world(seed, dueIndex);
          const { bench, storage } = here;
          const admitters = [await here.instance(), await here.instance()];
          await Promise.all(
            admitters.map(({ queries }) => persistently(() => queries.admit(REQUEST))),
          );
          const { jobId } = (await bench.holdfast.queries.admit(REQUEST)).job;
          await bench.holdfast.queries.markStarting(jobId, { leaseToken: TOKEN });
          const told: Told = { acknowledged: [], unknown: [] };
          const [one, two, third] = [
            ...[await here.instance(), await here.instance(), await here.instance()],
          ];
          const both = [one, two].flatMap((holdfast) => (holdfast ? [holdfast.queries] : []));
          const work = ["a", "b"].map((name) => runner(both, jobId, name, told));
          if (third !== undefined && isCanceled) {
            work.push(persistently(() => third.queries.cancel(jobId, 1)).then(() => {}));
          }
          if (third !== undefined) work.push(third.reconcile().then(() => {}));
          await Promise.all(work);
          storage.applyLate();
          bench.clock.advance(LEASE_MS);
          const sweepers = [await here.instance(), await here.instance()];
          await Promise.all([
            ...sweepers.map((holdfast) => holdfast.reconcile()),
            ...sweepers.map(({ queries }) => persistently(() => queries.acknowledge(jobId, 1))),
          ]);
          storage.applyLate();
          await bench.holdfast.reconcile();
          await expectSound(here, jobId, told);
          const next = await bench.holdfast.queries.admit({ ...REQUEST, generation: 2 });
          expect(next.created).toBe(true);
          await bench.close();
        }),
        { numRuns: RUNS },
      );
    });
  });
}
