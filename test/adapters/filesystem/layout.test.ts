/** Where records lie, and what of a folder is one (semantics A1; http-api "Folder"). */
import { mkdirSync, readFileSync, statSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { key } from "../../../src/core/key.ts";
import {
  allKeys,
  bodyOf,
  deliver,
  folderBench,
  idOf,
  job,
  newDirectory,
  store,
  tree,
} from "./fixture.ts";

const CONFIG_ID = "7f8fe9e52fae8871720cbbe547a68248f8925d1ca6a44314ce91e7f37253d3ad";
const modeOf = (path: string): number => statSync(path).mode & 0o777;

for (const sharing of ["processes", "exclusive"] as const) {
  describe(`a folder (${sharing})`, () => {
    it("keeps records as 0600 files named after their ids, in 0700 directories (EMAIL-16)", async () => {
      const bench = folderBench(join(newDirectory(), "new", "data"));
      const backend = await bench.open({ sharing });
      await store(backend, job("a"), { text: "one", due: deliver(1_000) });
      const file = join(bench.directory, "emails/jobs", `${idOf("a")}.json`);
      expect(readFileSync(file, "utf8")).toBe(bodyOf("one", deliver(1_000)));
      for (const path of tree(bench.directory)) {
        const full = join(bench.directory, path);
        expect([path, modeOf(full)]).toEqual([path, statSync(full).isFile() ? 0o600 : 0o700]);
      }
      expect(modeOf(bench.directory)).toBe(0o700);
    });

    it("finds room for every kind of key, tenants too", async () => {
      const bench = folderBench();
      const backend = await bench.open({ sharing });
      const jobId = "0b9c1e7a-55ac-4d6e-9f5b-0d5c3a2b1c4d";
      const files: Record<string, string> = {
        [`receipts/records/${idOf("r")}`]: `receipts/${idOf("r")}.json`,
        [`receipts/scopes/${idOf("s")}`]: `receipts/scopes/${idOf("s")}.json`,
        [`tenants/acme/receipts/records/${idOf("t")}`]: `tenants/acme/receipts/${idOf("t")}.json`,
        [`queries/log/${jobId}/000000000001`]: `queries/log/${jobId}/000000000001.json`,
        [`queries/log/${jobId}/b/-0A_b/0`]: `queries/log/${jobId}/b/-0A_b/0.json`,
        [`tenants/acme/emails/jobs/${idOf("a")}`]: `tenants/acme/emails/jobs/${idOf("a")}.json`,
        [`emails/config/${CONFIG_ID}`]: "emails/config.json",
        [`tenants/acme/emails/config/${CONFIG_ID}`]: "tenants/acme/emails/config.json",
      };
      for (const name of Object.keys(files)) await store(backend, key(name), { text: name });
      for (const file of Object.values(files)) {
        expect(statSync(join(bench.directory, file)).isFile()).toBe(true);
      }
      expect(await allKeys(backend)).toEqual(Object.keys(files).sort());
      expect(await allKeys(backend, "emails/")).toEqual([`emails/config/${CONFIG_ID}`]);
      expect(await allKeys(backend, "emails/config/")).toEqual([`emails/config/${CONFIG_ID}`]);
      expect(await allKeys(backend, "queries/log/", 1)).toEqual([
        `queries/log/${jobId}/000000000001`,
        `queries/log/${jobId}/b/-0A_b/0`,
      ]);
      expect((await backend.get(key(`emails/config/${CONFIG_ID}`)))?.body).toContain("config");
    });

    it("RECEIPT-44 takes only names of 64 hex digits for receipts, page by page", async () => {
      const bench = folderBench();
      const backend = await bench.open({ sharing });
      const names = ["a", "b", "c"].map((text) => key(`receipts/records/${idOf(text)}`)).sort();
      for (const name of names) await store(backend, name, { text: name });
      await store(backend, key(`receipts/scopes/${idOf("s")}`), { text: "s" });
      const others = [
        `${idOf("d")}.json.77.x.tmp`,
        `${idOf("D").toUpperCase()}.json`,
        "notes.json",
      ];
      for (const other of others) writeFileSync(join(bench.directory, "receipts", other), "{}");
      mkdirSync(join(bench.directory, "receipts/records"));
      writeFileSync(join(bench.directory, "receipts/records", `${idOf("e")}.json`), "{}");
      for (const limit of [1, 2, 100]) {
        expect(await allKeys(backend, "receipts/records/", limit)).toEqual(names);
        expect(await allKeys(backend, "receipts/", limit)).toEqual([
          ...names,
          `receipts/scopes/${idOf("s")}`,
        ]);
      }
    });

    it("ignores temps, locks, owners and take-overs in listings, and unknown names (EMAIL-17)", async () => {
      const bench = folderBench();
      const jobs = join(bench.directory, "emails/jobs");
      const locks = join(bench.directory, "emails/locks");
      mkdirSync(jobs, { recursive: true });
      mkdirSync(locks, { recursive: true });
      const id = idOf("a");
      const uuid = "1f0c9a52-7a43-4f58-a6bc-6f4a2b0f4d11";
      writeFileSync(join(jobs, `${id}.json`), bodyOf("theirs", null));
      const strange = [`.${id}.json.77.${uuid}.tmp`, `${id}.json.bak~`, "notes.txt", ".hidden"];
      for (const name of strange) writeFileSync(join(jobs, name), "");
      const old = new Date(Date.now() - 45_000);
      for (const name of [`${id}.lock`, `${id}.lock.77.${uuid}.owner`, `${id}.lock.takeover`]) {
        writeFileSync(join(locks, name), "");
        utimesSync(join(locks, name), old, old);
      }
      const backend = await bench.open({ sharing });
      expect(await allKeys(backend)).toEqual([job("a")]);
    });

    it("sweeps an original's orphaned temp that a listing meets, once it is old (A4)", async () => {
      const bench = folderBench();
      const backend = await bench.open({ sharing });
      await store(backend, job("a"), { text: "one" });
      const jobs = join(bench.directory, "emails/jobs");
      const name = `.${idOf("b")}.json.77.1f0c9a52-7a43-4f58-a6bc-6f4a2b0f4d11.tmp`;
      writeFileSync(join(jobs, name), "half");
      await allKeys(backend, "emails/jobs/");
      expect(tree(jobs)).toContain(name);
      bench.advance(61_000);
      await allKeys(backend, "emails/jobs/");
      expect(tree(jobs)).not.toContain(name);
      expect(bench.counted("folder.leftovers.swept")).toBe(1);
    });

    it("tells a symlink, a directory and bytes that are no UTF-8 from records (EMAIL-11)", async () => {
      const bench = folderBench();
      const backend = await bench.open({ sharing });
      const version = await store(backend, job("a"), { text: "one" });
      const jobs = join(bench.directory, "emails/jobs");
      symlinkSync(join(jobs, `${idOf("a")}.json`), join(jobs, `${idOf("link")}.json`));
      mkdirSync(join(jobs, `${idOf("directory")}.json`));
      writeFileSync(join(jobs, `${idOf("latin")}.json`), Buffer.from([0x7b, 0xe9, 0x7d]));
      for (const name of ["link", "directory", "latin"]) {
        await expect(backend.get(job(name))).rejects.toMatchObject({
          code: "record_corrupt",
          key: job(name),
        });
        await expect(
          store(backend, job(name), { text: "two", over: version }),
        ).rejects.toMatchObject({ code: "record_corrupt" });
      }
      expect(readFileSync(join(jobs, `${idOf("latin")}.json`))).toHaveLength(3);
    });

    it("uses the originals' own directories where they are, default tenant only", async () => {
      const bench = folderBench();
      const emailsDirectory = newDirectory();
      const receiptsDirectory = newDirectory();
      const backend = await bench.open({ sharing, emailsDirectory, receiptsDirectory });
      const names = [
        job("a"),
        key(`receipts/records/${idOf("r")}`),
        key(`tenants/acme/emails/jobs/${idOf("t")}`),
      ];
      for (const name of names) await store(backend, name, { text: name });
      expect(tree(emailsDirectory)).toContain(`jobs/${idOf("a")}.json`);
      expect(tree(receiptsDirectory)).toContain(`${idOf("r")}.json`);
      expect(tree(bench.directory)).toContain(`tenants/acme/emails/jobs/${idOf("t")}.json`);
      expect(await allKeys(backend)).toEqual([...names].sort());
      if (sharing === "exclusive") {
        expect(tree(emailsDirectory)).toContain("folder.lock");
        expect(tree(receiptsDirectory)).toContain("folder.lock");
      }
    });
  });
}

describe("a listing in pages", () => {
  it("is in the order of the keys, over files and directories of like names", async () => {
    const bench = folderBench();
    const backend = await bench.open();
    const names = ["b", "b-x", "b.x", "b/c", "b/d/e", "b0", "a", "c"].map((name) =>
      key(`things/${name}`),
    );
    for (const name of names) await store(backend, name, { text: name });
    for (const limit of [1, 2, 3, 100]) {
      expect(await allKeys(backend, "things/", limit)).toEqual([...names].sort());
    }
    expect(await allKeys(backend, "things/b/", 1)).toEqual(["things/b/c", "things/b/d/e"]);
    expect(await allKeys(backend, "nothing/")).toEqual([]);
  });

  it("does not read a directory again for each page, until the walk rests for ten seconds", async () => {
    const bench = folderBench();
    const backend = await bench.open();
    for (const name of ["a", "b", "d"]) await store(backend, key(`things/${name}`), { text: name });
    const first = await backend.list("things/", null, 1);
    await store(backend, key("things/c"), { text: "c" });
    const second = await backend.list("things/", first.cursor, 3);
    expect(second.entries.map((entry) => entry.key)).toEqual(["things/b", "things/d"]);
    bench.advance(11_000);
    const later = await backend.list("things/", first.cursor, 3);
    expect(later.entries.map((entry) => entry.key)).toEqual(["things/b", "things/c", "things/d"]);
  });

  it("shows a walk that begins everything that was acknowledged, whatever others have just read", async () => {
    const bench = folderBench();
    const backend = await bench.open();
    await store(backend, key("things/a"), { text: "a" });
    await store(backend, key("things/deep/x"), { text: "x" });
    const others = await backend.list("things/", null, 2);
    await store(backend, key("things/deep/y"), { text: "y" });
    expect(await allKeys(backend, "things/", 1)).toEqual([
      "things/a",
      "things/deep/x",
      "things/deep/y",
    ]);
    expect(others.entries).toHaveLength(2);
  });
});

describe("keys that fit no file", () => {
  it("are bugs: reserved names, and roots without a record", async () => {
    const backend = await folderBench().open();
    const bad = [
      "emails/locks/x",
      "emails/tmp/x",
      "emails/config/a/b",
      "receipts/holdfast",
      `receipts/${idOf("r")}`,
      "receipts/records/x",
      `receipts/records/a/${idOf("r")}`,
      "things/a.json/b",
      "tenants/acme/emails",
    ];
    for (const name of bad) {
      await expect(backend.get(key(name))).rejects.toThrow("key");
    }
  });

  it.each(["processes", "exclusive"] as const)(
    "are bugs: a due time for a key too long to be named after (%s)",
    async (sharing) => {
      const backend = await folderBench().open({ sharing });
      const long = key(`things/${"a".repeat(100)}/${"b".repeat(100)}`);
      await expect(store(backend, long, { text: "x", due: deliver(1) })).rejects.toThrow(
        "too long",
      );
    },
  );

  it("lead nowhere in listings: what lies at reserved names is no record", async () => {
    const bench = folderBench();
    const backend = await bench.open();
    await store(backend, job("a"), { text: "x", due: deliver(1) });
    mkdirSync(join(bench.directory, "emails/config"));
    writeFileSync(join(bench.directory, "emails/config/x.json"), "{}");
    writeFileSync(join(bench.directory, "emails/due/x.json"), "{}");
    for (const prefix of ["emails/locks/", "emails/tmp/", "emails/due/", "emails/due/deliver/"]) {
      expect(await allKeys(backend, prefix)).toEqual([]);
    }
    expect(await allKeys(backend)).toEqual([job("a")]);
  });
});
