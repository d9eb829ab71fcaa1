/** The worker of queries, against the real service, in time that the test moves. */
import { describe, expect, it } from "vitest";
import {
  type Fetch,
  type QueryHandler,
  type QueryJob,
  type QueryWorkerOptions,
  runnerHandler,
  runQueries,
  type Worker,
} from "../../src/client/client.ts";
import { type Runner, RunnerError } from "../../src/ports/runner.ts";
import { manualTime } from "./manual-time.ts";
import { submitted } from "./query-given.ts";
import { problem, service } from "./service.ts";

type Plan = (path: string, reach: () => Promise<Response>) => Promise<Response> | null;

async function world() {
  const time = manualTime();
  const real = await service({ clock: time.clock });
  const client = real.client({ deps: time.deps });
  const errors: unknown[] = [];
  const asked: string[] = [];
  const { deps } = time;
  return {
    ...{ time, client, errors, asked },
    start(
      handler: QueryHandler,
      options: Partial<QueryWorkerOptions> = {},
      plan: Plan = () => null,
    ): Worker {
      const fetch: Fetch = (url, init) => {
        const path = url.slice(url.lastIndexOf("/") + 1);
        asked.push(path);
        const reach = async () => real.fetch(url, init);
        return plan(path, reach) ?? reach();
      };
      const onError = (error: unknown): void => void errors.push(error);
      return runQueries(real.client({ fetch, deps }), handler, { onError, deps, ...options });
    },
    /** When it has done what it found. */
    async stop(worker: Worker): Promise<void> {
      await time.advance(0);
      await time.until(worker.stop());
    },
    read: async ({ jobId }: QueryJob) => (await client.queries.get(jobId, { generation: 1 })).job,
    log: async ({ jobId }: QueryJob) =>
      (await real.holdfast.queries.replay(jobId, 1)).events.map(({ type }) => type),
  };
}

/** A handler that the test lets go on. */
function held() {
  const begun: string[] = [];
  const aborted: string[] = [];
  const goOn = new Map<string, (outcome?: Error) => void>();
  const handler: QueryHandler = ({ request }, { signal }) => {
    const id = request.sessionId;
    begun.push(id);
    signal.addEventListener("abort", () => aborted.push(id));
    return new Promise((resolve, reject) => {
      goOn.set(id, (outcome) => (outcome === undefined ? resolve(id) : reject(outcome)));
    });
  };
  return { handler, begun, aborted, finish: (id: string, error?: Error) => goOn.get(id)?.(error) };
}

describe("a worker of queries", () => {
  it("answers what is accepted, now and later", async () => {
    const { client, start, time, read, log, errors, stop } = await world();
    const first = await submitted(client, 1);
    const worker = start(async (run) => {
      await run.running({ provider: "claude" });
      await run.delta(`You asked: ${run.request.query}`);
    });
    await time.advance(1_000);
    expect(await read(first)).toMatchObject({
      status: "completed",
      response: "You asked: What are whales?",
    });
    expect(await log(first)).toEqual(["accepted", "starting", "running", "chunk", "completed"]);
    const second = await submitted(client, 2);
    await time.advance(10_000);
    expect((await read(second)).status).toBe("completed");
    expect(errors).toEqual([]);
    await stop(worker);
    expect(time.sleeping()).toBe(0);
  });

  it("takes a text, an answer with more, or nothing from its handler", async () => {
    const { client, start, read, stop } = await world();
    const jobs = [await submitted(client, 1), await submitted(client, 2)];
    const outputImageStats = { published: 1, attached: 1, rejected: 0 };
    const worker = start(async ({ request }) =>
      request.sessionId === "session-1" ? "All." : { text: "More.", outputImageStats },
    );
    await stop(worker);
    expect(await Promise.all(jobs.map(read))).toMatchObject([
      { response: "All." },
      { response: "More.", outputImageStats },
    ]);
  });

  it("runs one job of a session at a time, in the order of admission", async () => {
    const { client, start, time, read, stop } = await world();
    const jobs: QueryJob[] = [];
    for (const n of [1, 2, 3]) {
      jobs.push(await submitted(client, n, "talk"));
      await time.advance(1_000);
    }
    jobs.push(await submitted(client, 4, "other"));
    const { handler, begun, finish } = held();
    const worker = start(handler);
    await time.advance(5_000);
    expect(begun).toEqual(["talk", "other"]);
    for (const n of [0, 1, 2]) {
      expect((await read(jobs[n] as QueryJob)).status).toBe("starting");
      finish("talk");
      await time.advance(10_000);
    }
    expect(begun).toEqual(["talk", "other", "talk", "talk"]);
    finish("other");
    await stop(worker);
    expect((await Promise.all(jobs.map(read))).map(({ status }) => status)).toEqual(
      Array(4).fill("completed"),
    );
  });

  it("has no more handlers at once than it may, and takes the next as one ends", async () => {
    const { client, start, time, stop } = await world();
    for (const n of [1, 2, 3]) {
      await submitted(client, n);
      await time.advance(1_000);
    }
    const { handler, begun, finish } = held();
    const worker = start(handler, { concurrency: 2 });
    await time.advance(20_000);
    expect(begun).toEqual(["session-1", "session-2"]);
    finish("session-1");
    await time.advance(0);
    expect(begun).toEqual(["session-1", "session-2", "session-3"]);
    finish("session-2");
    finish("session-3");
    await stop(worker);
  });

  it("keeps the lease of a handler that takes its time", async () => {
    const { client, start, time, read, stop } = await world();
    const job = await submitted(client);
    const { handler, finish, aborted } = held();
    const worker = start(handler, { leaseMs: 3_000 });
    await time.advance(600_000);
    expect([(await read(job)).status, aborted]).toEqual(["starting", []]);
    finish("session-1");
    await stop(worker);
    expect((await read(job)).status).toBe("completed");
  });

  it("fails the job of a handler that takes longer than it may (QUERY-76)", async () => {
    const { client, start, time, read, stop } = await world();
    const job = await submitted(client);
    const { handler, aborted } = held();
    const worker = start(handler, { deadlineMs: 5_000 });
    await time.advance(6_000);
    expect(await read(job)).toMatchObject({
      status: "failed",
      error: { code: "provider_timeout", retryable: true },
    });
    expect(aborted).toEqual(["session-1"]);
    await stop(worker);
  });

  it.each([
    [
      new RunnerError("provider_busy", "It is busy.", { retryable: true }),
      { code: "provider_busy", message: "It is busy.", retryable: true },
    ],
    [
      Object.assign(new Error("Later."), { code: "later", retryAfterMs: Number.POSITIVE_INFINITY }),
      { code: "later", message: "Later." },
    ],
  ])("fails the job with what its handler throws to be told: %s", async (thrown, error) => {
    const { client, start, read, errors, stop } = await world();
    const job = await submitted(client);
    const worker = start(() => Promise.reject(thrown));
    await stop(worker);
    expect(await read(job)).toMatchObject({ status: "failed", error });
    expect(errors).toEqual([]);
  });

  it.each([
    new Error("/srv/secret"),
    "S3cret",
    { code: 7, message: "S3cret" },
    Object.assign(new Error("ENOENT: /srv/secret"), { code: "ENOENT", retryAfterMs: 5 }),
  ])("tells onError alone of what nobody meant to be told: %s", async (thrown) => {
    const { client, start, read, errors, stop } = await world();
    const job = await submitted(client);
    const worker = start(() => Promise.reject(thrown));
    await stop(worker);
    const { status, error } = await read(job);
    expect([status, error]).toEqual([
      "failed",
      { code: "runner_failed", message: "The runner met an error that it did not expect." },
    ]);
    expect(errors).toEqual([thrown]);
  });

  it("tells the handler of a canceled job, and goes on with others", async () => {
    const { client, start, time, read, errors } = await world();
    const job = await submitted(client, 1);
    const { handler, aborted, begun } = held();
    const worker = start(handler, { concurrency: 1 });
    await time.advance(0);
    await client.queries.cancel(job.jobId, { generation: 1 });
    await submitted(client, 2);
    await time.advance(30_000);
    expect(aborted).toEqual(["session-1"]);
    expect(errors).toEqual([expect.objectContaining({ code: "lease_lost" })]);
    expect(begun).toEqual(["session-1", "session-2"]);
    expect((await read(job)).status).toBe("canceled");
    await time.until(worker.stop({ graceMs: 0 }));
  });

  it("leaves jobs alone whose session is held, and starts them when it is free", async () => {
    const { client, start, time, asked, errors } = await world();
    const { run } = await client.queries.start((await submitted(client, 1, "talk")).jobId, {
      generation: 1,
    });
    await run?.running({ provider: "claude" });
    await run?.linkage({ claudeRunId: "run-1" });
    await submitted(client, 2, "talk");
    await run?.interrupt();
    const { handler, begun } = held();
    const worker = start(handler);
    await time.advance(600_000);
    expect(begun).toEqual([]);
    expect(asked.filter((path) => path === "runs")).toHaveLength(1);
    await time.advance(700_000);
    expect(begun).toEqual(["talk"]);
    expect(errors).toEqual([]);
    await time.until(worker.stop({ graceMs: 0 }));
  });

  it("is not stopped by a job that cannot be started, nor by a service that is away", async () => {
    const { client, start, time, errors, read, stop } = await world();
    const bad = await submitted(client, 1);
    await time.advance(1_000);
    const good = await submitted(client, 2);
    let lists = 0;
    const worker = start(
      async () => "All.",
      {},
      (path, reach) => {
        if (path.startsWith("query-jobs?")) {
          lists += 1;
          if (lists <= 5) return Promise.reject(new TypeError("fetch failed"));
        }
        if (path !== "runs" || lists > 12) return null;
        return reach().then(async (answer) => {
          const { job } = (await answer.clone().json()) as { job?: QueryJob };
          return job?.jobId === bad.jobId ? problem(500, "record_corrupt") : answer;
        });
      },
    );
    await time.advance(60_000);
    expect(await read(good)).toMatchObject({ status: "completed" });
    expect(errors).toMatchObject([{ code: "network" }, { code: "record_corrupt" }]);
    await stop(worker);
  });

  it.each([
    ["no page", {}],
    ["a page of nothing", { jobs: [null], nextCursor: null }],
  ])("goes on where what answers is odd: %s", async (_, odd) => {
    const { client, start, time, read, errors, stop } = await world();
    const job = await submitted(client);
    let lists = 0;
    const worker = start(
      async () => "All.",
      {},
      (path) => {
        if (path !== "runs") lists += 1;
        return lists === 1 ? Promise.resolve(Response.json(odd)) : null;
      },
    );
    await time.advance(5_000);
    expect((await read(job)).status).toBe("completed");
    expect(errors).toEqual([expect.objectContaining({ code: "unexpected_answer" })]);
    await stop(worker);
  });

  it("starts a job soon after a service that was away comes back", async () => {
    const { client, start, time, read, stop } = await world();
    const job = await submitted(client);
    let starts = 0;
    const worker = start(
      async () => "All.",
      {},
      (path) => {
        if (path === "runs") starts += 1;
        return path === "runs" && starts <= 5 ? Promise.resolve(problem(503, "unavailable")) : null;
      },
    );
    await time.advance(20_000);
    expect((await read(job)).status).toBe("completed");
    await stop(worker);
  });

  it("interrupts what runs when its grace is over, before the handler is told", async () => {
    const { client, start, time, read, errors } = await world();
    const job = await submitted(client);
    const { handler, aborted } = held();
    const worker = start(handler);
    await time.advance(0);
    const stopped = worker.stop({ graceMs: 5_000 });
    await time.advance(4_000);
    expect((await read(job)).status).toBe("starting");
    await time.until(stopped);
    expect(await read(job)).toMatchObject({ status: "interrupted" });
    expect([aborted, errors]).toEqual([["session-1"], []]);
    expect(time.sleeping()).toBe(0);
  });

  it("refuses options out of bounds", async () => {
    const { start } = await world();
    for (const options of [{ concurrency: 0 }, { leaseMs: 10 }, { deadlineMs: 1.5 }]) {
      expect(() => start(async () => "", options)).toThrow(/whole number/);
    }
  });
});

/** A runner of the library that tells all that one may. */
function runner(sessionId?: string): Runner {
  return {
    async run({ query, model }, callbacks) {
      await callbacks.started({ provider: "claude", ...(sessionId && { sessionId }) });
      if (!(await callbacks.ownership({ claudeRunId: "run-1" }))) throw new Error("not ours");
      await callbacks.activity("status", "reading the mail");
      await callbacks.activity("input", "ls");
      await callbacks.delta(`${query} by ${model ?? "any"}`);
      await callbacks.answerReady();
      return { linkage: { resolvedModel: "opus" } };
    },
  };
}

describe("a runner as a handler", () => {
  it.each([
    ["off", ["status Working."]],
    ["status", ["status reading the mail"]],
    ["preview", ["status reading the mail", "input ls"]],
  ] as const)(
    "tells what it does, and of tools what is to be shown: %s (QUERY-82)",
    async (mode, shown) => {
      const { client, start, stop } = await world();
      const { job } = await client.queries.submit({
        clientJobId: "11111111-1111-4111-8111-000000000001",
        ...{ generation: 1, query: "Whales", sessionId: "talk", activityToolMode: mode },
      });
      const worker = start(runnerHandler(runner("talk")));
      await stop(worker);
      const after = (await client.queries.get(job.jobId, { generation: 1 })).job;
      expect(after).toMatchObject({
        status: "completed",
        response: "Whales by any",
        ...{ provider: "claude", claudeRunId: "run-1", resolvedModel: "opus" },
      });
      expect(after.activity.map(({ kind, text }) => `${kind} ${text}`)).toEqual(shown);
    },
  );

  it("fails where it answers in another session (QUERY-81)", async () => {
    const { client, start, read, stop } = await world();
    const job = await submitted(client);
    const worker = start(runnerHandler(runner("another")));
    await stop(worker);
    expect(await read(job)).toMatchObject({
      status: "failed",
      error: { code: "session_identity_mismatch" },
    });
  });
});
