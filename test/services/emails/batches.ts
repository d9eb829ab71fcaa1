/** Enqueueing many at once: each item with the verdict it would have alone (peer fault 11). */
import { describe, expect, it } from "vitest";
import type { BatchResult, EnqueueItem } from "../../../src/services/email-batches.ts";
import { InvalidInputError, JobPayloadConflictError } from "../../../src/services/errors.ts";
import type { CurrentBench } from "./bench.ts";
import { expectRefused, FIRST_VIEW, jobIn, STATES, TWO_CLIPS, times } from "./given.ts";

export function describeBatches(bench: CurrentBench): void {
  describe("batches", () => {
    describeVerdicts(bench);
    describeSizes(bench);
  });
}

function created(results: readonly BatchResult[]): readonly unknown[] {
  return results.map((result) => ("error" in result ? result.error : result.created));
}

function describeVerdicts(bench: CurrentBench): void {
  it("creates every item, answered in their order", async () => {
    const { emails } = bench();
    const keys = times(40, (index) => `job-${index}`);
    const results = await emails.enqueueBatch(
      keys.map((logicalKey) => ({ logicalKey, payload: FIRST_VIEW })),
    );
    expect(results.map((result) => ("error" in result ? null : result.job.logicalKey))).toEqual(
      keys,
    );
    expect(created(results)).toEqual(times(40, () => true));
    expect(await emails.listJobs()).toHaveLength(40);
  });

  it("the same key twice: the second is answered with the job of the first", async () => {
    const { emails } = bench();
    const results = await emails.enqueueBatch([
      { logicalKey: "same", payload: FIRST_VIEW },
      { logicalKey: "other", payload: FIRST_VIEW },
      { logicalKey: " same ", payload: TWO_CLIPS },
    ]);
    expect(created(results)).toEqual([true, true, false]);
    const types = results.map((result) => ("error" in result ? null : result.job.type));
    expect(types).toEqual(["first-view", "first-view", "first-view"]);
  });

  it("a bad item stops no other", async () => {
    const { emails } = bench();
    const results = await emails.enqueueBatch([
      { logicalKey: "a", payload: FIRST_VIEW },
      { logicalKey: "", payload: FIRST_VIEW },
      { logicalKey: "c", payload: { ...FIRST_VIEW, recipient: "nobody" } },
      null as unknown as EnqueueItem,
      { logicalKey: "e", payload: FIRST_VIEW },
    ]);
    const bad = expect.any(InvalidInputError);
    expect(created(results)).toEqual([true, bad, bad, bad, true]);
    expect((await emails.listJobs()).map((job) => job.logicalKey).sort()).toEqual(["a", "e"]);
  });

  it("a failure of the storage in one item stops no other", async () => {
    const { emails, plant } = bench();
    const id = "ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb";
    await plant(`emails/jobs/${id}`, "not json");
    const results = await emails.enqueueBatch([
      { logicalKey: "a", payload: FIRST_VIEW },
      { logicalKey: "b", payload: FIRST_VIEW },
    ]);
    expect(created(results)).toEqual([expect.objectContaining({ code: "record_corrupt" }), true]);
  });

  it.each(STATES)(
    "over a job that is %s the verdict is that of a single enqueue",
    async (state) => {
      const { emails } = bench();
      await jobIn(emails, state);
      const item = { logicalKey: "first-view:share-1", payload: FIRST_VIEW } as const;
      const alone = await emails.enqueue(item.logicalKey, item.payload);
      expect(await emails.enqueueBatch([item, item])).toEqual([alone, alone]);
      const asking = { ...item, onPayloadMismatch: "conflict" } as const;
      const conflict = expect.any(JobPayloadConflictError);
      expect(created(await emails.enqueueBatch([asking]))).toEqual([conflict]);
    },
  );

  it("every item has the options of a single enqueue", async () => {
    const { emails, clock, at } = bench();
    await emails.enqueueBatch([
      { logicalKey: "waits", payload: TWO_CLIPS, initialState: "awaiting_ai" },
      { logicalKey: "later", payload: FIRST_VIEW, notBefore: at(60_000) },
    ]);
    expect((await emails.readJob("waits"))?.state).toBe("awaiting_ai");
    await emails.transition("later", ["pending"], "ready");
    expect(await emails.acquireDueLeases({ durationMs: 1, limit: 1 })).toEqual([]);
    clock.advance(60_000);
    expect(await emails.acquireDueLeases({ durationMs: 1, limit: 1 })).toHaveLength(1);
  });

  it("two batches at once of two instances create every job once", async () => {
    const { emails, another } = bench();
    const other = await another();
    const items = times(10, (index) => ({ logicalKey: `job-${index}`, payload: FIRST_VIEW }));
    const answers = await Promise.all([
      emails.enqueueBatch(items),
      other.emails.enqueueBatch(items),
    ]);
    const all = answers.flatMap(created);
    expect(all.filter((one) => one === true)).toHaveLength(10);
    expect(all.filter((one) => one === false)).toHaveLength(10);
  });
}

function describeSizes(bench: CurrentBench): void {
  const item = (index: number) => ({ logicalKey: `job-${index}`, payload: FIRST_VIEW });

  it("takes 100 items", async () => {
    const results = await bench().emails.enqueueBatch(times(100, item));
    expect(created(results)).toEqual(times(100, () => true));
  });

  it.each([
    ["no items", []],
    ["101 items", times(101, item)],
    ["no array", { length: 1 }],
    ["null", null],
    ["nothing", undefined],
  ])("refuses %s as a whole", async (_, items) => {
    const call = () => bench().emails.enqueueBatch(items as readonly EnqueueItem[]);
    await expectRefused(bench(), call, "items");
  });
}
