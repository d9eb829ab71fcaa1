/** Waiting for a call of the same process, by a clock on which no time ever passes. */
import { getEventListeners } from "node:events";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { memoryStorage } from "../../adapters/storage/memory.ts";
import { epochMs } from "../../src/core/time.ts";
import { createHoldfast, type Holdfast } from "../../src/holdfast.ts";
import type { Clock } from "../../src/ports/clock.ts";
import { codeOf } from "./receipts/given.ts";

const KEY = { operationId: "charge-1" };

/** Long enough for a call to come to where it waits. */
async function settled(): Promise<void> {
  for (let turns = 0; turns < 20; turns += 1) await new Promise((resolve) => setImmediate(resolve));
}

/** Only what is called off wakes. */
const still: Clock = {
  now: () => epochMs(1_767_225_600_000),
  elapsed: () => 0,
  sleep: (_ms, signal) =>
    new Promise((resolve) => {
      if (signal === undefined || signal.aborted) resolve();
      else signal.addEventListener("abort", () => resolve());
    }),
};

describe("once, and another call of the same process at it", () => {
  let holdfast: Holdfast;
  let end: (result: number | Promise<never>) => void = () => {};

  beforeEach(async () => {
    holdfast = await createHoldfast({ storage: memoryStorage(), clock: still });
  });
  afterEach(() => holdfast.close());

  /** Resolves once the side effect of a call has begun, which ends when it is told to. */
  function begun(): Promise<void> {
    return new Promise((resolve) => {
      const effect = (): Promise<number> =>
        new Promise((settle) => {
          end = settle;
          resolve();
        });
      holdfast.receipts.once(KEY, 1, effect).catch(() => {});
    });
  }

  it("looks when that one ends, and answers what it left", async () => {
    await begun();
    const waiting = holdfast.receipts.once(KEY, 1, () => 2);
    await settled();
    end(7);
    expect(await waiting).toMatchObject({ result: 7, replayed: true });
  });

  it("looks when that one fails", async () => {
    await begun();
    const waiting = codeOf(holdfast.receipts.once(KEY, 1, () => 2));
    await settled();
    end(Promise.reject(new Error("down")));
    expect(await waiting).toBe("operation_outcome_unknown");
  });

  it("is left at once when its caller says so, and nothing of the caller is kept", async () => {
    await begun();
    const abort = new AbortController();
    const { signal } = abort;
    const waiting = holdfast.receipts.once(KEY, 1, () => 2, { signal });
    await settled();
    abort.abort(new Error("enough"));
    await expect(waiting).rejects.toThrow("enough");
    expect(getEventListeners(signal, "abort")).toEqual([]);
    end(7);
  });
});
