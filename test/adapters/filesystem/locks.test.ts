/** Locks of keys (protocols 7.1, 7.2; EMAIL-62 to 66 as superseded: waited for, then contended). */
import { spawnSync } from "node:child_process";
import { existsSync, linkSync, readFileSync, unlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  isKnownDead,
  isStaleLock,
  lockText,
  type ProcessMark,
  parseLock,
  thisProcess,
} from "../../../adapters/storage/filesystem/lock-file.ts";
import { epochMs } from "../../../src/core/time.ts";
import { deliver, dueKeys, dueOfBackend, folderBench, idOf, job, store, tree } from "./fixture.ts";
import { uOf } from "./world.ts";

const self = thisProcess();

/** The pid of a process that ran during this boot and is gone. */
function deadPid(): number {
  return spawnSync(process.execPath, ["-e", ""]).pid;
}

async function lockedJob(content: string, ageMs: number) {
  const bench = folderBench();
  const backend = await bench.open();
  const version = await store(backend, job("a"), { text: "one" });
  const lock = join(bench.directory, "emails/locks", `${idOf("a")}.lock`);
  writeFileSync(lock, content);
  const at = new Date(Date.now() - ageMs);
  utimesSync(lock, at, at);
  const update = (): Promise<unknown> =>
    store(backend, job("a"), { text: "two", over: version, dueBefore: null });
  return { bench, backend, version, lock, update };
}

describe("the lock of a key", () => {
  it("older than 30 s is taken over, an original's empty one too (EMAIL-62)", async () => {
    for (const content of ["", lockText(uOf("b"), self, null)]) {
      const { bench, lock, update } = await lockedJob(content, 31_000);
      await update();
      expect(bench.counted("folder.lock.taken_over")).toBe(1);
      expect(existsSync(lock)).toBe(false);
    }
  });

  it("that its maker was killed in, before it wrote its name, holds nobody up for long", async () => {
    const { bench, lock, update } = await lockedJob("", 2_100);
    await update();
    expect(bench.counted("folder.lock.taken_over")).toBe(1);
    expect(existsSync(lock)).toBe(false);
  });

  it("that is empty and linked twice is an original's, and waited for (EMAIL-62, 7.5)", async () => {
    const { bench, lock, version, backend, update } = await lockedJob("", 5_000);
    linkSync(lock, `${lock}.77.${uOf("c")}.owner`);
    await expect(update()).rejects.toMatchObject({ code: "contended" });
    expect(bench.counted("folder.lock.taken_over")).toBe(0);
    expect((await backend.get(job("a")))?.version).toBe(version);
  });

  it("that an original left hard-linked to its owner file is taken over (EMAIL-62, 63)", async () => {
    const { bench, lock, update } = await lockedJob("", 31_000);
    linkSync(lock, `${lock}.77.${uOf("c")}.owner`);
    await update();
    expect(bench.counted("folder.lock.taken_over")).toBe(1);
    expect(tree(join(bench.directory, "emails/locks"))).toHaveLength(1);
    bench.advance(120_000);
    // The original was here, so the due index is rebuilt, under a lock that goes with it.
    await dueKeys(await bench.open());
    expect(tree(join(bench.directory, "emails/locks"))).toEqual([]);
  });

  it("of a living owner is waited for, then contended, never stolen (EMAIL-62)", async () => {
    const { bench, lock, version, backend, update } = await lockedJob(
      lockText(uOf("b"), self, null),
      29_000,
    );
    await expect(update()).rejects.toMatchObject({ code: "contended" });
    expect(parseLock(readFileSync(lock)).u).toBe(uOf("b"));
    expect((await backend.get(job("a")))?.version).toBe(version);
    expect(bench.counted("folder.lock.taken_over")).toBe(0);
  });

  it("that is let go while others wait is theirs at once (EMAIL-66)", async () => {
    const { bench, lock, update } = await lockedJob(lockText(uOf("b"), self, null), 0);
    const waiting = update();
    setTimeout(() => unlinkSync(lock), 20);
    await waiting;
    expect(bench.counted("folder.lock.taken_over")).toBe(0);
    expect(tree(join(bench.directory, "emails/locks"))).toEqual([]);
  });

  it("of a process that is known to be dead is taken over at once", async () => {
    const dead = { ...self, pid: deadPid(), startedAt: 1 };
    const { bench, update } = await lockedJob(lockText(uOf("b"), dead, null), 0);
    await update();
    expect(bench.counted("folder.lock.taken_over")).toBe(1);
  });

  it("refuses at once who waits for a version that is gone already", async () => {
    const { backend, bench } = await lockedJob(lockText(uOf("b"), self, null), 0);
    const other = await store(backend, job("b"), { text: "other" });
    const verdict = await backend.putIf(job("a"), "{}\n", {
      expected: other,
      due: null,
      dueBefore: null,
    });
    expect(verdict).toMatchObject({ kind: "refused", current: { body: expect.any(String) } });
    expect(bench.counted("folder.lock.taken_over")).toBe(0);
  });

  it("is waited for by a mending too, which then leaves the lock to nobody (7.4)", async () => {
    const bench = folderBench();
    const backend = await bench.open();
    const first = await store(backend, job("a"), { text: "one", due: deliver(1_000) });
    const index = dueOfBackend(backend);
    const { entries } = await index.page("", "deliver", bench.now(), null, 10);
    await store(backend, job("a"), { text: "two", over: first, dueBefore: deliver(1_000) });
    for (const entry of entries) await index.mend(entry);
    expect(tree(join(bench.directory, "emails/locks"))).toEqual([]);
  });
});

describe("a lock whose name a power cut kept from the disk", () => {
  const text = lockText(uOf("b"), { ...thisProcess(), bootId: "the boot before" }, null);
  const torn = [text.slice(0, 10), text.slice(0, -9), "\0".repeat(text.length)];

  it.each(torn)("is nobody's after two seconds, not after thirty: %j", (left) => {
    const file = { bytes: Buffer.from(left), modifiedAt: 1_000, links: 1 };
    expect(isStaleLock(file, epochMs(3_000), thisProcess())).toBe(false);
    expect(isStaleLock(file, epochMs(3_001), thisProcess())).toBe(true);
  });
});

describe("a process is known to be dead", () => {
  const self: ProcessMark = { ...thisProcess(), bootId: "this boot", pidNamespace: null };
  const dead = deadPid();

  it("when it ran before the machine booted", () => {
    expect(isKnownDead({ ...self, bootId: "another" }, self)).toBe(true);
  });

  it("when its pid is gone, or was given to a process that started at another time", () => {
    expect(
      isKnownDead({ pid: dead, startedAt: 5, bootId: "this boot", pidNamespace: null }, self),
    ).toBe(true);
    if (self.startedAt !== null) {
      const startedAt = self.startedAt - 1;
      expect(isKnownDead({ ...self, startedAt }, self)).toBe(true);
    }
  });

  it("not when it runs, counts its pids in another container, or where boots have no names", () => {
    expect(isKnownDead(self, self)).toBe(false);
    expect(isKnownDead({ ...self, startedAt: null }, self)).toBe(false);
    const elsewhere = { pid: dead, startedAt: 5, bootId: "this boot", pidNamespace: "pid:[7]" };
    expect(isKnownDead(elsewhere, self)).toBe(false);
    expect(
      isKnownDead(
        { pid: dead, startedAt: 5, bootId: null, pidNamespace: null },
        { ...self, bootId: null },
      ),
    ).toBe(false);
  });
});

describe("what stands in a lock", () => {
  it("is read whatever it is: only its first line decides whose it is", () => {
    expect(parseLock(Buffer.from(lockText(uOf("a"), self, null)))).toMatchObject({
      u: uOf("a"),
      owner: self,
    });
    const damaged = ["", "\n", `${uOf("a")}\n`, `${uOf("a")}\n{"pid":"x"}`, `${uOf("a")}\n[1]\n`];
    for (const text of damaged) {
      expect(parseLock(Buffer.from(text)).owner).toBeNull();
    }
    expect(parseLock(Buffer.from([0xff, 0xfe])).owner).toBeNull();
    expect(parseLock(Buffer.from(`${uOf("a")}\n{"pid":0}`)).owner).toBeNull();
  });
});
