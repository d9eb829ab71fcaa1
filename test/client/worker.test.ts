/** What a handler ends with, and how a worker looks for more. */
import { describe, expect, it } from "vitest";
import { type Handler, HoldfastError, type Job, PermanentError } from "../../src/client/client.ts";
import { html, problem, readyJob } from "./service.ts";
import { world } from "./worker-world.ts";

describe("a worker's outcome", () => {
  const wrong = Object.assign(Object.create(null), { wrong: true });
  const broken = (): never => {
    throw new RangeError("a trap");
  };
  const cyclic: unknown[] = [];
  cyclic.push(cyclic);
  const withMessage = (message: unknown) => Object.assign(new Error("x"), { message });
  /** What a handler in JavaScript may return or throw. */
  const returns = (outcome: unknown) => (() => outcome) as Handler;
  const throws = (error: unknown): Handler => {
    return () => {
      throw error;
    };
  };
  it.each<[string, Handler, Partial<Job>]>([
    ["nothing", () => {}, { state: "sent", lastError: null }],
    ["a promise of nothing", async () => {}, { state: "sent" }],
    ["sent", () => "sent", { state: "sent" }],
    [
      "what a mailer told",
      // @ts-expect-error -- a handler in JavaScript may well do this.
      async () => ({ messageId: "m-1", accepted: [] }),
      { state: "sent" },
    ],
    ["a mailer's `to`", returns({ id: "m-1", to: "ann@example.com" }), { state: "sent" }],
    ["a mailer's list `to`", returns({ id: "m-1", to: ["ann@example.com"] }), { state: "sent" }],
    ["a `to` of every object", returns({ to: "constructor" }), { state: "sent" }],
    [
      "a `to` that throws",
      returns(Object.defineProperty({}, "to", { get: broken })),
      { state: "sent" },
    ],
    ["a number", returns(250), { state: "sent" }],
    ["to: sent", () => ({ to: "sent" }), { state: "sent" }],
    [
      "a number for the error",
      returns({ to: "failed", lastError: 404 }),
      { state: "failed", lastError: "404" },
    ],
    [
      "an Error for the error",
      returns({ to: "failed", lastError: new Error("no such address") }),
      { state: "failed", lastError: "no such address" },
    ],
    [
      "an object for the error",
      returns({ to: "failed", lastError: { code: 5 } }),
      { state: "failed", lastError: '{"code":5}' },
    ],
    [
      "a great many errors",
      returns({ to: "failed", lastError: Array(5_000).fill(1) }),
      { state: "failed", lastError: JSON.stringify(Array(5_000).fill(1)).slice(0, 4_000) },
    ],
    [
      "an error that throws",
      returns(Object.defineProperty({ to: "failed" }, "lastError", { get: broken })),
      { state: "failed", lastError: null },
    ],
    [
      "a message that is a list",
      throws(withMessage(["a must be b"])),
      { state: "ready", lastError: '["a must be b"]' },
    ],
    [
      "a message that is an object",
      throws(withMessage({ code: 5 })),
      { state: "ready", lastError: '{"code":5}' },
    ],
    [
      "a message that holds itself",
      throws(withMessage(cyclic)),
      { state: "ready", lastError: "the error cannot be read" },
    ],
    [
      "a message that throws",
      throws(Object.defineProperty(new Error("x"), "message", { get: broken })),
      { state: "ready", lastError: "the error cannot be read" },
    ],
    ["a message that is a symbol", throws(withMessage(Symbol("x"))), { lastError: "Symbol(x)" }],
    [
      "a proxy that throws",
      throws(new Proxy(new Error("x"), { getPrototypeOf: broken, get: broken })),
      { state: "ready", lastError: "the handler threw what is no Error" },
    ],
    [
      "a permanent error with a list",
      throws(Object.assign(new PermanentError("x"), { message: ["a must be b"] })),
      { state: "failed", lastError: '["a must be b"]' },
    ],
    ["undefined that was thrown", throws(undefined), { state: "ready" }],
    ["to: cancelled", () => ({ to: "cancelled" }), { state: "cancelled" }],
    [
      "to: failed and why",
      async () => ({ to: "failed", lastError: "no such address" }),
      { state: "failed", lastError: "no such address" },
    ],
    [
      "to: ready",
      () => ({ to: "ready", lastError: "later" }),
      { state: "ready", lastError: "later" },
    ],
    [
      "an error",
      () => {
        throw new Error("SMTP 451");
      },
      { state: "ready", lastError: "SMTP 451" },
    ],
    [
      "a rejection",
      () => Promise.reject(new TypeError()),
      { state: "ready", lastError: "TypeError" },
    ],
    [
      "a permanent error",
      () => Promise.reject(new PermanentError("SMTP 550")),
      { state: "failed", lastError: "SMTP 550" },
    ],
    ["a string that was thrown", () => Promise.reject("no"), { state: "ready", lastError: "no" }],
    [
      "what is no error",
      () => Promise.reject(wrong),
      { state: "ready", lastError: "the handler threw what is no Error" },
    ],
    [
      "a message that no record takes",
      () => Promise.reject(new Error(`\0\ud800${"é".repeat(3_997)}🐋`)),
      { state: "ready", lastError: `\ufffd\ufffd${"é".repeat(3_997)}\ufffd` },
    ],
  ])("%s settles the job", async (_, handler, expected) => {
    const { start, time, job, errors } = await world(["a"]);
    const one = start(handler);
    await time.advance(0);
    expect(await job("a")).toMatchObject(expected);
    expect((await job("a")).leaseToken).toBeNull();
    await time.until(one.stop());
    expect(errors).toEqual([]);
  });

  it("is tried again after the service's back-off, until its attempts are used", async () => {
    const { start, time, job } = await world(["a"]);
    let runs = 0;
    const one = start(() => {
      runs += 1;
      throw new Error("SMTP 451");
    });
    await time.advance(59_000);
    expect(runs).toBe(1);
    await time.advance(20_000);
    expect(runs).toBe(2);
    await time.advance(3_600_000);
    expect(runs).toBe(3);
    expect(await job("a")).toMatchObject({ state: "failed", lastError: "SMTP 451" });
    await time.until(one.stop());
  });

  it("is settled once where the answer to the settlement is lost", async () => {
    const { start, time, job, errors } = await world(["a"]);
    let losses = 0;
    const one = start(
      () => {},
      {},
      async (path, reach) => {
        const answer = await reach();
        if (path !== "settlements" || losses === 2) return answer;
        losses += 1;
        throw new TypeError("terminated");
      },
    );
    await time.advance(5_000);
    expect(losses).toBe(2);
    expect((await job("a")).state).toBe("sent");
    await time.until(one.stop());
    expect(errors).toEqual([]);
  });

  it("goes on being settled while the service is away", async () => {
    const { start, time, job } = await world(["a"]);
    const one = start(
      () => {},
      {},
      (path) => (path === "settlements" && time.now() < 60_000 ? html(503) : null),
    );
    await time.advance(70_000);
    expect((await job("a")).state).toBe("sent");
    await time.until(one.stop());
  });
});

describe("an idle worker", () => {
  const looks = (asked: readonly string[]): number[] =>
    asked.filter((line) => line.endsWith("email-leases")).map((line) => Number.parseInt(line, 10));

  it("looks less and less often, down to every 10 s, and soon again after it found something", async () => {
    const { start, time, asked, client } = await world();
    const one = start(() => {});
    await time.advance(40_000);
    expect(looks(asked)).toEqual([0, 1_000, 3_000, 7_000, 15_000, 25_000, 35_000]);
    await readyJob(client, "a");
    await time.advance(8_000);
    expect(looks(asked).slice(-3)).toEqual([45_000, 46_000, 48_000]);
    await time.until(one.stop());
  });

  it("spreads its looks by chance", async () => {
    const { start, time, asked } = await world();
    const deps = { ...time.deps, random: () => 0.999 };
    const one = start(() => {}, { deps });
    await time.advance(1_000);
    expect(looks(asked)).toEqual([0, expect.closeTo(750, 0)]);
    await time.until(one.stop());
  });

  it("outlives every fault of the service, telling each", async () => {
    const { start, time, asked, client, job, errors } = await world();
    const faults = [
      () => problem(401, "unauthorized"),
      () => html(200),
      () => problem(503, "unavailable", { retryAfterMs: 30_000 }),
      () => Promise.reject(new TypeError("fetch failed")),
      () => problem(503, "misconfigured", { retryAfterMs: 3_600_000 }),
    ];
    const onError = (error: unknown): never => {
      (errors as unknown[]).push(error);
      throw new RangeError("the reporter's own");
    };
    const one = start(
      () => {},
      { onError },
      () => faults.shift()?.() ?? null,
    );
    await time.advance(110_000);
    expect(looks(asked).slice(0, 6)).toEqual([0, 1_000, 3_000, 33_000, 41_000, 101_000]);
    expect(errors.map((error) => error instanceof HoldfastError && error.code)).toEqual([
      "unauthorized",
      "unexpected_answer",
      "unavailable",
      "network",
      "misconfigured",
    ]);
    await readyJob(client, "a");
    await time.advance(10_000);
    expect((await job("a")).state).toBe("sent");
    await time.until(one.stop());
  });

  it.each([
    { concurrency: 0 },
    { concurrency: 101 },
    { concurrency: 1.5 },
    { leaseMs: 999 },
    { leaseMs: 86_400_001 },
    { pollMs: 0 },
    { pollMs: 10_001 },
    { idleMs: Number.NaN },
  ])("is not started with %j", async (options) => {
    const { start } = await world();
    expect(() => start(() => {}, options)).toThrow(
      expect.objectContaining({ code: "invalid_request" }),
    );
  });
});
