/** What a coordinator ends by itself, where nobody makes a pass (QUERY-42 to 46; G6, G7). */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { filesystemStorage } from "../../adapters/storage/filesystem/index.ts";
import { MisconfiguredError } from "../../src/ports/faults.ts";
import type { Coordinator } from "../../src/services/coordinator.ts";
import { rootKey } from "../../src/services/query-records.ts";
import { type Bench, type Instance, openBench } from "./emails/bench.ts";
import {
  answered,
  codeOf,
  completed,
  DAY,
  FENCE_MS,
  LEASE_MS,
  OTHER_CLIENT_JOB_ID,
  owned,
  queryKeys,
  REQUEST,
  running,
} from "./queries/given.ts";
import { type Run, saying } from "./queries/runners.ts";

const THIRD = { clientJobId: "77777777-7777-4777-8777-777777777777", sessionId: "session-3" };

describe("a coordinator on a folder whose processes died, without a pass", () => {
  let bench: Bench;
  let directory = "";
  /** The process that is there after the death. */
  let after: Instance;

  beforeEach(async () => {
    directory = mkdtempSync(join(tmpdir(), "holdfast-due-"));
    bench = await openBench({
      storage: filesystemStorage({ directory }),
      plant: async () => {},
      destroy: async () => rmSync(directory, { recursive: true, force: true }),
    });
    after = await bench.another();
  });
  afterEach(() => bench.close());

  const snapshot = (jobId: string) => after.holdfast.queries.getSnapshot(jobId);
  const statusOf = async (jobId: string) => (await snapshot(jobId)).status;

  /** Its first look is over. */
  async function coordinated(): Promise<Coordinator> {
    const coordinator = after.holdfast.coordinate({ runner: { run: saying("x") } });
    await coordinator.idle();
    return coordinator;
  }

  it("QUERY-42 interrupts a run that lapsed, holds its session, and tells whoever reads it", async () => {
    const { jobId } = await owned(bench.holdfast.queries);
    bench.clock.advance(LEASE_MS);
    const types: string[] = [];
    const { ended } = await after.holdfast.queries.subscribe(jobId, 1, 0, ({ type }) => {
      types.push(type);
    });
    await (await coordinated()).close();
    await ended;
    expect(types.at(-1)).toBe("interrupted");
    expect(await snapshot(jobId)).toMatchObject({
      ...{ status: "interrupted", orphanFenceUntil: bench.at(LEASE_MS + FENCE_MS) },
    });
    const next = after.holdfast.queries.admit({ ...REQUEST, generation: 2 });
    expect(await codeOf(next)).toBe("provider_orphan_fence");
  });

  it("QUERY-42 finds by its later looks what lapses while it is there", async () => {
    const { jobId } = await running(bench.holdfast.queries);
    const coordinator = await coordinated();
    expect(await statusOf(jobId)).toBe("running");
    bench.clock.advance(LEASE_MS);
    await vi.waitFor(async () => {
      bench.clock.elapse(30_000);
      expect(await statusOf(jobId)).toBe("interrupted");
    });
    await coordinator.close();
  });

  it("QUERY-43 completes a committed answer, and QUERY-45 leaves alone what another runs", async () => {
    const ready = await answered(bench.holdfast.queries);
    bench.clock.advance(LEASE_MS);
    const live = await running(bench.holdfast.queries, { clientJobId: OTHER_CLIENT_JOB_ID });
    await (await coordinated()).close();
    expect(await snapshot(ready.jobId)).toMatchObject({
      ...{ status: "completed", response: "an answer" },
    });
    expect(await statusOf(live.jobId)).toBe("running");
  });

  it("protocols 4.3 starts nothing in a session that a lapsed run is to hold", async () => {
    const waiting = await bench.holdfast.queries.admit(REQUEST);
    await owned(bench.holdfast.queries, { clientJobId: OTHER_CLIENT_JOB_ID });
    bench.clock.advance(LEASE_MS);
    const coordinator = after.holdfast.coordinate({ runner: { run: saying("x") } });
    await coordinator.look();
    await coordinator.close();
    expect(await statusOf(waiting.job.jobId)).toBe("accepted");
  });

  it("QUERY-45 goes on with a run of its own whose heartbeats came late", async () => {
    let go = (): void => {};
    const goes = new Promise<void>((resolve) => {
      go = resolve;
    });
    const run: Run = async (_execution, callbacks) => {
      await callbacks.started({});
      await callbacks.ownership({});
      await callbacks.delta("a word");
      await goes;
      return {};
    };
    const coordinator = after.holdfast.coordinate({ runner: { run } });
    const { job } = await coordinator.submit(REQUEST);
    await vi.waitFor(async () => expect((await snapshot(job.jobId)).partialText).toBe("a word"));
    bench.clock.advance(2 * LEASE_MS);
    await coordinator.look();
    expect(await statusOf(job.jobId)).toBe("running");
    go();
    await coordinator.idle();
    expect(await statusOf(job.jobId)).toBe("completed");
    await coordinator.close();
  });

  it("G6 starts what is submitted while it removes what is past its retention", async () => {
    const { jobId } = await completed(bench.holdfast.queries);
    bench.clock.advance(7 * DAY);
    let go = (): void => {};
    const goes = new Promise<void>((resolve) => {
      go = resolve;
    });
    let isRemoving = false;
    after.interference.beforePut = async (key) => {
      if (key !== rootKey(REQUEST.clientJobId)) return;
      isRemoving = true;
      await goes;
    };
    const coordinator = after.holdfast.coordinate({ runner: { run: saying("x") } });
    await vi.waitFor(() => expect(isRemoving).toBe(true));
    const { job } = await coordinator.submit({ ...REQUEST, ...THIRD });
    await vi.waitFor(async () => expect(await statusOf(job.jobId)).toBe("completed"));
    go();
    await coordinator.idle();
    await coordinator.close();
    expect(await codeOf(after.holdfast.queries.getSnapshot(jobId))).toBe("query_job_not_found");
  });

  it("protocols 5.4 removes what is past its retention", async () => {
    await completed(bench.holdfast.queries);
    bench.clock.advance(7 * DAY);
    await (await coordinated()).close();
    const keys = queryKeys(await bench.contents());
    expect(keys.filter((key) => key.startsWith("queries/log/"))).toEqual([]);
  });

  it("G6 one job that cannot be ended stops no other, and an operator is told", async () => {
    const bad = await running(bench.holdfast.queries);
    const good = await running(bench.holdfast.queries, { clientJobId: OTHER_CLIENT_JOB_ID });
    bench.clock.advance(LEASE_MS);
    const told: string[] = [];
    after = await bench.another({ log: (_level, event) => void told.push(event) });
    after.interference.beforePut = async (key) => {
      if (key.includes(bad.jobId)) throw new MisconfiguredError("the token has expired");
    };
    const coordinator = await coordinated();
    const { job } = await coordinator.submit({ ...REQUEST, ...THIRD });
    await coordinator.idle();
    expect(await statusOf(good.jobId)).toBe("interrupted");
    expect(await statusOf(bad.jobId)).toBe("running");
    expect(await statusOf(job.jobId)).toBe("completed");
    expect(told).toEqual(["due query not attended"]);
    after.interference.beforePut = async () => {};
    await coordinator.look();
    expect(await statusOf(bad.jobId)).toBe("interrupted");
    await coordinator.close();
  });
});
