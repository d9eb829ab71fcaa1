import { describe, expect, it } from "vitest";
import type { CurrentBench } from "../emails/bench.ts";
import { DAY, dispatched, LAPSE_MS, operation, prepared, terminal } from "./given.ts";

export function describePassing(bench: CurrentBench): void {
  const limits = { receiptRetentionMs: DAY, receiptCapacity: 9 };

  describe("a pass over receipts", () => {
    it("recovers what lapsed, retires what is over, and leaves the rest alone", async () => {
      const { holdfast } = await bench().another({ limits });
      const { receipts } = holdfast;
      await terminal(receipts, operation("old"));
      bench().clock.advance(DAY - LAPSE_MS);
      await dispatched(receipts, operation("lost"));
      bench().clock.advance(LAPSE_MS);
      await dispatched(receipts, operation("alive"));
      await prepared(receipts);
      expect((await holdfast.reconcile()).receipts).toEqual({ recovered: 1, retired: 1 });
      const left = (await receipts.list()).receipts.map(({ operationId, state }) => [
        operationId,
        state,
      ]);
      expect(Object.fromEntries(left)).toEqual({
        lost: "outcome-unknown",
        alive: "dispatching",
        "operation-1": "prepared",
      });
      const again = await holdfast.reconcile();
      expect(again).toMatchObject({ receipts: { recovered: 0, retired: 0 }, failures: [] });
    });

    it("tells in a dry run what it would retire, and retires nothing", async () => {
      const { holdfast } = bench();
      await terminal(holdfast.receipts);
      const look = async () => (await holdfast.reconcile({ dryRun: true })).receipts.retired;
      bench().clock.advance(30 * DAY - 1);
      expect(await look()).toBe(0);
      bench().clock.advance(1);
      expect([await look(), await look()]).toEqual([1, 1]);
    });

    it("goes through all tenants", async () => {
      const { holdfast } = bench();
      for (const tenant of ["acme", "beta"]) await dispatched(holdfast.tenant(tenant).receipts);
      bench().clock.advance(LAPSE_MS);
      const report = await holdfast.reconcile({ tenants: ["acme", "beta"] });
      expect(report.receipts.recovered).toBe(2);
    });

    it("RECEIPT-32 tells what cannot be read, and goes on", async () => {
      const { holdfast } = bench();
      const broken = await dispatched(holdfast.receipts, operation("broken"));
      await dispatched(holdfast.receipts);
      await bench().plant(`receipts/records/${broken.receipt.id}`, "{}");
      bench().clock.advance(LAPSE_MS);
      const report = await holdfast.reconcile();
      expect(report.receipts.recovered).toBe(1);
      for (const failure of report.failures) {
        expect(failure).toMatchObject({ machine: "receipts", code: "record_corrupt" });
      }
    });
  });
}
