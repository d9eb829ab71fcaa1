/** How the writing thread waits for the disk: one write's wait is no other's (protocols 7.6, 4). */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { namesIn } from "../../../adapters/storage/filesystem/disk.ts";
import { writeOwned } from "../../../adapters/storage/filesystem/folder-writes.ts";
import { recordPlace } from "../../../adapters/storage/filesystem/layout.ts";
import { lockText } from "../../../adapters/storage/filesystem/lock-file.ts";
import {
  runWaiting,
  syncGroup,
  type ThreadDisk,
  threadDisk,
} from "../../../adapters/storage/filesystem/thread-disk.ts";
import { key } from "../../../src/core/key.ts";
import { bytesOf, PROCESS, uOf } from "./world.ts";

const directory = mkdtempSync(join(tmpdir(), "holdfast-thread-disk-"));
const placeOf = (name: string) =>
  recordPlace({ directory, external: {} }, key(`emails/jobs/${name}`));
const { root } = placeOf("any");
const OWNER = uOf("f");

beforeEach(() => {
  rmSync(root.directory, { recursive: true, force: true });
  for (const path of [placeOf("any").directory, root.temps]) mkdirSync(path, { recursive: true });
  writeFileSync(root.folderLock, lockText(OWNER, PROCESS, null));
});
afterAll(() => rmSync(directory, { recursive: true }));

const write = (disk: ThreadDisk, name: string, u = "a") =>
  runWaiting(
    disk,
    writeOwned(disk, OWNER, {
      place: placeOf(name),
      u: uOf(u),
      expected: "absent",
      bytes: bytesOf(name),
    }),
  );

/** A disk whose fsyncs of files end when, and as, the test says. */
function heldDisk(): { disk: ThreadDisk; held: { end: () => void; fail: () => void }[] } {
  const real = threadDisk();
  const held: { end: () => void; fail: () => void }[] = [];
  let begun: Promise<void> | null = null;
  const disk: ThreadDisk = {
    ...real,
    sync() {
      begun = new Promise((resolve, reject) => {
        held.push({ end: resolve, fail: () => reject(new Error("EIO")) });
      });
    },
    takeSync() {
      const own = begun;
      begun = null;
      return own ?? real.takeSync();
    },
  };
  return { disk, held };
}

describe("the writing thread", () => {
  it("stores many records at once, each under its own verdict", async () => {
    const disk = threadDisk();
    const names = Array.from({ length: 20 }, (_, n) => `r${n}`);
    writeFileSync(placeOf("r7").file, "already there");
    const verdicts = await Promise.all(names.map((name) => write(disk, name)));
    const kinds = verdicts.map(({ kind }) => kind);
    expect(kinds.filter((kind) => kind === "stored")).toHaveLength(19);
    expect(kinds[7]).toBe("refused");
    expect(readFileSync(placeOf("r19").file, "utf8")).toBe("r19");
    expect(namesIn(root.temps)).toEqual([]);
  });

  it("goes on with other writes while one waits for the disk", async () => {
    const { disk, held } = heldDisk();
    const slow = write(disk, "slow");
    const fast = write(disk, "fast", "b");
    held[1]?.end();
    expect((await fast).kind).toBe("stored");
    expect(namesIn(placeOf("slow").directory)).toEqual(["fast.json"]);
    held[0]?.end();
    expect((await slow).kind).toBe("stored");
  });

  it("fails the write whose fsync failed, with nothing written, and no other (EMAIL-9)", async () => {
    const { disk, held } = heldDisk();
    const bad = write(disk, "bad");
    const good = write(disk, "good", "b");
    held[0]?.fail();
    held[1]?.end();
    await expect(bad).rejects.toThrow("EIO");
    expect((await good).kind).toBe("stored");
    expect(namesIn(placeOf("bad").directory)).toEqual(["good.json"]);
    expect(namesIn(root.temps)).toEqual([]);
  });
});

describe("an fsync of a directory", () => {
  function held() {
    const runs: { end: () => void; fail: (error: Error) => void }[] = [];
    const group = syncGroup(
      () => new Promise((resolve, reject) => void runs.push({ end: resolve, fail: reject })),
    );
    return { runs, group };
  }
  const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

  it("serves nobody who came after it began: those share the next one", async () => {
    const { runs, group } = held();
    const ended: number[] = [];
    for (const n of [1, 2, 3]) void group().then(() => ended.push(n));
    await settle();
    expect(runs).toHaveLength(1);
    runs[0]?.end();
    await settle();
    expect(ended).toEqual([1]);
    expect(runs).toHaveLength(2);
    runs[1]?.end();
    await settle();
    expect(ended).toEqual([1, 2, 3]);
    expect(runs).toHaveLength(2);
  });

  it("that fails fails those it was for, and the next is tried all the same", async () => {
    const { runs, group } = held();
    const first = group();
    const second = group();
    runs[0]?.fail(new Error("EIO"));
    await expect(first).rejects.toThrow("EIO");
    await settle();
    runs[1]?.end();
    await second;
    expect(runs).toHaveLength(2);
  });
});
