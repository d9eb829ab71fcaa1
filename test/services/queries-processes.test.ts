/** Real processes on one folder. Needs the compiled test files: a child is started from one. */
import { type ChildProcess, fork } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { filesystemStorage } from "../../adapters/storage/filesystem/index.ts";
import { epochMs } from "../../src/core/time.ts";
import { createHoldfast, type Holdfast } from "../../src/holdfast.ts";
import type { ShownEvent } from "../../src/machines/queries/public-event.ts";
import { systemClock } from "../../src/ports/clock.ts";
import { LEASE_MS, REQUEST, started } from "./queries/given.ts";

// How long a process takes to start is not what is tested.
vi.setConfig({ testTimeout: 120_000 });

describe("one job, written and read by several processes on one folder", () => {
  const children = new Set<ChildProcess>();
  let directory = "";
  let holdfast: Holdfast;

  beforeEach(async () => {
    directory = mkdtempSync(join(tmpdir(), "holdfast-queries-"));
    holdfast = await createHoldfast({ storage: filesystemStorage({ directory }) });
  });
  afterEach(async () => {
    for (const child of children) child.kill("SIGKILL");
    children.clear();
    await holdfast.close();
    rmSync(directory, { recursive: true, force: true });
  });

  async function start(jobId: string, token: string, name: string, count: number) {
    const script = fileURLToPath(new URL("./queries/writer-child.js", import.meta.url));
    const child = fork(script, [directory, jobId, token, name, String(count)]);
    children.add(child);
    await new Promise((resolve) => child.once("message", resolve));
    return child;
  }

  const ended = (child: ChildProcess) =>
    new Promise<number | null>((resolve) => child.once("exit", resolve));

  it("QUERY-61 every delta of every process is read once, in one order, while they write", async () => {
    const { queries } = holdfast;
    const { job, leaseToken } = await started(queries);
    const names = ["a", "b", "c"];
    const writers = await Promise.all(names.map((name) => start(job.jobId, leaseToken, name, 25)));
    const live: ShownEvent[] = [];
    const { events, ended: told } = await queries.subscribe(job.jobId, 1, 0, (event) => {
      live.push(event);
    });
    const ends = writers.map(ended);
    for (const writer of writers) writer.send("go");
    expect(await Promise.all(ends)).toEqual([0, 0, 0]);
    const { partialText, eventSeq } = await queries.getSnapshot(job.jobId);
    expect(eventSeq).toBe(77);
    await queries.complete(job.jobId, { text: partialText }, { leaseToken });
    await told;
    const all = [...events, ...live];
    expect(all.map((event) => event.eventSeq)).toEqual(all.map((_, index) => index + 1));
    const deltas = all.filter(({ type }) => type === "chunk").map(({ data }) => data["text"]);
    expect(deltas.join("")).toBe(partialText);
    for (const name of names) {
      const own = deltas.filter((delta) => String(delta).startsWith(name));
      expect(own).toEqual(Array.from({ length: 25 }, (_, n) => `${name}${n} `));
    }
  });

  it("peer fault 3 what a killed process was told as written stays, and its run is interrupted", async () => {
    const { queries } = holdfast;
    const { job, leaseToken } = await started(queries);
    const writer = await start(job.jobId, leaseToken, "x", 10_000);
    let acknowledged = -1;
    const isUnderWay = new Promise<void>((resolve) => {
      writer.on("message", (n) => {
        acknowledged = Number(n);
        if (acknowledged === 20) resolve();
      });
    });
    const end = ended(writer);
    writer.send("go");
    await isUnderWay;
    writer.kill("SIGKILL");
    await end;

    const clock = { ...systemClock(), now: () => epochMs(Date.now() + LEASE_MS) };
    const later = await createHoldfast({ storage: filesystemStorage({ directory }), clock });
    expect((await later.reconcile()).queries.interrupted).toBe(1);
    const { status, partialText } = await later.queries.getSnapshot(job.jobId);
    expect(status).toBe("interrupted");
    const told = partialText.trim().split(" ");
    expect(told).toEqual(told.map((_, n) => `x${n}`));
    expect(told.length).toBeGreaterThan(acknowledged);
    // Whoever comes back late is told so.
    const late = later.queries.appendPartial(job.jobId, "late", "", false, { leaseToken });
    expect((await late).applied).toBe(false);
    expect((await later.queries.admit({ ...REQUEST, generation: 2 })).created).toBe(true);
    await later.close();
  });
});
