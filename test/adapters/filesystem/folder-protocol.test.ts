/** Every order of the steps of exclusive owners, and of writers beside them (protocols 7.6). */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it, vi } from "vitest";
import { type Disk, nodeDisk } from "../../../adapters/storage/filesystem/disk.ts";
import { markerPath } from "../../../adapters/storage/filesystem/due-markers.ts";
import {
  beatFolderLock,
  clearAllTemps,
  type FolderClaim,
  releaseFolderLock,
  takeFolderLock,
} from "../../../adapters/storage/filesystem/folder-lock.ts";
import { writeOwned } from "../../../adapters/storage/filesystem/folder-writes.ts";
import {
  createRecord,
  NO_MARKER,
  updateRecord,
} from "../../../adapters/storage/filesystem/key-writes.ts";
import { lockText } from "../../../adapters/storage/filesystem/lock-file.ts";
import { rootStateBytes, statePlace } from "../../../adapters/storage/filesystem/root-state.ts";
import { runSteps, type Steps } from "../../../adapters/storage/filesystem/steps.ts";
import { epochMs } from "../../../src/core/time.ts";
import {
  type Actor,
  exploreAll,
  exploreSome,
  type Hands,
  type Results,
  type Scenario,
} from "./explorer.ts";
import { attemptOf, bytesOf, createWorld, PROCESS, uOf, versionOfText } from "./world.ts";

// Some explore many thousands of schedules; how long that takes is not what is tested.
vi.setConfig({ testTimeout: 120_000 });

const world = createWorld();
afterAll(() => world.remove());

const { place } = world;
const { root } = place;
const LOCK = root.folderLock;
const FIRST = "first";
const ALONE = { address: null, secret: null, since: epochMs(0), isClearing: false };

type Flaw = (disk: Disk) => Disk;
const flawless: Flaw = (disk) => disk;

interface Told {
  readonly kind: string;
  /** What an owner found when it began to serve. */
  readonly saw?: string | null;
  readonly markers?: readonly string[];
}

function claimOf(hands: Hands, letter: string): FolderClaim {
  const u = uOf(letter);
  return {
    disk: hands.disk,
    path: LOCK,
    u,
    lockText: lockText(u, PROCESS, ALONE),
    isStale: () => hands.choose(),
    now: epochMs(0),
  };
}

/** What the record holds, with the writer's name behind it. `tempU`: another for every write. */
function* append(hands: Hands, letter: string, tempU = letter): Steps<Told> {
  yield "record.read";
  const before = Buffer.from(hands.disk.read(place.file) ?? "").toString();
  const expected = versionOfText(before);
  const bytes = bytesOf(before + letter);
  const write = { place, u: uOf(tempU), expected, bytes };
  const { kind } = yield* writeOwned(hands.disk, uOf(letter), write);
  return { kind };
}

/** Takes the folder, clears, then serves: one update. */
function opener(letter: string, flaw: Flaw = flawless): Actor {
  return {
    name: letter,
    *start(given) {
      const hands = { ...given, disk: flaw(given.disk) };
      const taken = yield* takeFolderLock(claimOf(hands, letter));
      if (taken.kind !== "taken") return { kind: taken.kind };
      yield* clearAllTemps(hands.disk, [root.temps]);
      return yield* append(hands, letter);
    },
  };
}

/** Has the folder already, and makes one update. */
function holder(letter: string, flaw: Flaw = flawless): Actor {
  return {
    name: letter,
    start: (hands) => append({ ...hands, disk: flaw(hands.disk) }, letter),
  };
}

/** Takes the folder, clears, then looks which records there are. */
function scanner(letter: string): Actor {
  return {
    name: letter,
    *start(hands) {
      const taken = yield* takeFolderLock(claimOf(hands, letter));
      if (taken.kind !== "taken") return { kind: taken.kind };
      yield* clearAllTemps(hands.disk, [root.temps]);
      yield "record.read";
      const found = hands.disk.read(place.file);
      return { kind: "serving", saw: found === null ? null : Buffer.from(found).toString() };
    },
  };
}

function keyWriter(letter: string, flaw: Flaw = flawless): Actor {
  return {
    name: letter,
    start(hands) {
      const attempt = attemptOf(world, { ...hands, disk: flaw(hands.disk) }, letter);
      const change = { bytes: bytesOf(FIRST + letter), marker: NO_MARKER };
      return updateRecord(attempt, versionOfText(FIRST), change);
    },
  };
}

function keyCreator(letter: string, flaw: Flaw = flawless): Actor {
  return {
    name: letter,
    start(hands) {
      const attempt = attemptOf(world, { ...hands, disk: flaw(hands.disk) }, letter);
      return createRecord(attempt, { bytes: bytesOf(letter), marker: NO_MARKER });
    },
  };
}

function scenario(actors: readonly Actor[], options: Partial<Scenario> = {}): Scenario {
  return {
    actors,
    crashes: 0,
    prepare: () => world.reset({ [place.file]: FIRST }),
    snapshot: world.snapshot,
    atEnd: (results) => lostUpdate(results) ?? cannotGoOn(),
    ...options,
  };
}

const heldBy = (letter: string): Partial<Scenario> => ({
  prepare: () =>
    world.reset({ [place.file]: FIRST, [LOCK]: lockText(uOf(letter), PROCESS, ALONE) }),
});

/** Everybody appends its name: who was told stored is in the record, who was refused is not. */
function lostUpdate(results: Results): string | null {
  const now = world.text(place.file) ?? "";
  for (const [name, told] of results) {
    const { kind } = told as Told;
    const isThere = now.slice(FIRST.length).includes(name);
    if (kind === "stored" && !isThere) return `${name} was told stored, and there is ${now}`;
    if (kind !== "stored" && isThere) return `${name} was told ${kind}, and there is ${now}`;
  }
  return null;
}

/** Whoever comes later, when everybody is gone, can take the folder and write. */
function cannotGoOn(): string | null {
  const disk: Disk = { ...nodeDisk(), sync() {}, syncDirectory() {} };
  const told = runSteps(opener("e").start({ disk, choose: () => true })) as Told;
  return told.kind === "stored" ? null : `a later owner is told ${told.kind}`;
}

describe("an exclusive owner beside writers that share the folder, in every order (7.6)", () => {
  it("an update, one of the two dying anywhere: nothing acknowledged is lost", () => {
    const found = exploreAll(scenario([keyWriter("1"), opener("a")], { crashes: 1 }));
    expect(found.violation).toBeNull();
    expect(found.states).toBeGreaterThan(300);
  });

  it("a creation: an owner that serves knows every record that was acknowledged", () => {
    const found = exploreAll(
      scenario([keyCreator("1"), scanner("a")], {
        crashes: 1,
        prepare: () => world.reset({}),
        atEnd: unknownToOwner,
      }),
    );
    expect(found.violation).toBeNull();
  });

  it("two updates, in random orders (7.8)", () => {
    const actors = [keyWriter("1"), keyWriter("2"), opener("a")];
    const found = exploreSome(scenario(actors, { crashes: 1 }), { seed: 3, runs: 1_500 });
    expect(found.violation).toBeNull();
  });
});

function unknownToOwner(results: Results): string | null {
  const created = results.get("1") as Told | undefined;
  const owner = results.get("a") as Told | undefined;
  const isUnknown = created?.kind === "stored" && owner?.saw === null;
  return isUnknown ? "a creation was acknowledged that the owner does not know" : null;
}

describe("exclusive owners that take the folder from each other, in every order (7.6)", () => {
  it("one with a write in flight, one that takes over, one of them dying", () => {
    const actors = [holder("a"), opener("b")];
    const found = exploreAll(scenario(actors, { ...heldBy("a"), crashes: 1 }));
    expect(found.violation).toBeNull();
  });

  it("the heartbeat of the one that lost it changes nothing", () => {
    const actors = [holder("a"), heartbeat("h", beatByFile), opener("b")];
    expect(exploreAll(scenario(actors, heldBy("a"))).violation).toBeNull();
  });

  it("three of them, in random orders (7.8)", () => {
    const actors = [holder("a"), opener("b"), opener("c")];
    const found = exploreSome(scenario(actors, { ...heldBy("a"), crashes: 1 }), {
      seed: 5,
      runs: 1_500,
    });
    expect(found.violation).toBeNull();
  });
});

/** `beat` gets the descriptor that the owner `a` has had open since it took the folder. */
function heartbeat(name: string, beat: (hands: Hands) => Steps<void>): Actor {
  return {
    name,
    *start(hands) {
      yield* beat(hands);
      return { kind: "beaten" };
    },
  };
}

function* beatByFile(hands: Hands): Steps<void> {
  const fd = nodeDisk().create(join(world.directory, "own-open-file"));
  nodeDisk().unlink(join(world.directory, "own-open-file"));
  yield* beatFolderLock(hands.disk, fd, epochMs(1));
  hands.disk.close(fd);
}

function* beatByPath(): Steps<void> {
  yield "lock.write";
  writeFileSync(LOCK, lockText(uOf("a"), PROCESS, ALONE));
}

const looksAway: Flaw = (disk) => ({
  ...disk,
  exists: (path) => path !== LOCK && disk.exists(path),
});
const ownsAnyway =
  (letter: string): Flaw =>
  (disk) => ({
    ...disk,
    read: (path) => (path === LOCK ? bytesOf(`${uOf(letter)}\n`) : disk.read(path)),
  });
const clearsNothing: Flaw = (disk) => ({
  ...disk,
  list: (path) => (path === root.temps ? [] : disk.list(path)),
});

/** Looks at the lock when it reads the record, and goes by that after the temp. */
const looksEarly: Flaw = (disk) => {
  let looked: Uint8Array | null = null;
  return {
    ...disk,
    read(path) {
      if (path === LOCK) return looked;
      looked = disk.read(LOCK);
      return disk.read(path);
    },
  };
};

/** Serves first, clears afterwards. */
function hastyOpener(letter: string): Actor {
  return {
    name: letter,
    *start(hands) {
      const taken = yield* takeFolderLock(claimOf(hands, letter));
      if (taken.kind !== "taken") return { kind: taken.kind };
      const told = yield* append(hands, letter);
      yield* clearAllTemps(hands.disk, [root.temps]);
      return told;
    },
  };
}

describe("the explorer finds each step that is missing (7.6)", () => {
  const violationOf = (given: Scenario): string | undefined => exploreAll(given).violation?.message;

  it("a writer that shares the folder does not look at folder.lock", () => {
    const actors = [keyWriter("1", looksAway), opener("a")];
    expect(violationOf(scenario(actors))).toMatch(/told stored/);
  });

  it("a creator does not look at folder.lock", () => {
    const given = scenario([keyCreator("1", looksAway), scanner("a")], {
      prepare: () => world.reset({}),
      atEnd: unknownToOwner,
    });
    expect(violationOf(given)).toMatch(/does not know/);
  });

  it("no look before the rename", () => {
    const actors = [holder("a", ownsAnyway("a")), opener("b")];
    expect(violationOf(scenario(actors, heldBy("a")))).toMatch(/told stored/);
  });

  it("no clearing by the new owner", () => {
    const actors = [holder("a"), opener("b", clearsNothing)];
    expect(violationOf(scenario(actors, heldBy("a")))).toMatch(/told stored/);
  });

  it("the look before the temp", () => {
    const actors = [holder("a", looksEarly), opener("b")];
    expect(violationOf(scenario(actors, heldBy("a")))).toMatch(/told stored/);
  });

  it("the new owner serves while it still clears", () => {
    const actors = [holder("a"), hastyOpener("b")];
    expect(violationOf(scenario(actors, heldBy("a")))).toMatch(/told stored/);
  });

  it("a heartbeat that writes the lock by its path", () => {
    const actors = [holder("a"), heartbeat("h", beatByPath), opener("b")];
    expect(violationOf(scenario(actors, heldBy("a")))).toMatch(/told stored/);
  });
});

const MARKERS = Buffer.from(rootStateBytes({ bootId: "boot", due: "markers" })).toString();
const INDEX = Buffer.from(rootStateBytes({ bootId: "boot", due: { index: "i" } })).toString();
const DUE = { queue: "deliver", at: epochMs(1) } as const;
const MARKER = markerPath(root, place.key, DUE, uOf("1"));

/** Takes the folder, turns its markers into an index, and lets go again. */
function converter(letter: string): Actor {
  return {
    name: letter,
    *start(hands) {
      const claim = claimOf(hands, letter);
      const taken = yield* takeFolderLock(claim);
      if (taken.kind !== "taken") return { kind: taken.kind };
      yield* clearAllTemps(hands.disk, [root.temps]);
      yield "marker.find";
      const markers = hands.disk.list(join(MARKER, ".."));
      const task = { place: statePlace(root), u: uOf("d"), expected: versionOfText(MARKERS) };
      yield* writeOwned(hands.disk, claim.u, { ...task, bytes: bytesOf(INDEX) });
      yield* releaseFolderLock(claim, taken.fd);
      return { kind: "converted", markers };
    },
  };
}

/** Creates a record with a marker, as of the time when the index was found to be markers. */
function markedCreator(letter: string, flaw: Flaw = flawless): Actor {
  return {
    name: letter,
    start(hands) {
      const rootStamp = nodeDisk().stamp(root.state);
      const attempt = attemptOf(world, { ...hands, disk: flaw(hands.disk) }, letter);
      const marker = { create: MARKER, rootStamp, remove: null };
      return createRecord(attempt, { bytes: bytesOf(letter), marker });
    },
  };
}

function unknownToIndex(results: Results): string | null {
  const created = results.get("1") as Told | undefined;
  const owner = results.get("a") as Told | undefined;
  if (created?.kind !== "stored" || owner?.kind !== "converted") return null;
  const isKnown = owner.markers?.some((name) => MARKER.endsWith(name)) === true;
  return isKnown ? null : "a record is due that neither the index nor a reader of it knows";
}

describe("a creator beside an owner that comes and goes (7.6, 9)", () => {
  const given = (creator: Actor): Scenario =>
    scenario([creator, converter("a")], {
      prepare: () => world.reset({ [root.state]: MARKERS }),
      atEnd: unknownToIndex,
    });

  it("never relies on a marker that the owner's index does not know", () => {
    expect(exploreAll(given(markedCreator("1"))).violation).toBeNull();
  });

  it("would, if it did not look whether holdfast.json is still the same", () => {
    const trusting: Flaw = (disk) => ({ ...disk, stamp: () => null });
    const creator: Actor = {
      name: "1",
      start(hands) {
        const attempt = attemptOf(world, { ...hands, disk: trusting(hands.disk) }, "1");
        const marker = { create: MARKER, rootStamp: null, remove: null };
        return createRecord(attempt, { bytes: bytesOf("1"), marker });
      },
    };
    expect(exploreAll(given(creator)).violation?.message).toMatch(/neither the index/);
  });
});
