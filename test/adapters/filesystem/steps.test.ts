/** The order of system calls behind an acknowledgement, and what becomes of errors of the system. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { beforeEach, describe, expect, it } from "vitest";
import { type Disk, namesIn, nodeDisk } from "../../../adapters/storage/filesystem/disk.ts";
import { beginMend } from "../../../adapters/storage/filesystem/due-markers.ts";
import { writeOwned } from "../../../adapters/storage/filesystem/folder-writes.ts";
import type { Attempt } from "../../../adapters/storage/filesystem/key-lock.ts";
import {
  createRecord,
  NO_MARKER,
  updateRecord,
  type WriteVerdict,
} from "../../../adapters/storage/filesystem/key-writes.ts";
import { type RecordPlace, recordPlace } from "../../../adapters/storage/filesystem/layout.ts";
import { lockText, parseLock } from "../../../adapters/storage/filesystem/lock-file.ts";
import { versionOf } from "../../../adapters/storage/filesystem/record-bytes.ts";
import { runSteps } from "../../../adapters/storage/filesystem/steps.ts";
import { job, newDirectory } from "./fixture.ts";
import { PROCESS, uOf } from "./world.ts";

const FIRST = Buffer.from("first");
const SECOND = Buffer.from("second");
const FOLDER_U = uOf("f");

let place: RecordPlace;

beforeEach(() => {
  place = recordPlace({ directory: newDirectory(), external: {} }, job("a"));
  for (const path of [place.directory, place.root.locks, place.root.temps]) {
    mkdirSync(path, { recursive: true });
  }
});

type Call = readonly [method: string, name: string];

/** Calls that change something or make it durable, by the name of the file they are about. */
function recording(calls: Call[], fail: (method: string, nth: number) => string | null): Disk {
  const disk = nodeDisk();
  const open = new Map<number, string>();
  const counts = new Map<string, number>();
  const nameOf = (path: string): string =>
    path
      .replace(`${place.root.directory}/`, "")
      .replaceAll(place.id, "ID")
      .replaceAll(uOf("a"), "U");
  const note = (method: string, path: string): void => {
    const nth = (counts.get(method) ?? 0) + 1;
    counts.set(method, nth);
    calls.push([method, nameOf(path)]);
    const code = fail(method, nth);
    if (code !== null) throw Object.assign(new Error(`${code}: ${path}`), { code });
  };
  return {
    ...disk,
    create(path) {
      note("create", path);
      const fd = disk.create(path);
      open.set(fd, path);
      return fd;
    },
    write(fd, bytes) {
      note("write", open.get(fd) ?? "");
      disk.write(fd, bytes);
    },
    sync(fd) {
      note("sync", open.get(fd) ?? "");
      disk.sync(fd);
    },
    rename(from, to) {
      note("rename", from);
      disk.rename(from, to);
    },
    link(from, to) {
      note("link", from);
      disk.link(from, to);
    },
    unlink(path) {
      note("unlink", path);
      return disk.unlink(path);
    },
    syncDirectory(path, isLasting) {
      note("syncDirectory", path);
      disk.syncDirectory(path, isLasting);
    },
    pause: () => void calls.push(["pause", ""]),
  };
}

interface Outcome {
  readonly verdict: WriteVerdict | { readonly kind: string; readonly error?: unknown };
  readonly calls: readonly Call[];
}

type Fail = (method: string, nth: number) => string | null;
const never: Fail = () => null;

const kinds: Record<string, { prepare(): void; run(disk: Disk): Outcome["verdict"] }> = {
  "an update under a key's lock": {
    prepare: () => writeFileSync(place.file, FIRST),
    run: (disk) =>
      runSteps(updateRecord(attempt(disk), versionOf(FIRST), { bytes: SECOND, marker: NO_MARKER })),
  },
  "a creation beside processes": {
    prepare() {},
    run: (disk) => runSteps(createRecord(attempt(disk), { bytes: SECOND, marker: NO_MARKER })),
  },
  "an update by the folder's owner": {
    prepare() {
      own();
      writeFileSync(place.file, FIRST);
    },
    run: (disk) => ownedWrite(disk, versionOf(FIRST)),
  },
  "a creation by the folder's owner": { prepare: own, run: (disk) => ownedWrite(disk, "absent") },
};

function attempt(disk: Disk): Attempt {
  const u = uOf("a");
  return { disk, place, u, lockText: lockText(u, PROCESS, null), isStale: () => false };
}

function own(): void {
  writeFileSync(place.root.folderLock, lockText(FOLDER_U, PROCESS, null));
}

function ownedWrite(disk: Disk, expected: "absent" | ReturnType<typeof versionOf>) {
  return runSteps(writeOwned(disk, FOLDER_U, { place, u: uOf("a"), expected, bytes: SECOND }));
}

function attemptWith(name: string, fail: Fail): Outcome {
  const kind = kinds[name];
  if (kind === undefined) throw new Error(name);
  kind.prepare();
  const calls: Call[] = [];
  try {
    return { verdict: kind.run(recording(calls, fail)), calls };
  } catch (error) {
    return { verdict: { kind: "failed", error }, calls };
  }
}

const leftInTemps = (): readonly string[] => namesIn(place.root.temps);
const isUpdate = (name: string): boolean => name.includes("update");

for (const name of Object.keys(kinds)) {
  describe(name, () => {
    const publish = isUpdate(name) ? "rename" : "link";

    it("is acknowledged after file, name and directory are durable, in this order (EMAIL-67)", () => {
      const { verdict, calls } = attemptWith(name, never);
      expect(verdict).toEqual({ kind: "stored", version: versionOf(SECOND) });
      expect(readFileSync(place.file)).toEqual(SECOND);
      const temp = `tmp/ID.U.${isUpdate(name) ? "upd" : "new"}`;
      const steps = calls.filter(([, path]) => !path.startsWith("locks/"));
      expect(steps.slice(0, 5)).toEqual([
        ["create", temp],
        ["write", temp],
        ["sync", temp],
        [publish, temp],
        ["syncDirectory", "jobs"],
      ]);
      expect(leftInTemps()).toEqual([]);
      expect(namesIn(place.root.locks)).toEqual([]);
    });

    it.each(["create", "write", "sync"])(
      "an error of %s writes nothing and leaves nothing (EMAIL-9)",
      (method) => {
        // The first file that an update creates and writes is its lock, not its temp.
        const nth = name.includes("lock") && method !== "sync" ? 2 : 1;
        const { verdict } = attemptWith(name, (at, count) =>
          at === method && count === nth ? "ENOSPC" : null,
        );
        expect(verdict.kind).toBe("failed");
        expect(leftInTemps()).toEqual([]);
        expect(namesIn(place.root.locks)).toEqual([]);
        expect(namesIn(place.directory)).toHaveLength(isUpdate(name) ? 1 : 0);
      },
    );

    it("an error of the directory's fsync is healed by a second one that succeeds (protocols 0)", () => {
      const { verdict } = attemptWith(name, (at, count) =>
        at === "syncDirectory" && count === 1 ? "EIO" : null,
      );
      expect(verdict.kind).toBe("stored");
    });

    it("a second error of the directory's fsync leaves it unknown (protocols 0)", () => {
      const { verdict } = attemptWith(name, (at) => (at === "syncDirectory" ? "EIO" : null));
      expect(verdict.kind).toBe("unknown");
      expect(readFileSync(place.file)).toEqual(SECOND);
    });

    it("a read-only disk is told, and nothing is written", () => {
      const { verdict } = attemptWith(name, (at) => (at === publish ? "EROFS" : null));
      expect(verdict.kind).toBe("failed");
      expect(leftInTemps()).toEqual([]);
    });
  });
}

for (const name of Object.keys(kinds).filter(isUpdate)) {
  describe(`${name}, where the system refuses the rename (peer fault 16)`, () => {
    it.each(["EPERM", "EBUSY"])("looks at the lock and renames again after %s", (code) => {
      const { verdict, calls } = attemptWith(name, (at, count) =>
        at === "rename" && count <= 2 ? code : null,
      );
      expect(verdict.kind).toBe("stored");
      expect(calls.filter(([method]) => method === "pause")).toHaveLength(2);
    });

    it("gives up after a few times, with nothing written", () => {
      const { verdict } = attemptWith(name, (at) => (at === "rename" ? "EBUSY" : null));
      expect(verdict.kind).toBe("fenced");
      expect(readFileSync(place.file)).toEqual(FIRST);
      expect(leftInTemps()).toEqual([]);
    });
  });
}

describe("what a refusal shows of somebody else's write is durable by then (G4)", () => {
  const change = { bytes: Buffer.from("third"), marker: NO_MARKER };
  const other = (): Attempt => {
    const u = uOf("b");
    return { ...attempt(nodeDisk()), u, lockText: lockText(u, PROCESS, null) };
  };

  /** Stops between the moment in which the record is there and the one in which it is durable. */
  function beginWrite(steps: ReturnType<typeof createRecord>): void {
    let next = steps.next();
    while (next.done !== true && next.value !== "directory.sync") next = steps.next();
    expect(readFileSync(place.file)).toEqual(SECOND);
  }

  it.each([
    [
      "a creation, whose temp is cleared",
      () => createRecord(other(), { ...change, bytes: SECOND }),
    ],
    [
      "an update, whose lock is taken over",
      () => {
        writeFileSync(place.file, FIRST);
        return updateRecord(other(), versionOf(FIRST), { ...change, bytes: SECOND });
      },
    ],
  ])("of %s", (_name, write) => {
    beginWrite(write());
    const calls: Call[] = [];
    const late = { ...attempt(recording(calls, never)), isStale: () => true };
    const verdict = runSteps(updateRecord(late, versionOf(FIRST), change));
    expect(verdict).toMatchObject({ kind: "refused", current: new Uint8Array(SECOND) });
    expect(calls).toContainEqual(["syncDirectory", "jobs"]);
  });

  it("of an update that goes on", () => {
    writeFileSync(place.file, FIRST);
    beginWrite(updateRecord(other(), versionOf(FIRST), { ...change, bytes: SECOND }));
    const calls: Call[] = [];
    const verdict = runSteps(
      updateRecord(attempt(recording(calls, never)), versionOf(FIRST), change),
    );
    expect(verdict).toMatchObject({ kind: "refused", current: new Uint8Array(SECOND) });
    expect(calls).toEqual([
      ["create", "locks/ID.lock"],
      ["syncDirectory", "jobs"],
    ]);
  });

  it("of a creation that a mending fences", () => {
    beginWrite(createRecord(other(), { ...change, bytes: SECOND }));
    const calls: Call[] = [];
    expect(runSteps(beginMend(attempt(recording(calls, never))))).toEqual({
      bytes: new Uint8Array(SECOND),
    });
    expect(calls.at(-1)).toEqual(["syncDirectory", "jobs"]);
  });
});

describe("a writer whose lock was taken before its rename", () => {
  it("is fenced, and lets the lock of the other one stand (EMAIL-65)", () => {
    writeFileSync(place.file, FIRST);
    const change = { bytes: SECOND, marker: NO_MARKER };
    const steps = updateRecord(attempt(nodeDisk()), versionOf(FIRST), change);
    let next = steps.next();
    while (next.done !== true && next.value !== "lock.check") next = steps.next();
    writeFileSync(place.lock, lockText(uOf("b"), PROCESS, null));
    expect(runSteps(steps)).toEqual({ kind: "fenced" });
    expect(readFileSync(place.file)).toEqual(FIRST);
    expect(parseLock(readFileSync(place.lock)).u).toBe(uOf("b"));
    expect(leftInTemps()).toEqual([]);
  });
});
