import { describe, expect, it } from "vitest";
import * as z from "zod";
import { defineOperation } from "../../../src/machines/receipts/operations.ts";
import { OperationReceiptOutcomeUnknownError } from "../../../src/services/receipt-errors.ts";
import type { CurrentBench } from "../emails/bench.ts";
import { charging, codeOf, KEY, LAPSE_MS, PAYLOAD, RESULT, START, thrown } from "./given.ts";

export function describeOnce(bench: CurrentBench): void {
  const receipts = () => bench().holdfast.receipts;

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

    it("refuses an option that there is not, naming the one that is near", async () => {
      const charges = charging();
      for (const [options, why] of [
        [{ leasMs: 5_000 }, "options.leasMs: there is no such option: leaseMs?"],
        [{ patience: 1 }, "options.patience: there is no such option"],
      ] as const) {
        const end = thrown(receipts().once(KEY, PAYLOAD, charges.effect, options as object));
        expect(await end).toMatchObject({ code: "invalid_request", message: why });
      }
      expect(charges.count).toBe(0);
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
