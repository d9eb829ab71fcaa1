/** Every order of the steps of writers, of their due markers, and of a sweep (protocols 7.4). */
import { join } from "node:path";
import { afterAll, describe, expect, it, vi } from "vitest";
import { type Disk, namesIn } from "../../../adapters/storage/filesystem/disk.ts";
import {
  beginMend,
  endMend,
  markerPath,
} from "../../../adapters/storage/filesystem/due-markers.ts";
import { lockKey, unlockKey } from "../../../adapters/storage/filesystem/key-lock.ts";
import {
  type Change,
  createMarker,
  createRecord,
  findMarkers,
  folderObstacle,
  type OldMarkers,
  publish,
  removeMarkers,
  updateRecord,
  type WriteVerdict,
} from "../../../adapters/storage/filesystem/key-writes.ts";
import {
  markerBucket,
  markerPrefix,
  parseMarker,
} from "../../../adapters/storage/filesystem/marker-names.ts";
import type { Steps } from "../../../adapters/storage/filesystem/steps.ts";
import { linkTemp, tempPath, writeTemp } from "../../../adapters/storage/filesystem/temp-file.ts";
import type { Due } from "../../../src/core/machine.ts";
import { epochMs } from "../../../src/core/time.ts";
import { type Actor, exploreAll, exploreSome, type Hands, type Scenario } from "./explorer.ts";
import { attemptOf, bytesOf, createWorld, uOf, versionOfText } from "./world.ts";

// Some explore many thousands of schedules; how long that takes is not what is tested.
vi.setConfig({ testTimeout: 120_000 });

const world = createWorld();
afterAll(() => world.remove());

const { place } = world;
const due = (at: number): Due => ({ queue: "deliver", at: epochMs(at) });
const BUCKET = join(place.root.due, markerBucket(due(1)));

/** A record's content tells when it is due: `a@2` was written by a. */
const dueOfText = (text: string): Due => due(Number(text.slice(text.indexOf("@") + 1)));
const pathFor = (text: string, letter: string): string =>
  markerPath(place.root, place.key, dueOfText(text), uOf(letter));

/** Found by listing, as by a process that made none of the markers. */
function oldOf(text: string): OldMarkers {
  return { directory: BUCKET, name: markerPrefix(place.key, dueOfText(text)), isWhole: false };
}

function changeTo(text: string, from: string | null): Change {
  const isMoved = from === null || dueOfText(from).at !== dueOfText(text).at;
  return {
    bytes: bytesOf(text),
    marker: {
      create: isMoved ? pathFor(text, text.slice(0, 1)) : null,
      rootStamp: null,
      remove: isMoved && from !== null ? oldOf(from) : null,
    },
  };
}

function updater(from: string, to: string): Actor {
  const name = to.slice(0, 1);
  return {
    name,
    start: (hands) =>
      updateRecord(attemptOf(world, hands, name), versionOfText(from), changeTo(to, from)),
  };
}

function creator(text: string): Actor {
  const name = text.slice(0, 1);
  return {
    name,
    start: (hands) => createRecord(attemptOf(world, hands, name), changeTo(text, null)),
  };
}

/** Finds every marker, and mends each. */
function sweeper(name: string): Actor {
  return {
    name,
    *start(hands) {
      yield "marker.find";
      for (const file of hands.disk.list(BUCKET)) {
        const attempt = attemptOf(world, hands, name);
        const found = yield* beginMend(attempt);
        if (found === "busy") continue;
        const at = parseMarker(file)?.at;
        const text = found.bytes === null ? null : Buffer.from(found.bytes).toString();
        const isDue = text !== null && dueOfText(text).at === at;
        yield* endMend(attempt, isDue ? null : join(BUCKET, file));
      }
      return { kind: "swept" };
    },
  };
}

/** 7.4: whatever is stored has a marker at its due time, at every moment. */
function lacksMarker(): string | null {
  const text = world.text(place.file);
  if (text === null) return null;
  const prefix = markerPrefix(place.key, dueOfText(text));
  const isThere = namesIn(BUCKET).some((name) => name.startsWith(prefix));
  return isThere ? null : `${text} is stored, and has no marker`;
}

function scenario(
  actors: readonly Actor[],
  options: { first: string | null; crashes: number },
): Scenario {
  const { first, crashes } = options;
  const files = first === null ? {} : { [place.file]: first, [pathFor(first, "0")]: "" };
  return {
    actors,
    crashes,
    prepare: () => world.reset(files),
    snapshot: world.snapshot,
    always: lacksMarker,
    atEnd: () => null,
  };
}

describe("due markers as files, in every order", () => {
  it("a creator beside a sweep, one of which dies (7.4)", () => {
    const found = exploreAll(scenario([creator("a@1"), sweeper("c")], { first: null, crashes: 1 }));
    expect(found.violation).toBeNull();
  });

  it("two creators beside a sweep (7.8)", () => {
    const actors = [creator("a@1"), creator("b@2"), sweeper("c")];
    expect(exploreAll(scenario(actors, { first: null, crashes: 0 })).violation).toBeNull();
  });

  it("a writer beside a sweep, one of which dies (7.4)", () => {
    const actors = [updater("0@1", "a@2"), sweeper("c")];
    expect(exploreAll(scenario(actors, { first: "0@1", crashes: 1 })).violation).toBeNull();
  });

  it("two writers that move the record there and back", () => {
    const actors = [updater("0@1", "a@2"), updater("a@2", "b@1")];
    expect(exploreAll(scenario(actors, { first: "0@1", crashes: 1 })).violation).toBeNull();
  });

  it("two writers beside a sweep, in random orders (7.8)", () => {
    const actors = [updater("0@1", "a@2"), updater("a@2", "b@1"), sweeper("c")];
    const options = { first: "0@1", crashes: 1 };
    expect(exploreSome(scenario(actors, options), { seed: 11, runs: 1_500 }).violation).toBeNull();
  });

  it("a writer that keeps the due time beside a sweep and one that changes it", () => {
    const actors = [updater("0@1", "a@1"), updater("a@1", "b@2"), sweeper("c")];
    const options = { first: "0@1", crashes: 0 };
    expect(exploreSome(scenario(actors, options), { seed: 13, runs: 1_500 }).violation).toBeNull();
  });
});

/** 7.2, Create, with the marker before the temp. */
function* markerFirst(hands: Hands, text: string): Steps<WriteVerdict> {
  const attempt = attemptOf(world, hands, text.slice(0, 1));
  const change = changeTo(text, null);
  const temp = tempPath(place, attempt.u, "new");
  yield* createMarker(hands.disk, change.marker);
  yield* writeTemp(hands.disk, temp, change.bytes);
  const obstacle = yield* folderObstacle(attempt, change.marker);
  const outcome = obstacle ?? (yield* linkTemp(hands.disk, temp, place.file));
  return outcome === "done" ? { kind: "stored", version: versionOfText(text) } : { kind: "fenced" };
}

/** 7.2, Update, looking for the old marker when the rename is done. */
function* findAfterwards(hands: Hands, from: string, to: string): Steps<WriteVerdict> {
  const attempt = attemptOf(world, hands, to.slice(0, 1));
  const change = changeTo(to, from);
  const temp = tempPath(place, attempt.u, "upd");
  if ((yield* lockKey(attempt)) === "busy") return { kind: "busy" };
  yield* writeTemp(hands.disk, temp, change.bytes);
  yield* createMarker(hands.disk, change.marker);
  const outcome = yield* publish(attempt, temp, change.marker);
  if (outcome === "done") {
    yield* removeMarkers(hands.disk, yield* findMarkers(hands.disk, oldOf(from)));
  }
  yield* unlockKey(attempt);
  return outcome === "done" ? { kind: "stored", version: versionOfText(to) } : { kind: "fenced" };
}

describe("the explorer finds each step that is missing (7.3, 7.4)", () => {
  it("the marker of a creation before its temp", () => {
    const early: Actor = { name: "a", start: (hands) => markerFirst(hands, "a@1") };
    const found = exploreAll(scenario([early, sweeper("c")], { first: null, crashes: 0 }));
    expect(found.violation?.message).toMatch(/has no marker/);
  });

  it("a sweep that does not clear the temps", () => {
    const blind = (disk: Disk): Disk => ({
      ...disk,
      list: (path) => (path === place.root.temps ? [] : disk.list(path)),
    });
    const sweep: Actor = {
      name: "s",
      start: (hands) => sweeper("c").start({ ...hands, disk: blind(hands.disk) }),
    };
    const found = exploreAll(scenario([creator("a@1"), sweep], { first: null, crashes: 0 }));
    expect(found.violation?.message).toMatch(/has no marker/);
  });

  it("old markers looked for after the rename: those of the next writer are removed too", () => {
    const late: Actor = { name: "a", start: (hands) => findAfterwards(hands, "0@1", "a@2") };
    const actors = [late, updater("a@2", "b@1")];
    const found = exploreAll(scenario(actors, { first: "0@1", crashes: 0 }));
    expect(found.violation?.message).toMatch(/has no marker/);
  });
});
