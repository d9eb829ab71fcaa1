import { describe, expect, it } from "vitest";
import type { ReceiptList } from "../../../src/services/receipt-lists.ts";
import type { CurrentBench } from "../emails/bench.ts";
import {
  codeOf,
  dispatched,
  HASH,
  ID,
  LAPSE_MS,
  operation,
  originals,
  prepared,
  RECORD,
  RESULT,
  START,
  terminal,
} from "./given.ts";

const BAD_ID = "0".repeat(64);

export function describeReading(bench: CurrentBench): void {
  const receipts = () => bench().holdfast.receipts;

  describe("reading", () => {
    it("RECEIPT-28 by key and by id is the same, cannot be changed, and is nothing when absent", async () => {
      const receipt = await terminal(receipts());
      const { payload, ...key } = START;
      expect(await receipts().get(key)).toEqual(receipt);
      expect(await receipts().get(ID)).toEqual(receipt);
      expect(await receipts().get(receipt)).toEqual(receipt);
      expect(() => Object.assign(receipt.result as object, { ok: false })).toThrow(TypeError);
      expect(await receipts().get({ operationId: "other" })).toBeUndefined();
    });

    it("RECEIPT-29 what cannot be read is an error, never absent, and is left alone", async () => {
      const bad = [
        "not json",
        originals({ prompt: "secret" }),
        originals({ operationId: "operation-2" }),
        originals({ state: "terminal" }),
      ];
      for (const body of bad) {
        await bench().plant(RECORD, body);
        const error = await receipts()
          .get(ID)
          .catch((thrown: unknown) => thrown);
        expect(error).toMatchObject({ code: "record_corrupt" });
        expect(String(error)).not.toContain("secret");
        expect(await codeOf(receipts().prepare(START))).toBe("record_corrupt");
        expect((await bench().contents()).get(RECORD)).toBe(body);
      }
    });

    it("RECEIPT-29 so is what only its machine cannot read, and no other is kept from the page", async () => {
      const { id } = await prepared(receipts(), operation("other"));
      await prepared(receipts());
      const body = (await bench().contents()).get(RECORD) ?? "";
      await bench().plant(RECORD, body.replace(/"prepared"/, '"terminal"'));
      const { observed, holdfast } = await bench().another();
      expect(await codeOf(holdfast.receipts.get(ID))).toBe("record_corrupt");
      const page = await holdfast.receipts.list();
      expect(page.receipts.map((receipt) => receipt.id)).toEqual([id]);
      expect(page.corrupt).toEqual([
        { id: ID, reason: "dispatchingAt: missing in state terminal" },
      ]);
      expect(observed.get("store.record_corrupt")).toBe(1);
    });

    it("RECEIPT-29 a receipt under another's id is no receipt", async () => {
      await bench().plant(`receipts/records/${BAD_ID}`, originals({}));
      expect(await codeOf(receipts().get(BAD_ID))).toBe("record_corrupt");
    });

    it("RECEIPT-50 a file of the original is read as it is, and goes on from there", async () => {
      const dispatch = { state: "dispatching", dispatchingAt: 1_700_000_000_001 };
      await bench().plant(RECORD, originals(dispatch));
      const receipt = await receipts().get(ID);
      expect(receipt).toEqual(JSON.parse(originals(dispatch)));
      expect((await receipts().list()).receipts).toEqual([receipt]);
      await receipts().markAccepted(ID, RESULT);
      expect(JSON.parse((await bench().contents()).get(RECORD) ?? "")).toMatchObject({
        ...JSON.parse(originals(dispatch)),
        ...{ state: "accepted", result: RESULT },
        updatedAt: bench().clock.now(),
      });
    });
  });

  describe("listing", () => {
    const ids = async (limit: number): Promise<string[]> => {
      const found: string[] = [];
      let cursor: string | null | 0 = 0;
      do {
        const page = await receipts().list(cursor, limit);
        expect(page.items).toEqual(page.receipts);
        expect(page.hasMore).toBe(page.nextCursor !== null);
        found.push(...page.receipts.map(({ id }) => id));
        cursor = page.nextCursor;
      } while (cursor !== null);
      return found;
    };

    it("RECEIPT-30, RECEIPT-31 meets each receipt once, by id, whatever the pages", async () => {
      const made = await Promise.all(
        [1, 2, 3, 4, 5].map(async (n) => (await prepared(receipts(), operation(`o-${n}`))).id),
      );
      for (const limit of [1, 2, 128]) expect(await ids(limit)).toEqual(made.sort());
    });

    it("RECEIPT-31 goes on where it was when others are created meanwhile", async () => {
      const made = await Promise.all(
        [1, 2, 3, 4].map(async (n) => (await prepared(receipts(), operation(`o-${n}`))).id),
      );
      const first = await receipts().list(null, 2);
      for (const n of [5, 6, 7]) await prepared(receipts(), operation(`o-${n}`));
      const rest = await receipts().list(first.nextCursor, 128);
      const met = [...first.receipts, ...rest.receipts].map(({ id }) => id);
      expect(met).toEqual(expect.arrayContaining(made));
      expect(new Set(met).size).toBe(met.length);
    });

    it("RECEIPT-30 refuses limits and cursors that are none", async () => {
      for (const limit of [0, 129, 1.5]) {
        expect(await codeOf(receipts().list(null, limit))).toBe("invalid_request");
      }
      for (const cursor of [1, "x", ID]) {
        expect(await codeOf(receipts().list(cursor as string))).toBe("invalid_cursor");
      }
      const other = bench().holdfast.tenant("acme").receipts;
      await prepared(receipts(), operation("o-1"));
      await prepared(receipts(), operation("o-2"));
      const { nextCursor } = await receipts().list(null, 1);
      expect(await codeOf(other.list(nextCursor))).toBe("invalid_cursor");
    });

    it("ends a page of large ones at about 2 MiB, and meets all of them", async () => {
      const names = Array.from({ length: 50 }, (_, n) => `large-${n}`);
      const large = "x".repeat(60_000);
      for (const operationId of names) await receipts().once({ operationId }, 1, () => large);
      const sizes: number[] = [];
      const met = new Set<string>();
      let cursor: string | null = null;
      do {
        const page: ReceiptList = await receipts().list(cursor, 128);
        sizes.push(JSON.stringify(page.receipts).length);
        for (const { operationId } of page.receipts) met.add(operationId);
        cursor = page.nextCursor;
      } while (cursor !== null);
      expect(met).toEqual(new Set(names));
      expect(sizes).toHaveLength(2);
      expect(Math.max(...sizes)).toBeLessThan(2.5 * 1_048_576);
    });

    it("RECEIPT-32 tells what cannot be read, and goes on", async () => {
      const { id } = await prepared(receipts());
      await bench().plant(`receipts/records/${BAD_ID}`, "{}");
      const page = await receipts().list();
      expect(page.receipts.map((receipt) => receipt.id)).toEqual([id]);
      expect(page.corrupt).toMatchObject([{ id: BAD_ID, reason: expect.any(String) }]);
    });
  });

  describe("recovery", () => {
    it("RECEIPT-25, RECEIPT-27 makes lapsed dispatches unknown, and no other receipt", async () => {
      await terminal(receipts(), operation("done"));
      await prepared(receipts(), operation("waiting"));
      await dispatched(receipts());
      bench().clock.advance(LAPSE_MS - 1);
      await dispatched(receipts(), operation("alive"));
      expect(await receipts().recoverInterrupted()).toMatchObject({ recovered: 0 });
      bench().clock.advance(1);
      const cold = (await bench().another()).holdfast.receipts;
      expect(await cold.recoverInterrupted()).toMatchObject({ recovered: 1, nextCursor: null });
      const states = (await receipts().list()).receipts.map(({ state }) => state).sort();
      expect(states).toEqual(["dispatching", "outcome-unknown", "prepared", "terminal"]);
    });

    it("RECEIPT-25 goes by pages, and each goes on where the last one ended", async () => {
      for (const n of [1, 2, 3]) await dispatched(receipts(), operation(`o-${n}`));
      bench().clock.advance(LAPSE_MS);
      const first = await receipts().recoverInterrupted({ limit: 2 });
      expect(first).toMatchObject({ recovered: 2, scanned: 2, nextCursor: expect.any(String) });
      const cursor = first.nextCursor;
      const second = await receipts().recoverInterrupted({ cursor, limit: 2 });
      expect(second).toEqual({ recovered: 1, scanned: 1, nextCursor: null });
      const other = bench().holdfast.tenant("acme").receipts;
      for (const call of [
        () => receipts().recoverInterrupted({ cursor: "x" }),
        () => other.recoverInterrupted({ cursor }),
      ]) {
        expect(await codeOf(call())).toBe("invalid_cursor");
      }
      for (const limit of [0, 129, 1.5]) {
        expect(await codeOf(receipts().recoverInterrupted({ limit }))).toBe("invalid_request");
      }
    });

    it("RECEIPT-26 again changes nothing", async () => {
      await dispatched(receipts());
      bench().clock.advance(LAPSE_MS);
      await receipts().recoverInterrupted();
      const before = await bench().contents();
      expect(await receipts().recoverInterrupted()).toMatchObject({ recovered: 0 });
      expect((await bench().contents()).get(RECORD)).toBe(before.get(RECORD));
    });

    it("RECEIPT-32 is not stopped by a record that cannot be read", async () => {
      await dispatched(receipts());
      await prepared(receipts(), operation("other"));
      const broken = await receipts().dispatch((await prepared(receipts(), operation("other"))).id);
      await bench().plant(`receipts/records/${broken.receipt.id}`, "{}");
      bench().clock.advance(LAPSE_MS);
      expect(await receipts().recoverInterrupted()).toMatchObject({ recovered: 1 });
    });

    it("RECEIPT-32 nor by one that only its machine cannot read, which is counted", async () => {
      await dispatched(receipts(), operation("other"));
      await dispatched(receipts());
      const body = (await bench().contents()).get(RECORD) ?? "";
      await bench().plant(RECORD, body.replace(/"dispatching"/, '"terminal"'));
      bench().clock.advance(LAPSE_MS);
      const { holdfast, observed } = await bench().another();
      const { recovered, scanned } = await holdfast.receipts.recoverInterrupted();
      expect(recovered).toBe(1);
      // A storage whose index is its own does not find what was planted there.
      expect(observed.get("store.record_corrupt") ?? 0).toBe(scanned - 1);
    });

    it("protocols 6.2 rule 9 finds what an original left dispatching", async () => {
      await bench().plant(RECORD, originals({ state: "dispatching", dispatchingAt: 1 }));
      const fresh = (await bench().another()).holdfast.receipts;
      await fresh.recoverInterrupted();
      // A folder finds it when it is opened; elsewhere a person, or a caller, does.
      const { state } = (await fresh.get(ID)) ?? {};
      if (state === "dispatching") await fresh.markOutcomeUnknown(ID);
      expect(await fresh.get(ID)).toMatchObject({ state: "outcome-unknown", payloadHash: HASH });
    });
  });

  describe("calls of one id", () => {
    it("RECEIPT-34 run one after the other, others beside them, and a failure stops none", async () => {
      const order: string[] = [];
      let release = (): void => {};
      const held = new Promise<void>((resolve) => {
        release = resolve;
      });
      const first = receipts().serialized("a", async () => {
        order.push("a1");
        await held;
        throw new Error("first");
      });
      const second = receipts().serialized("a", () => order.push("a2"));
      await receipts().serialized("b", () => order.push("b"));
      release();
      await expect(first).rejects.toThrow("first");
      await second;
      expect(order).toEqual(["a1", "b", "a2"]);
    });
  });
}
