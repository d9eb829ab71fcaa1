/** Logs of jobs in a folder: the only directories that come and go (http-api "Folder"; protocols 5). */
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { key } from "../../../src/core/key.ts";
import { after, seconds } from "../../../src/core/time.ts";
import type { Backend } from "../../../src/ports/backend.ts";
import { type Logs, openLogs } from "../../../src/store/log.ts";
import { largeItems } from "../../conformance/log-given.ts";
import {
  allKeys,
  bodyOf,
  deliver,
  dueKeys,
  type FolderBench,
  folderBench,
  idOf,
  tree,
} from "./fixture.ts";

const JOB = "0b0e1c1c-3a4e-4a7e-9f5d-0a1b2c3d4e5f";
const OTHER_JOB = "1c1f2d2d-4b5f-4b8f-8a6e-1b2c3d4e5f60";

function logsOn({ context }: FolderBench, backend: Backend, root = "queries/log"): Logs {
  return openLogs({ ...context, backend }, root);
}

async function fill(bench: FolderBench, logs: Logs, jobId: string): Promise<void> {
  const log = logs.open(jobId);
  const soon = after(bench.now(), seconds(20));
  expect(await log.draft({ about: {}, items: largeItems() }).create(1, soon)).toBe("created");
  expect(await log.draft({ about: {}, items: largeItems() }).create(8, soon)).toBe("created");
}

for (const sharing of ["processes", "exclusive"] as const) {
  describe(`logs in a folder (${sharing})`, () => {
    it("leave no directory behind when their job is removed, and can come back", async () => {
      const bench = folderBench();
      const logs = logsOn(bench, await bench.open({ sharing }));
      const directory = join(bench.directory, "queries/log");
      await fill(bench, logs, OTHER_JOB);
      const others = tree(directory);
      for (let times = 0; times < 2; times += 1) {
        await fill(bench, logs, JOB);
        expect(tree(directory)).toHaveLength(others.length * 2);
        while ((await logs.open(JOB).removeSome()) === "more");
        expect(tree(directory)).toEqual(others);
      }
      expect(tree(join(bench.directory, "queries/tmp"))).toEqual([]);
    });

    it("of tenants lie below their tenant, and go in the same way", async () => {
      const bench = folderBench();
      const logs = logsOn(bench, await bench.open({ sharing }), "tenants/acme/queries/log");
      await fill(bench, logs, JOB);
      const directory = join(bench.directory, "tenants/acme/queries/log");
      expect(existsSync(join(directory, JOB, "000000000001.json"))).toBe(true);
      while ((await logs.open(JOB).removeSome()) === "more");
      expect(tree(directory)).toEqual([]);
    });

    it("are written while their directories are being removed by another", async () => {
      const bench = folderBench();
      const backend = await bench.open({ sharing });
      const other = sharing === "processes" ? await bench.open({ sharing }) : backend;
      const log = logsOn(bench, backend).open(JOB);
      const remover = logsOn(bench, other).open(JOB);
      for (let first = 2; first < 42; first += 1) {
        const late = log.draft({ about: {}, items: [first] });
        const [created] = await Promise.all([
          late.create(first, after(bench.now(), seconds(20))),
          remover.removeSome(),
        ]);
        expect(created).toBe("created");
      }
      while ((await remover.removeSome()) === "more");
      expect(tree(join(bench.directory, "queries/log"))).toEqual([]);
    });

    it("cost a rebuild of the due index no reading, since no part is ever due", async () => {
      const bench = folderBench();
      const directory = join(bench.directory, "queries/log", JOB);
      mkdirSync(join(directory, "b/AAAAAAAAAAAAAAAA"), { recursive: true });
      writeFileSync(join(directory, "000000000001.json"), Buffer.from([0xff]));
      writeFileSync(join(directory, "b/AAAAAAAAAAAAAAAA/0.json"), Buffer.from([0xff]));
      const roots = join(bench.directory, "queries/roots");
      mkdirSync(roots);
      const root = key(`queries/roots/${idOf("a")}`);
      writeFileSync(join(roots, `${idOf("a")}.json`), bodyOf("a", deliver(1_000)));
      const backend = await bench.open({ sharing });
      expect(await dueKeys(backend, "queries")).toEqual([root]);
      expect(bench.counted("folder.rebuild.finished")).toBe(1);
      expect(bench.counted("store.record_corrupt")).toBe(0);
      expect(await allKeys(backend, "queries/log/")).toHaveLength(2);
    });
  });
}
