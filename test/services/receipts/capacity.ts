import { describe, expect, it } from "vitest";
import { scopeIdOf } from "../../../src/machines/receipts/key.ts";
import type { CurrentBench, Instance, Interference } from "../emails/bench.ts";
import {
  codeOf,
  DAY,
  ID,
  operation,
  originals,
  prepared,
  RECORD,
  START,
  terminal,
} from "./given.ts";

const SCOPE = `receipts/scopes/${scopeIdOf("workspace")}`;

/** Nothing of the instance gets anywhere any more, from its first write of `key` on. */
function killBefore(interference: Interference, key: string): void {
  interference.beforePut = async (written) => {
    if (written === key) interference.isBlind = true;
    if (interference.isBlind) throw new Error("killed");
  };
}

/** The same once writes of `keys`, in their order, have taken effect. */
function killAfter(interference: Interference, keys: readonly string[]): void {
  const left = [...keys];
  killBefore(interference, "");
  interference.afterPut = async (written) => {
    if (written === left[0]) left.shift();
    if (left.length > 0) return;
    interference.isBlind = true;
    throw new Error("killed");
  };
}

export function describeCapacity(bench: CurrentBench): void {
  const limited = (receiptCapacity: number): Promise<Instance> =>
    bench().another({ limits: { receiptCapacity, receiptRetentionMs: DAY } });

  const scope = async (): Promise<{ used: number; pend: object; out: object }> =>
    JSON.parse((await bench().contents()).get(SCOPE) ?? "{}");

  describe("the receipts of a workspace", () => {
    it("RECEIPT-10, RECEIPT-11 are as many as they may be; more are refused, with nothing written", async () => {
      const { holdfast, observed } = await limited(2);
      const { receipts } = holdfast;
      const first = await prepared(receipts, operation("o-1"));
      await prepared(receipts, operation("o-2"));
      expect(await codeOf(receipts.prepare(operation("o-3")))).toBe("operation_receipt_capacity");
      const { payload, ...key } = operation("o-3");
      let isRun = false;
      const once = receipts.once(key, payload, () => {
        isRun = true;
      });
      expect(await codeOf(once)).toBe("operation_receipt_capacity");
      await expect(once).rejects.toThrow(/^the workspace "[^"]+" has 2 receipts/);
      expect(isRun).toBe(false);
      expect((await receipts.list()).receipts).toHaveLength(2);
      expect(observed.get("receipt.capacity")).toBe(2);
      // What is there is answered, and goes on.
      expect((await receipts.prepare(operation("o-1"))).receipt).toEqual(first);
      expect((await terminal(receipts, operation("o-2"))).state).toBe("terminal");
      // Another workspace has its own places.
      await prepared(receipts, operation("o-3", "elsewhere"));
    });

    it("RECEIPT-12 with one place left, many at once from several processes create one", async () => {
      const instances = await Promise.all([1, 2, 3].map(() => limited(3)));
      const [one] = instances;
      await prepared((one as Instance).holdfast.receipts, operation("o-1"));
      await prepared((one as Instance).holdfast.receipts, operation("o-2"));
      const calls = instances.flatMap(({ holdfast }, n) =>
        [1, 2, 3].map((m) => holdfast.receipts.prepare(operation(`race-${n}-${m}`))),
      );
      const ends = await Promise.allSettled(calls);
      expect(ends.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
      for (const end of ends) {
        if (end.status === "rejected") {
          expect(end.reason).toMatchObject({ code: "operation_receipt_capacity" });
        }
      }
      expect((await bench().holdfast.receipts.list()).receipts).toHaveLength(3);
    });

    it("are counted once when the same operation is prepared by many at once", async () => {
      const instances = await Promise.all([1, 2, 3].map(() => limited(9)));
      await Promise.all(instances.map(({ holdfast }) => prepared(holdfast.receipts)));
      bench().clock.advance(60_000);
      await prepared((instances[0] as Instance).holdfast.receipts, operation("o-2"));
      expect((await scope()).used).toBe(2);
    });

    it("RECEIPT-49 give their place back when they are retired, once", async () => {
      const { receipts } = (await limited(1)).holdfast;
      await terminal(receipts);
      bench().clock.advance(DAY);
      expect(await codeOf(receipts.prepare(operation("o-2")))).toBe("operation_receipt_capacity");
      const another = (await limited(1)).holdfast.receipts;
      const retired = await Promise.all([receipts.retireExpired(10), another.retireExpired(10)]);
      expect(retired.some((count) => count > 0)).toBe(true);
      await prepared(receipts, operation("o-2"));
      expect((await scope()).used).toBe(1);
      expect((await scope()).out).toEqual({});
      expect(await codeOf(receipts.prepare(START))).toBe("operation_expired");
    });

    it("are not counted while that is off", async () => {
      const { receipts } = (await bench().another({ limits: { receiptCapacity: "off" } })).holdfast;
      await prepared(receipts);
      expect(await bench().contents()).not.toHaveProperty(SCOPE);
      expect((await bench().contents()).get(SCOPE)).toBeUndefined();
      const { receipts: on } = (await limited(1)).holdfast;
      await prepared(on, operation("o-2"));
      expect(await codeOf(on.prepare(operation("o-3")))).toBe("operation_receipt_capacity");
    });

    it("protocols 6.1 those of an original are counted before the first is prepared", async () => {
      await bench().plant(RECORD, originals({}));
      const { receipts } = (await limited(2)).holdfast;
      await prepared(receipts, operation("o-2"));
      expect(await codeOf(receipts.prepare(operation("o-3")))).toBe("operation_receipt_capacity");
      expect((await receipts.prepare(START)).created).toBe(false);
      // The first look at an old receipt begins its retention, the second retires it.
      expect(await receipts.retireExpired(10)).toBe(0);
      expect(await receipts.get(ID)).toBeDefined();
    });

    it.each([0, 65_537, 1.5, -1, Number.NaN])(
      "RECEIPT-13 cannot be limited to %s",
      async (receiptCapacity) => {
        expect(await codeOf(limited(receiptCapacity))).toBe("invalid_request");
      },
    );
  });

  describe("a place that was reserved and never used", () => {
    it("protocols 6.1 is given back, so that its receipt can never be created with it", async () => {
      const { holdfast, interference } = await limited(1);
      killBefore(interference, RECORD);
      expect(await codeOf(holdfast.receipts.prepare(START))).toBe("outcome_unknown");
      expect((await scope()).used).toBe(1);
      const { receipts } = (await limited(1)).holdfast;
      bench().clock.advance(59_999);
      expect(await codeOf(receipts.prepare(operation("o-2")))).toBe("operation_receipt_capacity");
      bench().clock.advance(1);
      await prepared(receipts, operation("o-2"));
      expect(await receipts.get(ID)).toBeUndefined();
      expect((await receipts.list()).receipts).toHaveLength(1);
      // The operation itself was never run, and can be once there is a place.
      expect(await codeOf(receipts.prepare(START))).toBe("operation_receipt_capacity");
      const more = (await limited(2)).holdfast.receipts;
      expect((await more.prepare(START)).created).toBe(true);
      expect((await scope()).used).toBe(2);
    });

    it("protocols 6.1 a creator that slept meanwhile reserves anew, and the limit holds", async () => {
      const slow = await limited(1);
      const fast = await limited(1);
      let isFirst = true;
      slow.interference.beforePut = async (key) => {
        if (key !== RECORD || !isFirst) return;
        isFirst = false;
        bench().clock.advance(60_000);
        await prepared(fast.holdfast.receipts, operation("o-2"));
      };
      expect(await codeOf(slow.holdfast.receipts.prepare(START))).toBe(
        "operation_receipt_capacity",
      );
      expect((await fast.holdfast.receipts.list()).receipts).toHaveLength(1);
      expect((await scope()).used).toBe(1);
    });

    it("protocols 6.1 so does one that found a reservation given back before", async () => {
      const first = await limited(1);
      killBefore(first.interference, RECORD);
      await codeOf(first.holdfast.receipts.prepare(START));
      bench().clock.advance(60_000);
      const fast = (await limited(1)).holdfast.receipts;
      await fast.erase((await prepared(fast, operation("o-1"))).id);
      const slow = await limited(1);
      let isFirst = true;
      slow.interference.beforePut = async (key) => {
        if (key !== RECORD || !isFirst) return;
        isFirst = false;
        bench().clock.advance(60_000);
        await prepared(fast, operation("o-2"));
      };
      expect(await codeOf(slow.holdfast.receipts.prepare(START))).toBe(
        "operation_receipt_capacity",
      );
      expect((await fast.list()).receipts).toHaveLength(1);
      expect((await scope()).used).toBe(1);
    });

    it("protocols 6.1 stays taken when the receipt was created after all", async () => {
      const { holdfast, interference } = await limited(2);
      killAfter(interference, [RECORD]);
      expect(await codeOf(holdfast.receipts.prepare(START))).toBe("outcome_unknown");
      bench().clock.advance(60_000);
      const { receipts } = (await limited(2)).holdfast;
      await prepared(receipts, operation("o-2"));
      expect(await codeOf(receipts.prepare(operation("o-3")))).toBe("operation_receipt_capacity");
      expect((await scope()).used).toBe(2);
    });

    it("protocols 6.1 a retirement that was cut off anywhere is finished, and counts once", async () => {
      for (const [n, keys] of [
        [1, [SCOPE]],
        [2, [RECORD, SCOPE]],
        [3, [SCOPE, SCOPE]],
      ] as const) {
        const cut = await limited(9);
        const request = operation(`cut-${n}`);
        const { id } = await terminal(cut.holdfast.receipts, request);
        bench().clock.advance(DAY);
        const before = (await scope()).used;
        killAfter(
          cut.interference,
          keys.map((key) => (key === RECORD ? `receipts/records/${id}` : key)),
        );
        // That the place is forgotten may wait, so the last of them is no failure.
        const end = await codeOf(cut.holdfast.receipts.retireExpired(10));
        expect(["outcome_unknown", "nothing was thrown"]).toContain(end);
        const { receipts } = (await limited(9)).holdfast;
        await receipts.retireExpired(10);
        await receipts.retireExpired(10);
        expect((await scope()).used).toBe(before - 1);
      }
    });
  });
}
