/** The due index of an exclusive owner, and its file (protocols 7.6, 9). */
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  type DueIndexFile,
  loadDueIndex,
  newDueIndex,
} from "../../../adapters/storage/filesystem/due-index.ts";
import { epochMs } from "../../../src/core/time.ts";
import { deliver, newDirectory } from "./fixture.ts";

const END = epochMs(9_000_000_000_000);

function found(index: DueIndexFile | null): string[] {
  return (index?.page("deliver", END, "", 1_000_000) ?? []).map(({ at, rest }) => `${at} ${rest}`);
}

describe("the index file", () => {
  it("holds what was added and not removed, in the order of time, then of keys", async () => {
    const path = join(newDirectory(), "log");
    const index = newDueIndex(path);
    for (const [at, rest] of [
      [3, "jobs/a"],
      [1, "jobs/c"],
      [1, "jobs/b"],
      [2, "jobs/d"],
    ] as const) {
      expect(index.add(deliver(at), rest)).toBe(true);
    }
    expect(index.add(deliver(3), "jobs/a")).toBe(false);
    index.remove(deliver(2), "jobs/d");
    index.remove(deliver(2), "jobs/never");
    index.close();
    expect(found(await loadDueIndex(path))).toEqual(["1 jobs/b", "1 jobs/c", "3 jobs/a"]);
    expect(readFileSync(path, "utf8").split("\n")).toHaveLength(6);
  });

  it("gives pages that go on after an entry, up to and including `until`", () => {
    const index = newDueIndex(join(newDirectory(), "log"));
    for (let at = 0; at < 10; at += 1) index.add(deliver(at), "jobs/a");
    const first = index.page("deliver", epochMs(5), "", 4);
    expect(first.map(({ at }) => Number(at))).toEqual([0, 1, 2, 3]);
    const second = index.page("deliver", epochMs(5), "0000000000003.jobs/a", 4);
    expect(second.map(({ at }) => Number(at))).toEqual([4, 5]);
    expect(index.page("attend", epochMs(5), "", 4)).toEqual([]);
    index.close();
  });

  it("is rewritten once it has grown well past what is live, while it goes on changing", async () => {
    const directory = newDirectory();
    const index = newDueIndex(join(directory, "old"));
    for (let nth = 0; nth < 12_000; nth += 1) index.add(deliver(nth), `jobs/${nth}`);
    for (let round = 0; round < 30_000; round += 1) {
      index.add(deliver(99_000 + round), "jobs/moving");
      index.remove(deliver(99_000 + round), "jobs/moving");
    }
    expect(index.isOvergrown()).toBe(true);
    index.flush();
    let isCommitted = false;
    const moving = index.moveTo(join(directory, "new"), () => {
      isCommitted = true;
    });
    for (let nth = 0; nth < 12_000; nth += 3) {
      index.remove(deliver(nth), `jobs/${nth}`);
      index.add(deliver(nth + 50_000), `jobs/${nth}`);
      if (nth % 600 === 0) await new Promise((resolve) => setImmediate(resolve));
      index.flush();
    }
    await moving;
    expect(isCommitted).toBe(true);
    index.add(deliver(7), "jobs/late");
    const now = found(index);
    index.close();
    expect(index.isOvergrown()).toBe(false);
    const loaded = await loadDueIndex(join(directory, "new"));
    expect(found(loaded)).toEqual(now);
    loaded?.close();
  });

  it("stays where it is when the move is not committed", async () => {
    const directory = newDirectory();
    const index = newDueIndex(join(directory, "old"));
    index.add(deliver(1), "jobs/a");
    const refused = (): void => {
      throw new Error("refused");
    };
    await expect(index.moveTo(join(directory, "new"), refused)).rejects.toThrow("refused");
    index.add(deliver(2), "jobs/b");
    index.close();
    expect(found(await loadDueIndex(join(directory, "old")))).toEqual(["1 jobs/a", "2 jobs/b"]);
  });

  it("goes on in the same file after it was closed for a while", async () => {
    const path = join(newDirectory(), "log");
    const index = newDueIndex(path);
    index.add(deliver(1), "jobs/a");
    index.flush();
    index.release();
    index.add(deliver(2), "jobs/b");
    index.close();
    expect(found(await loadDueIndex(path))).toEqual(["1 jobs/a", "2 jobs/b"]);
  });

  it("is never written over: an opening takes a new name", () => {
    const directory = newDirectory();
    mkdirSync(join(directory, "x"));
    newDueIndex(join(directory, "log")).close();
    expect(() => newDueIndex(join(directory, "log"))).toThrow("EEXIST");
  });
});
