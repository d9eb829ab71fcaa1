/** What a coordinator learns of jobs that others admit and end in its process, and what it catches up with. */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { memoryStorage } from "../../adapters/storage/memory.ts";
import { MisconfiguredError } from "../../src/ports/faults.ts";
import type { Coordinator, CoordinatorOptions } from "../../src/services/coordinator.ts";
import type { HoldfastOptions } from "../../src/services/options.ts";
import { type Bench, type Instance, openBench } from "./emails/bench.ts";
import { codeOf, FENCE_MS, OTHER_CLIENT_JOB_ID, owned, REQUEST, running } from "./queries/given.ts";
import { hanging, type Run, saying } from "./queries/runners.ts";

describe("a coordinator in the process in which jobs move", () => {
  let bench: Bench;
  /** Where jobs move and are run. */
  let here: Instance;

  beforeEach(async () => {
    const storage = memoryStorage();
    bench = await openBench({
      storage,
      plant: async (key, body) => storage.plant(key, body),
      destroy: async () => {},
    });
    here = bench;
  });
  afterEach(() => bench.close());

  const queries = () => here.holdfast.queries;
  const statusOf = async (jobId: string) => (await queries().getSnapshot(jobId)).status;

  /** Its first look is over: what comes now, it is told. */
  async function coordinate(
    run: Run,
    options: Partial<CoordinatorOptions> = {},
  ): Promise<Coordinator> {
    const coordinator = here.holdfast.coordinate({ runner: { run }, ...options });
    await coordinator.idle();
    return coordinator;
  }

  const nth = (n: number) => ({
    ...REQUEST,
    clientJobId: `${n}0000000-0000-4000-8000-000000000000`,
    query: `q${n}`,
  });

  it("starts what is admitted beside it at once, not at its next look", async () => {
    const coordinator = await coordinate(saying("x"));
    const { job } = await queries().admit(REQUEST);
    await coordinator.idle();
    expect(await statusOf(job.jobId)).toBe("completed");
  });

  it.each([
    { what: "cannot be started", part: "000000000002", event: "query run given up" },
    { what: "cannot be written", part: "000000000003", event: "query run not written" },
  ])("tells an operator of a run that $what", async ({ part, event }) => {
    const told: string[] = [];
    here = await bench.another({ log: (_level, name) => void told.push(name) });
    const coordinator = await coordinate(saying("x"));
    here.interference.beforePut = async (key) => {
      if (key.endsWith(part)) throw new MisconfiguredError("the token has expired");
    };
    await coordinator.submit(REQUEST);
    await coordinator.idle();
    expect(told).toEqual([event]);
  });

  it("ends a run at once whose job is canceled beside it", async () => {
    const coordinator = await coordinate(hanging());
    const { job } = await queries().admit(REQUEST);
    await vi.waitFor(async () =>
      expect((await queries().getSnapshot(job.jobId)).partialText).toBe("a word"),
    );
    await queries().cancel(job.jobId, 1);
    await coordinator.idle();
    expect(await statusOf(job.jobId)).toBe("canceled");
  });

  it("QUERY-79 tells the projection once of whatever ends, and of each end", async () => {
    const told: string[] = [];
    const coordinator = await coordinate(saying("x"), {
      project: ({ jobId, status }) => void told.push(`${jobId} ${status}`),
    });
    const own = await queries().admit(REQUEST);
    await coordinator.idle();
    const other = await bench.another();
    const elsewhere = await running(other.holdfast.queries, { clientJobId: OTHER_CLIENT_JOB_ID });
    await queries().cancel(elsewhere.jobId, 1);
    await vi.waitFor(() => expect(told).toHaveLength(2));
    await coordinator.close();
    expect(told).toEqual([`${own.job.jobId} completed`, `${elsewhere.jobId} canceled`]);
  });

  it("QUERY-79 repairs at its start what ended while nobody was there", async () => {
    const first = await queries().admit(nth(1));
    await queries().cancel(first.job.jobId, 1);
    const waiting = await queries().admit(nth(2));
    await queries().admit({ ...nth(3), sessionId: "s3" });
    await queries().cancel(waiting.job.jobId, 1);
    const told: string[] = [];
    here.holdfast.coordinate({
      runner: { run: hanging() },
      project: ({ jobId }) => void told.push(jobId),
    });
    await vi.waitFor(() => expect(told).toHaveLength(2));
    expect([...told].sort()).toEqual([first.job.jobId, waiting.job.jobId].sort());
  });

  it("QUERY-79 counts what a projection throws, at the start as well", async () => {
    const { job } = await queries().admit(REQUEST);
    await queries().cancel(job.jobId, 1);
    const count = () => here.observed.get("query.projection_failed") ?? 0;
    const coordinator = await coordinate(saying("x"), {
      project: () => {
        throw new Error("a bug of the projection");
      },
    });
    await vi.waitFor(() => expect(count()).toBe(1));
    await queries().admit({ ...REQUEST, generation: 2 });
    await coordinator.idle();
    expect(count()).toBe(2);
  });

  it("QUERY-79 at the start goes no further than its end, and keeps nobody from it", async () => {
    for (const n of [1, 2, 3]) {
      const { job } = await queries().admit(nth(n));
      await queries().cancel(job.jobId, 1);
    }
    let told = 0;
    let release = (): void => {};
    const coordinator = await coordinate(saying("x"), {
      project: () => {
        told += 1;
        return new Promise<void>((resolve) => {
          release = resolve;
        });
      },
    });
    await vi.waitFor(() => expect(told).toBe(1));
    const closed = coordinator.close();
    release();
    await closed;
    expect(told).toBe(1);
  });

  describe("where queries of held sessions are admitted", () => {
    async function holding(): Promise<void> {
      const holder = await owned(queries(), { clientJobId: OTHER_CLIENT_JOB_ID });
      await queries().interrupt(holder.jobId);
      here = await bench.another({ heldQueries: "admit" });
    }

    it("QUERY-83 is not the default", async () => {
      const holder = await owned(queries(), { clientJobId: OTHER_CLIENT_JOB_ID });
      await queries().interrupt(holder.jobId);
      expect(await codeOf(queries().admit(REQUEST))).toBe("provider_orphan_fence");
    });

    it("QUERY-83 admits, starts nothing, and starts it once the session is free", async () => {
      await holding();
      const { created, job } = await queries().admit(REQUEST);
      expect(created).toBe(true);
      expect(await codeOf(queries().markStarting(job.jobId))).toBe("provider_orphan_fence");
      await here.holdfast.coordinate({ runner: { run: saying("x") } }).look();
      bench.clock.elapse(30_000);
      expect(await statusOf(job.jobId)).toBe("accepted");
      bench.clock.advance(FENCE_MS);
      await vi.waitFor(async () => {
        bench.clock.elapse(30_000);
        expect(await statusOf(job.jobId)).toBe("completed");
      });
    });

    it("QUERY-83 a cancel ends the waiting, and nothing is run", async () => {
      await holding();
      let runs = 0;
      const coordinator = await coordinate(async () => {
        runs += 1;
        return { text: "x" };
      });
      const { job } = await queries().admit(REQUEST);
      await queries().cancel(job.jobId, 1);
      bench.clock.advance(FENCE_MS);
      bench.clock.elapse(30_000);
      await coordinator.close();
      expect(await statusOf(job.jobId)).toBe("canceled");
      expect(runs).toBe(0);
    });

    it("QUERY-83 a restart keeps it waiting, and keeps the order of its session", async () => {
      await holding();
      const order: string[] = [];
      const run: Run = async ({ query }) => {
        order.push(query);
        return { text: "x" };
      };
      const before = await coordinate(run);
      for (const n of [3, 1]) {
        await queries().admit(nth(n));
        bench.clock.advance(1);
      }
      await before.close();
      expect(order).toEqual([]);
      const reopened = await bench.another({ heldQueries: "admit" });
      const after = reopened.holdfast.coordinate({ runner: { run } });
      // Before the coordinator has seen what waits.
      await reopened.holdfast.queries.admit(nth(2));
      bench.clock.advance(FENCE_MS);
      await vi.waitFor(() => {
        bench.clock.elapse(30_000);
        expect(order).toHaveLength(3);
      });
      await after.close();
      expect(order).toEqual(["q3", "q1", "q2"]);
    });

    it("costs one read less for a request", async () => {
      await holding();
      const { traffic, holdfast } = await bench.another({ heldQueries: "admit" });
      const before = { ...traffic };
      await holdfast.queries.admit(REQUEST);
      expect(traffic.reads - before.reads).toBe(1);
    });
  });

  it("refuses an option that says neither", async () => {
    const options = { heldQueries: "hold" } as unknown as Partial<HoldfastOptions>;
    await expect(bench.another(options)).rejects.toThrow("heldQueries");
  });
});
