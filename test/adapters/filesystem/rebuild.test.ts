/** Rebuilding the due index after a reboot or damage (protocols 7.6, 9; design 5). */
import { existsSync, mkdirSync, readFileSync, unlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { lockText, thisProcess } from "../../../adapters/storage/filesystem/lock-file.ts";
import { sha256Hex } from "../../../src/core/hash.ts";
import type { Backend } from "../../../src/ports/backend.ts";
import {
  allDue,
  bodyOf,
  deliver,
  dueKeys,
  dueOfBackend,
  FOR_EVER,
  type FolderBench,
  folderBench,
  idOf,
  job,
  put,
  store,
  tree,
} from "./fixture.ts";
import { uOf } from "./world.ts";

const self = thisProcess();
const NEXT_BOOT = { ...self, bootId: "00000000-0000-4000-8000-000000000002" };
const NO_BOOTS = { ...self, bootId: null };

/** Records that lie there already; every tenth of them is due. */
function plant(bench: FolderBench, count: number): string[] {
  const jobs = join(bench.directory, "emails/jobs");
  mkdirSync(jobs, { recursive: true });
  const due: string[] = [];
  for (let nth = 0; nth < count; nth += 1) {
    const isDue = nth % 10 === 0;
    const body = bodyOf(`record ${nth}`, isDue ? deliver(1_000 + nth) : null);
    writeFileSync(join(jobs, `${idOf(`n${nth}`)}.json`), body);
    if (isDue) due.push(job(`n${nth}`));
  }
  return due.sort();
}

const rebuildFile = (bench: FolderBench): string =>
  join(bench.directory, "emails/due/rebuild.json");

for (const sharing of ["processes", "exclusive"] as const) {
  describe(`the due index (${sharing})`, () => {
    it("of a folder with records but without holdfast.json is rebuilt", async () => {
      const bench = folderBench();
      const due = plant(bench, 100);
      const backend = await bench.open({ sharing });
      expect(await dueKeys(backend)).toEqual(due);
      expect(bench.counted("folder.rebuild.started")).toBe(1);
      expect(bench.counted("folder.rebuild.scanned")).toBe(100);
      expect(bench.counted("folder.rebuild.finished")).toBe(1);
    });

    it("of an empty folder, or one closed or killed during this boot, is not", async () => {
      const bench = folderBench();
      const first = await bench.open({ sharing });
      await store(first, job("a"), { text: "one", due: deliver(1_000) });
      await first.close();
      const backend = await bench.open({ sharing });
      expect(await dueKeys(backend)).toEqual([job("a")]);
      expect(bench.counted("folder.rebuild.started")).toBe(0);
    });

    it("is rebuilt after a reboot, with what was not synced before it", async () => {
      const bench = folderBench();
      const before = await bench.open({ sharing });
      await store(before, job("a"), { text: "one", due: deliver(1_000) });
      await before.close();
      for (const name of tree(join(bench.directory, "emails/due"))) {
        const path = join(bench.directory, "emails/due", name);
        if (name.includes("jobs~") || name.endsWith(".log")) unlinkSync(path);
      }
      const backend = await bench.openAs(NEXT_BOOT, sharing);
      expect(await dueKeys(backend)).toEqual([job("a")]);
      expect(bench.counted("folder.rebuild.finished")).toBe(1);
      await backend.close();
      await dueKeys(await bench.openAs(NEXT_BOOT, sharing));
      expect(bench.counted("folder.rebuild.started")).toBe(1);
    });

    it("is rebuilt at every opening where boots have no names", async () => {
      const bench = folderBench();
      plant(bench, 20);
      for (const times of [1, 2]) {
        const backend = await bench.openAs(NO_BOOTS, sharing);
        expect(await dueKeys(backend)).toHaveLength(2);
        await store(backend, job(`new${times}`), { text: "one" });
        expect(bench.counted("folder.rebuild.finished")).toBe(times);
        await backend.close();
      }
    });

    it("skips and reports a record that cannot be read, and leaves it as it is", async () => {
      const bench = folderBench();
      const due = plant(bench, 30);
      const jobs = join(bench.directory, "emails/jobs");
      writeFileSync(join(jobs, `${idOf("torn")}.json`), '{"text": "ha');
      writeFileSync(join(jobs, `${idOf("bytes")}.json`), Buffer.from([0xff, 0x00]));
      const backend = await bench.open({ sharing });
      expect(await dueKeys(backend)).toEqual(due);
      expect(bench.counted("store.record_corrupt")).toBe(2);
      expect(readFileSync(join(jobs, `${idOf("torn")}.json`), "utf8")).toBe('{"text": "ha');
    });

    it("that was interrupted goes on where it stopped", async () => {
      const bench = folderBench();
      const due = plant(bench, 2_500);
      const first = await bench.open({ sharing });
      await new Promise<void>((resolve) => {
        bench.listen((name) => {
          if (name === "folder.rebuild.scanned") resolve();
        });
      });
      await first.close();
      expect(bench.counted("folder.rebuild.finished")).toBe(0);
      expect(existsSync(rebuildFile(bench))).toBe(true);
      const scanned = bench.counted("folder.rebuild.scanned");
      expect(scanned).toBeLessThan(2_500);
      const backend = await bench.open({ sharing });
      expect(await dueKeys(backend)).toEqual(due);
      expect(bench.counted("folder.rebuild.scanned")).toBe(2_500);
      expect(existsSync(rebuildFile(bench))).toBe(false);
    });

    it("that was interrupted begins anew when others have kept the index since", async () => {
      const other = sharing === "processes" ? "exclusive" : "processes";
      const bench = folderBench();
      const due = plant(bench, 2_500);
      const first = await bench.open({ sharing });
      await new Promise<void>((resolve) => {
        bench.listen((name) => {
          if (name === "folder.rebuild.scanned") resolve();
        });
      });
      await first.close();
      const second = await bench.open({ sharing: other });
      // The first record in order: a rebuild that went on would not look at it again.
      const [name = job("a")] = due;
      const found = await second.get(job("n0"));
      if (found === null) throw new Error(`no ${name}`);
      await store(second, job("n0"), {
        text: "moved",
        over: found.version,
        due: deliver(77),
        dueBefore: deliver(1_000),
      });
      await second.close();
      const backend = await bench.open({ sharing });
      expect(await dueKeys(backend)).toEqual(due);
      const entries = await allDue(backend);
      expect(entries.some((entry) => entry.key === job("n0") && entry.at === 77)).toBe(true);
    });

    it("goes on while records are read and written, and misses none of them", async () => {
      const bench = folderBench();
      const due = plant(bench, 3_000);
      const backend = await bench.open({ sharing });
      const isRunning = (): boolean => bench.counted("folder.rebuild.finished") === 0;
      expect(isRunning()).toBe(true);
      const expected = new Set(due);
      for (let nth = 0; nth < 40; nth += 1) {
        const name = job(`n${nth * 10}`);
        const found = await backend.get(name);
        if (found === null) throw new Error("not found");
        const isOver = nth % 2 === 1;
        await store(backend, name, {
          text: "moved",
          over: found.version,
          due: isOver ? null : deliver(50_000 + nth),
          dueBefore: deliver(1_000 + nth * 10),
        });
        if (isOver) expected.delete(name);
        await store(backend, job(`new${nth}`), { text: "new", due: deliver(60_000 + nth) });
        expected.add(job(`new${nth}`));
      }
      expect(await dueKeys(backend)).toEqual(expect.arrayContaining([...expected]));
      await mendAll(backend);
      expect(await dueKeys(backend)).toEqual([...expected].sort());
    });
  });
}

async function mendAll(backend: Backend): Promise<void> {
  for (const entry of await allDue(backend)) await dueOfBackend(backend).mend(entry);
}

describe("a page while the index is rebuilt", () => {
  it("never says that nothing follows: it waits for what is still to be found", async () => {
    const bench = folderBench();
    plant(bench, 5);
    const lock = `${sha256Hex("emails/holdfast")}.lock`;
    const path = join(bench.directory, "emails/locks", lock);
    mkdirSync(join(bench.directory, "emails/locks"));
    // Another process, alive, is at it.
    writeFileSync(path, lockText(uOf("b"), self, null));
    const backend = await bench.open();
    const index = dueOfBackend(backend);
    const first = await index.page("", "deliver", FOR_EVER, null, 10);
    expect(first.entries).toEqual([]);
    expect(first.cursor).not.toBeNull();
    const second = await index.page("", "deliver", FOR_EVER, first.cursor, 10);
    expect(second.cursor).not.toBeNull();
    unlinkSync(path);
    expect(await dueKeys(backend)).toEqual([job("n0")]);
  });

  it("starts once more when the rebuild ends, so that a late find is in the walk", async () => {
    const bench = folderBench();
    plant(bench, 3_000);
    const backend = await bench.open({ sharing: "exclusive" });
    const entries = await allDue(backend, { limit: 7 });
    expect(new Set(entries.map((entry) => entry.key)).size).toBe(300);
  });

  it("tells what stopped the rebuild, and begins again when it is asked again", async () => {
    const bench = folderBench();
    plant(bench, 5);
    const jobs = join(bench.directory, "emails/jobs");
    let isBroken = true;
    const { dueOf } = bench.context;
    const context = {
      ...bench.context,
      dueOf: (name: Parameters<typeof dueOf>[0], body: string) => {
        if (isBroken) throw new Error("broken");
        return dueOf(name, body);
      },
    };
    const { filesystemStorage } = await import("../../../adapters/storage/filesystem/index.ts");
    const backend = await filesystemStorage({ directory: bench.directory }).open(context);
    await expect(dueKeys(backend)).rejects.toMatchObject({ code: "unavailable" });
    isBroken = false;
    expect(await dueKeys(backend)).toEqual([job("n0")]);
    await backend.close();
    expect(tree(jobs)).toHaveLength(5);
  });

  it("is not held up for ever by closing", async () => {
    const bench = folderBench();
    plant(bench, 3_000);
    const backend = await bench.open();
    const waiting = expect(dueKeys(backend)).rejects.toMatchObject({ code: "unavailable" });
    await backend.close();
    await waiting;
  });
});

describe("the index file of an exclusive owner", () => {
  async function withLog(change: (text: string) => string | null): Promise<FolderBench> {
    const bench = folderBench();
    const before = await bench.open({ sharing: "exclusive" });
    for (const name of ["a", "b", "c"]) {
      await store(before, job(name), { text: name, due: deliver(1_000) });
    }
    await before.close();
    const [name = ""] = tree(join(bench.directory, "emails/due"));
    const path = join(bench.directory, "emails/due", name);
    const text = change(readFileSync(path, "latin1"));
    if (text === null) unlinkSync(path);
    else writeFileSync(path, text, "latin1");
    return bench;
  }

  const everything = [job("a"), job("b"), job("c")].sort();

  it.each([
    ["is missing", () => null],
    ["is damaged in the middle", (text: string) => text.replace("\n", "?\n")],
    [
      "has a torn line that others follow",
      (text: string) => text.replace(/jobs\/[0-9a-f]+\n/, "jo"),
    ],
  ])("that %s is made anew from the records, whoever opens", async (_, change) => {
    for (const sharing of ["exclusive", "processes"] as const) {
      const bench = await withLog(change);
      const backend = await bench.open({ sharing });
      expect(await dueKeys(backend)).toEqual(everything);
      expect(bench.counted("folder.rebuild.finished")).toBe(1);
    }
  });

  it("loses a torn last line, and nothing else", async () => {
    for (const sharing of ["exclusive", "processes"] as const) {
      const bench = await withLog((text) => `${text}+ deliver 000000000`);
      const backend = await bench.open({ sharing });
      expect(await dueKeys(backend)).toEqual(everything);
      expect(bench.counted("folder.rebuild.started")).toBe(0);
    }
  });
});

describe("markers that a rebuild makes", () => {
  it("do not pile up over reboots (7.4)", async () => {
    const bench = folderBench();
    const before = await bench.open();
    await store(before, job("a"), { text: "one", due: deliver(1_000) });
    await before.close();
    for (const bootId of ["two", "three", "four"]) {
      const backend = await bench.openAs({ ...self, bootId }, "processes");
      expect(await dueKeys(backend)).toEqual([job("a")]);
      await backend.close();
    }
    const backend = await bench.openAs({ ...self, bootId: "four" }, "processes");
    expect((await allDue(backend)).length).toBeLessThanOrEqual(2);
    const found = await backend.get(job("a"));
    if (found === null) throw new Error("not found");
    // All of them go when the record is due at another time.
    await put(backend, job("a"), {
      text: "two",
      over: found.version,
      due: deliver(2_000),
      dueBefore: deliver(1_000),
    });
    await mendAll(backend);
    expect(await allDue(backend)).toMatchObject([{ at: 2_000 }]);
  });
});
