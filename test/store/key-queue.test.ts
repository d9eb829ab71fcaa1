import { describe, expect, it } from "vitest";
import { key } from "../../src/core/key.ts";
import { epochMs } from "../../src/core/time.ts";
import { systemClock } from "../../src/ports/clock.ts";
import { ContendedError } from "../../src/ports/faults.ts";
import { keyQueue } from "../../src/store/key-queue.ts";
import { manualTime, START_MS } from "../client/manual-time.ts";

const A = key("a/a");
const FAR = epochMs(Date.now() + 60_000);
const tick = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe("the queue of one key in one process", () => {
  it("lets callers in one at a time, first come first served, also past a failure", async () => {
    const queue = keyQueue(systemClock());
    const order: string[] = [];
    const caller = (name: string, fails = false) =>
      queue.run(A, FAR, async () => {
        order.push(`${name} in`);
        await tick();
        order.push(`${name} out`);
        if (fails) throw new Error(name);
      });
    const all = await Promise.allSettled([caller("1"), caller("2", true), caller("3")]);
    expect(all.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
    expect(order).toEqual(["1 in", "1 out", "2 in", "2 out", "3 in", "3 out"]);
  });

  it("keeps callers of other keys waiting for nothing", async () => {
    const queue = keyQueue(systemClock());
    let release = (): void => {};
    const held = queue.run(A, FAR, () => new Promise<void>((resolve) => (release = resolve)));
    expect(await queue.run(key("a/b"), FAR, async () => "through")).toBe("through");
    release();
    await held;
  });

  it("passes one that hangs past its own deadline, and those behind keep their order", async () => {
    const time = manualTime();
    const queue = keyQueue(time.clock);
    const until = (ms: number) => epochMs(START_MS + ms);
    const order: string[] = [];
    const noted = (name: string) => async () => void order.push(name);
    void queue.run(A, until(5_000), () => new Promise<void>(() => {}));
    const hasty = queue.run(A, until(6_000), noted("hasty")).catch((error: unknown) => error);
    const second = queue.run(A, until(15_000), noted("second"));
    const third = queue.run(A, until(15_000), noted("third"));
    await time.advance(6_999);
    expect(order).toEqual([]);
    expect(await hasty).toBeInstanceOf(ContendedError);
    await time.advance(1);
    await Promise.all([second, third]);
    expect([order, time.now()]).toEqual([["second", "third"], 7_000]);
    await queue.run(A, until(15_000), noted("later"));
    expect(order).toEqual(["second", "third", "later"]);
  });

  it("gives up at the caller's deadline, and those behind it keep their turn", async () => {
    const queue = keyQueue(systemClock());
    let release = (): void => {};
    const held = queue.run(A, FAR, () => new Promise<void>((resolve) => (release = resolve)));
    const hasty = queue.run(A, epochMs(Date.now() + 10), async () => "too late");
    const patient = queue.run(A, FAR, async () => "in time");
    await expect(hasty).rejects.toBeInstanceOf(ContendedError);
    release();
    await held;
    expect(await patient).toBe("in time");
  });
});
