import { describe, expect, it } from "vitest";
import type { CurrentBench } from "../emails/bench.ts";
import {
  codeOf,
  DAY,
  dispatched,
  ID,
  LAPSE_MS,
  operation,
  originals,
  prepared,
  RECORD,
  RESULT,
  START,
  terminal,
  unknown,
} from "./given.ts";

export function describeRetention(bench: CurrentBench): void {
  const open = async () =>
    (await bench().another({ limits: { receiptRetentionMs: DAY } })).holdfast.receipts;

  describe("retention", () => {
    it("RECEIPT-49 a receipt that is over reads as nothing, and its operation never runs again", async () => {
      const receipts = await open();
      await terminal(receipts);
      bench().clock.advance(DAY);
      expect(await receipts.recoverInterrupted()).toMatchObject({ recovered: 0 });
      const isOver = async () => {
        expect(await receipts.get(ID)).toBeUndefined();
        expect((await receipts.list()).receipts).toEqual([]);
        for (const call of [
          () => receipts.prepare(START),
          () => receipts.dispatch(ID),
          () => receipts.markTerminal(ID),
        ]) {
          await expect(call()).rejects.toMatchObject({
            ...{ code: "operation_expired", outcome: "completed" },
          });
        }
        expect(await codeOf(receipts.prepare({ ...START, payload: 1 }))).toBe(
          "operation_receipt_conflict",
        );
      };
      await isOver();
      expect(await receipts.retireExpired(10)).toBe(1);
      await isOver();
      expect((await bench().contents()).get(RECORD)).not.toContain("stdio:owner");
    });

    it("is 30 days unless a deployment says otherwise", async () => {
      const { receipts } = bench().holdfast;
      await terminal(receipts);
      bench().clock.advance(30 * DAY - 1);
      expect(await receipts.get(ID)).toMatchObject({ state: "terminal" });
      bench().clock.advance(1);
      expect(await receipts.get(ID)).toBeUndefined();
    });

    it("keeps what is unknown until a person resolved it, and then for its time", async () => {
      const receipts = await open();
      await unknown(receipts);
      bench().clock.advance(99 * DAY);
      expect(await receipts.retireExpired(10)).toBe(0);
      await receipts.resolve(ID, { outcome: "abandoned", resolvedBy: "ann" });
      bench().clock.advance(DAY - 1);
      expect(await receipts.get(ID)).toBeDefined();
      bench().clock.advance(1);
      expect(await receipts.retireExpired(10)).toBe(1);
      await expect(receipts.prepare(START)).rejects.toMatchObject({ outcome: "abandoned" });
    });

    it("takes the notes with the receipt", async () => {
      const receipts = await open();
      const { dispatchToken } = await dispatched(receipts);
      await receipts.markOutcomeUnknown(ID);
      await receipts.resolve(ID, { outcome: "abandoned", resolvedBy: "ann" });
      await codeOf(receipts.markAccepted(ID, RESULT, { dispatchToken }));
      expect(await receipts.notes(ID)).toHaveLength(1);
      bench().clock.advance(DAY);
      await receipts.retireExpired(10);
      expect(await receipts.notes(ID)).toEqual([]);
      expect([...(await bench().contents()).values()].join("")).not.toContain("task-1");
    });

    it("RECEIPT-27 is no recovery: a dispatch that lapsed is left to that", async () => {
      const receipts = await open();
      await dispatched(receipts);
      bench().clock.advance(LAPSE_MS);
      expect(await receipts.retireExpired(10)).toBe(0);
      expect(await receipts.get(ID)).toMatchObject({ state: "dispatching" });
    });

    it("retires from 1 to 1,000 receipts at once, and as many as were asked for", async () => {
      const receipts = await open();
      for (const limit of [0, 1_001, 1.5]) {
        expect(await codeOf(receipts.retireExpired(limit))).toBe("invalid_request");
      }
      for (const n of [1, 2, 3]) await terminal(receipts, operation(`o-${n}`));
      bench().clock.advance(DAY);
      expect(await receipts.retireExpired(1)).toBe(1);
      expect(await receipts.retireExpired(1_000)).toBe(2);
    });

    it("off, keeps everything", async () => {
      const limits = { receiptRetentionMs: "off" } as const;
      const { receipts } = (await bench().another({ limits })).holdfast;
      const receipt = await terminal(receipts);
      bench().clock.advance(9_999 * DAY);
      expect(await receipts.retireExpired(10)).toBe(0);
      expect(await receipts.get(ID)).toEqual(receipt);
    });

    it("RECEIPT-50 of an original's receipt begins with us, however old it is", async () => {
      const finished = { dispatchingAt: 1, acceptedAt: 2, terminalAt: 3, result: RESULT };
      await bench().plant(RECORD, originals({ state: "terminal", ...finished }));
      const receipts = await open();
      expect(await receipts.prepare(START)).toMatchObject({ created: false });
      await receipts.retireExpired(10);
      expect(await receipts.get(ID)).toMatchObject({ state: "terminal", result: RESULT });
    });
  });

  describe("erasing", () => {
    it("leaves nothing but id, hash and outcome, at once and for good", async () => {
      const receipts = await open();
      await terminal(receipts);
      await receipts.erase(ID);
      await receipts.erase(ID);
      expect(await receipts.get(ID)).toBeUndefined();
      expect(await codeOf(receipts.prepare(START))).toBe("operation_expired");
      const stored = [...(await bench().contents()).values()].join("");
      expect(stored).not.toMatch(/stdio:owner|task-1/);
    });

    it("protocols 6.1 gives the place of the receipt back, once", async () => {
      const limits = { receiptCapacity: 1 };
      const { receipts } = (await bench().another({ limits })).holdfast;
      await terminal(receipts);
      expect(await codeOf(receipts.prepare(operation("o-2")))).toBe("operation_receipt_capacity");
      await receipts.erase(ID);
      await receipts.erase(ID);
      await prepared(receipts, operation("o-2"));
      expect(await codeOf(receipts.prepare(operation("o-3")))).toBe("operation_receipt_capacity");
    });

    it("takes the notes with the receipt, and none that comes later", async () => {
      const receipts = await open();
      const { dispatchToken } = await dispatched(receipts);
      await receipts.markOutcomeUnknown(ID);
      await receipts.resolve(ID, { outcome: "abandoned", resolvedBy: "ann" });
      await codeOf(receipts.markAccepted(ID, RESULT, { dispatchToken }));
      await receipts.erase(ID);
      expect(await receipts.notes(ID)).toEqual([]);
      expect(await codeOf(receipts.markAccepted(ID, RESULT, { dispatchToken }))).toBe(
        "operation_expired",
      );
      expect([...(await bench().contents()).values()].join("")).not.toContain("task-1");
    });

    it("is refused while the receipt is dispatching", async () => {
      const receipts = await open();
      await dispatched(receipts);
      expect(await codeOf(receipts.erase(ID))).toBe("in_use");
    });
  });

  describe("tenants", () => {
    it("G10 have receipts of their own under the same keys", async () => {
      const acme = bench().holdfast.tenant("acme").receipts;
      await terminal(bench().holdfast.receipts);
      expect(await acme.get(ID)).toBeUndefined();
      expect((await acme.prepare({ ...START, payload: "other" })).created).toBe(true);
      expect((await acme.list()).receipts).toHaveLength(1);
      bench().clock.advance(99 * DAY);
      expect(await acme.recoverInterrupted()).toMatchObject({ scanned: 1 });
    });
  });

  describe("handles", () => {
    it("protocols 8 a receipt that was answered saves the read", async () => {
      const { holdfast, traffic } = await bench().another({ limits: { receiptCapacity: "off" } });
      const { receipts } = holdfast;
      let receipt = await prepared(receipts, operation("counted"));
      const cost = async (work: () => Promise<typeof receipt>): Promise<number[]> => {
        const [reads, puts] = [traffic.reads, traffic.puts];
        receipt = await work();
        return [traffic.reads - reads, traffic.puts - puts];
      };
      expect(await cost(() => receipts.markDispatching(receipt))).toEqual([0, 1]);
      expect(await cost(() => receipts.renewDispatch(receipt, 60_000))).toEqual([0, 1]);
      expect(await cost(() => receipts.markAccepted(receipt, RESULT))).toEqual([0, 1]);
      expect(await cost(() => receipts.markTerminal(receipt))).toEqual([0, 1]);
      expect(await cost(() => receipts.markTerminal(receipt.id as never))).toEqual([1, 0]);
      expect(await cost(async () => (await receipts.get(receipt)) ?? receipt)).toEqual([1, 0]);
    });

    it("one that is out of date is no harm", async () => {
      const { receipts } = bench().holdfast;
      const old = await prepared(receipts);
      await terminal(receipts);
      expect(await codeOf(receipts.markDispatching(old))).toBe("invalid_receipt_state");
      expect((await receipts.markTerminal(old)).state).toBe("terminal");
    });
  });
}
