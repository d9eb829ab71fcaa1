/** Results of an application's own operations: its schema judges what comes in, and nothing that is stored. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import * as z from "zod";
import { memoryStorage } from "../../adapters/storage/memory.ts";
import { defineOperation } from "../../src/machines/receipts/operations.ts";
import type { Receipts } from "../../src/services/receipts.ts";
import { type Bench, openBench } from "./emails/bench.ts";
import { accepted, codeOf, DAY, ID, originals, prepared, RECORD, START } from "./receipts/given.ts";

const CHARGE = { operationId: "charge-1", tool: "billing", action: "charge" };

let bench: Bench;

beforeEach(async () => {
  const storage = memoryStorage();
  bench = await openBench({
    storage,
    plant: async (key, body) => storage.plant(key, body),
    destroy: async () => {},
  });
});
afterEach(() => bench.close());

/** A deployment whose charges result in what `result` takes. */
async function deployed(result: z.ZodType): Promise<Receipts> {
  const app = { operations: [defineOperation({ tool: "billing", action: "charge", result })] };
  const limits = { receiptRetentionMs: DAY };
  return (await bench.another({ app, limits })).holdfast.receipts;
}

const throwing = z.custom((value) => (value as { deep: { ok: boolean } }).deep.ok);

describe("a stored result", () => {
  it("RECEIPT-24 is replayed as it was stored, though its schema makes another of it", async () => {
    const receipts = await deployed(
      z.object({ amount: z.union([z.string(), z.number()]).transform((amount) => `${amount}0`) }),
    );
    const first = await receipts.once(CHARGE, 1, () => ({ amount: "1" }));
    expect(first.result).toEqual({ amount: "10" });
    expect(await receipts.once(CHARGE, 1, () => ({ amount: "1" }))).toEqual({
      ...first,
      replayed: true,
    });
  });

  it.each([
    ["takes less than before", z.strictObject({ chargeId: z.string() })],
    ["throws", throwing],
  ])(
    "G6 is read, listed, erased and retired by a deployment whose schema %s",
    async (_name, result) => {
      const before = await deployed(z.unknown());
      const { receipt } = await before.once(CHARGE, 1, () => ({ amount: 1 }));
      const other = { ...CHARGE, operationId: "charge-2" };
      await before.once(other, 1, () => ({ amount: 2 }));
      const receipts = await deployed(result);
      expect(await receipts.get(receipt.id)).toEqual(receipt);
      expect((await receipts.list()).receipts).toHaveLength(2);
      await receipts.erase(receipt.id);
      bench.clock.advance(DAY);
      expect(await receipts.retireExpired(10)).toBe(1);
      expect(await codeOf(receipts.once(other, 1, () => ({ amount: 2 })))).toBe(
        "operation_expired",
      );
    },
  );

  it("RECEIPT-29 that is none of the original's is unreadable, and can be erased all the same", async () => {
    const { receipts } = bench.holdfast;
    const times = { dispatchingAt: 1, acceptedAt: 2, terminalAt: 3 };
    await bench.plant(RECORD, originals({ state: "terminal", ...times, result: { ok: "yes" } }));
    expect(await codeOf(receipts.get(ID))).toBe("record_corrupt");
    await receipts.erase(ID);
    expect(await codeOf(receipts.prepare(START))).toBe("operation_expired");
  });
});

describe("a result that comes in", () => {
  const strict = z.strictObject({ chargeId: z.string() });
  const claimed = { tool: "custom", action: "call" };

  it("RECEIPT-20 is judged by the operation that is stored, whatever its caller says it is", async () => {
    const receipts = await deployed(strict);
    const { receipt } = await receipts.prepare({ ...CHARGE, payload: 1 });
    await receipts.markDispatching(receipt);
    for (const ref of [
      { ...receipt, ...claimed },
      { id: receipt.id, ...claimed },
    ]) {
      expect(await codeOf(receipts.markAccepted(ref, { garbage: 1 }))).toBe("invalid_request");
    }
    await receipts.markOutcomeUnknown(receipt.id);
    const ref = { id: receipt.id, ...claimed };
    const answer = { outcome: "happened", result: { garbage: 1 }, resolvedBy: "ann" } as const;
    expect(await codeOf(receipts.resolve(ref, answer))).toBe("invalid_request");
    expect((await receipts.markAccepted(ref, { chargeId: "c" })).result).toEqual({ chargeId: "c" });
  });

  it("RECEIPT-48 names of any kind beside an id are not looked at", async () => {
    const { receipts } = bench.holdfast;
    await accepted(receipts);
    const { result } = await prepared(receipts);
    const ref = { id: ID, tool: Symbol("tool"), action: null };
    expect((await receipts.markAccepted(ref, result)).state).toBe("accepted");
  });
});
