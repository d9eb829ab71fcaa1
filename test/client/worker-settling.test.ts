/** Settlements between a worker and a service in trouble: what is sent must not be sent again for it. */
import { describe, expect, it } from "vitest";
import { HoldfastError } from "../../src/client/client.ts";
import { html, problem } from "./service.ts";
import { held, type Plan, world } from "./worker-world.ts";

const LEASE_MS = 3_000;
const codesOf = (errors: readonly unknown[]) =>
  errors.map((error) => error instanceof HoldfastError && error.code);
const timesOf = (asked: readonly string[], path: string): number[] =>
  asked.filter((line) => line.endsWith(` ${path}`)).map((line) => Number.parseInt(line, 10));

/** The first `count` settlements have that answer. */
function settlements(answer: () => Response, count: number): Plan {
  let left = count;
  return (path) => {
    if (path !== "settlements" || left === 0) return null;
    left -= 1;
    return answer();
  };
}

describe("a settlement", () => {
  const answers: [string, () => Response][] = [
    ["a 500 that is not the service's", () => html(500)],
    ["a fault of the service", () => problem(500, "internal_error")],
    ["a record that cannot be read", () => problem(500, "record_corrupt")],
    ["a key that is not known", () => problem(401, "unauthorized")],
    ["a scope that is missing", () => problem(403, "forbidden")],
    ["a gateway's own status", () => html(520)],
    ["a redirect", () => new Response(null, { status: 307, headers: { location: "/login" } })],
    ["a 404 that is not the service's", () => html(404)],
    ["a good answer that is not the service's", () => html(200)],
    ["a service that is misconfigured", () => problem(503, "misconfigured")],
    ["a wait that is longer than the lease", () => html(429, { "retry-after": "5" })],
    ["a wait of hours", () => problem(429, "throttled", { retryAfterMs: 7_200_000 })],
  ];
  it.each(answers)("is tried again within its lease after %s", async (_, answer) => {
    const { start, time, job } = await world(["a"]);
    const sends: string[] = [];
    const one = start(
      (due) => void sends.push(due.logicalKey),
      { leaseMs: LEASE_MS },
      settlements(answer, 1),
    );
    await time.advance(LEASE_MS / 3);
    expect(await job("a")).toMatchObject({ state: "sent", attempts: 1 });
    await time.advance(200_000);
    expect(sends).toEqual(["a"]);
    await time.until(one.stop());
  });

  it.each(answers)(
    "is tried for longer than its lease, which is renewed, after %s",
    async (_, answer) => {
      const { start, time, job, asked } = await world(["a"]);
      const sends: string[] = [];
      const options = { leaseMs: LEASE_MS, concurrency: 1 };
      const one = start((due) => void sends.push(due.logicalKey), options, settlements(answer, 30));
      await time.advance(4 * LEASE_MS);
      expect(timesOf(asked, "lease-extensions").slice(0, 3)).toEqual([1_000, 2_000, 3_000]);
      await time.advance(20 * LEASE_MS);
      expect(await job("a")).toMatchObject({ state: "sent", attempts: 1 });
      expect(sends).toEqual(["a"]);
      await time.until(one.stop());
      expect(time.sleeping()).toBe(0);
    },
  );

  it("waits longer each time, and no more than a part of its lease", async () => {
    const { start, time, asked, errors } = await world(["a"]);
    const options = { leaseMs: 12_000, concurrency: 1 };
    const one = start(
      () => {},
      options,
      settlements(() => problem(500, "internal_error"), 7),
    );
    await time.advance(20_000);
    expect(timesOf(asked, "settlements")).toEqual([0, 100, 300, 700, 1_500, 2_500, 3_500, 4_500]);
    expect(codesOf(errors)).toEqual(Array(7).fill("internal_error"));
    await time.until(one.stop());
  });

  it.each([
    ["404", "job_not_found"],
    ["409", "lease_lost"],
    ["410", "job_expired"],
    ["410", "erased"],
    ["422", "record_too_large"],
  ])("is not tried again where the service has decided: %s %s", async (status, code) => {
    const { start, time, asked, errors } = await world(["a"]);
    const answer = () => problem(Number(status), code);
    const one = start(() => {}, { leaseMs: LEASE_MS }, settlements(answer, 1));
    await time.advance(LEASE_MS / 2);
    expect(timesOf(asked, "settlements")).toEqual([0]);
    expect(timesOf(asked, "lease-extensions")).toEqual([]);
    expect(codesOf(errors)).toEqual([code]);
    await time.until(one.stop());
  });

  it("is given up with its lease, by the worker's own clock", async () => {
    const { start, time, asked, errors } = await world(["a"]);
    const { handler, finish, aborted } = held();
    let isAway = false;
    const one = start(handler, { leaseMs: LEASE_MS, concurrency: 1 }, () =>
      isAway ? problem(503, "unavailable", { retryAfterMs: 60_000 }) : null,
    );
    await time.advance(1_500);
    isAway = true;
    finish("a");
    // Renewed at 1,000.
    await time.advance(2_499);
    expect(aborted).toEqual([]);
    await time.advance(1);
    expect(aborted).toEqual(["a"]);
    const tries = timesOf(asked, "settlements");
    expect(tries.length).toBeGreaterThan(3);
    await time.advance(10_000);
    expect(timesOf(asked, "settlements")).toEqual(tries);
    expect(errors).toContainEqual(expect.objectContaining({ code: "lease_lost", status: null }));
    await time.until(one.stop({ graceMs: 1 }));
  });

  it("is found out by its repeat where its answer was lost and its lease is gone with it", async () => {
    const { start, time, job, errors, asked } = await world(["a"]);
    let isLost = true;
    const one = start(
      () => {},
      { leaseMs: LEASE_MS, concurrency: 1 },
      async (path, reach) => {
        const answer = await reach();
        if (path === "settlements" && isLost) return html(500);
        return answer;
      },
    );
    await time.advance(1_200);
    expect(timesOf(asked, "lease-extensions")).toEqual([1_000]);
    isLost = false;
    await time.advance(1_000);
    expect((await job("a")).state).toBe("sent");
    expect(new Set(codesOf(errors))).toEqual(new Set(["unexpected_answer"]));
    await time.until(one.stop());
  });

  it("is dropped when the worker's grace is over", async () => {
    const { start, time, asked } = await world(["a"]);
    const one = start(
      () => {},
      {},
      settlements(() => html(500), Number.POSITIVE_INFINITY),
    );
    await time.advance(10_000);
    const stopped = one.stop({ graceMs: 5_000 });
    await time.until(stopped);
    expect(time.now()).toBe(15_000);
    const tries = timesOf(asked, "settlements").length;
    await time.advance(300_000);
    expect(timesOf(asked, "settlements")).toHaveLength(tries);
  });

  it("that the service never takes frees its slot after an hour", async () => {
    const { start, time, asked, errors } = await world(["a"]);
    const one = start(
      () => {},
      { leaseMs: 3_000_000, concurrency: 1 },
      (path) => (path === "settlements" ? problem(500, "internal_error") : null),
    );
    await time.advance(3_590_000);
    expect(timesOf(asked, "email-leases")).toEqual([0]);
    await time.advance(30_000);
    expect(timesOf(asked, "email-leases").length).toBeGreaterThan(1);
    expect(new Set(codesOf(errors))).toEqual(new Set(["internal_error"]));
    await time.until(one.stop());
  });

  it("that ends in a fault of its own frees its slot, and the fault is told without the job", async () => {
    const { start, time, errors } = await world(["a", "b"]);
    let faults = 1;
    const random = (): number => {
      if (faults === 0) return 0;
      faults -= 1;
      throw new RangeError("a");
    };
    const deps = { ...time.deps, random };
    const runs: string[] = [];
    const handler = (due: { logicalKey: string }) => void runs.push(due.logicalKey);
    const plan = settlements(() => html(502), 1);
    const one = start(handler, { concurrency: 1, deps }, plan);
    await time.advance(10_000);
    expect([...runs].sort()).toEqual(["a", "b"]);
    expect(errors).toEqual([expect.objectContaining({ detail: "a job ended with a fault" })]);
    await time.until(one.stop());
  });
});
