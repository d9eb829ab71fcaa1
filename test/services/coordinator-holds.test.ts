/** How long a session stays held whose run was interrupted (QUERY-31, QUERY-80; protocols 4.3; semantics C7). */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { memoryStorage } from "../../adapters/storage/memory.ts";
import { MisconfiguredError } from "../../src/ports/faults.ts";
import type { Coordinator } from "../../src/services/coordinator.ts";
import { type Bench, type Instance, openBench } from "./emails/bench.ts";
import { codeOf, LEASE_MS, OTHER_CLIENT_JOB_ID, owned, REQUEST } from "./queries/given.ts";
import { hanging, type Run, saying } from "./queries/runners.ts";

describe("the session of a run that a coordinator drives", () => {
  let bench: Bench;
  /** The process that runs it. */
  let here: Instance;
  const told: string[] = [];

  beforeEach(async () => {
    const storage = memoryStorage();
    bench = await openBench({
      storage,
      plant: async (key, body) => storage.plant(key, body),
      destroy: async () => {},
    });
    told.length = 0;
    here = await bench.another({ log: (_level, event) => void told.push(event) });
  });
  afterEach(() => bench.close());

  const statusOf = async (jobId: string) =>
    (await bench.holdfast.queries.getSnapshot(jobId)).status;

  const nextGeneration = () => codeOf(bench.holdfast.queries.admit({ ...REQUEST, generation: 2 }));

  interface MidAnswer {
    readonly coordinator: Coordinator;
    readonly jobId: string;
  }

  async function midAnswer(run: Run): Promise<MidAnswer> {
    const coordinator = here.holdfast.coordinate({ runner: { run } });
    const { job } = await coordinator.submit(REQUEST);
    await vi.waitFor(async () => {
      const { partialText } = await bench.holdfast.queries.getSnapshot(job.jobId);
      expect(partialText).toBe("a word");
    });
    return { coordinator, jobId: job.jobId };
  }

  /** One that is told to stop and lets go when `settle` is called. */
  function lingering(): { readonly run: Run; readonly settle: () => void } {
    let settle = (): void => {};
    const isSettled = new Promise<void>((resolve) => {
      settle = resolve;
    });
    const hang = hanging();
    const run: Run = (...call) => hang(...call).finally(() => isSettled);
    return { run, settle };
  }

  it("QUERY-80 is free after an orderly end: the next generation is admitted and run at once", async () => {
    const { coordinator, jobId } = await midAnswer(hanging());
    await coordinator.close();
    expect(await statusOf(jobId)).toBe("interrupted");
    const reopened = (await bench.another()).holdfast.coordinate({ runner: { run: saying("x") } });
    const { job } = await reopened.submit({ ...REQUEST, generation: 2 });
    await reopened.idle();
    expect(await statusOf(job.jobId)).toBe("completed");
    expect(told).toEqual([]);
  });

  it("semantics C7 is held from the end on until the runner has let go", async () => {
    const { run, settle } = lingering();
    const { coordinator, jobId } = await midAnswer(run);
    const closed = coordinator.close();
    await vi.waitFor(async () => expect(await statusOf(jobId)).toBe("interrupted"));
    expect(await nextGeneration()).toBe("provider_orphan_fence");
    settle();
    await closed;
    expect(await nextGeneration()).toBe("nothing was thrown");
  });

  it("semantics C7 is held before the runner is told to stop, and stays so for one that never settles", async () => {
    let held: unknown = null;
    const hang = hanging();
    const { coordinator } = await midAnswer(async (execution, callbacks, signal) => {
      await hang(execution, callbacks, signal).catch(() => {});
      held = await nextGeneration();
      return new Promise(() => {});
    });
    void coordinator.close();
    await vi.waitFor(() => expect(held).toBe("provider_orphan_fence"));
    expect(await nextGeneration()).toBe("provider_orphan_fence");
  });

  it("protocols 4.3 is held where its process is killed", async () => {
    await midAnswer(hanging());
    here.interference.beforePut = () => new Promise(() => {});
    bench.clock.advance(LEASE_MS);
    expect((await bench.holdfast.reconcile()).queries.interrupted).toBe(1);
    expect(await nextGeneration()).toBe("provider_orphan_fence");
  });

  it("is free once a run was ended that another had given up for lost", async () => {
    const { coordinator, jobId } = await midAnswer(hanging());
    bench.clock.advance(LEASE_MS);
    await bench.holdfast.reconcile();
    expect(await statusOf(jobId)).toBe("interrupted");
    expect(await nextGeneration()).toBe("provider_orphan_fence");
    let isIdle = false;
    void coordinator.idle().then(() => {
      isIdle = true;
    });
    await vi.waitFor(() => {
      bench.clock.elapse(LEASE_MS / 3);
      expect(isIdle).toBe(true);
    });
    expect(await nextGeneration()).toBe("nothing was thrown");
  });

  it("is held for another job still", async () => {
    const { coordinator } = await midAnswer(hanging());
    const other = await owned(bench.holdfast.queries, { clientJobId: OTHER_CLIENT_JOB_ID });
    await bench.holdfast.queries.interrupt(other.jobId);
    await coordinator.close();
    expect(await nextGeneration()).toBe("provider_orphan_fence");
  });

  it("stays held where that could not be taken back, and an operator is told", async () => {
    const { coordinator } = await midAnswer(hanging());
    let fences = 0;
    here.interference.beforePut = async (key) => {
      if (!key.startsWith("queries/fences/")) return;
      fences += 1;
      if (fences > 1) throw new MisconfiguredError("the token has expired");
    };
    await coordinator.close();
    expect(told).toEqual(["session hold not taken back"]);
    expect(await nextGeneration()).toBe("provider_orphan_fence");
  });
});
