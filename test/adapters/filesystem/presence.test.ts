/** A folder that processes share, and that is not where it was opened. */
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { key } from "../../../src/core/key.ts";
import type { Backend, Version } from "../../../src/ports/backend.ts";
import {
  allKeys,
  deliver,
  dueKeys,
  type FolderBench,
  folderBench,
  idOf,
  job,
  newDirectory,
  put,
  store,
} from "./fixture.ts";

const UNAVAILABLE = { code: "unavailable", isNotWritten: true };

const moved = new Set<string>();

afterEach(() => {
  for (const path of moved) rmSync(path, { recursive: true, force: true });
  moved.clear();
});

function moveAway(directory: string): string {
  const to = `${directory}.moved`;
  renameSync(directory, to);
  moved.add(to);
  return to;
}

/** A folder with a job that is due and one that is not, and the version of the first. */
async function filled(): Promise<{ bench: FolderBench; backend: Backend; version: Version }> {
  const bench = folderBench();
  const backend = await bench.open({ sharing: "processes" });
  const version = await store(backend, job("a"), { text: "one", due: deliver(1_000) });
  await store(backend, job("b"), { text: "one" });
  return { bench, backend, version };
}

function everything(backend: Backend, over: Version): readonly (() => Promise<unknown>)[] {
  return [
    () => backend.get(job("a")),
    () => put(backend, job("a"), { text: "again" }),
    () => put(backend, job("new"), { text: "new", due: deliver(2_000) }),
    () => put(backend, job("a"), { text: "two", over }),
    () => put(backend, key(`tenants/acme/emails/jobs/${idOf("t")}`), { text: "t" }),
    () => backend.remove(job("b")),
    () => allKeys(backend),
    () => allKeys(backend, "emails/"),
    () => dueKeys(backend),
  ];
}

describe("a shared folder that was moved away", () => {
  it("answers nothing, takes nothing, and nothing is made in its place", async () => {
    const { bench, backend, version } = await filled();
    const elsewhere = moveAway(bench.directory);
    for (const call of everything(backend, version)) {
      await expect(call()).rejects.toMatchObject(UNAVAILABLE);
      expect(existsSync(bench.directory)).toBe(false);
    }
    renameSync(elsewhere, bench.directory);
    expect(await backend.get(job("new"))).toBe(null);
    expect(await dueKeys(backend)).toEqual([job("a")]);
    expect((await put(backend, job("a"), { text: "again" })).kind).toBe("refused");
    await store(backend, job("c"), { text: "one", due: deliver(3_000) });
    expect(await dueKeys(backend)).toEqual([job("a"), job("c")].sort());
  });

  it("is not taken for the empty directory that a volume was mounted on", async () => {
    const { bench, backend, version } = await filled();
    moveAway(bench.directory);
    mkdirSync(bench.directory);
    for (const call of everything(backend, version)) {
      await expect(call()).rejects.toMatchObject(UNAVAILABLE);
    }
    expect(readdirSync(bench.directory)).toEqual([]);
  });

  it("is not taken for another store at its place", async () => {
    const { bench, backend, version } = await filled();
    moveAway(bench.directory);
    const other = await folderBench(bench.directory).open({ sharing: "processes" });
    await store(other, job("theirs"), { text: "one", due: deliver(1_000) });
    for (const call of everything(backend, version).slice(0, 5)) {
      await expect(call()).rejects.toMatchObject(UNAVAILABLE);
    }
    expect(await allKeys(other)).toEqual([job("theirs")]);
    expect(await dueKeys(other)).toEqual([job("theirs")]);
  });

  it("holds for a root that lies elsewhere, and leaves the others in use", async () => {
    const bench = folderBench();
    const emailsDirectory = newDirectory();
    const backend = await bench.open({ sharing: "processes", emailsDirectory });
    await store(backend, job("a"), { text: "one", due: deliver(1_000) });
    moveAway(emailsDirectory);
    mkdirSync(emailsDirectory);
    for (const call of [
      () => backend.get(job("a")),
      () => put(backend, job("b"), { text: "one" }),
      () => allKeys(backend, "emails/"),
      () => dueKeys(backend),
    ]) {
      await expect(call()).rejects.toMatchObject(UNAVAILABLE);
    }
    expect(readdirSync(emailsDirectory)).toEqual([]);
    await store(backend, key(`receipts/jobs/${idOf("r")}`), { text: "one" });
  });
});

describe("a shared folder that is where it was", () => {
  it("gets the roots of new tenants, and directories that somebody removed", async () => {
    const { bench, backend } = await filled();
    const tenant = key(`tenants/acme/emails/jobs/${idOf("t")}`);
    await store(backend, tenant, { text: "t", due: deliver(1_000) });
    expect(await dueKeys(backend, "tenants/acme/emails")).toEqual([tenant]);
    for (const name of ["locks", "tmp", "due"]) {
      rmSync(join(bench.directory, "emails", name), { recursive: true });
    }
    await store(backend, job("c"), { text: "one", due: deliver(3_000) });
    expect(await dueKeys(backend)).toContain(job("c"));
  });
});
