/** The worker against the real service, in time that the test moves. */
import { describe, expect, it } from "vitest";
import {
  type Client,
  type Fetch,
  type Handler,
  HoldfastError,
  type Job,
  PermanentError,
  type Worker,
  type WorkerOptions,
  worker,
} from "../../src/client/client.ts";
import { type ManualTime, manualTime } from "./manual-time.ts";
import { html, message, problem, readyJob, service, type TestService } from "./service.ts";

/** What happens to a request; null: it reaches the service. */
type Plan = (path: string, reach: () => Promise<Response>) => Promise<Response> | Response | null;

interface World {
  readonly time: ManualTime;
  readonly real: TestService;
  /** Undisturbed. */
  readonly client: Client;
  /** What was asked of the service by workers: milliseconds and the path's end. */
  readonly asked: readonly string[];
  readonly errors: readonly unknown[];
  start(handler: Handler, options?: Partial<WorkerOptions>, plan?: Plan): Worker;
  job(key: string): Promise<Job>;
}

async function world(keys: readonly string[] = []): Promise<World> {
  const time = manualTime();
  const real = await service({ clock: time.clock });
  const client = real.client({ deps: time.deps });
  for (const key of keys) await readyJob(client, key);
  const asked: string[] = [];
  const errors: unknown[] = [];
  return {
    time,
    real,
    client,
    asked,
    errors,
    start(handler, options = {}, plan = () => null) {
      const fetch: Fetch = (url, init) => {
        const path = url.slice(url.lastIndexOf("/") + 1);
        asked.push(`${time.now()} ${path}`);
        const reach = async () => real.fetch(url, init);
        return plan(path, reach) ?? reach();
      };
      const onError = (error: unknown): void => void errors.push(error);
      const { deps } = time;
      return worker(real.client({ fetch, deps }), handler, { onError, deps, ...options });
    },
    job: async (key) => (await client.emails.read(key)).job,
  };
}

/** A handler that the test lets go on. */
function held() {
  const begun: string[] = [];
  const aborted: string[] = [];
  const goOn = new Map<string, (outcome?: Error) => void>();
  const handler: Handler = (job, { signal }) => {
    const key = job.logicalKey;
    begun.push(key);
    signal.addEventListener("abort", () => aborted.push(key));
    return new Promise((resolve, reject) => {
      goOn.set(key, (outcome) => (outcome === undefined ? resolve("sent") : reject(outcome)));
    });
  };
  return {
    handler,
    begun,
    aborted,
    finish: (key: string, error?: Error) => goOn.get(key)?.(error),
  };
}

describe("a worker's outcome", () => {
  const wrong = Object.assign(Object.create(null), { wrong: true });
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
    ["to: sent", () => ({ to: "sent" }), { state: "sent" }],
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

describe("a stop", () => {
  it("asks for no more, waits for the handlers that run, and settles them", async () => {
    const { start, time, asked, job } = await world(["a", "b"]);
    const { handler, begun, finish } = held();
    const one = start(handler, { concurrency: 1 });
    await time.advance(10);
    let isStopped = false;
    void one.stopped.then(() => {
      isStopped = true;
    });
    const stopped = one.stop({ graceMs: 3_600_000 });
    await time.advance(200_000);
    expect(isStopped).toBe(false);
    const [first = ""] = begun;
    finish(first);
    await time.advance(0);
    await stopped;
    expect(isStopped).toBe(true);
    expect(begun).toHaveLength(1);
    expect((await job(first)).state).toBe("sent");
    const other = await job(first === "a" ? "b" : "a");
    expect(other).toMatchObject({ state: "ready", attempts: 0 });
    expect(asked.filter((line) => line.endsWith("email-leases"))).toEqual(["0 email-leases"]);
    expect(time.now()).toBe(200_010);
    expect(time.sleeping()).toBe(0);
  });

  it("that is out of grace aborts the handlers and settles nothing more", async () => {
    const { start, time, asked, job, errors } = await world(["a"]);
    const { handler, aborted, finish } = held();
    const one = start(handler);
    await time.advance(10);
    const stopped = one.stop({ graceMs: 5_000 });
    await time.advance(4_999);
    expect(aborted).toEqual([]);
    await time.advance(1);
    expect(aborted).toEqual(["a"]);
    finish("a", new Error("aborted"));
    await time.until(stopped);
    expect(asked.filter((line) => line.endsWith("settlements"))).toEqual([]);
    expect(await job("a")).toMatchObject({ state: "sending", attempts: 1 });
    expect(errors).toEqual([]);
    const runs: string[] = [];
    const other = start(({ logicalKey }) => void runs.push(logicalKey));
    await time.advance(130_000);
    expect(runs).toEqual(["a"]);
    await time.until(other.stop());
  });

  it("runs the jobs of a lease that is under way, so that no attempt is lost", async () => {
    const { start, time, job } = await world(["a"]);
    const one = start(
      () => {},
      {},
      async (path, reach) => {
        const answer = await reach();
        if (path === "email-leases") await time.clock.sleep(100 as never);
        return answer;
      },
    );
    await time.advance(50);
    await time.until(one.stop());
    expect(await job("a")).toMatchObject({ state: "sent", attempts: 1 });
  });

  it("is at once for an idle worker, and gives up a lease that hangs when its grace is over", async () => {
    const idle = await world();
    const one = idle.start(() => {});
    await idle.time.advance(500);
    await one.stop();
    expect(idle.time.now()).toBe(500);
    const hung = await world();
    const two = hung.start(
      () => {},
      {},
      () => new Promise<Response>(() => {}),
    );
    await hung.time.advance(500);
    const stopped = two.stop({ graceMs: 1_000 });
    await hung.time.until(stopped);
    expect(hung.time.now()).toBe(1_500);
    expect(hung.errors).toEqual([]);
  });

  it("may be asked for again, with less grace", async () => {
    const { start, time } = await world(["a"]);
    const { handler, aborted, finish } = held();
    const one = start(handler);
    await time.advance(10);
    void one.stop();
    const stopped = one.stop({ graceMs: 1_000 });
    await time.advance(1_000);
    expect(aborted).toEqual(["a"]);
    finish("a");
    await time.until(stopped);
  });
});
