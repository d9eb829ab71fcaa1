/** Who has a folder to itself, as others find it (design 5, protocols 7.6). */
import { type ChildProcess, fork, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, statSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, describe, expect, it, vi } from "vitest";
import {
  type FilesystemStorageOptions,
  type FolderOwner,
  filesystemStorage,
  folderOwner,
} from "../../../adapters/storage/filesystem/index.ts";
import {
  type FolderFields,
  lockText,
  type ProcessMark,
  parseLock,
  thisProcess,
} from "../../../adapters/storage/filesystem/lock-file.ts";
import { epochMs } from "../../../src/core/time.ts";
import { FolderInUseError, MisconfiguredError } from "../../../src/ports/faults.ts";
import { folderBench, job, newDirectory, put } from "./fixture.ts";
import { uOf } from "./world.ts";

// How long a process takes to start is not what is tested.
vi.setConfig({ testTimeout: 60_000 });

const ADDRESS = "http://127.0.0.1:7070";
const SECRET = "the-secret-of-this-start-0123456789";
const OWNER = { address: ADDRESS, secret: SECRET };
const SHARINGS = ["exclusive", "processes"] as const;

const self = thisProcess();
const children = new Set<ChildProcess>();

afterEach(() => {
  for (const child of children) child.kill("SIGKILL");
  children.clear();
});

/** A process that has the folder by now. */
async function ownerOf(directory: string): Promise<ChildProcess> {
  const script = fileURLToPath(new URL("./owner-child.js", import.meta.url));
  const child = fork(script, [directory, ADDRESS, SECRET]);
  children.add(child);
  await once(child, "message");
  return child;
}

async function kill(child: ChildProcess): Promise<void> {
  const ended = once(child, "exit");
  child.kill("SIGKILL");
  await ended;
}

const lockOf = (directory: string): string => join(directory, "folder.lock");
const modeOf = (path: string): number => statSync(path).mode & 0o777;
const ownerNow = (directory: string): FolderOwner | null =>
  folderOwner(directory, epochMs(Date.now()));

/** Everything that a log line or a report could take from an error. */
function shown(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const own = Object.getOwnPropertyNames(error).map((name) => String(Reflect.get(error, name)));
  return [String(error), JSON.stringify(error), ...own, shown(error.cause ?? "")].join("\n");
}

async function refusal(work: () => unknown): Promise<unknown> {
  try {
    await work();
  } catch (error) {
    return error;
  }
  throw new Error("nothing was thrown");
}

describe("a process that has a folder to itself", () => {
  it("is found with its address and secret, until it is killed", async () => {
    const directory = newDirectory();
    const before = Date.now();
    const child = await ownerOf(directory);
    const found = ownerNow(directory);
    expect(found).toEqual({ pid: child.pid, ...OWNER, since: expect.any(Number) });
    expect(found?.since).toBeGreaterThanOrEqual(before);
    await kill(child);
    expect(parseLock(readFileSync(lockOf(directory))).secret).toBe(SECRET);
    expect(ownerNow(directory)).toBeNull();
  });

  it("is found no more when it was silent for more than 30 s", async () => {
    const directory = newDirectory();
    const child = await ownerOf(directory);
    child.kill("SIGSTOP");
    const { mtimeMs } = statSync(lockOf(directory));
    expect(folderOwner(directory, epochMs(Math.floor(mtimeMs) + 30_000))?.pid).toBe(child.pid);
    expect(folderOwner(directory, epochMs(Math.ceil(mtimeMs) + 30_001))).toBeNull();
  });

  it("keeps its lock to its user, also when it took the folder over", async () => {
    const bench = folderBench();
    await kill(await ownerOf(bench.directory));
    expect(modeOf(lockOf(bench.directory))).toBe(0o600);
    await bench.open({ sharing: "exclusive", owner: OWNER });
    expect(bench.counted("folder.lock.taken_over")).toBe(1);
    expect(modeOf(lockOf(bench.directory))).toBe(0o600);
    expect(ownerNow(bench.directory)).toMatchObject({ pid: process.pid, ...OWNER });
  });

  it.each(SHARINGS)(
    "refuses another one (%s) with its pid and address, never its secret",
    async (sharing) => {
      const bench = folderBench();
      const child = await ownerOf(bench.directory);
      const error = await refusal(() => bench.open({ sharing }));
      expect(error).toBeInstanceOf(FolderInUseError);
      expect(error).toMatchObject({ pid: child.pid, address: ADDRESS });
      expect(String(error)).toContain(`process ${child.pid}`);
      expect(String(error)).toContain(ADDRESS);
      expect(shown(error)).not.toContain(SECRET);
    },
  );

  it("tells nothing of its own secret, nor of the next one's, when it lost the folder", async () => {
    const bench = folderBench();
    const backend = await bench.open({ sharing: "exclusive", owner: OWNER });
    await put(backend, job("a"), { text: "one" });
    const next = "the-secret-of-another-start-0123456";
    lock(bench.directory, { secret: next });
    for (const work of [
      () => put(backend, job("b"), { text: "one" }),
      () => backend.get(job("a")),
      () => backend.list("", null, 10),
    ]) {
      const text = shown(await refusal(work));
      expect(text).toContain(`process ${process.pid}`);
      expect(text).not.toContain(SECRET);
      expect(text).not.toContain(next);
    }
  });

  it("stands with its secret in the lock of the data directory only", async () => {
    const bench = folderBench();
    const emailsDirectory = newDirectory();
    await bench.open({ sharing: "exclusive", emailsDirectory, owner: OWNER });
    expect(ownerNow(bench.directory)).toMatchObject(OWNER);
    expect(ownerNow(emailsDirectory)).toMatchObject({ address: ADDRESS, secret: null });
    expect(readFileSync(lockOf(emailsDirectory), "utf8")).not.toContain(SECRET);
  });

  it("is found without address and secret when it does not serve", async () => {
    const bench = folderBench();
    await bench.open({ sharing: "exclusive" });
    expect(ownerNow(bench.directory)).toMatchObject({
      pid: process.pid,
      address: null,
      secret: null,
    });
  });

  it("is found no more when it has closed the folder", async () => {
    const bench = folderBench();
    const backend = await bench.open({ sharing: "exclusive", owner: OWNER });
    await backend.close();
    expect(ownerNow(bench.directory)).toBeNull();
  });
});

const deadPid = (): number => spawnSync(process.execPath, ["-e", ""]).pid;

const FIELDS: FolderFields = { ...OWNER, since: epochMs(1_000), isClearing: false };

/** As another process, with its own `u`, writes it. */
function lock(directory: string, by: Partial<ProcessMark & FolderFields> = {}): void {
  const all = { ...self, ...FIELDS, ...by };
  const { address, secret, since, isClearing, ...mark } = all;
  const text = lockText(uOf("b"), mark, { address, secret, since, isClearing });
  writeFileSync(lockOf(directory), text);
}

describe("a folder lock", () => {
  it("of a living process names the owner", () => {
    const directory = newDirectory();
    lock(directory);
    expect(ownerNow(directory)).toEqual({ pid: process.pid, ...OWNER, since: 1_000 });
  });

  it.each([
    ["a process that is gone", () => ({ pid: deadPid() })],
    ["a process whose pid is another's by now", () => ({ startedAt: 1 })],
    ["another boot", () => ({ bootId: "another boot" })],
    ["a process that clears a dead owner away", () => ({ isClearing: true })],
  ])("of %s names nobody", (_, by) => {
    const directory = newDirectory();
    lock(directory, by());
    expect(ownerNow(directory)).toBeNull();
  });

  it.each(["", "no lock", `${uOf("b")}\n`, `${uOf("b")}\n[]`, '\n{"pid":"1","address":1}'])(
    "that is young and says %j is somebody's, who is not known",
    (text) => {
      const directory = newDirectory();
      writeFileSync(lockOf(directory), text);
      const nobody = { pid: null, address: null, secret: null, since: null };
      expect(ownerNow(directory)).toEqual(nobody);
      const old = new Date(Date.now() - 31_000);
      utimesSync(lockOf(directory), old, old);
      expect(ownerNow(directory)).toBeNull();
    },
  );

  it("that cannot be read is told, by its path", () => {
    for (const make of [mkdirSync, (path: string) => symlinkSync("/etc/hostname", path)]) {
      const directory = newDirectory();
      make(lockOf(directory));
      expect(() => ownerNow(directory)).toThrow(MisconfiguredError);
      expect(() => ownerNow(directory)).toThrow(lockOf(directory));
    }
  });

  it("is missed in silence, as its folder is", () => {
    const directory = newDirectory();
    expect(ownerNow(directory)).toBeNull();
    expect(ownerNow(join(directory, "none", "at", "all"))).toBeNull();
    writeFileSync(join(directory, "file"), "");
    expect(ownerNow(join(directory, "file"))).toBeNull();
  });
});

describe("the option owner", () => {
  it("is for exclusive folders", () => {
    const directory = newDirectory();
    for (const options of [{ directory }, { directory, sharing: "processes" as const }]) {
      expect(() => filesystemStorage({ ...options, owner: OWNER })).toThrow(MisconfiguredError);
    }
  });

  it.each([
    ["no address", { secret: SECRET }],
    ["no URL", { address: "127.0.0.1:7070", secret: SECRET }],
    ["another protocol", { address: "ftp://127.0.0.1", secret: SECRET }],
    ["an address with a line break", { address: `${ADDRESS}\n`, secret: SECRET }],
    ["a long address", { address: ADDRESS + "/".repeat(2_048), secret: SECRET }],
    ["no secret", { address: ADDRESS }],
    ["a short secret", { address: ADDRESS, secret: SECRET.slice(0, 31) }],
    ["a long secret", { address: ADDRESS, secret: SECRET.repeat(10) }],
    ["a secret that no header takes", { address: ADDRESS, secret: `${SECRET}\n` }],
    ["null", null],
  ])("with %s is refused, without the secret", async (_, owner) => {
    const options = { directory: newDirectory(), sharing: "exclusive", owner };
    const make = (): unknown => filesystemStorage(options as FilesystemStorageOptions);
    expect(make).toThrow(MisconfiguredError);
    expect(shown(await refusal(make))).not.toContain(SECRET.slice(0, 31));
  });
});
