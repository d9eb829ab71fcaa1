import { describe, expect, it } from "vitest";
import * as z from "zod";
import { defineOperation } from "../../../src/machines/receipts/operations.ts";
import { InvalidInputError } from "../../../src/services/errors.ts";
import { OperationReceiptOutcomeUnknownError } from "../../../src/services/receipt-errors.ts";
import type { CurrentBench } from "../emails/bench.ts";
import { codeOf, LAPSE_MS, RESULT, START } from "./given.ts";

const KEY = { workspaceId: "w", operationId: "charge-1" };
const PAYLOAD = { amount: 5 };

export function describeOnce(bench: CurrentBench): void {
  const receipts = () => bench().holdfast.receipts;

  /** A side effect that is counted. */
  function charging(): { readonly effect: () => { charge: number }; count: number } {
    const charges = {
      count: 0,
      effect: () => {
        charges.count += 1;
        return { charge: charges.count };
      },
    };
    return charges;
  }

  describe("once", () => {
    it("runs the side effect, stores what it returned, and answers it ever after", async () => {
      const charges = charging();
      const first = await receipts().once(KEY, PAYLOAD, charges.effect);
      expect(first).toMatchObject({ result: { charge: 1 }, replayed: false });
      expect(first.receipt.state).toBe("terminal");
      const again = await receipts().once(KEY, PAYLOAD, charges.effect);
      expect(again).toEqual({ ...first, replayed: true });
      const elsewhere = (await bench().another()).holdfast.receipts;
      expect(await elsewhere.once(KEY, PAYLOAD, charges.effect)).toEqual(again);
      expect(charges.count).toBe(1);
    });

    it("RECEIPT-36 runs it once for many identical calls at once, here and elsewhere", async () => {
      const charges = charging();
      const instances = [bench(), await bench().another(), await bench().another()];
      const calls = instances.flatMap(({ holdfast }) =>
        [1, 2, 3, 4].map(() => holdfast.receipts.once(KEY, PAYLOAD, charges.effect)),
      );
      const ends = await Promise.all(calls);
      expect(charges.count).toBe(1);
      for (const { result } of ends) expect(result).toEqual({ charge: 1 });
      expect(ends.filter(({ replayed }) => !replayed)).toHaveLength(1);
      expect(new Set(ends.map(({ receipt }) => JSON.stringify(receipt))).size).toBe(1);
    });

    it("RECEIPT-33 is counted as what it does: prepared, dispatched, accepted, and then a replay", async () => {
      const { holdfast, observed } = await bench().another();
      await holdfast.receipts.once(KEY, PAYLOAD, () => 1);
      await holdfast.receipts.once(KEY, PAYLOAD, () => 1);
      const counts = [...observed].filter(([name]) => name.startsWith("receipt."));
      expect(Object.fromEntries(counts)).toEqual({
        "receipt.prepared": 1,
        "receipt.dispatched": 1,
        "receipt.accepted": 1,
        "receipt.replay": 1,
      });
    });

    it("goes on with what was only prepared", async () => {
      await receipts().prepare({ ...KEY, payload: PAYLOAD });
      const { replayed } = await receipts().once(KEY, PAYLOAD, () => 1);
      expect(replayed).toBe(false);
    });

    it("RECEIPT-37 after a crash in the middle it is unknown, and never run again", async () => {
      const charges = charging();
      await receipts().dispatch((await receipts().prepare({ ...KEY, payload: PAYLOAD })).receipt);
      const call = (waitMs: number) => receipts().once(KEY, PAYLOAD, charges.effect, { waitMs });
      expect(await codeOf(call(0))).toBe("operation_in_flight");
      bench().clock.advance(LAPSE_MS);
      for (let n = 0; n < 2; n += 1) {
        const error = await call(0).catch((thrown: unknown) => thrown);
        expect(error).toBeInstanceOf(OperationReceiptOutcomeUnknownError);
        expect(error).toMatchObject({ receiptId: expect.stringMatching(/^[0-9a-f]{64}$/) });
      }
      expect(charges.count).toBe(0);
    });

    it("RECEIPT-38 after a crash behind the acceptance it is finished, and replayed", async () => {
      const { receipt } = await receipts().prepare({ ...KEY, payload: PAYLOAD });
      await receipts().markDispatching(receipt);
      await receipts().markAccepted(receipt.id, 7);
      const { result, replayed, receipt: done } = await receipts().once(KEY, PAYLOAD, () => 8);
      expect([result, replayed, done.state]).toEqual([7, true, "terminal"]);
    });

    it("RECEIPT-39 what it throws leaves an unknown outcome, with the cause", async () => {
      const cause = new Error("socket hang up");
      const failing = () => Promise.reject(cause);
      const error = await receipts()
        .once(KEY, PAYLOAD, failing)
        .catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({ code: "operation_outcome_unknown", cause });
      const charges = charging();
      const again = receipts().once(KEY, PAYLOAD, charges.effect);
      expect(await codeOf(again)).toBe("operation_outcome_unknown");
      expect(charges.count).toBe(0);
    });

    it("RECEIPT-40 a failure that it returns is an outcome, and replayed as it is", async () => {
      const { payload, ...key } = START;
      const error = { code: "no_capacity", retryable: true };
      const failed = { ok: false, status: "failed", error };
      const first = await receipts().once(key, payload, () => failed);
      const again = await receipts().once(key, payload, () => RESULT);
      expect([first.result, again.result]).toEqual([failed, failed]);
    });

    it("RECEIPT-41 another payload is a conflict, and no side effect", async () => {
      await receipts().once(KEY, PAYLOAD, () => 1);
      const charges = charging();
      const other = receipts().once(KEY, { amount: 6 }, charges.effect);
      expect(await codeOf(other)).toBe("operation_receipt_conflict");
      expect(charges.count).toBe(0);
    });

    it("a side effect that returns nothing has happened all the same", async () => {
      expect((await receipts().once(KEY, PAYLOAD, () => undefined)).result).toBeNull();
    });

    it("a result that cannot be stored is unknown: it happened, and is not known to be", async () => {
      for (const [n, bad] of [new Date(0), "x".repeat(70_000)].entries()) {
        const key = { ...KEY, operationId: `bad-${n}` };
        const end = receipts().once(key, PAYLOAD, () => bad);
        expect(await codeOf(end)).toBe("operation_outcome_unknown");
      }
    });

    it("an operation of one's own has the results that its schema takes", async () => {
      const charge = defineOperation({
        ...{ tool: "billing", action: "charge" },
        result: z.strictObject({ chargeId: z.string() }),
      });
      const own = (await bench().another({ app: { operations: [charge] } })).holdfast.receipts;
      const key = { ...KEY, tool: "billing", action: "charge" };
      const { result } = await own.once(key, PAYLOAD, () => ({ chargeId: "c-1" }));
      expect(result).toEqual({ chargeId: "c-1" });
      expect(await codeOf(receipts().once(key, PAYLOAD, () => 1))).toBe("invalid_request");
    });

    it("gives the side effect its receipt and the caller's signal", async () => {
      const { signal } = new AbortController();
      await receipts().once(
        KEY,
        PAYLOAD,
        (context) => {
          expect(context.signal).toBe(signal);
          expect(context.receipt).toMatchObject({ ...KEY, state: "dispatching" });
        },
        { signal },
      );
    });
  });

  describe("once, and another call at it", () => {
    it("is waited for, and its outcome answered", async () => {
      const { receipt } = await receipts().prepare({ ...KEY, payload: PAYLOAD });
      await receipts().markDispatching(receipt);
      const other = (await bench().another()).holdfast.receipts;
      const waiting = other.once(KEY, PAYLOAD, () => 8);
      await receipts().markAccepted(receipt.id, 7);
      expect(await waiting).toMatchObject({ result: 7, replayed: true });
    });

    it("is waited for until the caller's signal says no more", async () => {
      await receipts().dispatch((await receipts().prepare({ ...KEY, payload: PAYLOAD })).receipt);
      const abort = new AbortController();
      const waiting = receipts().once(KEY, PAYLOAD, () => 8, { signal: abort.signal });
      abort.abort(new Error("enough"));
      await expect(waiting).rejects.toThrow("enough");
      const late = receipts().once(KEY, PAYLOAD, () => 8, { signal: abort.signal });
      await expect(late).rejects.toThrow("enough");
    });

    it("protocols 6.2 keeps its dispatch for as long as the side effect takes", async () => {
      const { holdfast } = await bench().another();
      let end = (): void => {};
      const running = holdfast.receipts.once(
        KEY,
        PAYLOAD,
        () =>
          new Promise((resolve) => {
            end = () => resolve("done");
          }),
        { leaseMs: 60_000 },
      );
      const until = async () => {
        const { receipts: found } = await receipts().list();
        const record = (await bench().contents()).get(`receipts/records/${found[0]?.id}`) ?? "";
        return Number(/"leaseUntil": ?(\d+)/.exec(record)?.[1]);
      };
      while ((await receipts().list()).receipts.length === 0) await bench().clock.sleep(1 as never);
      // Three renewals in the time of one lease.
      const before = await until();
      bench().clock.elapse(19_999);
      for (let n = 0; n < 5; n += 1) await bench().clock.sleep(4 as never);
      bench().clock.advance(20_000);
      expect(await until()).toBe(before);
      bench().clock.elapse(1);
      while ((await until()) === before) await bench().clock.sleep(1 as never);
      expect((await until()) - before).toBe(20_000);
      bench().clock.advance(20_000);
      while ((await until()) === before + 20_000) {
        bench().clock.elapse(20_000);
        await bench().clock.sleep(1 as never);
      }
      expect((await until()) - before).toBe(40_000);
      end();
      expect((await running).result).toBe("done");
    });

    it("has no more renewals once the side effect has ended", async () => {
      const { holdfast, traffic } = await bench().another();
      await holdfast.receipts.once(KEY, PAYLOAD, () => 1);
      const before = { ...traffic };
      for (let n = 0; n < 5; n += 1) {
        bench().clock.elapse(20_000);
        await bench().clock.sleep(1 as never);
      }
      expect(traffic).toEqual(before);
    });

    it("protocols 6.2 has no more renewals once its dispatch was taken for lost", async () => {
      const { holdfast, traffic } = await bench().another();
      let end = (): void => {};
      const running = holdfast.receipts.once(KEY, PAYLOAD, async ({ receipt }) => {
        bench().clock.advance(LAPSE_MS);
        await receipts().markOutcomeUnknown(receipt.id);
        return new Promise((resolve) => {
          end = () => resolve("done");
        });
      });
      const elapse = async (): Promise<number> => {
        bench().clock.elapse(20_000);
        for (let n = 0; n < 5; n += 1) await bench().clock.sleep(4 as never);
        return traffic.reads;
      };
      while ((await receipts().list()).receipts[0]?.state !== "outcome-unknown") {
        await bench().clock.sleep(1 as never);
      }
      await elapse();
      const before = await elapse();
      expect(await elapse()).toBe(before);
      end();
      // The truth came late, and fills what was unknown.
      expect((await running).receipt.state).toBe("terminal");
    });

    it.each(["advance", "freeze"] as const)(
      "protocols 6.2 rule 3 an owner whose lease ran out before it could start does not start: %s",
      async (passes) => {
        const slow = await bench().another();
        slow.interference.afterPut = async (key) => {
          if (key.startsWith("receipts/records/")) bench().clock[passes](60_000);
        };
        const charges = charging();
        const end = slow.holdfast.receipts.once(KEY, PAYLOAD, charges.effect);
        expect(await codeOf(end)).toBe("operation_outcome_unknown");
        expect(charges.count).toBe(0);
      },
    );

    it("protocols 6.2 rule 3 an owner with a millisecond of its lease left starts", async () => {
      const slow = await bench().another();
      slow.interference.afterPut = async (key) => {
        if (!key.startsWith("receipts/records/")) return;
        slow.interference.afterPut = async () => {};
        bench().clock.advance(59_999);
        bench().clock.freeze(59_999);
      };
      const charges = charging();
      await slow.holdfast.receipts.once(KEY, PAYLOAD, charges.effect);
      expect(charges.count).toBe(1);
    });

    it("is answered as its owner ended it while its dispatch was about to be given up", async () => {
      const { receipt } = await receipts().prepare({ ...KEY, payload: PAYLOAD });
      await receipts().markDispatching(receipt);
      bench().clock.advance(LAPSE_MS);
      // Counted receipts are read first, so the only write is that it was given up.
      const late = await bench().another({ limits: { receiptCapacity: 9 } });
      await late.holdfast.receipts.prepare({ ...KEY, payload: PAYLOAD });
      late.interference.beforePut = async () => {
        late.interference.beforePut = async () => {};
        await receipts().markAccepted(receipt.id, 7);
      };
      const { result, replayed } = await late.holdfast.receipts.once(KEY, PAYLOAD, () => 8);
      expect([result, replayed]).toEqual([7, true]);
    });

    it("what is left of its receipt cannot be read: it is told so, whatever came of it", async () => {
      for (const [n, end] of [() => 1, () => Promise.reject(new Error("down"))].entries()) {
        const key = { ...KEY, operationId: `corrupt-${n}` };
        const effect = async ({ receipt }: { receipt: { id: string } }): Promise<number> => {
          await bench().plant(`receipts/records/${receipt.id}`, "{}");
          return end();
        };
        expect(await codeOf(receipts().once(key, PAYLOAD, effect))).toBe("record_corrupt");
      }
    });

    it.each([
      ["no function", "effect", {}],
      ["options that are none", () => 1, null],
      ["a lease of less than a second", () => 1, { leaseMs: 999 }],
      ["a lease of more than a day", () => 1, { leaseMs: 86_400_001 }],
      ["a wait of less than nothing", () => 1, { waitMs: -1 }],
      ["a wait of more than a day", () => 1, { waitMs: 86_400_001 }],
    ])("refuses %s before anything is written", async (_name, effect, options) => {
      const call = receipts().once(KEY, PAYLOAD, effect as () => number, options as object);
      await expect(call).rejects.toBeInstanceOf(
        typeof effect === "function" ? InvalidInputError : TypeError,
      );
      expect((await receipts().list()).receipts).toEqual([]);
    });

    it("takes the least and the most of lease and wait", async () => {
      for (const [leaseMs, waitMs] of [
        [1_000, 0],
        [86_400_000, 86_400_000],
      ] as const) {
        const key = { ...KEY, operationId: `lease-${leaseMs}` };
        const { receipt } = await receipts().once(key, PAYLOAD, () => 1, { leaseMs, waitMs });
        expect(receipt.state).toBe("terminal");
      }
    });
  });

  describe("once, and an outcome that nobody knows", () => {
    const unknown = () => codeOf(receipts().once(KEY, PAYLOAD, () => Promise.reject(new Error())));

    it("is what the reconcile hook found out, for ever", async () => {
      await unknown();
      const reconcile = () => ({ outcome: "happened", result: { charge: 9 } }) as const;
      const found = await receipts().once(KEY, PAYLOAD, () => ({ charge: 1 }), { reconcile });
      expect(found).toMatchObject({ result: { charge: 9 }, replayed: true });
      expect(found.receipt.resolution).toEqual({
        ...{ outcome: "happened", result: { charge: 9 }, resolvedBy: "reconcile" },
        resolvedAt: bench().clock.now(),
      });
      const again = await receipts().once(KEY, PAYLOAD, () => ({ charge: 1 }));
      expect(again).toEqual(found);
    });

    it("is what a person said while the hook was looking", async () => {
      await unknown();
      const reconcile = async ({ id }: { readonly id: string }) => {
        const answer = { outcome: "happened", result: 5, resolvedBy: "ann" } as const;
        await receipts().resolve(id, answer);
        return { outcome: "did_not_happen" } as const;
      };
      const { result } = await receipts().once(KEY, PAYLOAD, () => 1, { reconcile });
      expect(result).toBe(5);
    });

    it("is what its owner told while the hook was looking", async () => {
      const { receipt } = await receipts().prepare({ ...KEY, payload: PAYLOAD });
      await receipts().markDispatching(receipt);
      await receipts().markOutcomeUnknown(receipt.id);
      const reconcile = async () => {
        await receipts().markAccepted(receipt.id, 7);
        return { outcome: "did_not_happen" } as const;
      };
      const { result } = await receipts().once(KEY, PAYLOAD, () => 1, { reconcile });
      expect(result).toBe(7);
    });

    it.each([
      ["an outcome that is none", { outcome: "perhaps" }, "reconcile.outcome"],
      ["a result that is none", { outcome: "happened", result: () => {} }, "reconcile.result"],
      ["no object", "happened", "reconcile"],
    ])("is not what the hook says when that is %s", async (_name, said, path) => {
      await unknown();
      const reconcile = () => said as never;
      await expect(receipts().once(KEY, PAYLOAD, () => 1, { reconcile })).rejects.toMatchObject({
        ...{ code: "invalid_request", errors: [{ path }] },
      });
      const [receipt] = (await receipts().list()).receipts;
      expect(receipt?.resolution).toBeUndefined();
    });

    it("is told as resolved when it did not happen: the caller takes a new operation", async () => {
      await unknown();
      const reconcile = () => ({ outcome: "did_not_happen" }) as const;
      const end = receipts().once(KEY, PAYLOAD, () => 1, { reconcile });
      await expect(end).rejects.toMatchObject({
        ...{ code: "already_resolved", resolution: { outcome: "did_not_happen" } },
      });
    });

    it("stays unknown when the hook finds nothing", async () => {
      await unknown();
      for (const nothing of [null, undefined]) {
        const reconcile = () => nothing as null;
        expect(await codeOf(receipts().once(KEY, PAYLOAD, () => 1, { reconcile }))).toBe(
          "operation_outcome_unknown",
        );
      }
    });

    it("is answered by a person's resolution", async () => {
      await unknown();
      const [receipt] = (await receipts().list()).receipts;
      await receipts().resolve(receipt?.id ?? "", {
        ...{ outcome: "happened", result: 5, resolvedBy: "ann" },
      });
      const { result, replayed } = await receipts().once(KEY, PAYLOAD, () => 1);
      expect([result, replayed]).toEqual([5, true]);
    });
  });

  describe("once costs (protocols 8)", () => {
    it("two writes for a first call, and one read or refused write for a replay", async () => {
      const { holdfast, traffic } = await bench().another({ limits: { receiptCapacity: "off" } });
      const cost = async (
        work: () => Promise<unknown>,
      ): Promise<{ reads: number; puts: number }> => {
        const before = { ...traffic };
        await work();
        return { reads: traffic.reads - before.reads, puts: traffic.puts - before.puts };
      };
      const first = await cost(() => holdfast.receipts.once(KEY, PAYLOAD, () => 1));
      expect(first.puts).toBe(2);
      expect(first.reads).toBeLessThanOrEqual(1);
      const replay = await cost(() => holdfast.receipts.once(KEY, PAYLOAD, () => 1));
      expect(replay.reads + replay.puts).toBe(1);
    });
  });
}
