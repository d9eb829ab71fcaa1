/** Dispatches that were never begun: given back, or taken up by whoever asks next (protocols 6.2). */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { memoryStorage } from "../../adapters/storage/memory.ts";
import { type Bench, type Interference, openBench } from "./emails/bench.ts";
import { codeOf, ID, KEY, LAPSE_MS, PAYLOAD, prepared, RECORD, thrown } from "./receipts/given.ts";

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

const receipts = () => bench.holdfast.receipts;
const state = async () => (await receipts().get(KEY))?.state;
const one = () => 1;

/** The first write takes effect, and nothing is heard of it, nor of anything else until `heal`. */
function deafAfterWrite(interference: Interference): { heal: () => void } {
  interference.afterPut = async () => {
    interference.isBlind = true;
    interference.beforePut = () => Promise.reject(new Error("no way"));
    throw new Error("the reply was lost");
  };
  return {
    heal() {
      interference.isBlind = false;
      interference.beforePut = async () => {};
      interference.afterPut = async () => {};
    },
  };
}

describe("once, before its side effect is begun", () => {
  it("gives the dispatch back when its caller called it off meanwhile, and begins nothing", async () => {
    const { holdfast, interference } = await bench.another();
    const abort = new AbortController();
    interference.afterPut = async () => abort.abort(new Error("enough"));
    let runs = 0;
    const effect = () => {
      runs += 1;
      return runs;
    };
    const { signal } = abort;
    const call = holdfast.receipts.once(KEY, PAYLOAD, effect, { signal });
    await expect(call).rejects.toThrow("enough");
    expect([runs, await state()]).toEqual([0, "prepared"]);
    expect((await receipts().once(KEY, PAYLOAD, effect)).result).toBe(1);
  });

  it("gives it back when its lease was over, and when the service is being closed", async () => {
    for (const end of ["late", "closed"]) {
      const { holdfast, interference } = await bench.another();
      interference.afterPut = async () => {
        interference.afterPut = async () => {};
        if (end === "late") bench.clock.freeze(60_000);
        else void holdfast.close();
      };
      let runs = 0;
      const call = holdfast.receipts.once(KEY, PAYLOAD, () => {
        runs += 1;
      });
      expect(await codeOf(call)).toBe("unavailable");
      expect([runs, await state()]).toEqual([0, "prepared"]);
    }
  });

  it("lets whoever waited for it go on", async () => {
    const { holdfast, interference } = await bench.another();
    const abort = new AbortController();
    let waiting: Promise<unknown> = Promise.resolve();
    interference.afterPut = async () => {
      interference.afterPut = async () => {};
      waiting = receipts().once(KEY, PAYLOAD, () => "the other's");
      const { reads } = bench.traffic;
      while (bench.traffic.reads < reads + 2) await new Promise((done) => setTimeout(done, 1));
      abort.abort(new Error("enough"));
    };
    const { signal } = abort;
    await expect(holdfast.receipts.once(KEY, PAYLOAD, one, { signal })).rejects.toThrow("enough");
    expect(await waiting).toMatchObject({ result: "the other's", replayed: false });
  });

  it("tells that the outcome is unknown where others gave the dispatch up for lost already", async () => {
    const { holdfast, interference } = await bench.another();
    interference.afterPut = async () => {
      interference.afterPut = async () => {};
      bench.clock.advance(LAPSE_MS);
      await receipts().recoverInterrupted();
    };
    let runs = 0;
    const error = await thrown(
      holdfast.receipts.once(KEY, PAYLOAD, () => {
        runs += 1;
      }),
    );
    expect(error).toMatchObject({
      code: "operation_outcome_unknown",
      cause: { code: "unavailable" },
    });
    expect(runs).toBe(0);
  });

  it("G3 tells what kept it from beginning, though the reply to giving it back was lost", async () => {
    const { holdfast, interference } = await bench.another();
    const abort = new AbortController();
    // The dispatch is written; its release too, but nobody hears of it, and the read behind it gets no answer.
    let lost = 0;
    interference.afterPut = async () => {
      if (!abort.signal.aborted) return abort.abort(new Error("enough"));
      lost += 1;
      if (lost === 1) throw new Error("the reply was lost");
    };
    let blindReads = 1;
    Object.defineProperty(interference, "isBlind", { get: () => lost === 1 && blindReads-- > 0 });
    const { signal } = abort;
    await expect(holdfast.receipts.once(KEY, PAYLOAD, one, { signal })).rejects.toThrow("enough");
    expect(blindReads).toBeLessThan(1);
    expect(await state()).toBe("prepared");
  });

  it("keeps what it could not give back for the next call of the same service", async () => {
    const { holdfast, interference } = await bench.another();
    const abort = new AbortController();
    interference.afterPut = async () => {
      abort.abort(new Error("enough"));
      interference.beforePut = () => Promise.reject(new Error("no way"));
    };
    const { signal } = abort;
    await expect(holdfast.receipts.once(KEY, PAYLOAD, one, { signal })).rejects.toThrow("enough");
    expect(await state()).toBe("dispatching");
    interference.beforePut = async () => {};
    interference.afterPut = async () => {};
    expect(await holdfast.receipts.once(KEY, PAYLOAD, one)).toMatchObject({ replayed: false });
  });
});

describe("a dispatch whose outcome nobody knows", () => {
  it("protocols 6.2 is the same service's when it asks again, once, with its lease begun anew", async () => {
    const { holdfast, interference } = await bench.another();
    const own = holdfast.receipts;
    await prepared(receipts());
    const { heal } = deafAfterWrite(interference);
    expect(await codeOf(own.markDispatching(ID))).toBe("outcome_unknown");
    expect(await codeOf(own.markDispatching(ID))).not.toBe("dispatch_lost");
    heal();
    bench.clock.advance(LAPSE_MS - 1);
    expect(await codeOf(receipts().markDispatching(ID))).toBe("dispatch_lost");
    const ends = await Promise.all([own.dispatch(ID), own.dispatch(ID)]);
    expect(ends.filter(({ owned }) => owned)).toHaveLength(1);
    const record = (await bench.contents()).get(RECORD) ?? "";
    expect(record).toContain(`"leaseUntil":${bench.clock.now() + 60_000}`);
    expect((await own.markAccepted(ID, { ok: true, status: "succeeded" })).state).toBe("accepted");
  });

  it("protocols 6.2 is nobody's when it was given up for lost before", async () => {
    const { holdfast, interference } = await bench.another();
    await prepared(receipts());
    const { heal } = deafAfterWrite(interference);
    expect(await codeOf(holdfast.receipts.markDispatching(ID))).toBe("outcome_unknown");
    heal();
    bench.clock.advance(LAPSE_MS);
    await receipts().recoverInterrupted();
    expect(await codeOf(holdfast.receipts.markDispatching(ID))).toBe("invalid_receipt_state");
  });

  it("lets once of the same service run its side effect after all", async () => {
    const { holdfast, interference } = await bench.another();
    const { heal } = deafAfterWrite(interference);
    let runs = 0;
    const effect = () => {
      runs += 1;
      return runs;
    };
    expect(await codeOf(holdfast.receipts.once(KEY, PAYLOAD, effect))).toBe("outcome_unknown");
    heal();
    bench.clock.advance(LAPSE_MS - 1);
    expect(await holdfast.receipts.once(KEY, PAYLOAD, effect)).toMatchObject({ result: 1 });
    expect(runs).toBe(1);
  });
});

describe("once", () => {
  it("waits no longer than it may, though the clock is set back meanwhile", async () => {
    await receipts().dispatch((await receipts().prepare({ ...KEY, payload: PAYLOAD })).receipt);
    const waiting = codeOf(receipts().once(KEY, PAYLOAD, one, { waitMs: 60_000 }));
    bench.clock.advance(-3_600_000);
    bench.clock.freeze(60_000);
    expect(await waiting).toBe("operation_in_flight");
  });

  it.each([
    ["signal", 5],
    ["signal", { throwIfAborted: () => {} }],
    ["reconcile", 5],
    ["reconcile", {}],
  ])("refuses as its option %s what cannot be one: %j", async (name, value) => {
    const options = { [name]: value } as object;
    const error = await thrown(receipts().once(KEY, PAYLOAD, one, options));
    expect(error).toMatchObject({ code: "invalid_request" });
    expect(String(error)).toContain(`${name}: must be a`);
    expect(await state()).toBeUndefined();
  });
});
