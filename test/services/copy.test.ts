/** Copies between storages, and imports of an original's folder. */
import { mkdirSync, readdirSync, renameSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { filesystemReader } from "../../adapters/storage/filesystem/index.ts";
import { memoryStorage } from "../../adapters/storage/memory.ts";
import { key } from "../../src/core/key.ts";
import { after, seconds } from "../../src/core/time.ts";
import type { Storage } from "../../src/ports/backend.ts";
import { ContendedError, MisconfiguredError, RecordTooLargeError } from "../../src/ports/faults.ts";
import { copyTally } from "../../src/services/copy-tally.ts";
import { type Log, openLogs } from "../../src/store/log.ts";
import { fill, keyOf, originalFile } from "./copy/given.ts";
import {
  clock,
  contents,
  context,
  copy,
  dueEntries,
  dueTimes,
  folderPlace,
  isMarker,
  memoryPlace,
  newFolder,
  records,
  using,
} from "./copy/places.ts";
import { MESSAGE } from "./emails/given.ts";

const ALL = { copied: 11, present: 0, conflicting: 0, unreadable: 0, failed: 0, stopped: null };
const NONE_LEFT = { ...ALL, copied: 0, present: 11 };

/** Every file below `directory`, with what tells whether it was touched. */
function files(directory: string): readonly string[] {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .map((entry) => join(entry.parentPath, entry.name))
    .map((path) => `${path} ${statSync(path).mtimeMs} ${statSync(path).size}`)
    .sort();
}

function originals(
  filesByName: Readonly<Record<string, string>> = {
    [`${keyOf("one").replace("emails/", "")}.json`]: originalFile("one"),
    [`${keyOf("two").replace("emails/", "")}.json`]: originalFile("two", { state: "pending" }),
    "config.json": `${JSON.stringify({ enabledAt: "2026-01-01T00:00:00.000Z" }, null, 2)}\n`,
  },
): string {
  const directory = join(newFolder(), "original");
  for (const [name, text] of Object.entries(filesByName)) {
    const path = join(directory, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
  return directory;
}

const reading = (emailsDirectory: string): Storage =>
  filesystemReader({ directory: dirname(emailsDirectory), emailsDirectory });

describe("a copy", () => {
  it("goes from a folder over markers and a native index to a folder, and nothing is lost", async () => {
    const first = folderPlace();
    await fill(first.storage);
    const places = [first, memoryPlace("markers"), memoryPlace("native"), folderPlace()] as const;
    const [, markers, native, last] = places;
    expect(await copy(first.reader, markers.storage)).toEqual({ report: ALL, troubles: [] });
    expect(await copy(markers.reader, native.storage)).toEqual({ report: ALL, troubles: [] });
    expect(await copy(native.reader, last.storage)).toEqual({ report: ALL, troubles: [] });
    for (const place of places) {
      expect(await contents(place)).toEqual(await contents(first));
      expect(await dueEntries(place)).toEqual(await dueTimes(first));
    }
    expect(await records(last)).toEqual(await records(first));
  });

  it("makes markers of its own and takes none along (protocols 3)", async () => {
    const from = memoryPlace("markers");
    await fill(from.storage);
    const [markers, native] = [memoryPlace("markers"), memoryPlace("native")];
    await copy(from.reader, markers.storage);
    await copy(from.reader, native.storage);
    const names = (place: typeof from): string[] =>
      [...place.storage.bodies().keys()].filter((name) => isMarker(name));
    expect(names(native)).toEqual([]);
    expect(names(markers)).toHaveLength(Object.keys(await dueTimes(from)).length);
    expect(names(from).filter((name) => names(markers).includes(name))).toEqual([]);
    const named = [...(await records(markers)).values()]
      .map((body) => JSON.parse(body).holdfast.marker)
      .filter((marker) => marker !== null);
    expect(named.sort()).toEqual(names(markers).sort());
    const left = [...(await records(native)).values()].map((body) => JSON.parse(body).holdfast);
    expect(left.filter(({ marker }) => marker !== null)).toEqual([]);
  });

  it("leaves every job where it was: leases, claims and settlements go on with their tokens", async () => {
    const from = folderPlace();
    await fill(from.storage);
    const to = memoryPlace("markers");
    const token = await using(from.storage, async ({ emails }) => {
      return (await emails.readJob("sending"))?.leaseToken ?? "";
    });
    await copy(from.reader, to.storage);
    await using(to.storage, async ({ emails, tenant }) => {
      expect(await emails.transitionSending("sending", "another", "sent")).toBeNull();
      expect(await emails.transitionSending("sending", token, "sent")).toMatchObject({
        state: "sent",
      });
      const [due, ...others] = await emails.acquireDueLeases({ durationMs: 1_000, limit: 10 });
      expect(due).toMatchObject({ logicalKey: "ready", state: "sending" });
      expect(others).toEqual([]);
      expect(await emails.requeue("failed")).toMatchObject({ state: "pending" });
      expect(await emails.claimNextAwaitingAi("writer@example.com")).toMatchObject({
        logicalKey: "clips",
      });
      expect(await emails.enqueue("sent", MESSAGE)).toMatchObject({ created: false });
      await expect(emails.enqueue("erased", MESSAGE)).rejects.toMatchObject({ code: "erased" });
      expect(await tenant("acme").emails.readJob("theirs")).not.toBeNull();
    });
  });

  it("run again copies nothing twice, and what the target did since counts as there", async () => {
    const from = folderPlace();
    await fill(from.storage);
    for (const to of [folderPlace(), memoryPlace("markers"), memoryPlace("native")]) {
      await copy(from.reader, to.storage);
      expect(await copy(from.reader, to.storage)).toEqual({ report: NONE_LEFT, troubles: [] });
      await using(to.storage, ({ emails }) => emails.acquireDueLeases({ durationMs: 1, limit: 9 }));
      const before = await records(to);
      expect(await copy(from.reader, to.storage)).toEqual({ report: NONE_LEFT, troubles: [] });
      expect(await records(to)).toEqual(before);
    }
  });

  it("reports another record at the target, and one that changed at the source, and overwrites neither", async () => {
    const [from, to] = [memoryPlace("native"), memoryPlace("markers")];
    await fill(from.storage);
    await using(to.storage, ({ emails }) => emails.enqueue("pending", { ...MESSAGE, text: "No." }));
    const first = await copy(from.reader, to.storage);
    expect(first.report).toEqual({ ...ALL, copied: 10, conflicting: 1 });
    expect(first.troubles).toMatchObject([
      { kind: "conflict", key: keyOf("pending"), reason: "another record stands there" },
    ]);
    await using(from.storage, ({ emails }) => emails.transition("ready", ["ready"], "cancelled"));
    const before = to.storage.bodies();
    const second = await copy(from.reader, to.storage);
    expect(second.report).toMatchObject({ copied: 0, present: 9, conflicting: 2 });
    expect(second.troubles).toContainEqual({
      kind: "conflict",
      key: keyOf("ready"),
      reason: "it was changed at the source since it was copied",
    });
    expect(to.storage.bodies()).toEqual(before);
  });

  it("that tries only writes nothing, and tells what would be", async () => {
    const from = folderPlace();
    await fill(from.storage);
    const directory = newFolder();
    const to = { missing: folderPlace(join(directory, "missing")), memory: memoryPlace("markers") };
    const dry = { isDryRun: true };
    expect((await copy(from.reader, to.memory.storage, dry)).report).toEqual(ALL);
    expect(to.memory.storage.bodies().size).toBe(0);
    expect((await copy(from.reader, to.missing.reader, dry)).report).toEqual(ALL);
    expect(readdirSync(directory)).toEqual([]);
  });

  it("skips and names what cannot be read, and copies the rest (G6)", async () => {
    const [from, to] = [memoryPlace("native"), memoryPlace("native")];
    await fill(from.storage);
    from.storage.plant(keyOf("broken"), "{");
    from.storage.plant(`queries/log/j/${"1".padStart(12, "0")}`, "{}");
    from.storage.plant(`receipts/${keyOf("r").slice(-64)}`, '{"state":"dispatching"}');
    // No machine's: a mail that was captured into a data folder.
    from.storage.plant("mail/2026-03-01", "{}");
    from.storage.plant(keyOf("wrong").replace(/.$/, "0"), originalFile("wrong"));
    const { report, troubles } = await copy(from.reader, to.storage);
    expect(report).toEqual({ ...ALL, unreadable: 4 });
    expect(troubles.map(({ kind, reason }) => `${kind}: ${reason}`).sort()).toEqual([
      "unreadable: its header does not fit",
      "unreadable: its logicalKey belongs to another id",
      "unreadable: not JSON",
      "unreadable: this version does not know records like this one",
    ]);
    expect(to.storage.bodies().size).toBe(11);
  });

  it("leaves out what a sweep put in the place of nothing", async () => {
    const [from, to] = [memoryPlace("native"), memoryPlace("native")];
    const w = "a".repeat(16);
    const header = { schema: 1, v: 1, w, recent: [w], marker: null, due: null, void: true };
    from.storage.plant(keyOf("void"), JSON.stringify({ holdfast: header }));
    expect((await copy(from.reader, to.storage)).report).toEqual({ ...ALL, copied: 0 });
    expect(to.storage.bodies().size).toBe(0);
  });

  it("leaves what is unreadable at the target as it is", async () => {
    const [from, to] = [memoryPlace("native"), memoryPlace("markers")];
    await fill(from.storage);
    to.storage.plant(keyOf("ready"), "{");
    const { report, troubles } = await copy(from.reader, to.storage);
    expect(report).toEqual({ ...ALL, copied: 10, conflicting: 1 });
    expect(troubles).toMatchObject([{ reason: "what stands there cannot be read: not JSON" }]);
    expect(to.storage.bodies().get(keyOf("ready"))).toBe("{");
  });

  it("of one tenant takes nothing of another", async () => {
    const [from, to] = [memoryPlace("markers"), memoryPlace("markers")];
    await fill(from.storage);
    const acme = { below: "tenants/acme/", under: "tenants/acme/" };
    expect((await copy(from.reader, to.storage, acme)).report).toEqual({ ...ALL, copied: 1 });
    expect([...(await records(to)).keys()]).toEqual([`tenants/acme/${keyOf("theirs")}`]);
  });

  it("brings the parts of a log before the root that names them (protocols 5)", async () => {
    const [from, to] = [memoryPlace("native"), memoryPlace("native")];
    const header = { schema: 1, v: 1, w: "a".repeat(16), recent: ["a".repeat(16)] };
    const root = JSON.stringify({ gen: 1, holdfast: { ...header, marker: null, due: null } });
    const part = JSON.stringify({ events: [], holdfast: { schema: 1, w: "b".repeat(16) } });
    for (const tenant of ["", "tenants/acme/"]) {
      from.storage.plant(`${tenant}queries/roots/${keyOf("q").slice(-64)}`, root);
      from.storage.plant(`${tenant}queries/zlast/${keyOf("q").slice(-64)}`, root);
      from.storage.plant(`${tenant}queries/log/job/000000000001`, part);
      from.storage.plant(`${tenant}queries/log/job/b/random/0`, part);
    }
    const written: string[] = [];
    to.storage.watch((name) => written.push(name));
    expect((await copy(from.reader, to.storage)).report).toMatchObject({
      copied: 8,
      stopped: null,
    });
    expect(written.slice(0, 6).filter((name) => name.includes("/roots/"))).toEqual([]);
    expect(to.storage.bodies()).toEqual(from.storage.bodies());
    expect((await copy(from.reader, to.storage)).report).toMatchObject({ copied: 0, present: 8 });
    to.storage.plant("queries/log/job/000000000001", part.replace("b", "c"));
    expect((await copy(from.reader, to.storage)).troubles).toMatchObject([{ kind: "conflict" }]);
  });

  it("carries the parts of a log that have continuations, whole (protocols 5.8)", async () => {
    const places = [folderPlace(), memoryPlace("native"), folderPlace(), memoryPlace("markers")];
    const [first, ...others] = places;
    const items = ["x".repeat(300_000)];
    const onLog = async <T>(storage: Storage, work: (log: Log) => Promise<T>): Promise<T> => {
      const backend = await storage.open(context);
      const log = openLogs({ ...context, backend }, "queries/log").open("job");
      return work(log).finally(() => backend.close());
    };
    const soon = after(clock.now(), seconds(20));
    let from = first ?? memoryPlace("native");
    await onLog(from.storage, (log) => log.draft({ about: {}, items }).create(1, soon));
    for (const to of others) {
      const { report } = await copy(from.reader, to.storage);
      expect(report).toMatchObject({ copied: 3, unreadable: 0, conflicting: 0 });
      expect(await onLog(to.storage, (log) => log.get(1))).toMatchObject({ kind: "whole", items });
      from = to;
    }
  });
});

describe("a storage that does not answer", () => {
  it("is asked again, until what passes has passed", async () => {
    const [from, to] = [memoryPlace("markers"), memoryPlace("markers")];
    await fill(from.storage);
    let operations = 0;
    const faults = ["throttled", null, null, "unavailable", null, "lost_now", null, null] as const;
    const flaky = (storage: typeof from.storage): Storage =>
      storage.withFaults((_, when) => {
        if (when === "after") return null;
        operations += 1;
        return faults[operations % faults.length] ?? null;
      });
    const { report, troubles } = await copy(flaky(from.storage), flaky(to.storage));
    expect(troubles).toEqual([]);
    // One whose reply was lost is met again.
    expect(report).toMatchObject({ failed: 0, stopped: null });
    expect(report.copied + report.present).toBe(11);
    expect(await contents(to)).toEqual(await contents(from));
    expect(await dueEntries(to)).toEqual(await dueTimes(from));
  });

  it("for good ends the copy, which tells how far it came, and goes on when it is run again", async () => {
    const [from, to] = [memoryPlace("native"), memoryPlace("markers")];
    for (let n = 0; n < 60; n += 1) {
      await using(from.storage, ({ emails }) => emails.enqueue(`job-${n}`, MESSAGE));
    }
    const dying = to.storage.withFaults(() => (to.storage.putCount() > 40 ? "unavailable" : null));
    const { report, troubles } = await copy(from.reader, dying);
    expect(report.copied).toBeGreaterThan(0);
    expect(report.failed).toBeGreaterThanOrEqual(20);
    expect(report.failed).toBeLessThan(60);
    expect(report.stopped).toContain("failed one after another");
    expect(troubles).toHaveLength(report.failed);
    const again = await copy(from.reader, to.storage);
    expect(again.report).toMatchObject({ present: report.copied, stopped: null, failed: 0 });
    expect(await dueEntries(to)).toEqual(await dueTimes(from));
  });

  it("for single records stops nobody", async () => {
    const troubles: string[] = [];
    const tally = copyTally({
      onProgress: () => {},
      onTrouble: ({ kind }) => troubles.push(kind),
    });
    const fails = (fault: Error) => async (): Promise<never> => {
      throw fault;
    };
    const name = key(keyOf("a"));
    for (let n = 0; n < 90; n += 1) {
      const isTooLarge = n % 30 === 29;
      const fault = isTooLarge ? new RecordTooLargeError("large") : new ContendedError("busy");
      await tally.count(name, fails(fault));
      if (n % 30 === 15) await tally.count(name, async () => ({ kind: "copied" }));
    }
    expect(tally.report()).toMatchObject({ copied: 3, failed: 90, stopped: null });
    expect(troubles).toHaveLength(90);
    for (let n = 0; n < 20; n += 1) await tally.count(name, fails(new ContendedError("busy")));
    expect(tally.isStopped()).toBe(true);
  });

  it("because it is set up wrongly ends the copy at once, with its reason", async () => {
    const [from, to] = [memoryPlace("native"), memoryPlace("native")];
    await fill(from.storage);
    const denied: Storage = {
      async open(opening) {
        const backend = await to.storage.open(opening);
        return {
          ...backend,
          putIf: async () => {
            throw new MisconfiguredError("access denied");
          },
        };
      },
    };
    const { report, troubles } = await copy(from.reader, denied);
    expect(report).toMatchObject({ copied: 0, failed: 0, stopped: "access denied" });
    expect(troubles).toEqual([]);
  });

  it("to a listing ends it, too", async () => {
    const [from, to] = [memoryPlace("native"), memoryPlace("native")];
    await fill(from.storage);
    const blind = from.storage.withFaults(({ kind }) => (kind === "list" ? "unavailable" : null));
    expect((await copy(blind, to.storage)).report).toMatchObject({
      copied: 0,
      stopped: "unavailable",
    });
  });
});

describe("an import of an original's folder", () => {
  it("gives every record its first header, due as its machine says, and leaves the folder untouched", async () => {
    const directory = originals();
    const before = files(directory);
    const to = memoryPlace("markers");
    const options = { below: "emails/", under: "emails/" };
    expect((await copy(reading(directory), to.storage, options)).report).toMatchObject({
      copied: 3,
      stopped: null,
    });
    expect(files(directory)).toEqual(before);
    const body = JSON.parse(to.storage.bodies().get(keyOf("one")) ?? "");
    const { holdfast, ...fields } = body;
    expect(fields).toEqual(JSON.parse(originalFile("one")));
    expect(holdfast).toMatchObject({
      v: 1,
      due: { queue: "deliver", at: Date.parse(fields.readyAt) },
    });
    expect(await dueEntries(to)).toEqual(await dueTimes(to));
    await using(to.storage, async ({ emails }) => {
      expect(await emails.readConfig()).toEqual({ enabledAt: "2026-01-01T00:00:00.000Z" });
      const leases = await emails.acquireDueLeases({ durationMs: 1_000, limit: 5 });
      expect(leases).toMatchObject([{ logicalKey: "one", state: "sending" }]);
    });
    const again = await copy(reading(directory), to.storage, options);
    expect(again).toMatchObject({ report: { copied: 0, present: 3 }, troubles: [] });
  });

  it("may go to a tenant, whose it is then alone", async () => {
    const to = memoryPlace("native");
    const options = { below: "emails/", under: "tenants/acme/emails/" };
    await copy(reading(originals()), to.storage, options);
    await using(to.storage, async ({ emails, tenant }) => {
      expect(await emails.listJobs()).toHaveLength(0);
      expect(await tenant("acme").emails.listJobs()).toHaveLength(2);
      expect(
        await tenant("acme").emails.acquireDueLeases({ durationMs: 1, limit: 5 }),
      ).toHaveLength(1);
    });
  });

  it("beside a live process of the original is refused, naming the file (protocols 7.5)", async () => {
    const directory = originals();
    mkdirSync(join(directory, "locks"));
    const name = `${keyOf("one").slice(-64)}.lock.77.owner`;
    writeFileSync(join(directory, "locks", name), "");
    await expect(copy(reading(directory), memoryStorage())).rejects.toMatchObject({
      code: "misconfigured",
      message: expect.stringContaining(name),
    });
  });
});

describe("a folder that is only read", () => {
  it("is refused while a process has it to itself, by that one's pid", async () => {
    const directory = newFolder();
    const place = folderPlace(directory);
    await using(place.storage, async () => {
      await expect(place.reader.open(context)).rejects.toMatchObject({
        code: "folder_in_use",
        pid: process.pid,
      });
    });
  });

  it("that is moved away meanwhile is not taken for an empty one", async () => {
    const ours = newFolder();
    await fill(folderPlace(ours).storage);
    const theirs = originals();
    for (const [directory, storage] of [
      [ours, folderPlace(ours).reader],
      [theirs, reading(theirs)],
    ] as const) {
      const backend = await storage.open(context);
      renameSync(directory, `${directory}-elsewhere`);
      const unavailable = { code: "unavailable" };
      await expect(backend.list("emails/", null, 10)).rejects.toMatchObject(unavailable);
      await expect(backend.get(key(keyOf("one")))).rejects.toMatchObject(unavailable);
      await backend.close();
      renameSync(`${directory}-elsewhere`, directory);
    }
  });

  it("cannot be written, nor asked what is due", async () => {
    const backend = await folderPlace().reader.open(context);
    const name = key(keyOf("a"));
    const misconfigured = { code: "misconfigured" };
    const condition = { expected: "absent", due: null, dueBefore: null } as const;
    await expect(backend.putIf(name, "{}", condition)).rejects.toMatchObject(misconfigured);
    await expect(backend.remove(name)).rejects.toMatchObject(misconfigured);
    const page = backend.due?.page("", "deliver", context.clock.now(), null, 1);
    await expect(page).rejects.toMatchObject(misconfigured);
    expect(await backend.get(name)).toBeNull();
    await backend.close();
  });
});
