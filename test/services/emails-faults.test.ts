/** Lost replies, refusals for load and busy records, as callers of the email service see them. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  type FaultPlan,
  type MemoryStorage,
  memoryStorage,
} from "../../adapters/storage/memory.ts";
import type { Emails } from "../../src/services/emails.ts";
import { type Bench, type Instance, openBench } from "./emails/bench.ts";
import { blindAfter, JOB, onPuts, STEPS } from "./emails/fault-steps.ts";
import {
  asLeased,
  claimed,
  FIRST_VIEW,
  KEY,
  lease,
  leased,
  ready,
  thrownBy,
  times,
} from "./emails/given.ts";

for (const dueIndex of ["native", "markers"] as const) {
  describe(`emails on a failing storage (due index: ${dueIndex})`, () => {
    let storage: MemoryStorage;
    let bench: Bench;

    beforeEach(async () => {
      storage = memoryStorage({ dueIndex });
      bench = await openBench({
        storage,
        plant: async (key, body) => storage.plant(key, body),
        destroy: async () => {},
      });
    });
    afterEach(() => bench.close());

    const failing = (plan: FaultPlan): Promise<Instance> =>
      bench.another({ storage: storage.withFaults(plan) });

    /** How often the job was written. */
    const versionOf = (): number =>
      Number(/"v":(\d+)/.exec(storage.bodies().get(JOB) ?? "")?.[1] ?? 0);

    describe("a fault that passes", () => {
      const faults = ["lost_now", "lost_late", "lost_never", "throttled", "unavailable"] as const;

      for (const { name, given, call, result } of STEPS) {
        it.each(faults)(`${name} with the fault %s is done once, and answered`, async (fault) => {
          const token = (await given(bench.emails)) ?? "";
          const before = versionOf();
          const { emails } = await failing(onPuts([fault]));
          expect(await call(emails, token)).not.toBeNull();
          storage.applyLate();
          expect(versionOf() - before).toBe(1);
          expect(await bench.emails.readJob(KEY)).toMatchObject(result);
        });
      }

      it("an enqueue is answered as created", async () => {
        const { emails } = await failing(onPuts(["lost_now"]));
        expect((await emails.enqueue(KEY, FIRST_VIEW)).created).toBe(true);
      });

      it("three lost replies in a row are no more than one", async () => {
        await ready(bench.emails);
        const { emails } = await failing(onPuts(["lost_late", "lost_never", "lost_late"]));
        const job = asLeased(await emails.acquireSendingLease(KEY, 60_000));
        storage.applyLate();
        expect(await bench.emails.readJob(KEY)).toEqual(job);
      });

      it("a lease whose reply was lost, and which another took over since, is lost", async () => {
        const { leaseToken } = await leased(bench.emails);
        const { emails } = await failing(async ({ kind, key }, when) => {
          if (kind !== "put" || key !== JOB || when === "after") return null;
          bench.clock.advance(60_000);
          await lease(bench.emails);
          return "lost_never";
        });
        expect(await emails.extendSendingLease(KEY, leaseToken, 60_000)).toBeNull();
      });
    });

    describe("an outcome that is not known", () => {
      const faults = ["lost_now", "lost_late", "lost_never"] as const;

      for (const { name, given, call, result } of STEPS) {
        it.each(faults)(
          `${name} with the fault %s is told, and its repeat does no harm`,
          async (fault) => {
            const token = (await given(bench.emails)) ?? "";
            const { emails } = await failing(blindAfter(fault));
            expect(await thrownBy(() => call(emails, token))).toMatchObject({
              code: "outcome_unknown",
            });
            await call(bench.emails, token);
            const job = await bench.emails.readJob(KEY);
            expect(job).toMatchObject(result);
            storage.applyLate();
            expect(await bench.emails.readJob(KEY)).toEqual(job);
          },
        );
      }

      it.each(faults)(
        "an acquisition with a request id gets its lease by repeating: %s",
        async (fault) => {
          await ready(bench.emails);
          const { emails } = await failing(blindAfter(fault));
          const acquire = (who: Emails) =>
            who.acquireSendingLease(KEY, 60_000, { requestId: "request-1" });
          await expect(acquire(emails)).rejects.toMatchObject({ code: "outcome_unknown" });
          const { leaseToken, attempts } = asLeased(await acquire(bench.emails));
          storage.applyLate();
          expect(attempts).toBe(1);
          const sent = await bench.emails.transitionSending(KEY, leaseToken, "sent");
          expect(sent?.state).toBe("sent");
        },
      );

      it.each(faults)("a settlement is answered by repeating: %s", async (fault) => {
        const { leaseToken } = await leased(bench.emails);
        const { emails } = await failing(blindAfter(fault));
        const settle = (who: Emails) => who.transitionSending(KEY, leaseToken, "failed");
        await expect(settle(emails)).rejects.toMatchObject({ code: "outcome_unknown" });
        expect(await settle(bench.emails)).toMatchObject({ state: "failed", leaseToken: null });
      });

      it("is told when the storage never answers", async () => {
        await ready(bench.emails);
        const { emails } = await failing(onPuts(times(20, () => "lost_never")));
        await expect(emails.requeue(KEY)).resolves.toBeNull();
        await expect(emails.acquireSendingLease(KEY, 60_000)).rejects.toMatchObject({
          code: "outcome_unknown",
        });
        expect((await bench.emails.readJob(KEY))?.state).toBe("ready");
      });
    });

    describe("a storage that stays ill", () => {
      it("is told as throttled when it refuses for load, and nothing is written", async () => {
        await ready(bench.emails);
        const before = storage.bodies();
        const { emails } = await failing(onPuts(times(20, () => "throttled")));
        await expect(emails.acquireSendingLease(KEY, 60_000)).rejects.toMatchObject({
          code: "throttled",
          retryAfterMs: 50,
        });
        expect(storage.bodies()).toEqual(before);
      });

      it("is told as unavailable when it cannot be read, never as null", async () => {
        await ready(bench.emails);
        const { emails } = await failing(() => "unavailable");
        const unavailable = { code: "unavailable" };
        for (const call of [
          () => emails.readJob(KEY),
          () => emails.listJobs(),
          () => emails.listPage({ limit: 10 }),
          () => emails.transition(KEY, ["ready"], "failed"),
          () => emails.acquireDueLeases({ durationMs: 60_000, limit: 1 }),
          () => emails.claimNextAwaitingAi(),
          () => emails.retireExpired(10),
          () => emails.readConfig(),
        ]) {
          expect(await thrownBy(call)).toMatchObject(unavailable);
        }
      });
    });

    describe("a record that stays busy", () => {
      it("is told as contended, with nothing written, and not as null", async () => {
        await claimed(bench.emails);
        const { emails } = await failing(async ({ kind, key }, when) => {
          if (kind === "put" && key === JOB && when === "before") {
            const now = bench.at(0);
            await bench.emails.reclaimStaleAiDispatch(KEY, "bob@example.com", now);
          }
          return null;
        });
        const cancel = () => emails.transition(KEY, ["ai_dispatched"], "cancelled");
        expect(await thrownBy(cancel)).toMatchObject({ code: "contended" });
        expect((await bench.emails.readJob(KEY))?.state).toBe("ai_dispatched");
      });

      it("is waited for as long as a command may take, then told as contended", async () => {
        await ready(bench.emails);
        const slow = await bench.another({ limits: { commandMs: 2 } });
        let release = (): void => {};
        slow.interference.beforePut = () =>
          new Promise((resolve) => {
            release = resolve;
          });
        const first = slow.emails.acquireSendingLease(KEY, 60_000);
        const second = await thrownBy(() => slow.emails.acquireSendingLease(KEY, 60_000));
        expect(second).toMatchObject({ code: "contended" });
        release();
        expect((await first)?.state).toBe("sending");
      });
    });
  });
}
