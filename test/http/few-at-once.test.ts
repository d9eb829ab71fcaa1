import { describe, expect, it } from "vitest";
import { fewAtOnce, oneForEach } from "../../src/http/few-at-once.ts";
import type { Answer } from "../../src/http/route.ts";

const DONE: Answer = { status: 200, body: {} };

const patient = { who: null, gone: new AbortController().signal };

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
    const one = run(first.work, patient).then(() => order.push(1));
    const two = run(second.work, patient).then(() => order.push(2));
    expect(await run(async () => DONE, patient)).toMatchObject({ problem: { code: "throttled" } });
    second.release();
    first.release();
    await Promise.all([one, two]);
    expect(order).toEqual([1, 2]);
    expect(await run(async () => DONE, patient)).toBe(DONE);
  });

  it("gives a place back when the work throws", async () => {
    const run = fewAtOnce(1, 0);
    const failing = run(() => Promise.reject(new Error("no")), patient);
    await expect(failing).rejects.toThrow("no");
    expect(await run(async () => DONE, patient)).toBe(DONE);
  });

  it("keeps no place for who has gone, and lets those behind move up", async () => {
    const run = fewAtOnce(1, 2);
    const [first, third] = [held(), held()];
    const client = new AbortController();
    const one = run(first.work, patient);
    let wasRun = false;
    const two = run(
      async () => {
        wasRun = true;
        return DONE;
      },
      { who: null, gone: client.signal },
    );
    const three = run(third.work, patient);
    client.abort();
    expect(await two).toMatchObject({ problem: { code: "throttled" } });
    first.release();
    third.release();
    expect([await one, await three, wasRun]).toEqual([DONE, DONE, false]);
    expect(await run(async () => DONE, { who: null, gone: client.signal })).toBe(DONE);
  });
});

describe("one for each", () => {
  it("refuses a second of the same tenant while the first runs, and of nobody else", async () => {
    const run = oneForEach();
    const asking = (who: string | null) => ({ ...patient, who });
    const first = held();
    const one = run(first.work, asking("acme"));
    expect(await run(async () => DONE, asking("acme"))).toMatchObject({
      problem: { code: "throttled", retryAfterMs: 1_000 },
    });
    expect(await run(async () => DONE, asking(null))).toBe(DONE);
    first.release();
    expect(await one).toBe(DONE);
    const failing = run(() => Promise.reject(new Error("no")), asking("acme"));
    await expect(failing).rejects.toThrow("no");
    expect(await run(async () => DONE, asking("acme"))).toBe(DONE);
  });
});
