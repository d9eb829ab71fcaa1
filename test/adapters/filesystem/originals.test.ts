/** Folders that an original store wrote (semantics A1, A4, B1; protocols 7.5). */
import { linkSync, mkdirSync, readFileSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { key } from "../../../src/core/key.ts";
import {
  allKeys,
  deliver,
  dueKeys,
  folderBench,
  idOf,
  job,
  newDirectory,
  store,
  tree,
} from "./fixture.ts";
import { uOf } from "./world.ts";

/** Files by their path, written some time ago. */
function place(directory: string, files: Readonly<Record<string, string>>, ageMs = 0): void {
  for (const [name, body] of Object.entries(files)) {
    const path = join(directory, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, body);
    const at = new Date(Date.now() - ageMs);
    utimesSync(path, at, at);
  }
}

const theirs = (text: string, at: number | null): string =>
  `${JSON.stringify({ text, due: at === null ? null : { queue: "deliver", at } }, null, 2)}\n`;

const LOCK = `emails/locks/${idOf("a")}.lock`;

for (const sharing of ["processes", "exclusive"] as const) {
  describe(`an original's folder (${sharing})`, () => {
    it("opens as it is: its records are read, listed, found when due, and replaced", async () => {
      const bench = folderBench();
      place(bench.directory, {
        [`emails/jobs/${idOf("a")}.json`]: theirs("a", 2_000),
        [`emails/jobs/${idOf("b")}.json`]: theirs("b", null),
        "emails/config.json": theirs("config", null),
        [`receipts/${idOf("r")}.json`]: theirs("r", 3_000),
      });
      const backend = await bench.open({ sharing });
      const found = await backend.get(job("a"));
      expect(found?.body).toBe(theirs("a", 2_000));
      expect(await dueKeys(backend)).toEqual([job("a")]);
      expect(await dueKeys(backend, "receipts")).toEqual([`receipts/records/${idOf("r")}`]);
      expect(await allKeys(backend)).toHaveLength(4);
      if (found === null) throw new Error("not found");
      await store(backend, job("a"), {
        text: "ours",
        over: found.version,
        due: deliver(4_000),
        dueBefore: deliver(2_000),
      });
      expect(await dueKeys(backend)).toEqual([job("a")]);
      expect(bench.counted("folder.rebuild.finished")).toBe(2);
    });

    it.each([
      ["an owner file", `${LOCK}.77.${uOf("c")}.owner`],
      ["a take-over file", `${LOCK}.takeover`],
    ])("with %s younger than 30 s is refused, naming it (7.5)", async (_, name) => {
      const bench = folderBench();
      place(bench.directory, { [name]: "" }, 29_000);
      await expect(bench.open({ sharing })).rejects.toMatchObject({
        code: "misconfigured",
        message: expect.stringContaining(name),
      });
    });

    it("with a young empty lock is refused when it is linked twice, as theirs are (7.5)", async () => {
      const bench = folderBench();
      place(bench.directory, { [LOCK]: "" }, 5_000);
      linkSync(join(bench.directory, LOCK), join(bench.directory, "emails/locks/elsewhere"));
      await expect(bench.open({ sharing })).rejects.toMatchObject({ code: "misconfigured" });
    });

    it("with a young empty lock of our own kind is no reason to refuse", async () => {
      const bench = folderBench();
      place(bench.directory, { [LOCK]: "" }, 5_000);
      await bench.open({ sharing });
    });

    it("is refused in a directory elsewhere, too", async () => {
      const bench = folderBench();
      const emailsDirectory = newDirectory();
      place(emailsDirectory, { "locks/x.lock.takeover": "" });
      await expect(bench.open({ sharing, emailsDirectory })).rejects.toMatchObject({
        code: "misconfigured",
        message: expect.stringContaining(emailsDirectory),
      });
    });

    it("is swept of what the dead left, once it is a minute old (EMAIL-63)", async () => {
      const bench = folderBench();
      const left = {
        [`${LOCK}.77.${uOf("c")}.owner`]: "",
        [`${LOCK}.takeover`]: "",
        [`emails/locks/${idOf("a")}.${uOf("d")}.take`]: "",
        [`emails/tmp/${idOf("a")}.${uOf("d")}.upd`]: "half",
      };
      place(bench.directory, left, 61_000);
      const backend = await bench.open({ sharing });
      await dueKeys(backend);
      expect(tree(join(bench.directory, "emails/locks"))).toEqual([]);
      expect(tree(join(bench.directory, "emails/tmp"))).toEqual([]);
    });

    it("that was here since is noticed by what it left: the due index is rebuilt (7.6, 9)", async () => {
      const bench = folderBench();
      const before = await bench.open({ sharing });
      await store(before, job("a"), { text: "ours", due: deliver(1_000) });
      await before.close();
      place(bench.directory, { [`emails/jobs/${idOf("b")}.json`]: theirs("b", 2_000) });
      place(bench.directory, { [`${LOCK}.77.${uOf("c")}.owner`]: "" }, 61_000);
      const backend = await bench.open({ sharing });
      expect(await dueKeys(backend)).toEqual([job("a"), job("b")].sort());
      expect(bench.counted("folder.rebuild.finished")).toBe(1);
    });
  });
}

it("an original's files keep their bytes until they are replaced, and get 0600 then (EMAIL-16)", async () => {
  const bench = folderBench();
  const name = `emails/jobs/${idOf("a")}.json`;
  place(bench.directory, { [name]: theirs("a", null) });
  const backend = await bench.open();
  const path = join(bench.directory, name);
  expect(readFileSync(path, "utf8")).toBe(theirs("a", null));
  const found = await backend.get(job("a"));
  if (found === null) throw new Error("not found");
  await store(backend, job("a"), { text: "ours", over: found.version });
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

it("a config that is half written is unreadable, and left as it is (EMAIL-61)", async () => {
  const bench = folderBench();
  place(bench.directory, { "emails/config.json": '{"enabledAt": "2026-' });
  const backend = await bench.open();
  const config = key(
    `emails/config/${"7f8fe9e52fae8871720cbbe547a68248f8925d1ca6a44314ce91e7f37253d3ad"}`,
  );
  expect((await backend.get(config))?.body).toBe('{"enabledAt": "2026-');
  await dueKeys(backend);
  expect(bench.counted("store.record_corrupt")).toBe(1);
});
