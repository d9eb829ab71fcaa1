import { describe, expect, it } from "vitest";
import type { Receipts } from "../../../src/services/receipts.ts";
import type { CurrentBench, Instance } from "../emails/bench.ts";
import { charging, codeOf, KEY, LAPSE_MS, PAYLOAD, thrown } from "./given.ts";

export function describeOnceWaiting(bench: CurrentBench): void {
  const receipts = () => bench().holdfast.receipts;

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
  });

  describe("once, and a caller that died", () => {
    it("is waited for until its dispatch has lapsed, without being told for how long", async () => {
      await receipts().dispatch((await receipts().prepare({ ...KEY, payload: PAYLOAD })).receipt);
      const waiting = thrown(receipts().once(KEY, PAYLOAD, () => 8));
      await looked(bench());
      bench().clock.advance(LAPSE_MS - 1);
      await looked(bench());
      bench().clock.advance(1);
      expect(await waiting).toMatchObject({ code: "operation_outcome_unknown" });
    });

    it("is waited for longer by whoever has a longer lease", async () => {
      const leaseMs = 600_000;
      const { receipt } = await receipts().prepare({ ...KEY, payload: PAYLOAD });
      await receipts().dispatch(receipt, { leaseMs });
      const waiting = thrown(receipts().once(KEY, PAYLOAD, () => 8, { leaseMs }));
      await looked(bench());
      bench().clock.advance(leaseMs + LAPSE_MS - 60_001);
      await looked(bench());
      bench().clock.advance(1);
      expect(await waiting).toMatchObject({ code: "operation_outcome_unknown" });
    });

    it("counts as live until then, which whoever waits for less is told", async () => {
      const liveUntil = bench().clock.now() + LAPSE_MS;
      await receipts().dispatch((await receipts().prepare({ ...KEY, payload: PAYLOAD })).receipt);
      const error = await thrown(receipts().once(KEY, PAYLOAD, () => 8, { waitMs: 0 }));
      expect(error).toMatchObject({ code: "operation_in_flight", liveUntil });
      expect(String(error)).toContain(`live until ${new Date(liveUntil).toISOString()}`);
    });
  });

  describe("once, and a close", () => {
    it("waits for what runs, whose outcome is stored, and lets nothing more begin", async () => {
      const { holdfast } = await bench().another();
      const tenant = holdfast.tenant("acme").receipts;
      const { end, call } = await running(tenant);
      let isClosed = false;
      const closed = holdfast.close().then(() => {
        isClosed = true;
      });
      const charges = charging();
      const refused = [holdfast.receipts, tenant].map((one) =>
        codeOf(one.once({ operationId: "other" }, PAYLOAD, charges.effect)),
      );
      expect(await Promise.all(refused)).toEqual(["unavailable", "unavailable"]);
      expect([isClosed, charges.count]).toEqual([false, 0]);
      end();
      expect(await call).toMatchObject({ result: 7 });
      await closed;
      const { holdfast: later } = await bench().another();
      const again = await later.tenant("acme").receipts.once(KEY, PAYLOAD, () => 8);
      expect(again).toMatchObject({ result: 7, replayed: true });
    });

    it("sends those away that wait for a call elsewhere", async () => {
      await receipts().dispatch((await receipts().prepare({ ...KEY, payload: PAYLOAD })).receipt);
      const { holdfast } = await bench().another();
      const waiting = codeOf(holdfast.receipts.once(KEY, PAYLOAD, () => 8));
      await holdfast.close();
      expect(await waiting).toBe("unavailable");
    });

    it("waits for ten seconds, and no longer", async () => {
      const { holdfast } = await bench().another();
      const { end, call } = await running(holdfast.receipts);
      const closed = holdfast.close().then(() => "closed");
      bench().clock.elapse(9_999);
      const soon = new Promise((resolve) => setImmediate(resolve, "open"));
      expect(await Promise.race([closed, soon])).toBe("open");
      bench().clock.elapse(1);
      expect(await closed).toBe("closed");
      // This storage still takes it.
      end();
      expect(await call).toMatchObject({ result: 7 });
    });
  });
}

/** A call that runs until it is let go. */
async function running(own: Receipts): Promise<{ end: () => void; call: Promise<unknown> }> {
  let end = (): void => {};
  let begun = (): void => {};
  const isBegun = new Promise<void>((resolve) => {
    begun = resolve;
  });
  const call = own.once(KEY, PAYLOAD, () => {
    begun();
    return new Promise<number>((resolve) => {
      end = () => resolve(7);
    });
  });
  call.catch(() => {});
  await isBegun;
  return { end, call };
}

/** When a call that waits has looked again. */
async function looked({ traffic }: Instance): Promise<void> {
  const { reads } = traffic;
  // The one that is under way may have been begun before.
  while (traffic.reads < reads + 2) await new Promise((resolve) => setTimeout(resolve, 1));
}
