import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import { assert } from "../../../src/core/assert.ts";
import { StoreUnavailableError } from "../../../src/ports/faults.ts";
import type { Log } from "../../../src/ports/log.ts";
import { OperationReceiptOutcomeUnknownError } from "../../../src/services/receipt-errors.ts";
import type { CurrentBench } from "../emails/bench.ts";
import { codeOf, KEY, PAYLOAD, thrown } from "./given.ts";

export function describeOnceUnknown(bench: CurrentBench): void {
  const receipts = () => bench().holdfast.receipts;

  describe("once, and a result that is not stored", () => {
    it.each<[unknown, string]>([
      [{ at: new Date(0) }, "result.at: an instance of a class is not JSON"],
      [{ n: [1, 2n] }, "result.n[1]: a value of type bigint is not JSON"],
      [[undefined], "result[0]: a value of type undefined is not JSON"],
      [Number.NaN, "result: a number that is not finite"],
      ["x".repeat(70_000), "result: must be at most 65536 bytes as JSON"],
    ])("a result that cannot be stored is told by its place, and handed back", async (bad, why) => {
      const error = await thrown(receipts().once(KEY, PAYLOAD, () => bad));
      assert(error instanceof OperationReceiptOutcomeUnknownError, "not unknown");
      expect(error.message).toContain(`has run, and what it returned cannot be kept: ${why}`);
      expect(error.returned).toBe(bad);
      const text = "x".repeat(70_000);
      const shown = [
        JSON.stringify(error),
        inspect(error, { depth: 9 }),
        JSON.stringify({ ...error }),
      ];
      for (const one of shown) expect(one).not.toContain(text);
      expect(Object.keys(error)).not.toContain("returned");
      const again = await thrown(receipts().once(KEY, PAYLOAD, () => 1));
      expect(again).toMatchObject({ code: "operation_outcome_unknown", returned: undefined });
    });

    it("its late truth is told by the same service, which kept the token", async () => {
      const bad = await thrown(receipts().once(KEY, PAYLOAD, (): unknown => new Date(0)));
      const failed = await thrown(
        receipts().once({ ...KEY, operationId: "charge-2" }, PAYLOAD, () => Promise.reject(bad)),
      );
      const elsewhere = (await bench().another()).holdfast.receipts;
      for (const [error, operationId] of [
        [bad, "charge-1"] as const,
        [failed, "charge-2"] as const,
      ]) {
        assert(error instanceof OperationReceiptOutcomeUnknownError, "not unknown");
        const other = elsewhere.markAccepted(error.receiptId, { charge: 7 });
        expect(await codeOf(other)).toBe("dispatch_lost");
        await receipts().markAccepted(error.receiptId, { charge: 7 });
        const key = { ...KEY, operationId };
        const { result, replayed } = await elsewhere.once(key, PAYLOAD, () => ({ charge: 8 }));
        expect([result, replayed]).toEqual([{ charge: 7 }, true]);
      }
    });

    it("a result whose storing fails is handed back, told to the log, and can be stored later", async () => {
      const lines: unknown[] = [];
      const log: Log = (...line) => void lines.push(line);
      const { holdfast, interference } = await bench().another({ log });
      const error = await thrown(
        holdfast.receipts.once(KEY, PAYLOAD, () => {
          interference.isBlind = true;
          interference.beforePut = () =>
            Promise.reject(new StoreUnavailableError("the plug is out"));
          return { charge: 7 };
        }),
      );
      assert(error instanceof OperationReceiptOutcomeUnknownError, "not unknown");
      expect(error.message).toBe(
        "the side effect has run, and what it returned could not be stored",
      );
      expect([error.returned, error.cause]).toEqual([{ charge: 7 }, expect.any(Error)]);
      const { receiptId: id } = error;
      expect(lines).toEqual([
        ["warn", "receipt outcome not stored", { tenant: null, id, detail: expect.any(String) }],
      ]);
      expect(JSON.stringify(lines)).not.toContain("charge");
      interference.isBlind = false;
      interference.beforePut = async () => {};
      await holdfast.receipts.markAccepted(id, error.returned);
      expect((await receipts().once(KEY, PAYLOAD, () => ({ charge: 8 }))).result).toEqual({
        charge: 7,
      });
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
        code: "operation_outcome_unknown",
        cause: { code: "invalid_request", errors: [{ path }] },
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

    it("stays unknown when the hook fails, with what that threw", async () => {
      const cause = new Error("the provider is down");
      await unknown();
      const reconcile = () => Promise.reject(cause);
      const error = await thrown(receipts().once(KEY, PAYLOAD, () => 1, { reconcile }));
      expect(error).toMatchObject({ code: "operation_outcome_unknown", cause });
      expect((await receipts().list()).receipts[0]?.resolution).toBeUndefined();
    });

    it("is no question for the hook in the call that left it", async () => {
      const asked: unknown[] = [];
      const reconcile = (receipt: unknown) => {
        asked.push(receipt);
        return { outcome: "did_not_happen" } as const;
      };
      const failing = () => Promise.reject(new Error("socket hang up"));
      await thrown(receipts().once(KEY, PAYLOAD, failing, { reconcile }));
      expect(asked).toEqual([]);
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
}
