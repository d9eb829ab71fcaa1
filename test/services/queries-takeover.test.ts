/**
 * A folder that changes hands, with real processes (G7; protocols 4, 5; design 4). Needs the compiled test
 * files: a child is started from one.
 */
import { type ChildProcess, fork } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { filesystemStorage } from "../../adapters/storage/filesystem/index.ts";
import { createHoldfast, type Holdfast } from "../../src/holdfast.ts";
import { codeOf, REQUEST } from "./queries/given.ts";
import { hanging } from "./queries/runners.ts";

// How long a process takes to start is not what is tested.
vi.setConfig({ testTimeout: 120_000 });

interface Jobs {
  readonly driven: string;
  readonly held: string;
}

describe("an exclusive folder whose owner was killed", () => {
  let directory = "";
  let child: ChildProcess | null = null;
  let holdfast: Holdfast | null = null;

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), "holdfast-takeover-"));
  });
  afterEach(async () => {
    child?.kill("SIGKILL");
    await holdfast?.close();
    holdfast = null;
    rmSync(directory, { recursive: true, force: true });
  });

  const leases = (): readonly unknown[] => {
    const roots = join(directory, "queries", "roots");
    return readdirSync(roots)
      .filter((name) => name.endsWith(".json"))
      .map((name) => JSON.parse(readFileSync(join(roots, name), "utf8")).leaseUntil);
  };

  /** The jobs of a process that ran one itself and is dead, their leases far from over. */
  async function killed(): Promise<Jobs> {
    const script = fileURLToPath(new URL("./queries/coordinator-child.js", import.meta.url));
    const started = fork(script, [directory]);
    child = started;
    const jobs = await new Promise<Jobs>((resolve) => {
      started.once("message", (message) => resolve(message as Jobs));
    });
    await vi.waitFor(
      () => expect(leases()).toEqual([expect.any(Number), expect.any(Number)]),
      60_000,
    );
    started.kill("SIGKILL");
    await new Promise((resolve) => started.once("exit", resolve));
    return jobs;
  }

  async function open(sharing: "exclusive" | "processes"): Promise<Holdfast> {
    holdfast = await createHoldfast({ storage: filesystemStorage({ directory, sharing }) });
    return holdfast;
  }

  it("G7 has the runs that it drove itself interrupted by the first pass, under the fence", async () => {
    const jobs = await killed();
    // A command that only looks in between is an owner, too.
    await (await open("exclusive")).close();
    const { queries, reconcile } = await open("exclusive");
    expect((await reconcile({ dryRun: true })).queries.interrupted).toBe(1);
    expect((await reconcile()).queries.interrupted).toBe(1);
    expect(await queries.getSnapshot(jobs.driven)).toMatchObject({
      status: "interrupted",
      partialText: "a word",
      error: { message: "The server that ran this query was restarted." },
      orphanFenceUntil: expect.any(String),
    });
    const next = queries.admit({ ...REQUEST, generation: 2 });
    expect(await codeOf(next)).toBe("provider_orphan_fence");
    expect((await queries.getSnapshot(jobs.held)).status).toBe("running");
    expect((await reconcile()).queries.interrupted).toBe(0);
  });

  it("G7 has them interrupted by the first look of a coordinator, where nobody makes a pass", async () => {
    const jobs = await killed();
    const { queries, coordinate } = await open("exclusive");
    const coordinator = coordinate({ runner: { run: hanging() } });
    await coordinator.idle();
    expect(await queries.getSnapshot(jobs.driven)).toMatchObject({
      ...{ status: "interrupted", orphanFenceUntil: expect.any(String) },
    });
    expect((await queries.getSnapshot(jobs.held)).status).toBe("running");
    await coordinator.close();
  });

  it("G7 is only one of many where processes share it: the lease counts", async () => {
    const { driven } = await killed();
    const { queries, reconcile } = await open("processes");
    expect((await reconcile()).queries.interrupted).toBe(0);
    expect((await queries.getSnapshot(driven)).status).toBe("running");
  });
});
