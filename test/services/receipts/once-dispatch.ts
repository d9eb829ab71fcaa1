import { describe, expect, it } from "vitest";
import { InvalidInputError } from "../../../src/services/errors.ts";
import type { CurrentBench } from "../emails/bench.ts";
import { charging, codeOf, KEY, LAPSE_MS, PAYLOAD, thrown } from "./given.ts";

export function describeOnceDispatch(bench: CurrentBench): void {
  const receipts = () => bench().holdfast.receipts;

  describe("once, and its dispatch", () => {
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
        expect(await codeOf(end)).toBe("unavailable");
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

    it("does not know what came of it when what is left of its receipt cannot be read", async () => {
      for (const [n, end] of [() => 1, () => Promise.reject(new Error("down"))].entries()) {
        const key = { ...KEY, operationId: `corrupt-${n}` };
        const effect = async ({ receipt }: { receipt: { id: string } }): Promise<number> => {
          await bench().plant(`receipts/records/${receipt.id}`, "{}");
          return end();
        };
        const error = await thrown(receipts().once(key, PAYLOAD, effect));
        expect(error).toMatchObject({ code: "operation_outcome_unknown" });
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
}
