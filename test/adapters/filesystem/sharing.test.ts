/** One owner or many processes, and going from one to the other (protocols 7.6). */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { parseLock, thisProcess } from "../../../adapters/storage/filesystem/lock-file.ts";
import { key } from "../../../src/core/key.ts";
import {
  allDue,
  deliver,
  dueKeys,
  dueOfBackend,
  type FolderBench,
  folderBench,
  idOf,
  job,
  newDirectory,
  put,
  store,
  tree,
} from "./fixture.ts";
import { uOf } from "./world.ts";

const self = thisProcess();
const FIELDS = { address: "http://127.0.0.1:7070", secret: null, since: null, isClearing: false };

function lockFolder(bench: FolderBench, content: string, ageMs = 0): string {
  const path = join(bench.directory, "folder.lock");
  writeFileSync(path, content);
  const at = new Date(Date.now() - ageMs);
  utimesSync(path, at, at);
  return path;
}

const ownedBy = (pid: number, startedAt: number | null): string =>
  `${uOf("b")}\n${JSON.stringify({ ...self, pid, startedAt, ...FIELDS, since: 1_000 })}\n`;
const deadPid = (): number => spawnSync(process.execPath, ["-e", ""]).pid;

for (const sharing of ["processes", "exclusive"] as const) {
  describe(`opening (${sharing})`, () => {
    it("beside a living owner is refused, naming its pid and address (7.6, 1 and 8)", async () => {
      const bench = folderBench();
      lockFolder(bench, ownedBy(process.pid, self.startedAt));
      await expect(bench.open({ sharing })).rejects.toMatchObject({
        code: "folder_in_use",
        pid: process.pid,
        address: "http://127.0.0.1:7070",
        since: 1_000,
        message: expect.stringContaining("http://127.0.0.1:7070"),
      });
    });

    it.each([
      ["known to be dead", () => ownedBy(deadPid(), 1), 0],
      ["silent for more than 30 s", () => ownedBy(process.pid, self.startedAt), 31_000],
      ["nobody: an empty lock, more than 30 s old", () => "", 31_000],
    ])(
      "takes over from an owner that is %s, and clears every temp (7.6, 2)",
      async (_, content, ageMs) => {
        const bench = folderBench();
        lockFolder(bench, content(), ageMs);
        const temps = join(bench.directory, "emails/tmp");
        const tenantTemps = join(bench.directory, "tenants/acme/receipts/tmp");
        for (const path of [temps, tenantTemps]) {
          mkdirSync(path, { recursive: true });
          writeFileSync(join(path, `${idOf("a")}.${uOf("c")}.upd`), "late");
        }
        const backend = await bench.open({ sharing });
        expect(tree(temps)).toEqual([]);
        expect(tree(tenantTemps)).toEqual([]);
        expect(bench.counted("folder.lock.taken_over")).toBe(1);
        await store(backend, job("a"), { text: "one" });
        expect(existsSync(join(bench.directory, "folder.lock"))).toBe(sharing === "exclusive");
      },
    );

    it("beside an empty lock that is young is refused: its creator may be about to write", async () => {
      const bench = folderBench();
      lockFolder(bench, "", 1_000);
      await expect(bench.open({ sharing })).rejects.toMatchObject({
        code: "folder_in_use",
        pid: null,
      });
    });
  });
}

describe("an exclusive owner", () => {
  it("refuses a second one, and lets go on closing", async () => {
    const bench = folderBench();
    const first = await bench.open({ sharing: "exclusive" });
    await expect(bench.open({ sharing: "exclusive" })).rejects.toMatchObject({
      code: "folder_in_use",
      pid: process.pid,
    });
    await first.close();
    expect(existsSync(join(bench.directory, "folder.lock"))).toBe(false);
    await bench.open({ sharing: "exclusive" });
  });

  it("takes all locks or none, the data directory's first (http-api, Folder)", async () => {
    const bench = folderBench();
    const emailsDirectory = newDirectory();
    const other = folderBench(newDirectory());
    await other.open({ sharing: "exclusive", emailsDirectory });
    await expect(bench.open({ sharing: "exclusive", emailsDirectory })).rejects.toMatchObject({
      code: "folder_in_use",
      message: expect.stringContaining(emailsDirectory),
    });
    expect(existsSync(join(bench.directory, "folder.lock"))).toBe(false);
  });

  it("that lost the folder stops for good, writes nothing, and leaves the lock alone (7.6, 4 and 7)", async () => {
    const bench = folderBench();
    const backend = await bench.open({ sharing: "exclusive" });
    const version = await store(backend, job("a"), { text: "one" });
    const lock = lockFolder(bench, ownedBy(4_242, 1));
    const lost = { code: "unavailable", message: expect.stringContaining("process 4242") };
    await expect(put(backend, job("a"), { text: "two", over: version })).rejects.toMatchObject(
      lost,
    );
    await expect(backend.get(job("a"))).rejects.toMatchObject(lost);
    await expect(backend.list("", null, 10)).rejects.toMatchObject(lost);
    await expect(dueKeys(backend)).rejects.toMatchObject(lost);
    expect(
      readFileSync(join(bench.directory, "emails/jobs", `${idOf("a")}.json`), "utf8"),
    ).toContain("one");
    expect(tree(join(bench.directory, "emails/tmp"))).toEqual([]);
    await backend.close();
    expect(parseLock(readFileSync(lock)).u).toBe(uOf("b"));
  });

  it("keeps the folder by its heartbeat, and notices by it that it was lost (7.6, 5)", async () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    try {
      const bench = folderBench();
      const backend = await bench.open({ sharing: "exclusive" });
      for (let minutes = 0; minutes < 3; minutes += 1) {
        bench.advance(29_000);
        vi.advanceTimersByTime(5_000);
      }
      await expect(bench.open({ sharing: "processes" })).rejects.toMatchObject({
        code: "folder_in_use",
      });
      lockFolder(bench, ownedBy(4_242, 1));
      vi.advanceTimersByTime(5_000);
      await expect(backend.get(job("a"))).rejects.toMatchObject({ code: "unavailable" });
      expect(parseLock(readFileSync(join(bench.directory, "folder.lock"))).u).toBe(uOf("b"));
    } finally {
      vi.useRealTimers();
    }
  });

  it("notices the loss when it is asked for what is due, before it answers from memory", async () => {
    const bench = folderBench();
    const backend = await bench.open({ sharing: "exclusive" });
    await store(backend, job("a"), { text: "one", due: deliver(1_000) });
    lockFolder(bench, ownedBy(4_242, 1));
    await expect(dueKeys(backend)).rejects.toMatchObject({ code: "unavailable" });
  });

  it("keeps no lock and no marker files, and an index file that is read again (7.6, 4 and 9)", async () => {
    const bench = folderBench();
    const before = await bench.open({ sharing: "exclusive" });
    const first = await store(before, job("a"), { text: "one", due: deliver(1_000) });
    await store(before, job("a"), {
      text: "two",
      over: first,
      due: deliver(2_000),
      dueBefore: deliver(1_000),
    });
    const due = tree(join(bench.directory, "emails/due"));
    expect(due).toEqual([expect.stringMatching(/^index-.*\.log$/)]);
    await before.close();
    const backend = await bench.open({ sharing: "exclusive" });
    expect(await allDue(backend)).toMatchObject([{ key: job("a"), at: 2_000 }]);
    expect(tree(join(bench.directory, "emails/due"))).not.toEqual(due);
    expect(bench.counted("folder.rebuild.started")).toBe(0);
  });

  it("that is killed leaves entries too many or too early, never lacking (7.6, 9)", async () => {
    const bench = folderBench();
    const before = await bench.open({ sharing: "exclusive" });
    const first = await store(before, job("a"), { text: "one", due: deliver(1_000) });
    await store(before, job("a"), { text: "two", over: first, dueBefore: deliver(1_000) });
    await store(before, job("b"), { text: "one", due: deliver(2_000) });
    await before.close();
    const [name = ""] = tree(join(bench.directory, "emails/due"));
    const log = join(bench.directory, "emails/due", name);
    // A kill between the rename and the append of the removal, and in the middle of a line.
    const kept = readFileSync(log, "latin1")
      .split("\n")
      .filter((line) => line.startsWith("+"));
    writeFileSync(log, `${kept.join("\n")}\n+ deliver 17`);
    const backend = await bench.open({ sharing: "exclusive" });
    expect(await dueKeys(backend)).toEqual([job("a"), job("b")].sort());
    for (const entry of await allDue(backend)) await dueOfBackend(backend).mend(entry);
    expect(await dueKeys(backend)).toEqual([job("b")]);
    expect(bench.counted("folder.rebuild.started")).toBe(0);
  });

  it("has a due time in the index file before it writes the record (7.6, 9)", async () => {
    const bench = folderBench();
    const backend = await bench.open({ sharing: "exclusive" });
    await store(backend, job("a"), { text: "one" });
    const temps = join(bench.directory, "emails/tmp");
    rmSync(temps, { recursive: true });
    writeFileSync(temps, "");
    await expect(put(backend, job("b"), { text: "one", due: deliver(2_000) })).rejects.toThrow();
    const [name = ""] = tree(join(bench.directory, "emails/due"));
    const log = readFileSync(join(bench.directory, "emails/due", name), "latin1");
    expect(log).toContain("+ deliver 0000000002000");
  });

  it("undoes the due entry of a write that was refused, and only if it was new", async () => {
    const bench = folderBench();
    const backend = await bench.open({ sharing: "exclusive" });
    const first = await store(backend, job("a"), { text: "one", due: deliver(1_000) });
    const change = { over: first, due: deliver(2_000), dueBefore: deliver(1_000) };
    await store(backend, job("a"), { text: "two", ...change });
    const again = await put(backend, job("a"), { text: "three", ...change });
    expect(again.kind).toBe("refused");
    const elsewhere = await put(backend, job("a"), {
      text: "four",
      ...change,
      due: deliver(3_000),
    });
    expect(elsewhere.kind).toBe("refused");
    expect(await allDue(backend)).toMatchObject([{ at: 2_000 }]);
  });
});

describe("going from one way of sharing to the other", () => {
  it("takes the due entries along, both ways and back, for every tenant (7.6, 9)", async () => {
    const bench = folderBench();
    const tenant = key(`tenants/acme/emails/jobs/${idOf("t")}`);
    const ways = ["processes", "exclusive", "processes", "exclusive"] as const;
    const expected: string[] = [];
    for (const [nth, sharing] of ways.entries()) {
      const backend = await bench.open({ sharing });
      if (nth === 0) await store(backend, tenant, { text: "t", due: deliver(5_000) });
      await store(backend, job(`j${nth}`), { text: sharing, due: deliver(1_000 + nth) });
      expected.push(job(`j${nth}`));
      expect(await dueKeys(backend)).toEqual([...expected].sort());
      expect(await dueKeys(backend, "tenants/acme/emails")).toEqual([tenant]);
      await backend.close();
    }
    expect(bench.counted("folder.rebuild.started")).toBe(0);
    const due = tree(join(bench.directory, "emails/due"));
    expect(due.filter((name) => name.includes("jobs~"))).toEqual([]);
  });

  it("goes on after an owner that was killed: it is cleared away, with its index (7.6, 8)", async () => {
    const bench = folderBench();
    const owner = await bench.open({ sharing: "exclusive" });
    await store(owner, job("a"), { text: "one", due: deliver(1_000) });
    await owner.close();
    lockFolder(bench, ownedBy(deadPid(), 1));
    const backend = await bench.open({ sharing: "processes" });
    expect(await dueKeys(backend)).toEqual([job("a")]);
    expect(existsSync(join(bench.directory, "folder.lock"))).toBe(false);
  });

  it("makes processes that work already wait for the owner, and follow what it did (7.2, 8)", async () => {
    const bench = folderBench();
    const shared = await bench.open({ sharing: "processes" });
    const version = await store(shared, job("a"), { text: "one", due: deliver(1_000) });
    const owner = await bench.open({ sharing: "exclusive" });
    const change = { over: version, due: deliver(2_000), dueBefore: deliver(1_000) };
    await expect(put(shared, job("a"), { text: "two", ...change })).rejects.toMatchObject({
      code: "contended",
    });
    await expect(put(shared, job("b"), { text: "new" })).rejects.toMatchObject({
      code: "contended",
    });
    await store(owner, job("c"), { text: "owner's", due: deliver(3_000) });
    await owner.close();
    // Nobody told it, and its own markers are gone: it has to find out by itself.
    await store(shared, job("b"), { text: "new", due: deliver(4_000) });
    expect(await dueKeys(shared)).toEqual([job("a"), job("b"), job("c")].sort());
    const next = await bench.open({ sharing: "exclusive" });
    expect(await dueKeys(next)).toEqual([job("a"), job("b"), job("c")].sort());
    expect(bench.counted("folder.rebuild.started")).toBe(0);
  });

  it("clears a dead owner away that processes meet while they work", async () => {
    const bench = folderBench();
    const shared = await bench.open({ sharing: "processes" });
    await store(shared, job("a"), { text: "one" });
    lockFolder(bench, ownedBy(deadPid(), 1));
    await store(shared, job("b"), { text: "two" });
    expect(existsSync(join(bench.directory, "folder.lock"))).toBe(false);
  });
});

describe("closing", () => {
  it.each(["processes", "exclusive"] as const)(
    "finishes what is in flight, then refuses (%s)",
    async (sharing) => {
      const bench = folderBench();
      const backend = await bench.open({ sharing });
      const writes = Array.from({ length: 20 }, (_, nth) =>
        put(backend, job(`j${nth}`), { text: "x" }),
      );
      await backend.close();
      const verdicts = await Promise.all(writes);
      expect(verdicts.every((verdict) => verdict.kind === "stored")).toBe(true);
      for (const call of [
        () => backend.get(job("j0")),
        () => put(backend, job("new"), { text: "x" }),
        () => backend.list("", null, 10),
        () => backend.remove(job("j0")),
        () => dueKeys(backend),
      ]) {
        await expect(call()).rejects.toMatchObject({ code: "unavailable" });
      }
      await backend.close();
    },
  );
});

describe("two backends of one process on one folder", () => {
  it("share it like two processes: one update of a version wins, each sees the other's", async () => {
    const bench = folderBench();
    const [one, two] = [await bench.open(), await bench.open()];
    let version = await store(one, job("a"), { text: "0" });
    for (let round = 1; round <= 10; round += 1) {
      const verdicts = await Promise.all(
        [one, two].map((backend, at) =>
          put(backend, job("a"), { text: `${round}/${at}`, over: version }),
        ),
      );
      const stored = verdicts.flatMap((verdict) => (verdict.kind === "stored" ? [verdict] : []));
      expect(stored).toHaveLength(1);
      version = stored[0]?.version ?? version;
      expect((await two.get(job("a")))?.version).toBe(version);
    }
  });
});
