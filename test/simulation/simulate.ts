/**
 * One simulated run of the email machine: a few processes of two tenants over one faulty storage.
 *
 * What can happen, all of it chosen by the seed: every storage call takes its time, so that calls of
 * different processes overlap in every order; a call fails, is throttled, or is done without a reply; a
 * write without reply takes effect at once, up to half a minute later, or never; the due index lags;
 * wall clocks are up to two seconds off and drift; a process is killed at any await and another one
 * starts in its place; one stands still for minutes, and its machine sleeps or does not. What cannot happen: a stored record changes by itself, or a condition is not
 * checked. After the bad time comes a good one, in which everything must come to its end.
 */

import type { FaultPlan, MemoryFault, MemoryStorage } from "../../adapters/storage/memory.ts";
import { memoryStorage } from "../../adapters/storage/memory.ts";
import { sha256Hex } from "../../src/core/hash.ts";
import { EPOCH_MS_MAX, epochMs } from "../../src/core/time.ts";
import { createHoldfast } from "../../src/holdfast.ts";
import type { Cursor, Storage } from "../../src/ports/backend.ts";
import { systemClock } from "../../src/ports/clock.ts";
import { systemRandom } from "../../src/ports/random.ts";
import { createStore } from "../../src/store/store.ts";
import { operate, produce, type Stage, work, writeTexts } from "./actors.ts";
import { type History, watchHistory } from "./history.ts";
import { mailOf, type PassStage, passAgain, prepareOf, sourceOf } from "./passes.ts";
import { createWorld, type Process, type World } from "./world.ts";

export interface SimulationOptions {
  readonly seed: number;
  /** Puts a fault of the product's own between the storage and the world: to see that it is caught. */
  readonly spoil?: (storage: Storage) => Storage;
  /** Prints the history, line by line, at the end. */
  readonly isVerbose?: boolean;
}

export interface SimulationResult {
  readonly seed: number;
  readonly violations: readonly string[];
  /** SHA-256 over everything that happened. */
  readonly digest: string;
  readonly writes: number;
  readonly kills: number;
  readonly faults: number;
}

const BAD_TIME_MS = 5 * 60_000;
const GOOD_TIME_MS = 60 * 60_000;
const STEP_MS = 60_000;
const PROCESSES = 4;
const TENANTS = [null, "acme"] as const;

interface Run {
  readonly world: World;
  readonly storage: MemoryStorage;
  readonly seen: Storage & Pick<MemoryStorage, "withFaults">;
  readonly history: History;
  readonly creations: Map<string, number>;
  readonly counts: { kills: number; faults: number };
  readonly isHealing: () => boolean;
}

export async function simulate({
  seed,
  spoil,
  isVerbose = false,
}: SimulationOptions): Promise<SimulationResult> {
  const world = createWorld(seed);
  const storage = memoryStorage({ dueIndex: seed % 2 === 0 ? "native" : "markers" });
  const history = watchHistory(storage, world.now);
  const seen = {
    open: storage.open,
    withFaults: (plan: FaultPlan) => {
      const faulty = storage.withFaults(plan);
      return spoil === undefined ? faulty : spoil(faulty);
    },
  };
  const run: Run = {
    world,
    storage,
    seen,
    history,
    creations: new Map(),
    counts: { kills: 0, faults: 0 },
    isHealing: () => world.now() >= BAD_TIME_MS,
  };
  for (let n = 0; n < PROCESSES; n += 1) world.start(() => live(run, `p${n}`, 0));
  world.start(() => lag(run));
  await world.run(BAD_TIME_MS);
  while (!isQuiet(history) && world.now() < BAD_TIME_MS + GOOD_TIME_MS) {
    await world.run(world.now() + STEP_MS);
  }
  await checkEnd(run);
  if (isVerbose) for (const line of world.lines()) console.log(line);
  return {
    seed,
    violations: history.violations,
    digest: sha256Hex(world.lines().join("\n") + JSON.stringify([...storage.bodies()])),
    writes: history.keys().reduce((sum, key) => sum + history.of(key).length, 0),
    ...run.counts,
  };
}

/** One place for a process: lives, is killed, and lives again as another. */
async function live(run: Run, place: string, life: number): Promise<void> {
  const { world } = run;
  const process = world.process(`${place}.${life}`, world.chance.between(-2_000, 2_000));
  const stillMs = world.chance.happens(0.5) ? world.chance.between(1_000, 200_000) : 0;
  const dies = world.chance.between(5_000, 120_000) + stillMs;
  if (stillMs > 0) {
    const isAsleep = world.chance.happens(0.5);
    world.at(world.chance.between(1_000, 60_000), () => {
      process.standStill(stillMs, isAsleep);
      world.note(`${process.name} stands still for ${stillMs} ms`);
    });
  }
  if (world.now() + dies < BAD_TIME_MS) {
    world.at(dies, () => {
      process.kill();
      run.counts.kills += 1;
      world.note(`${process.name} killed`);
      world.at(world.chance.between(0, 10_000), () => {
        world.start(() => live(run, place, life + 1));
      });
    });
  }
  const { history, isHealing } = run;
  const prefixOf = (tenant: string | null): string => (tenant === null ? "" : `tenants/${tenant}/`);
  const pass: PassStage = { world, history, process, isHealing, prefixOf };
  const prepare = prepareOf(pass);
  const holdfast = await createHoldfast({
    app: {
      sources: [sourceOf(pass)],
      prepare: { "first-view": prepare, "two-clips": prepare },
      mail: mailOf(pass),
    },
    storage: run.seen.withFaults(planOf(run, process)),
    clock: process.clock,
    random: process.random,
    limits: { commandMs: 15_000 },
  });
  for (const tenant of TENANTS) {
    const { emails } = tenant === null ? holdfast : holdfast.tenant(tenant);
    const prefix = prefixOf(tenant);
    const stage: Stage = {
      world,
      history,
      process,
      emails,
      prefix,
      tag: prefix || "own",
      isHealing,
    };
    world.start(() => produce(stage, run.creations));
    world.start(() => work(stage));
    world.start(() => writeTexts(stage));
    world.start(() => operate(stage));
  }
  world.start(() => passAgain(pass, holdfast.reconcile));
}

const FAULTS: readonly [MemoryFault, ...MemoryFault[]] = [
  "unavailable",
  "throttled",
  "lost_now",
  "lost_late",
  "lost_never",
];

function planOf({ world, storage, counts, isHealing }: Run, process: Process): FaultPlan {
  const { chance } = world;
  return async (operation, when) => {
    await process.pause(chance.happens(0.03) ? chance.between(500, 8_000) : chance.between(1, 30));
    if (isHealing() || when === "after" || !chance.happens(0.08)) return null;
    counts.faults += 1;
    const fault = chance.pick(FAULTS);
    if (operation.kind !== "put" && fault === "lost_late") return "unavailable";
    if (fault === "lost_late") {
      world.at(chance.between(10, 30_000), () => storage.applyLate(1));
    }
    return fault;
  };
}

async function lag({ world, storage, isHealing }: Run): Promise<void> {
  const waiter = world.process("index", 0);
  while (!isHealing()) {
    await waiter.pause(world.chance.between(5_000, 30_000));
    storage.lagDue(true);
    await waiter.pause(world.chance.between(100, 5_000));
    storage.lagDue(false);
  }
  storage.lagDue(false);
}

const FINAL_STATES: ReadonlySet<unknown> = new Set(["sent", "cancelled", "failed"]);

function isQuiet(history: History): boolean {
  return history.keys().every((key) => {
    const last = history.of(key).at(-1);
    return last?.ours["void"] === true || FINAL_STATES.has(last?.fields["state"]);
  });
}

/** When all is quiet: nothing lost, nothing stuck, nothing waiting unseen. */
async function checkEnd({ storage, history, creations }: Run): Promise<void> {
  for (const [name, count] of creations) {
    if (count > 1) history.blame(`${name} was told to be created ${count} times`);
  }
  for (const tenant of TENANTS) {
    const prefix = tenant === null ? "" : `tenants/${tenant}/`;
    const found = await waitingKeys(storage, tenant);
    for (const key of history.keys().filter((name) => name.startsWith(`${prefix}emails/`))) {
      const last = history.of(key).at(-1);
      if (last === undefined || last.ours["void"] === true) continue;
      if (last.ours["due"] !== null && !found.has(key)) history.blame(`${key} waits unseen`);
    }
  }
  if (!isQuiet(history)) history.blame("something is stuck");
  if (history.keys().length === 0) history.blame("nothing ever happened");
}

async function waitingKeys(storage: Storage, tenant: string | null): Promise<Set<string>> {
  const deps = {
    clock: systemClock(),
    random: systemRandom(),
    observe: () => {},
    foreignDue: () => null,
  };
  const backend = await storage.open({ ...deps, dueOf: () => null });
  const store = createStore({ ...deps, backend, tenant });
  const keys = new Set<string>();
  for (const queue of ["deliver", "attend", "stuck"] as const) {
    let cursor: Cursor | null = null;
    do {
      const page = await store.due(queue, {
        until: epochMs(EPOCH_MS_MAX),
        cursor,
        limit: 100,
      });
      for (const entry of page.entries) keys.add(entry.key);
      cursor = page.cursor;
    } while (cursor !== null);
  }
  return keys;
}
