/** A due index of the storage's own that answers late: hints only, every job is looked at again. */
import { describe, expect, it } from "vitest";
import { type MemoryStorage, memoryStorage } from "../../adapters/storage/memory.ts";
import { type Bench, openBench } from "./emails/bench.ts";
import { JOB } from "./emails/fault-steps.ts";
import { awaiting, KEY, ready } from "./emails/given.ts";

describe("a due index that lags behind", () => {
  async function laggingBench(): Promise<{ bench: Bench; storage: MemoryStorage }> {
    const storage = memoryStorage();
    const bench = await openBench({
      storage,
      plant: async (key, body) => storage.plant(key, body),
      destroy: async () => {},
    });
    return { bench, storage };
  }

  it("leads to no job that is not due any more", async () => {
    const { bench, storage } = await laggingBench();
    await ready(bench.emails);
    await ready(bench.emails, "other");
    storage.lagDue(true);
    await bench.emails.transition(KEY, ["ready"], "cancelled");
    const jobs = await bench.emails.acquireDueLeases({ durationMs: 60_000, limit: 5 });
    expect(jobs.map((job) => job.logicalKey)).toEqual(["other"]);
    expect(await bench.emails.acquireDueLeases({ durationMs: 60_000, limit: 5 })).toEqual([]);
  });

  it("leads past a record that became unreadable", async () => {
    const { bench, storage } = await laggingBench();
    await ready(bench.emails);
    await ready(bench.emails, "other");
    storage.lagDue(true);
    await bench.plant(JOB, "not json");
    const jobs = await bench.emails.acquireDueLeases({ durationMs: 60_000, limit: 5 });
    expect(jobs.map((job) => job.logicalKey)).toEqual(["other"]);
    expect(bench.observed.get("store.record_corrupt")).toBe(1);
  });

  it("claims no job that was claimed meanwhile", async () => {
    const { bench, storage } = await laggingBench();
    await awaiting(bench.emails);
    storage.lagDue(true);
    await bench.emails.claimAwaitingAi(KEY, "ann@example.com");
    expect(await bench.emails.claimNextAwaitingAi()).toBeNull();
  });
});
