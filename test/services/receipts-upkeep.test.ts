/** Walks over what is due, and late reports around the end of a receipt. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type MemoryStorage, memoryStorage } from "../../adapters/storage/memory.ts";
import { key as recordKey } from "../../src/core/key.ts";
import { systemRandom } from "../../src/ports/random.ts";
import type { Receipts } from "../../src/services/receipts.ts";
import { type Bench, type InstanceOptions, openBench } from "./emails/bench.ts";
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
} from "./receipts/given.ts";

let storage: MemoryStorage;
let bench: Bench;

beforeEach(async () => {
  storage = memoryStorage();
  bench = await openBench({
    storage,
    plant: async (key, body) => storage.plant(key, body),
    destroy: async () => {},
  });
});
afterEach(() => bench.close());

const open = (options: InstanceOptions = {}) =>
  bench.another({ limits: { receiptRetentionMs: DAY }, ...options });

/** Makes a record unreadable, and leaves its place in the queue. */
async function spoil(key: string): Promise<void> {
  const quiet = { clock: bench.clock, random: systemRandom(), observe: () => {} };
  const backend = await storage.open({ ...quiet, dueOf: () => null });
  const found = await backend.get(recordKey(key));
  const body = JSON.parse(found?.body ?? "");
  const { due } = body.holdfast;
  const condition = { expected: found?.version ?? "absent", due, dueBefore: due } as const;
  await backend.putIf(recordKey(key), JSON.stringify({ ...body, more: "secret" }), condition);
}

describe("retiring", () => {
  it("goes on behind what cannot be read, what has only lapsed, and what others keep changing", async () => {
    const { receipts } = (await open()).holdfast;
    await prepared(receipts, START);
    const refused = await prepared(receipts, operation("refused"));
    await dispatched(receipts, operation("lapsed"));
    bench.clock.advance(1);
    await prepared(receipts, operation("behind"));
    await spoil(RECORD);
    bench.clock.advance(DAY + LAPSE_MS);
    const { holdfast, observed, interference } = await open();
    const contested = `receipts/records/${refused.id}`;
    interference.beforePut = async (key) => {
      if (key !== contested) return;
      await bench.plant(key, (await bench.contents()).get(key) ?? "");
    };
    expect(await holdfast.receipts.retireExpired(1)).toBe(1);
    expect(observed.get("store.record_corrupt")).toBe(1);
    expect(observed.get("receipt.pass.failure")).toBe(1);
    const gone = holdfast.receipts.prepare(operation("behind"));
    expect(await codeOf(gone)).toBe("operation_expired");
    expect(
      [...(await bench.contents()).values()].filter((text) => text.includes("retired")),
    ).toHaveLength(1);
  });

  it("ends where the storage does, and tells so", async () => {
    await prepared((await open()).holdfast.receipts, START);
    bench.clock.advance(DAY);
    const view = storage.withFaults(({ key }, when) =>
      key === RECORD && when === "before" ? "unavailable" : null,
    );
    const { receipts } = (await open({ storage: view })).holdfast;
    expect(await codeOf(receipts.retireExpired(1))).toBe("unavailable");
  });
});

describe("recovering", () => {
  it.each([5, "5", {}, 0])(
    "RECEIPT-32 refuses the cursor %j, which none was given",
    async (cursor) => {
      const { receipts } = bench.holdfast;
      const recovery = receipts.recoverInterrupted({ cursor: cursor as string });
      expect(await codeOf(recovery)).toBe("invalid_cursor");
    },
  );
});

describe("a late report", () => {
  /** Resolved against its owner, who has the token. */
  async function denied(receipts: Receipts): Promise<string> {
    const { dispatchToken } = await dispatched(receipts);
    await receipts.markOutcomeUnknown(ID);
    await receipts.resolve(ID, { outcome: "did_not_happen", resolvedBy: "ann" });
    return dispatchToken;
  }

  it.each(["erased", "retired"])(
    "that was refused before its receipt was %s leaves nothing when it comes to be noted",
    async (how) => {
      let reach = (): void => {};
      let goOn = (): void => {};
      const reached = new Promise<void>((resolve) => {
        reach = resolve;
      });
      const gate = new Promise<void>((resolve) => {
        goOn = resolve;
      });
      const view = storage.withFaults(async ({ kind, key }, when) => {
        if (kind !== "get" || when === "after" || !key.includes("receipts/notes/")) return null;
        reach();
        await gate;
        return null;
      });
      const { receipts } = (await open()).holdfast;
      const dispatchToken = await denied(receipts);
      const owner = (await open({ storage: view, limits: { commandMs: 9 * DAY } })).holdfast;
      const late = codeOf(owner.receipts.markAccepted(ID, RESULT, { dispatchToken }));
      await reached;
      if (how === "erased") await receipts.erase(ID);
      else {
        bench.clock.advance(DAY);
        expect(await receipts.retireExpired(1)).toBe(1);
      }
      goOn();
      expect(await late).toBe("already_resolved");
      expect(await receipts.notes(ID)).toEqual([]);
      expect([...(await bench.contents()).values()].join("")).not.toContain("task-1");
    },
  );

  const NOTES = `receipts/notes/${ID}`;
  const reported = async (): Promise<Receipts> => {
    const { receipts } = (await open()).holdfast;
    const dispatchToken = await denied(receipts);
    await codeOf(receipts.markAccepted(ID, RESULT, { dispatchToken }));
    return receipts;
  };
  const stored = async (key: string): Promise<string> => (await bench.contents()).get(key) ?? "";

  it("that was stored without its hash is known by its result", async () => {
    const receipts = await reported();
    const { hash, ...note } = JSON.parse(await stored(NOTES)).notes[0];
    const body = JSON.parse(await stored(NOTES));
    storage.plant(NOTES, JSON.stringify({ ...body, notes: [note] }));
    expect(await receipts.notes(ID)).toEqual([note]);
    expect(hash).toHaveLength(64);
  });

  it.each(["erased", "retired"])("that cannot be read goes when its receipt is %s", async (how) => {
    const receipts = await reported();
    const body = JSON.parse(await stored(NOTES));
    storage.plant(NOTES, JSON.stringify({ ...body, more: "secret" }));
    if (how === "erased") await receipts.erase(ID);
    else {
      bench.clock.advance(DAY);
      expect(await receipts.retireExpired(1)).toBe(1);
    }
    expect(await stored(NOTES)).not.toContain("secret");
    expect(await receipts.notes(ID)).toEqual([]);
  });

  it.each(["erased", "retired"])(
    "whose record is torn is told once its receipt is %s all the same",
    async (how) => {
      const receipts = await reported();
      storage.plant(NOTES, '{"torn":');
      bench.clock.advance(DAY);
      if (how === "retired") await receipts.retireExpired(1);
      else {
        await expect(receipts.erase(ID)).rejects.toMatchObject({
          ...{ code: "record_corrupt", key: NOTES },
        });
      }
      expect(await stored(RECORD)).toContain('"retired"');
      expect(await receipts.get(ID)).toBeUndefined();
    },
  );

  it("after the end of its receipt is counted, where it contradicts what stood", async () => {
    const { holdfast, observed } = await open();
    const dispatchToken = await denied(holdfast.receipts);
    bench.clock.advance(DAY);
    for (const count of [1, 2]) {
      const late = holdfast.receipts.markAccepted(ID, RESULT, { dispatchToken });
      expect(await codeOf(late)).toBe("operation_expired");
      expect(observed.get("receipt.contradiction")).toBe(count);
      await holdfast.receipts.retireExpired(1);
    }
    // Not from somebody who does not even claim to be the owner.
    const stranger = (await open()).holdfast.receipts;
    expect(await codeOf(stranger.markAccepted(ID, RESULT))).toBe("operation_expired");
  });

  it("is counted once, and every different one is, also past those that are kept", async () => {
    const { holdfast, observed } = await open();
    const { receipts } = holdfast;
    const { receipt } = await receipts.prepare({ operationId: "free", payload: 1 });
    const { dispatchToken } = await receipts.dispatch(receipt);
    const options = { dispatchToken: dispatchToken ?? "" };
    await receipts.markOutcomeUnknown(receipt.id);
    await receipts.resolve(receipt.id, { outcome: "abandoned", resolvedBy: "ann" });
    const report = (result: unknown) => codeOf(receipts.markAccepted(receipt.id, result, options));
    const large = { text: "x".repeat(60_000) };
    const proto = JSON.parse('{"__proto__":{"a":1}}');
    for (const result of [large, proto, { ...large, n: 1 }, { ...large, n: 1 }, large]) {
      await report(result);
    }
    const notes = await receipts.notes(receipt.id);
    expect(notes.map(({ result }) => result !== undefined)).toEqual([true, true, false]);
    expect(JSON.stringify(notes[1]?.result)).toBe('{"__proto__":{"a":1}}');
    expect(Object.keys(notes[0] ?? {})).toEqual(["at", "kind", "result"]);
    expect(observed.get("receipt.contradiction")).toBe(3);
    for (const repeats of [1, 2]) {
      for (let n = 0; n < 6; n += 1) await report(n);
      expect(await receipts.notes(receipt.id)).toHaveLength(8);
      expect([repeats, observed.get("receipt.contradiction")]).toEqual([repeats, 9]);
    }
    // With the ninth there are sixty-four past the eight.
    for (let n = 6; n < 80; n += 1) await report(n);
    expect(observed.get("receipt.contradiction")).toBe(72);
  });
});

it("RECEIPT-29 an original's receipt that is not resolved is erased without a note being kept", async () => {
  await bench.plant(RECORD, originals({}));
  await bench.holdfast.receipts.erase(ID);
  expect([...(await bench.contents()).keys()].filter((key) => key.includes("notes"))).toEqual([]);
});
