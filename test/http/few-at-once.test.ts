import { describe, expect, it } from "vitest";
import { fewAtOnce } from "../../src/http/few-at-once.ts";
import type { Answer } from "../../src/http/route.ts";

const DONE: Answer = { status: 200, body: {} };

function held() {
  let release = (): void => {};
  const until = new Promise<void>((resolve) => {
    release = resolve;
  });
  return { work: () => until.then(() => DONE), release };
}

describe("a few at once", () => {
  it("lets the others wait in their order, and refuses who would wait behind too many", async () => {
    const run = fewAtOnce(1, 1);
    const [first, second] = [held(), held()];
    const order: number[] = [];
    const one = run(first.work).then(() => order.push(1));
    const two = run(second.work).then(() => order.push(2));
    expect(await run(async () => DONE)).toMatchObject({ problem: { code: "throttled" } });
    second.release();
    first.release();
    await Promise.all([one, two]);
    expect(order).toEqual([1, 2]);
    expect(await run(async () => DONE)).toBe(DONE);
  });

  it("gives a place back when the work throws", async () => {
    const run = fewAtOnce(1, 0);
    const failing = run(() => Promise.reject(new Error("no")));
    await expect(failing).rejects.toThrow("no");
    expect(await run(async () => DONE)).toBe(DONE);
  });
});
