/** Leases while handlers run: as many as are free, renewed, lost, and taken over from the dead. */
import { describe, expect, it } from "vitest";
import type { Handler } from "../../src/client/client.ts";
import { html, message, problem } from "./service.ts";
import { held, world } from "./worker-world.ts";

describe("a worker's handlers", () => {
  it("run as many at once as is said, and no more are leased", async () => {
    const { start, time, job, client } = await world(["a", "b", "c", "d", "e"]);
    const { handler, begun, finish } = held();
    const one = start(handler, { concurrency: 2 });
    await time.advance(100);
    expect(begun).toHaveLength(2);
    const page = await client.emails.list({ state: "sending" });
    expect(page.jobs.map(({ attempts }) => attempts)).toEqual([1, 1]);
    const [first = ""] = begun;
    finish(first);
    await time.advance(0);
    expect((await job(first)).state).toBe("sent");
    expect(begun).toHaveLength(3);
    for (let n = 0; n < 3; n += 1) {
      for (const key of begun) finish(key);
      await time.advance(0);
    }
    await time.until(one.stop());
    expect([...begun].sort()).toEqual(["a", "b", "c", "d", "e"]);
  });

  it("are a hundred without a warning of Node that something leaks", async () => {
    const { start, time, client } = await world();
    const jobs = Array.from({ length: 100 }, (_, n) => message(`key-${n}`));
    await client.emails.enqueueBatch({ jobs });
    for (const { logicalKey } of jobs) {
      await client.emails.transition(logicalKey, { from: ["pending"], to: "ready" });
    }
    const warnings: Error[] = [];
    const listener = (warning: Error): void => void warnings.push(warning);
    process.on("warning", listener);
    const { handler, begun, finish } = held();
    const one = start(handler, { concurrency: 100 });
    await time.advance(50_000);
    for (const key of begun) finish(key);
    await time.until(one.stop({ graceMs: 1_000 }));
    process.off("warning", listener);
    expect(begun).toHaveLength(100);
    expect(warnings).toEqual([]);
  });

  it("have their leases renewed at a third, for as long as they run", async () => {
    const { start, time, asked, job, errors } = await world(["a"]);
    const { handler, aborted, finish } = held();
    const one = start(handler, { concurrency: 1 });
    await time.advance(600_000);
    const renewals = asked.filter((line) => line.endsWith("lease-extensions"));
    expect(renewals.slice(0, 3)).toEqual([
      "40000 lease-extensions",
      "80000 lease-extensions",
      "120000 lease-extensions",
    ]);
    finish("a");
    await time.until(one.stop());
    expect(await job("a")).toMatchObject({ state: "sent", attempts: 1 });
    expect([aborted, errors]).toEqual([[], []]);
  });

  it("are told when the service says that the lease is another's, and not settled", async () => {
    const { start, time, client, job, errors, asked } = await world(["a"]);
    const { handler, aborted, finish } = held();
    const one = start(handler, { concurrency: 1 }, (path) =>
      path === "lease-extensions" && time.now() < 80_000 ? html(503) : null,
    );
    await time.advance(1);
    const { job: leased } = await client.emails
      .read("a")
      .then(async ({ job: { leaseToken } }) =>
        client.emails.extend("a", { leaseToken: leaseToken ?? "", durationMs: 1 }),
      );
    await time.advance(10);
    const other = await client.emails.lease("a", { durationMs: 3_600_000 });
    expect(other.job.leaseToken).not.toBe(leased.leaseToken);
    await time.advance(90_000);
    expect(aborted).toEqual(["a"]);
    expect(errors.at(-1)).toMatchObject({ code: "lease_lost", status: 409 });
    finish("a");
    await time.advance(100);
    expect((await job("a")).leaseToken).toBe(other.job.leaseToken);
    expect(asked.filter((line) => line.endsWith("settlements"))).toEqual([]);
    await time.until(one.stop());
  });

  it("are told when the lease ran out by the worker's own clock, from before it was asked for", async () => {
    const { start, time, errors, asked } = await world(["a"]);
    const { handler, aborted, finish } = held();
    const one = start(handler, { concurrency: 1 }, async (path, reach) => {
      const answer = await reach();
      // Ten seconds on its way back, which count.
      if (path === "email-leases") await time.clock.sleep(10_000 as never);
      if (path === "lease-extensions") throw new TypeError("fetch failed");
      return answer;
    });
    await time.advance(119_999);
    expect(aborted).toEqual([]);
    await time.advance(1);
    expect(aborted).toEqual(["a"]);
    expect(errors.at(-1)).toMatchObject({ code: "lease_lost", status: null });
    finish("a");
    await time.advance(0);
    expect(asked.filter((line) => line.endsWith("settlements"))).toEqual([]);
    await time.until(one.stop());
  });

  it("are told when a renewed lease ran out, from before the renewal was asked for", async () => {
    const { start, time } = await world(["a"]);
    const { handler, aborted, finish } = held();
    const one = start(handler, {}, async (path, reach) => {
      if (path !== "lease-extensions") return reach();
      if (time.now() > 40_000) throw new TypeError("fetch failed");
      const answer = await reach();
      await time.clock.sleep(10_000 as never);
      return answer;
    });
    await time.advance(159_999);
    expect(aborted).toEqual([]);
    await time.advance(1);
    expect(aborted).toEqual(["a"]);
    finish("a");
    await time.until(one.stop());
  });

  it("are told in time when an extension hangs", async () => {
    const { start, time } = await world(["a"]);
    const { handler, aborted, finish } = held();
    const one = start(handler, { leaseMs: 24_000 }, (path) =>
      path === "lease-extensions" ? new Promise<Response>(() => {}) : null,
    );
    await time.advance(24_000);
    expect(aborted).toEqual(["a"]);
    finish("a");
    await time.until(one.stop());
  });

  it("may end while an extension is under way", async () => {
    const { start, time, job, errors } = await world(["a"]);
    const { handler, finish } = held();
    const one = start(handler, {}, (path) =>
      path === "lease-extensions" ? new Promise<Response>(() => {}) : null,
    );
    await time.advance(45_000);
    finish("a");
    await time.advance(0);
    expect((await job("a")).state).toBe("sent");
    expect(errors).toEqual([]);
    await time.until(one.stop());
  });

  it("survive a service that is away for less than their lease", async () => {
    const { start, time, job, errors } = await world(["a"]);
    const { handler, aborted, finish } = held();
    const one = start(handler, {}, () =>
      time.now() > 10_000 && time.now() < 100_000 ? problem(503, "unavailable") : null,
    );
    await time.advance(300_000);
    finish("a");
    await time.until(one.stop());
    expect(aborted).toEqual([]);
    expect(errors.length).toBeGreaterThan(0);
    expect(await job("a")).toMatchObject({ state: "sent", attempts: 1 });
  });
});

describe("two workers", () => {
  it("a job whose worker was killed comes to another after the lease, and not before", async () => {
    const { start, time, job } = await world(["a"]);
    const dead = held();
    let isDead = false;
    start(dead.handler, {}, () => (isDead ? new Promise<Response>(() => {}) : null));
    await time.advance(10);
    isDead = true;
    const runs: number[] = [];
    const other = start(() => void runs.push(time.now()));
    await time.advance(119_000);
    expect(runs).toEqual([]);
    await time.advance(12_000);
    expect(runs).toHaveLength(1);
    expect(await job("a")).toMatchObject({ state: "sent", attempts: 2 });
    await time.until(other.stop());
  });

  it("never run one job at once while its lease stands", async () => {
    const keys = Array.from({ length: 30 }, (_, n) => `key-${n}`);
    const { start, time, client } = await world(keys);
    const running = new Set<string>();
    const runs: string[] = [];
    const overlaps: string[] = [];
    let turn = 0;
    const handler: Handler = async ({ logicalKey }) => {
      if (running.has(logicalKey)) overlaps.push(logicalKey);
      running.add(logicalKey);
      runs.push(logicalKey);
      turn += 1;
      await time.deps.sleep((turn % 5) * 1_000);
      running.delete(logicalKey);
    };
    const workers = [1, 2, 3].map(() => start(handler, { leaseMs: 3_000 }));
    await time.advance(60_000);
    await time.until(Promise.all(workers.map((one) => one.stop())));
    expect(overlaps).toEqual([]);
    expect([...runs].sort()).toEqual([...keys].sort());
    expect((await client.emails.list({ state: "sent" })).jobs).toHaveLength(30);
  });
});
