/** Every order of the steps of writers that share a folder (protocols 7.2, 7.3). */
import { afterAll, describe, expect, it, vi } from "vitest";
import type { Disk } from "../../../adapters/storage/filesystem/disk.ts";
import {
  clearTemps,
  holdsLock,
  lockKey,
  unlockKey,
} from "../../../adapters/storage/filesystem/key-lock.ts";
import {
  createRecord,
  NO_MARKER,
  updateRecord,
  type WriteVerdict,
} from "../../../adapters/storage/filesystem/key-writes.ts";
import { runSteps, type Steps } from "../../../adapters/storage/filesystem/steps.ts";
import {
  dropTemp,
  renameTemp,
  tempPath,
  writeTemp,
} from "../../../adapters/storage/filesystem/temp-file.ts";
import {
  type Actor,
  exploreAll,
  exploreSome,
  type Hands,
  type Results,
  type Scenario,
} from "./explorer.ts";
import { attemptOf, bytesOf, createWorld, lateAttempt, uOf, versionOfText } from "./world.ts";

// Some explore many thousands of schedules; how long that takes is not what is tested.
vi.setConfig({ testTimeout: 120_000 });

const world = createWorld();
afterAll(() => world.remove());

const FIRST = "first";
const RECORD = world.place.file;
const change = (text: string) => ({ bytes: bytesOf(text), marker: NO_MARKER });

/** What a test takes away from a writer's disk. */
type Flaw = (disk: Disk) => Disk;

/** A writer that expects the first content and puts its own name there. */
function writer(name: string, flaw: Flaw = (disk) => disk): Actor {
  return {
    name,
    start(hands) {
      const attempt = attemptOf(world, { ...hands, disk: flaw(hands.disk) }, name);
      return updateRecord(attempt, versionOfText(FIRST), change(name));
    },
  };
}

function creator(name: string): Actor {
  return {
    name,
    start: (hands) => createRecord(attemptOf(world, hands, name), change(name)),
  };
}

function writers(actors: readonly Actor[], crashes: number): Scenario {
  return {
    actors,
    crashes,
    prepare: () => world.reset({ [RECORD]: FIRST }),
    snapshot: world.snapshot,
    atEnd: (results) => wrongVerdict(results, FIRST) ?? cannotGoOn(),
  };
}

/** All of them expect the same content, so at most one is told `stored`, and its content stands. */
function wrongVerdict(results: Results, first: string | null): string | null {
  const now = world.text(RECORD);
  if (now === null && first !== null) return "the record is gone";
  for (const [name, result] of results) {
    const { kind } = result as WriteVerdict;
    if (kind === "stored" && now !== name) return `${name} was told stored, and there is ${now}`;
    if (kind !== "stored" && now === name) return `${name} was told ${kind}, and is there`;
  }
  return null;
}

/** After any crash a later process can write the key, and leaves nothing behind. */
function cannotGoOn(): string | null {
  const now = world.text(RECORD) ?? "";
  const verdict = runSteps(updateRecord(lateAttempt(world, "e"), versionOfText(now), change("e")));
  if (verdict.kind !== "stored") return `a later writer is told ${verdict.kind}`;
  if (world.text(RECORD) !== "e") return "a later writer's content is not there";
  const left = world.snapshot().match(/\/(?:locks\/[^=]*\.lock|tmp\/[^=]*)=/);
  return left === null ? null : `left behind: ${left[0]}`;
}

describe("writers of one key, in every order", () => {
  it("two of them: one at most is stored, and no acknowledged update is lost (7.3)", () => {
    const found = exploreAll(writers([writer("a"), writer("b")], 0));
    expect(found.violation).toBeNull();
    expect(found.states).toBeGreaterThan(500);
  });

  it("two of them, one of which dies anywhere: a later one can write the key (7.3, EMAIL-49)", () => {
    const found = exploreAll(writers([writer("a"), writer("b")], 1));
    expect(found.violation).toBeNull();
  });

  it("three of them, one of which dies, in random orders (7.8)", () => {
    const scenario = writers([writer("a"), writer("b"), writer("c")], 1);
    expect(exploreSome(scenario, { seed: 7, runs: 4_000 }).violation).toBeNull();
  });

  it("two creators, one of which dies: one record, whole (7.2, Create)", () => {
    const found = exploreAll({
      ...writers([creator("a"), creator("b")], 1),
      prepare: () => world.reset({}),
      atEnd: (results) => wrongVerdict(results, null),
    });
    expect(found.violation).toBeNull();
  });

  it("beside a lock that an original left: it is taken over, or waited for (EMAIL-62, 64)", () => {
    const found = exploreAll({
      ...writers([writer("a"), writer("b")], 0),
      prepare: () => world.reset({ [RECORD]: FIRST, [world.place.lock]: "" }),
    });
    expect(found.violation).toBeNull();
  });
});

/** The letters of the writers whose temps `clear` may still see. */
function clearsOnly(sees: (name: string) => boolean): Flaw {
  return (disk) => ({
    ...disk,
    list: (path) => disk.list(path).filter((name) => path !== world.place.root.temps || sees(name)),
  });
}

const holdsAnyway: (name: string) => Flaw = (name) => (disk) => ({
  ...disk,
  read: (path) => (path === world.place.lock ? bytesOf(`${uOf(name)}\n`) : disk.read(path)),
});

/** Clears only what the one before it, from whom it took the lock, may have left. */
const clearsPredecessor: Flaw = (disk) => {
  let predecessor = "nobody";
  return {
    ...clearsOnly((name) => name.includes(predecessor))(disk),
    readAged(path) {
      const found = disk.readAged(path);
      if (found !== null) predecessor = Buffer.from(found.bytes).toString().split("\n")[0] || "-";
      return found;
    },
  };
};

/** 7.2 with step 8 before step 6. */
function* checkBeforeTemp(hands: Hands, name: string): Steps<WriteVerdict> {
  const attempt = attemptOf(world, hands, name);
  const temp = tempPath(attempt.place, attempt.u, "upd");
  if ((yield* lockKey(attempt)) === "busy") return { kind: "busy" };
  yield* clearTemps(attempt);
  const isOurs = yield* holdsLock(attempt);
  yield "record.read";
  const before = hands.disk.read(RECORD);
  if (!isOurs || before === null || Buffer.from(before).toString() !== FIRST) {
    yield* unlockKey(attempt);
    return { kind: "refused", current: before };
  }
  yield* writeTemp(hands.disk, temp, bytesOf(name));
  const outcome = yield* renameTemp(hands.disk, temp, RECORD);
  yield* dropTemp(hands.disk, temp);
  yield* unlockKey(attempt);
  return outcome === "done" ? { kind: "stored", version: versionOfText(name) } : { kind: "fenced" };
}

describe("the explorer finds each step that is missing (7.3)", () => {
  const violationOf = (scenario: Scenario): string | undefined =>
    exploreAll(scenario).violation?.message;

  it("no fence at all", () => {
    const flaw =
      (name: string): Flaw =>
      (disk) =>
        clearsOnly(() => false)(holdsAnyway(name)(disk));
    const scenario = writers([writer("a", flaw("a")), writer("b", flaw("b"))], 0);
    expect(violationOf(scenario)).toMatch(/was told stored/);
  });

  it("a check of the lock, but no clearing", () => {
    const flaw = clearsOnly(() => false);
    expect(violationOf(writers([writer("a", flaw), writer("b", flaw)], 0))).toMatch(/told stored/);
  });

  it("the check before the temp", () => {
    const actor = (name: string): Actor => ({
      name,
      start: (hands) => checkBeforeTemp(hands, name),
    });
    expect(violationOf(writers([actor("a"), actor("b")], 0))).toMatch(/told stored/);
  });

  it("only the previous holder's temps cleared: three writers", () => {
    const actors = ["a", "b", "c"].map((name) => writer(name, clearsPredecessor));
    expect(violationOf(writers(actors, 0))).toMatch(/told stored/);
  });

  it("clearing, but no check of the lock", () => {
    const actors = ["a", "b"].map((name) => writer(name, holdsAnyway(name)));
    expect(violationOf(writers(actors, 0))).toMatch(/told stored/);
  });
});
