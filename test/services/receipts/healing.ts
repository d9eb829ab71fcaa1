import { describe, expect, it } from "vitest";
import { scopeIdOf } from "../../../src/machines/receipts/key.ts";
import { MisconfiguredError } from "../../../src/ports/faults.ts";
import type { CurrentBench, Instance } from "../emails/bench.ts";
import { codeOf, ID, operation, originals, prepared, RECORD, START, terminal } from "./given.ts";

const SCOPE = `receipts/scopes/${scopeIdOf("workspace")}`;
const NOBODYS_ID = "0".repeat(64);

interface Scope {
  readonly used: number;
  readonly pend: Readonly<Record<string, { readonly id: string; readonly at: number }>>;
  readonly out: Readonly<Record<string, string>>;
}

export function describeHealing(bench: CurrentBench): void {
  const limited = (receiptCapacity: number): Promise<Instance> =>
    bench().another({ limits: { receiptCapacity, commandMs: 5_000 } });

  const scope = async (): Promise<Scope> =>
    JSON.parse((await bench().contents()).get(SCOPE) ?? "{}");

  const plant = async (change: Partial<Scope>): Promise<void> =>
    bench().plant(SCOPE, JSON.stringify({ used: 0, pend: {}, out: {}, ...change }));

  /** Reservations of others, made `ago` milliseconds ago. */
  const pending = (count: number, ago = 0): Scope["pend"] =>
    Object.fromEntries(
      Array.from({ length: count }, (_, n) => [
        `n${n}`,
        { id: NOBODYS_ID, at: bench().clock.now() - ago },
      ]),
    );

  /** Places given back, as far as the scope knows. */
  const givenBack = (id: string): Scope["out"] =>
    Object.fromEntries(Array.from({ length: 64 }, (_, n) => [`n${n}`, id]));

  describe("a workspace with much that is not settled (protocols 6.1)", () => {
    it("has a place given back once the tombstones say so of those before it", async () => {
      const { receipts } = (await limited(200)).holdfast;
      const { id } = await terminal(receipts, operation("gone"));
      await receipts.erase(id);
      await terminal(receipts);
      await plant({ used: 65, out: givenBack(id) });
      await receipts.erase(ID);
      expect(await scope()).toMatchObject({ used: 64, out: {} });
      expect(Object.keys((await scope()).out)).toEqual([]);
    });

    it("has a place given back also where others ended before the tombstones before it said so", async () => {
      const { holdfast, interference } = await limited(200);
      for (let n = 0; n < 64; n += 1) await prepared(holdfast.receipts, operation(`gone-${n}`));
      const { receipts: all } = await holdfast.receipts.list(null, 100);
      interference.afterPut = async (key) => {
        // The scope has the place back, and the process ends.
        if (!key.startsWith("receipts/scopes/")) return;
        interference.beforePut = async () => {
          throw new MisconfiguredError("killed");
        };
      };
      for (const { id } of all) {
        await holdfast.receipts.erase(id);
        interference.beforePut = async () => {};
      }
      expect(Object.keys((await scope()).out)).toHaveLength(64);
      const { receipts } = (await limited(200)).holdfast;
      await prepared(receipts);
      await receipts.erase(ID);
      expect(await scope()).toMatchObject({ used: 0, out: {} });
      expect(Object.keys((await scope()).out)).toEqual([]);
    });

    it("keeps the place of a receipt whose giving back cannot be noted, for a later pass", async () => {
      const { receipts } = (await limited(200)).holdfast;
      const { id } = await prepared(receipts, operation("alive"));
      await terminal(receipts);
      await plant({ used: 65, out: givenBack(id) });
      await receipts.erase(ID);
      expect((await scope()).used).toBe(65);
      await plant({ used: 65 });
      expect(await receipts.retireExpired(10)).toBe(1);
      expect((await scope()).used).toBe(64);
    });

    it("grants no place while there is no room to note it, and does once there is", async () => {
      const { receipts } = (await limited(200)).holdfast;
      await prepared(receipts);
      await plant({ used: 64, pend: pending(64) });
      const waiting = receipts.prepare(operation("o-2"));
      for (let n = 0; n < 5; n += 1) await bench().clock.sleep(4 as never);
      expect((await receipts.list()).receipts).toHaveLength(1);
      await plant({ used: 64 });
      expect((await waiting).created).toBe(true);
    });

    it("tells a caller whose time is up that others are in the way", async () => {
      const { receipts } = (await limited(200)).holdfast;
      await prepared(receipts);
      await plant({ used: 64, pend: pending(64) });
      const waiting = codeOf(receipts.prepare(operation("o-2")));
      for (let n = 0; n < 5; n += 1) await bench().clock.sleep(4 as never);
      bench().clock.advance(5_000);
      expect(await waiting).toBe("contended");
      expect((await scope()).used).toBe(64);
    });

    it.each([
      [30, 31],
      [31, 31],
    ])("with %i entries of others, has %i after one more was reserved", async (others, left) => {
      const { receipts } = (await limited(200)).holdfast;
      await receipts.get(ID);
      await plant({ used: others, pend: pending(others) });
      await prepared(receipts);
      expect(Object.keys((await scope()).pend)).toHaveLength(left);
      expect((await scope()).used).toBe(others + 1);
    });

    it("is healed but for what cannot be read, which keeps its place", async () => {
      await bench().plant(RECORD, originals({ prompt: "unknown property" }));
      const { receipts } = (await limited(2)).holdfast;
      // Whatever stands in the storage is counted before the first is prepared.
      await prepared(receipts, operation("elsewhere", "elsewhere"));
      const [a, b] = Object.values(pending(2, 60_000)).map(({ at }, n) => ({
        ...{ id: n === 0 ? ID : NOBODYS_ID, at },
      }));
      await plant({ used: 2, pend: { a, b } as Scope["pend"], out: { c: ID } });
      await prepared(receipts, operation("o-2"));
      const { used, pend, out } = await scope();
      expect([used, pend["a"], pend["b"], out]).toEqual([2, a, undefined, { c: ID }]);
      expect(await codeOf(receipts.prepare(operation("o-3")))).toBe("operation_receipt_capacity");
    });

    it("RECEIPT-29 whose own record cannot be read keeps no receipt from being erased", async () => {
      const { receipts } = (await limited(2)).holdfast;
      await prepared(receipts);
      await bench().plant(SCOPE, '{"used":-1}');
      await receipts.erase(ID);
      expect(await receipts.get(ID)).toBeUndefined();
    });

    it("is an error where its own record cannot be read", async () => {
      const { receipts } = (await limited(2)).holdfast;
      await prepared(receipts, operation("elsewhere", "elsewhere"));
      await bench().plant(SCOPE, '{"used":-1}');
      expect(await codeOf(receipts.prepare(START))).toBe("record_corrupt");
    });
  });

  it.each([1, 65_536])("RECEIPT-13 a workspace may have %i receipts", async (capacity) => {
    const { receipts } = (await limited(capacity)).holdfast;
    await prepared(receipts, operation("elsewhere", "elsewhere"));
    await plant({ used: capacity - 1 });
    expect((await receipts.prepare(START)).created).toBe(true);
    expect(await codeOf(receipts.prepare(operation("o-2")))).toBe("operation_receipt_capacity");
  });

  describe("counting what an original left", () => {
    it("protocols 6.1 is done once in the life of a storage", async () => {
      await prepared((await limited(9)).holdfast.receipts, operation("o-2"));
      const { holdfast, traffic } = await limited(9);
      await prepared(holdfast.receipts);
      expect(traffic.pages).toBe(0);
    });

    it("RECEIPT-32 goes on where a receipt cannot be read, which takes nobody's place", async () => {
      const uncounted = await bench().another({ limits: { receiptCapacity: "off" } });
      await prepared(uncounted.holdfast.receipts);
      const body = (await bench().contents()).get(RECORD) ?? "";
      await bench().plant(RECORD, body.replace(/"prepared"/, '"terminal"'));
      const { holdfast, observed } = await limited(1);
      expect((await holdfast.receipts.prepare(operation("o-2"))).created).toBe(true);
      expect(observed.get("store.record_corrupt")).toBe(1);
    });
  });
}
