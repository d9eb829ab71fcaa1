/** Passes over a storage that loses replies, refuses, or dies under them. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  type FaultPlan,
  type MemoryFault,
  type MemoryStorage,
  memoryStorage,
} from "../../adapters/storage/memory.ts";
import { jobIdOf } from "../../src/machines/emails/record.ts";
import { type Bench, openBench } from "./emails/bench.ts";
import { FIRST_VIEW, TWO_CLIPS } from "./emails/given.ts";
import { codes, counted, cursor, LETTER, mailing, onePage } from "./reconcile/given.ts";
import { type WatchedSends, watchedSends } from "./reconcile/sends.ts";

/** More than a pass over what is given here makes, with markers. */
const STEPS = 120;

/** This fault befalls the put number `nth`; the first is 1. */
function onPut(nth: number, fault: MemoryFault): FaultPlan {
  let puts = 0;
  return ({ kind }, when) => {
    if (kind !== "put" || when === "after") return null;
    puts += 1;
    return puts === nth ? fault : null;
  };
}

/** The process dies at this moment: nothing that it asks for is done any more. */
function dying(atStep: number): FaultPlan {
  let steps = 0;
  return (_, when) => {
    steps += 1;
    if (steps < atStep) return null;
    return when === "before" ? "unavailable" : "lost_now";
  };
}

for (const dueIndex of ["native", "markers"] as const) {
  describe(`a pass on a failing storage (due index: ${dueIndex})`, { timeout: 120_000 }, () => {
    let storage: MemoryStorage;
    let bench: Bench;
    let sends: WatchedSends;
    beforeEach(async () => {
      storage = memoryStorage({ dueIndex });
      sends = watchedSends(storage, () => ({ kind: "sent", id: null }));
      const plant = async (key: string, body: string) => storage.plant(key, body);
      bench = await openBench({ storage, plant, destroy: async () => {} });
      const { emails } = await mailing(bench, { kinds: [sends.kind] });
      await emails.enqueue("view", FIRST_VIEW);
      await emails.enqueue("waits", TWO_CLIPS, "awaiting_ai");
      for (const key of ["a", "b"]) await emails.enqueue(key, LETTER);
      await emails.transition("a", ["pending"], "ready");
    });
    afterEach(() => bench.close());

    const instance = (plan: FaultPlan | null) => {
      const job = { logicalKey: "found", payload: LETTER };
      const sources = [onePage([job], cursor(1))];
      return mailing(
        bench,
        { kinds: [sends.kind], sources },
        { box: sends.box, ...(plan === null ? {} : { storage: storage.withFaults(plan) }) },
      );
    };

    /** Later passes of others, on a storage that is well, until all is done. */
    async function recover(): Promise<void> {
      storage.applyLate();
      const { holdfast, emails } = await instance(null);
      for (let pass = 0; pass < 3; pass += 1) {
        bench.clock.advance(120_000);
        expect((await holdfast.reconcile()).failures).toEqual([]);
      }
      const states = (await emails.listJobs()).map(({ logicalKey, state }) => [logicalKey, state]);
      expect(new Map(states as [string, string][])).toEqual(
        new Map([
          ["view", "ready"],
          ["waits", "awaiting_ai"],
          ["a", "sent"],
          ["b", "sent"],
          ["found", "sent"],
        ]),
      );
      expect(sends.wrong).toEqual([]);
    }

    const faults = ["lost_now", "lost_late", "lost_never", "throttled", "unavailable"] as const;

    for (const fault of faults) {
      it.each([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 16, 18, 20])(
        `the fault ${fault} of the put number %d is overcome by the pass itself`,
        async (nth) => {
          const { holdfast, emails } = await instance(onPut(nth, fault));
          const report = await holdfast.reconcile();
          expect(codes(report)).toEqual([]);
          expect(counted(report)).toEqual({
            discovered: 1,
            enqueued: 1,
            promoted: 3,
            skipped: 1,
            sent: 3,
          });
          expect((await emails.readJob("found"))?.attempts).toBe(1);
          await recover();
        },
      );
    }

    it.each(Array.from({ length: STEPS }, (_, n) => n + 1))(
      "a pass whose process dies at step %d leaves what the next ones bring to its end",
      async (step) => {
        const { holdfast } = await instance(dying(step));
        const report = await holdfast.reconcile();
        expect(report.emails.sent).toBeLessThanOrEqual(sends.box.delivered.length);
        await recover();
        expect(sends.box.delivered.length).toBeLessThanOrEqual(6);
      },
    );

    it("a storage that is away is told in the report, and nothing is thrown", async () => {
      const { holdfast } = await instance(() => "unavailable");
      const report = await holdfast.reconcile();
      expect(counted(report)).toEqual({});
      expect(report.failures).toMatchObject(
        [
          ["emails", "config"],
          ["receipts", "attend"],
          ["queries", "attend"],
          ["emails", "attend"],
          ["emails", "deliver"],
        ].map(([machine, id]) => ({ machine, tenant: null, id, code: "unavailable", count: 1 })),
      );
      expect(report.hasMore).toBe(true);
      const dry = await holdfast.reconcile({ dryRun: true });
      expect(dry.failures).toEqual(report.failures);
    });

    it("a job that could not be enqueued now keeps the cursor before its page", async () => {
      let isBusy = true;
      const id = jobIdOf("found");
      const { holdfast, emails } = await instance(({ kind, key }) =>
        isBusy && kind === "put" && key.endsWith(`jobs/${id}`) ? "throttled" : null,
      );
      const report = await holdfast.reconcile();
      expect(report.failures).toMatchObject([{ id: "source:orders", code: "throttled" }]);
      expect([report.emails.enqueued, report.hasMore]).toEqual([0, true]);
      isBusy = false;
      expect((await holdfast.reconcile()).emails.enqueued).toBe(1);
      expect((await emails.readJob("found"))?.state).toBe("sent");
    });

    it("a job whose record took too long to read is left unleased", async () => {
      const id = jobIdOf("a");
      const { holdfast, emails } = await instance(({ kind, key }, when) => {
        if (kind === "get" && when === "after" && key.endsWith(`jobs/${id}`)) {
          bench.clock.elapse(15_000);
        }
        return null;
      });
      await holdfast.reconcile();
      expect(sends.box.keys()).not.toContain("a");
      expect((await emails.listJobs()).find((job) => job.logicalKey === "a")).toMatchObject({
        state: "ready",
        attempts: 0,
      });
    });

    it("a settlement without an answer is repeated, and counted when it is known", async () => {
      let isBlind = false;
      const { holdfast, box } = await instance(({ kind, key }, when) => {
        if (when === "after" || !key.includes("jobs/") || kind === "due") return null;
        if (!isBlind) return null;
        if (kind === "put") return "lost_now";
        isBlind = false;
        return "unavailable";
      });
      box.answer = () => {
        isBlind = true;
        return { kind: "sent", id: null };
      };
      const report = await holdfast.reconcile();
      expect(report.emails.sent).toBe(3);
      expect(codes(report)).toEqual([]);
    });
  });
}
