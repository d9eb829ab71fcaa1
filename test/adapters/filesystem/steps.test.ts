/** The order of system calls behind an acknowledgement, and what becomes of errors of the system. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { type Disk, namesIn, nodeDisk } from "../../../adapters/storage/filesystem/disk.ts";
import { writeBatch } from "../../../adapters/storage/filesystem/folder-writes.ts";
import type { Attempt } from "../../../adapters/storage/filesystem/key-lock.ts";
import {
  createRecord,
  NO_MARKER,
  updateRecord,
  type WriteVerdict,
} from "../../../adapters/storage/filesystem/key-writes.ts";
import { type RecordPlace, recordPlace } from "../../../adapters/storage/filesystem/layout.ts";
import { lockText } from "../../../adapters/storage/filesystem/lock-file.ts";
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
    run: (disk) => batch(disk, versionOf(FIRST)),
  },
  "a creation by the folder's owner": { prepare: own, run: (disk) => batch(disk, "absent") },
};

function attempt(disk: Disk): Attempt {
  const u = uOf("a");
  return { disk, place, u, lockText: lockText(u, PROCESS, null), isStale: () => false };
}

function own(): void {
  writeFileSync(place.root.folderLock, lockText(FOLDER_U, PROCESS, null));
}

function batch(disk: Disk, expected: "absent" | ReturnType<typeof versionOf>): Outcome["verdict"] {
  const tasks = [{ place, u: uOf("a"), expected, bytes: SECOND }];
  return runSteps(writeBatch(disk, FOLDER_U, tasks))[0] ?? { kind: "none" };
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

describe("a batch of the folder's owner", () => {
  it("gives each record its own verdict: the error of one fails no other (7.6, 4)", () => {
    own();
    const names = ["full", "stored", "exists", "stale"] as const;
    const directory = join(place.root.directory, "..");
    const places = names.map((name) => recordPlace({ directory, external: {} }, job(name)));
    for (const at of [2, 3]) {
      const one = places[at];
      if (one !== undefined) writeFileSync(one.file, FIRST);
    }
    const disk = recording([], (method, nth) =>
      method === "write" && nth === 1 ? "ENOSPC" : null,
    );
    const verdicts = runSteps(
      writeBatch(
        disk,
        FOLDER_U,
        places.map((one, at) => ({
          place: one,
          u: uOf(String(at)),
          expected: names[at] === "stale" ? versionOf(SECOND) : ("absent" as const),
          bytes: SECOND,
        })),
      ),
    );
    expect(verdicts.map((verdict) => verdict.kind)).toEqual([
      "failed",
      "stored",
      "refused",
      "refused",
    ]);
    expect(leftInTemps()).toEqual([]);
  });

  it("looks once, and syncs each directory once, however many records there are (7.6, 4)", () => {
    own();
    const calls: Call[] = [];
    const disk = recording(calls, never);
    const looks: string[] = [];
    const watched: Disk = {
      ...disk,
      read(path) {
        if (path === place.root.folderLock) looks.push(path);
        return disk.read(path);
      },
    };
    const directory = join(place.root.directory, "..");
    const tasks = Array.from({ length: 5 }, (_, at) => ({
      place: recordPlace({ directory, external: {} }, job(`r${at}`)),
      u: uOf(String(at)),
      expected: "absent" as const,
      bytes: SECOND,
    }));
    runSteps(writeBatch(watched, FOLDER_U, tasks));
    expect(looks).toHaveLength(1);
    expect(calls.filter(([method]) => method === "syncDirectory")).toHaveLength(1);
  });
});
