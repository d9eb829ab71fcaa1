import { describe, expect, it } from "vitest";
import * as z from "zod";
import { defineOperation } from "../../../src/machines/receipts/operations.ts";
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
      const before = await until();
      bench().clock.advance(20_000);
      while ((await until()) === before) {
        bench().clock.elapse(20_000);
        await bench().clock.sleep(1 as never);
      }
      expect((await until()) - before).toBe(20_000);
      end();
      expect((await running).result).toBe("done");
    });

    it("protocols 6.2 rule 3 an owner whose lease ran out before it could start does not start", async () => {
      const slow = await bench().another();
      slow.interference.afterPut = async (key) => {
        if (key.startsWith("receipts/records/")) bench().clock.advance(60_000);
      };
      const charges = charging();
      const end = slow.holdfast.receipts.once(KEY, PAYLOAD, charges.effect);
      expect(await codeOf(end)).toBe("operation_outcome_unknown");
      expect(charges.count).toBe(0);
    });
  });

  describe("once, and an outcome that nobody knows", () => {
    const unknown = () => codeOf(receipts().once(KEY, PAYLOAD, () => Promise.reject(new Error())));

    it("may be found out to be null, which is a result", async () => {
      await unknown();
      const reconcile = () => ({ outcome: "happened", result: null }) as const;
      const found = await receipts().once(KEY, PAYLOAD, () => null, { reconcile });
      expect(found).toMatchObject({ result: null, replayed: true });
      expect(found.receipt.resolution).toMatchObject({ outcome: "happened", result: null });
      expect(await receipts().once(KEY, PAYLOAD, () => null)).toEqual(found);
    });

    it("is what the reconcile hook found out, for ever", async () => {
      await unknown();
      const reconcile = () => ({ outcome: "happened", result: { charge: 9 } }) as const;
      const found = await receipts().once(KEY, PAYLOAD, () => ({ charge: 1 }), { reconcile });
      expect(found).toMatchObject({ result: { charge: 9 }, replayed: true });
      const again = await receipts().once(KEY, PAYLOAD, () => ({ charge: 1 }));
      expect(again.result).toEqual({ charge: 9 });
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
      const reconcile = () => null;
      expect(await codeOf(receipts().once(KEY, PAYLOAD, () => 1, { reconcile }))).toBe(
        "operation_outcome_unknown",
      );
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
