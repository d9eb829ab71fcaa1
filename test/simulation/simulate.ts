/**
 * One simulated run: a few processes of two tenants over one storage, in the world of one seed, first in a
 * bad time (what can happen: faults.ts), then in a good one. Each machine brings its actors and its laws.
 */

import { memoryStorage } from "../../adapters/storage/memory.ts";
import { sha256Hex } from "../../src/core/hash.ts";
import { createHoldfast } from "../../src/holdfast.ts";
import type { Storage } from "../../src/ports/backend.ts";
import type { HoldfastOptions } from "../../src/services/options.ts";
import { emails } from "./emails/machine.ts";
import { telling, unsteady, type Weather } from "./faults.ts";
import { attempt, type Machine, type Play, type Setting, stageOf, TENANTS } from "./machine.ts";
import { passAgain } from "./passes.ts";
import { queries } from "./queries/machine.ts";
import { receipts } from "./receipts/machine.ts";
import { watchTruth } from "./truth.ts";
import { checkAllWaiting } from "./waiting.ts";
import { createWorld, type Process } from "./world.ts";

export const MACHINES: readonly Machine[] = [emails, receipts, queries];

export interface SimulationOptions {
  readonly seed: number;
  readonly machine: Machine;
  /** Plants a fault of the product's own, or of its storage: to see that it is caught. */
  readonly spoil?: (options: HoldfastOptions) => HoldfastOptions;
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
const JUDGED_MS = 60 * 60_000;
const STEP_MS = 60_000;
const PROCESSES = 4;

interface Run extends Setting, Weather {
  readonly play: Play;
  readonly storage: Storage;
  readonly counts: { kills: number; faults: number };
  readonly spoil: (options: HoldfastOptions) => HoldfastOptions;
  readonly processes: Set<Process>;
}

export async function simulate({
  seed,
  machine,
  spoil = (options) => options,
  isVerbose = false,
}: SimulationOptions): Promise<SimulationResult> {
  const world = createWorld(seed);
  const memory = memoryStorage({ dueIndex: seed % 2 === 0 ? "native" : "markers" });
  const truth = watchTruth(memory, world.now);
  const isHealing = () => world.now() >= BAD_TIME_MS;
  const setting: Setting = { seed, world, truth, isHealing };
  const run: Run = {
    ...setting,
    play: machine.begin(setting),
    storage: telling(memory, truth.removed),
    counts: { kills: 0, faults: 0 },
    spoil,
    processes: new Set(),
  };
  try {
    for (let n = 0; n < PROCESSES; n += 1) world.start(() => live(run, `p${n}`, 0));
    world.start(() => lag(run, memory.lagDue));
    // What comes after a violation tells no more.
    const isOver = () => truth.violations.length > 0 || (isHealing() && run.play.isQuiet());
    while (!isOver() && world.now() < BAD_TIME_MS + GOOD_TIME_MS) {
      await world.run(world.now() + STEP_MS);
      if (world.now() !== BAD_TIME_MS) continue;
      // What the index holds, not what it still answers.
      memory.lagDue(false);
      await checkAllWaiting(truth, memory);
    }
    if (truth.violations.length === 0) {
      if (!run.play.isQuiet()) truth.blame("something is stuck");
      await checkAllWaiting(truth, memory);
      await judged(run);
    }
  } catch (error) {
    truth.blame(`what nobody expected: ${error instanceof Error ? error.stack : String(error)}`);
  }
  if (truth.keys().length === 0) truth.blame("nothing ever happened");
  if (isVerbose) for (const line of world.lines()) console.log(line);
  return {
    seed,
    violations: truth.violations,
    digest: sha256Hex(world.lines().join("\n") + JSON.stringify([...memory.bodies()])),
    writes: truth.keys().reduce((sum, key) => sum + truth.of(key).length, 0),
    ...run.counts,
  };
}

/** One place for a process: lives, is closed or killed, and lives again as another. */
async function live(run: Run, place: string, life: number): Promise<void> {
  const { world, storage, play, counts, spoil, processes } = run;
  const process = world.process(`${place}.${life}`, world.chance.between(-2_000, 2_000));
  processes.add(process);
  const stillMs = pauseOnce(run, process);
  const opened = createHoldfast(
    spoil({
      ...play.opening(process),
      storage: unsteady(storage, run, process),
      clock: process.clock,
      random: process.random,
      log: (level, event, fields) => {
        if (level !== "info") world.note(`${process.name} ${event} ${JSON.stringify(fields)}`);
      },
    }),
  );
  const dies = world.chance.between(5_000, 120_000) + stillMs;
  const isClosed = world.chance.happens(0.3);
  if (world.now() + dies < BAD_TIME_MS) {
    if (isClosed) {
      world.at(dies - world.chance.between(100, 4_000), () => {
        world.note(`${process.name} is closed`);
        world.start(async () => void (await attempt(async () => (await opened).close())));
      });
    }
    world.at(dies, () => {
      process.kill();
      processes.delete(process);
      counts.kills += 1;
      world.note(`${process.name} killed`);
      world.at(world.chance.between(0, 10_000), () => {
        world.start(() => live(run, place, life + 1));
      });
    });
  }
  const holdfast = await opened;
  for (const tenant of TENANTS) play.live(stageOf(run, { process, holdfast, tenant }));
  world.start(() => passAgain(run, process, holdfast.reconcile));
}

/** How long the process will stand still, at some time. */
function pauseOnce({ world }: Run, process: Process): number {
  const stillMs = world.chance.happens(0.5) ? world.chance.between(1_000, 200_000) : 0;
  if (stillMs === 0) return 0;
  const isAsleep = world.chance.happens(0.5);
  world.at(world.chance.between(1_000, 60_000), () => {
    process.standStill(stillMs, isAsleep);
    world.note(`${process.name} stands still for ${stillMs} ms`);
  });
  return stillMs;
}

async function lag({ world, isHealing }: Run, lagDue: (isLagging: boolean) => void): Promise<void> {
  const waiter = world.process("index", 0);
  while (!isHealing()) {
    await waiter.pause(world.chance.between(5_000, 30_000));
    if (isHealing()) break;
    lagDue(true);
    await waiter.pause(world.chance.between(100, 5_000));
    lagDue(false);
  }
  lagDue(false);
}

/** Everybody else is gone: what is left must be as a newcomer expects it. */
async function judged(run: Run): Promise<void> {
  const { world, storage, play, truth, processes } = run;
  for (const process of processes) process.kill();
  const process = world.process("judge", 0);
  const holdfast = await createHoldfast({
    ...play.opening(process),
    storage,
    clock: process.clock,
    random: process.random,
  });
  let isDone = false;
  world.start(async () => {
    for (const tenant of TENANTS) {
      await play.checkEnd(stageOf(run, { process, holdfast, tenant }));
    }
    isDone = true;
  });
  await world.run(world.now() + JUDGED_MS);
  if (!isDone) truth.blame("the last checks came to no end");
}
