/** One due index made of those of several roots (http-api "Folder"). */
import { describe, expect, it } from "vitest";
import { mergedPage, type RootWalk } from "../../../adapters/storage/filesystem/due-merge.ts";
import type { RootPage } from "../../../adapters/storage/filesystem/due-page.ts";
import { key } from "../../../src/core/key.ts";
import { epochMs } from "../../../src/core/time.ts";
import type { Cursor } from "../../../src/ports/backend.ts";

interface FakeRoot extends RootWalk {
  /** What the index holds; may be changed between two pages. */
  times: readonly number[];
  fault: Error | null;
  /** While the index is rebuilt. */
  progress: Promise<void> | null;
}

function fakeRoot(root: string, times: readonly number[]): FakeRoot {
  const fake: FakeRoot = {
    root,
    times,
    fault: null,
    progress: null,
    async read(position, limit): Promise<RootPage> {
      if (fake.fault !== null) throw fake.fault;
      const all = fake.times
        .map((at, n) => ({ at, position: `${String(at).padStart(13, "0")}.jobs/${n}` }))
        .sort((one, other) => (one.position < other.position ? -1 : 1))
        .filter((one) => one.position > position);
      const entries = all.slice(0, limit).map(({ at, position: name }) => ({
        position: name,
        entry: {
          key: key(`${root}/${name.slice(14)}`),
          queue: "attend" as const,
          at: epochMs(at),
          name,
          writtenAt: null,
        },
      }));
      return { entries, hasMore: all.length > limit, progress: fake.progress };
    },
  };
  return fake;
}

/** All of a walk, as `root@time`, and how many pages it took. */
async function walked(roots: readonly RootWalk[], limit: number, from: Cursor | null = null) {
  const met: string[] = [];
  let cursor = from;
  for (let pages = 1; pages < 100; pages += 1) {
    const page = await mergedPage(roots, { cursor, limit });
    expect(page.entries.length).toBeLessThanOrEqual(limit);
    met.push(...page.entries.map((entry) => `${entry.key.split("/")[0]}@${entry.at}`));
    cursor = page.cursor;
    if (cursor === null) return { met, pages };
  }
  throw new Error("the walk does not end");
}

const ALL = ["a@1", "b@1", "a@2", "b@2", "c@2", "a@5", "c@9"];

const three = () => [fakeRoot("b", [1, 2]), fakeRoot("a", [1, 2, 5]), fakeRoot("c", [9, 2])];

describe("the due entries of several roots", () => {
  it.each([1, 2, 3, 7, 100])("are met once and in order, %s a page", async (limit) => {
    expect((await walked(three(), limit)).met).toEqual(ALL);
  });

  it("are one page where they fit one", async () => {
    expect((await walked(three(), 100)).pages).toBe(1);
    expect((await walked([], 100)).pages).toBe(1);
  });

  it("of which some are many at one instant are met once", async () => {
    const roots = [fakeRoot("a", [3, 3, 3, 3]), fakeRoot("b", [3, 3, 3])];
    expect((await walked(roots, 2)).met).toEqual([..."aaaabbb"].map((root) => `${root}@3`));
  });

  it("are given without those of a root that fails, which is told at the end", async () => {
    const roots = three();
    const [, bad] = roots;
    if (bad === undefined) throw new Error("no root");
    bad.fault = new Error("its disk is gone");
    const first = await mergedPage(roots, { cursor: null, limit: 100 });
    expect(first.entries.map((entry) => entry.at)).toEqual([1, 2, 2, 9]);
    await expect(mergedPage(roots, { cursor: first.cursor, limit: 100 })).rejects.toThrow("disk");
    bad.fault = null;
    expect((await walked(roots, 2, first.cursor)).met).toEqual(["a@1", "a@2", "a@5"]);
  });

  it("of a root that failed half-way go on where it was", async () => {
    const roots = three();
    const [, bad] = roots;
    if (bad === undefined) throw new Error("no root");
    const first = await mergedPage(roots, { cursor: null, limit: 3 });
    bad.fault = new Error("its disk is gone");
    const second = await mergedPage(roots, { cursor: first.cursor, limit: 100 });
    bad.fault = null;
    const { met } = await walked(roots, 100, second.cursor);
    expect(second.entries.map((entry) => entry.at)).toEqual([2, 2, 9]);
    expect(met).toEqual(["a@5"]);
  });

  it("are not held up by a root that is rebuilt, whose late finds are met as well", async () => {
    const roots = three();
    const [rebuilt] = roots;
    if (rebuilt === undefined) throw new Error("no root");
    let proceed = (): void => {};
    rebuilt.progress = new Promise((resolve) => {
      proceed = resolve;
    });
    const first = await mergedPage(roots, { cursor: null, limit: 100 });
    expect(first.entries).toHaveLength(ALL.length);
    const waiting = mergedPage(roots, { cursor: first.cursor, limit: 100 });
    rebuilt.times = [1, 2, 0];
    rebuilt.progress = null;
    proceed();
    const { entries, cursor } = await waiting;
    expect(entries).toEqual([]);
    expect((await walked(roots, 100, cursor)).met).toContain("b@0");
  });

  it.each(["nowhere", "a:1", "a:0000000000001.x b", "0000000000001/emails/jobs/x"])(
    "are walked from their beginning for %s, which is no place of theirs",
    async (cursor) => {
      const page = await mergedPage(three(), { cursor: cursor as Cursor, limit: 1 });
      expect(page).toEqual(await mergedPage(three(), { cursor: null, limit: 1 }));
    },
  );
});
