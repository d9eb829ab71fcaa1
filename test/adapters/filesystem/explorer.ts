/**
 * Runs write protocols in every order. A protocol is a generator that stops before each storage step;
 * the steps are carried out on a real folder. A schedule is a list of decisions: whose step comes next,
 * who dies, and whether a lock is judged stale. Every schedule is run from the beginning; a state that
 * was met before (the folder, and what each actor has seen) is not followed again.
 */
import { createHash } from "node:crypto";
import { closeSync } from "node:fs";
import { codeOf, type Disk, nodeDisk } from "../../../adapters/storage/filesystem/disk.ts";
import type { Step, Steps } from "../../../adapters/storage/filesystem/steps.ts";

/** What an actor may use. */
export interface Hands {
  readonly disk: Disk;
  /** A free choice of the schedule, such as "is this lock stale?". */
  choose(): boolean;
}

export interface Actor {
  readonly name: string;
  /** The result is what its caller would be told. */
  start(hands: Hands): Steps<unknown>;
}

export interface Scenario {
  readonly actors: readonly Actor[];
  /** Actors that may stop for ever, at any step. */
  readonly crashes: number;
  /** Puts the folder into its first state. */
  prepare(): void;
  /** All that others can see in the folder. */
  snapshot(): string;
  /** What is wrong in the present state, whoever comes next; null: nothing. */
  always?(): string | null;
  /** What is wrong when nobody has a step left; may run others, for "can go on from here". */
  atEnd(results: Results): string | null;
}

/** By actor; undefined: it died before it was told anything. */
export type Results = ReadonlyMap<string, unknown>;

export interface Violation {
  readonly message: string;
  /** Who did what, in order. */
  readonly trace: readonly string[];
}

export interface Exploration {
  readonly violation: Violation | null;
  readonly states: number;
  readonly runs: number;
}

/** Exhaustive. `runsMax` is a guard against a scenario that grew too large, not a sampling. */
export function exploreAll(scenario: Scenario, runsMax = 200_000): Exploration {
  const visited = new Set<string>();
  let path: Decision[] = [];
  for (let runs = 1; ; runs += 1) {
    if (runs > runsMax) throw new Error(`more than ${runsMax} schedules`);
    const violation = run(scenario, followThenFirst(path), visited);
    if (violation !== null) return { violation, states: visited.size, runs };
    const next = nextPath(path);
    if (next === null) return { violation: null, states: visited.size, runs };
    path = next;
  }
}

/** Random schedules from a fixed seed, where all of them are too many. */
export function exploreSome(scenario: Scenario, options: Sampling): Exploration {
  const random = seededRandom(options.seed);
  for (let runs = 1; runs <= options.runs; runs += 1) {
    const decide = (choices: number): number => Math.floor(random() * choices);
    const violation = run(scenario, decide, null);
    if (violation !== null) return { violation, states: 0, runs };
  }
  return { violation: null, states: 0, runs: options.runs };
}

export interface Sampling {
  readonly seed: number;
  readonly runs: number;
}

interface Decision {
  readonly options: number;
  readonly chosen: number;
}

interface Decide {
  (options: number): number;
  /** Whether the next decision is one that an earlier schedule took too. */
  isReplaying?: () => boolean;
}

/** Takes the decisions of `path`, then always the first option, and appends what it took. */
function followThenFirst(path: Decision[]): Decide {
  let at = 0;
  const decide: Decide = (options) => {
    const known = path[at];
    at += 1;
    if (known !== undefined) return known.chosen;
    path.push({ options, chosen: 0 });
    return 0;
  };
  decide.isReplaying = () => at < path.length;
  return decide;
}

/** The path to the next schedule in depth-first order; null: there is none. */
function nextPath(path: Decision[]): Decision[] | null {
  const next = [...path];
  for (let last = next.pop(); last !== undefined; last = next.pop()) {
    if (last.chosen + 1 < last.options) {
      return [...next, { ...last, chosen: last.chosen + 1 }];
    }
  }
  return null;
}

/** Steps on files that nobody else looks at: nothing can tell in which order they come. */
const PRIVATE: ReadonlySet<Step> = new Set([
  "temp.write",
  "temp.sync",
  "temp.synced",
  "temp.close",
  "lock.close",
  "take.create",
  "take.write",
  "take.close",
  "directory.sync",
  "directory.synced",
  "pause",
]);

interface Running {
  readonly name: string;
  readonly steps: Steps<unknown>;
  readonly seen: Seen;
  /** Null: it is through, or dead. */
  next: Step | null;
}

/** Everything the actor has been told by the disk: its local state follows from it. */
interface Seen {
  log: string;
}

function run(scenario: Scenario, decide: Decide, visited: Set<string> | null): Violation | null {
  const open = new Set<number>();
  try {
    return runOnce(scenario, { decide, visited, open });
  } finally {
    // The dead leave their files open.
    for (const fd of open) closeSync(fd);
  }
}

interface Run {
  readonly decide: Decide;
  readonly visited: Set<string> | null;
  readonly open: Set<number>;
}

function runOnce(scenario: Scenario, { decide, visited, open }: Run): Violation | null {
  scenario.prepare();
  const results = new Map<string, unknown>();
  const trace: string[] = [];
  let crashes = scenario.crashes;
  const all = scenario.actors.map((actor) => startActor(actor, { decide, open, trace }));
  for (const actor of all) advance(actor, results, trace);
  for (;;) {
    const alive = all.filter((actor) => actor.next !== null);
    const isNew = decide.isReplaying?.() !== true;
    const message = isNew ? (scenario.always?.() ?? null) : null;
    if (message !== null) return { message, trace };
    if (alive.length === 0) return endOf(scenario, results, trace);
    if (isNew && wasVisited(visited, () => stateOf(scenario, all, crashes))) return null;
    const choice = decide(crashes > 0 ? alive.length * 2 : alive.length);
    const actor = alive[choice % alive.length];
    if (actor !== undefined && choice < alive.length) advance(actor, results, trace);
    else if (actor !== undefined) {
      crashes -= 1;
      trace.push(`${actor.name} dies before ${actor.next}`);
      actor.next = null;
    }
  }
}

function endOf(scenario: Scenario, results: Results, trace: readonly string[]): Violation | null {
  const message = scenario.atEnd(results);
  return message === null ? null : { message, trace };
}

/** Always "no" in a sampling, which keeps no states. */
function wasVisited(visited: Set<string> | null, describe: () => string): boolean {
  if (visited === null) return false;
  const state = describe();
  const isKnown = visited.has(state);
  visited.add(state);
  return isKnown;
}

function startActor(
  actor: Actor,
  { decide, open, trace }: Pick<Run, "decide" | "open"> & { readonly trace: string[] },
): Running {
  const seen: Seen = { log: "" };
  const hands: Hands = {
    disk: watchedDisk(seen, open),
    choose() {
      const isYes = decide(2) === 1;
      seen.log += isYes ? "yes;" : "no;";
      trace.push(`${actor.name} judges: ${isYes ? "yes" : "no"}`);
      return isYes;
    },
  };
  return { name: actor.name, steps: actor.start(hands), seen, next: "pause" };
}

/** Carries out the step that the actor stands before, up to the next one that others can tell. */
function advance(actor: Running, results: Map<string, unknown>, trace: string[]): void {
  do {
    if (actor.next !== null && actor.next !== "pause") trace.push(`${actor.name} ${actor.next}`);
    const result = actor.steps.next();
    if (result.done === true) {
      actor.next = null;
      results.set(actor.name, result.value);
      trace.push(`${actor.name} is told ${brief(result.value)}`);
      return;
    }
    actor.next = result.value;
  } while (PRIVATE.has(actor.next));
}

function stateOf(scenario: Scenario, all: readonly Running[], crashes: number): string {
  const hash = createHash("sha1").update(scenario.snapshot()).update(`#${crashes}`);
  for (const actor of all) hash.update(`|${actor.next}:${actor.seen.log}`);
  return hash.digest("base64");
}

/** The real disk without the waiting, noting what it answers. */
function watchedDisk(seen: Seen, open: Set<number>): Disk {
  const disk = nodeDisk();
  const note = <T>(what: string, call: () => T): T => {
    try {
      const result = call();
      seen.log += `${what}=${whole(result)};`;
      return result;
    } catch (error) {
      seen.log += `${what}!${codeOf(error)};`;
      throw error;
    }
  };
  return {
    ...disk,
    sync() {},
    syncDirectory() {},
    pause() {},
    create(path) {
      let fd = -1;
      // The number of a descriptor is an accident of the run, so it is not noted.
      note("create", () => {
        fd = disk.create(path);
      });
      open.add(fd);
      return fd;
    },
    close(fd) {
      open.delete(fd);
      disk.close(fd);
    },
    createEmpty: (path) => note("empty", () => disk.createEmpty(path)),
    read: (path) => note("read", () => disk.read(path)),
    readAged(path) {
      const found = disk.readAged(path);
      seen.log += `aged=${whole(found?.bytes ?? null)};`;
      return found;
    },
    exists: (path) => note("exists", () => disk.exists(path)),
    stamp(path) {
      const stamp = disk.stamp(path);
      seen.log += `stamp=${whole(disk.read(path))};`;
      return stamp;
    },
    list: (path) => note("list", () => [...disk.list(path)].sort()),
    rename: (from, to) => note("rename", () => disk.rename(from, to)),
    link: (from, to) => note("link", () => disk.link(from, to)),
    unlink: (path) => note("unlink", () => disk.unlink(path)),
  };
}

function whole(value: unknown): string {
  if (value instanceof Uint8Array) return Buffer.from(value).toString("latin1");
  return JSON.stringify(value) ?? "";
}

function brief(value: unknown): string {
  if (typeof value === "object" && value !== null && "kind" in value) return String(value.kind);
  return JSON.stringify(value) ?? "";
}

/** mulberry32 */
function seededRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
