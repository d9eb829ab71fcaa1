/** Runs of queries over HTTP, against the real service: what is told is in the log once and in order. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Fetch, QueryRun, RetryOptions } from "../../src/client/client.ts";
import { manualTime } from "./manual-time.ts";
import { submitted } from "./query-given.ts";
import { problem, service, type TestService } from "./service.ts";

/** What happens to one request of a run; null: it reaches the service, and its answer comes back. */
type Fate = (path: string, reach: () => Promise<Response>) => Promise<Response> | null;

interface Asked {
  readonly path: string;
  readonly at: number;
  readonly body: Readonly<Record<string, unknown>>;
}

async function world(fate: Fate = () => null, retry: RetryOptions = {}) {
  const time = manualTime();
  const real = await service({ clock: time.clock });
  const asked: Asked[] = [];
  const fetch: Fetch = (url, init) => {
    const path = url.slice(url.lastIndexOf("/") + 1);
    asked.push({ path, at: time.now(), body: JSON.parse(String(init.body)) });
    const reach = async () => real.fetch(url, init);
    return fate(path, reach) ?? reach();
  };
  const client = real.client({ deps: time.deps });
  const { queries } = real.client({ fetch, deps: time.deps, retry });
  const job = await submitted(client);
  const start = async (leaseMs = 60_000): Promise<QueryRun> => {
    const { run } = await time.until(queries.start(job.jobId, { generation: 1, leaseMs }));
    if (run === null) throw new Error("not started");
    return run;
  };
  return { time, real, client, queries, asked, job, start, ...readers(real, job.jobId) };
}

function readers(real: TestService, jobId: string) {
  const { queries } = real.client();
  return {
    read: async () => (await queries.get(jobId, { generation: 1 })).job,
    /** Types and texts of the log. */
    async log(): Promise<readonly string[]> {
      const { events } = await real.holdfast.queries.replay(jobId, 1);
      return events.map(({ type, data }) => ("text" in data ? `${type} ${data["text"]}` : type));
    },
  };
}

const lostAnswer = async (reach: () => Promise<Response>): Promise<Response> => {
  await reach();
  throw new TypeError("fetch failed");
};

describe("a run", () => {
  it("is told from its start to its end", async () => {
    const { start, time, read, log } = await world();
    const run = await start();
    expect(run.request.query).toBe("What are whales?");
    await run.running({ provider: "claude" });
    await run.linkage({ claudeRunId: "run-1" });
    await run.delta("Whales ");
    await run.delta("are ");
    await time.advance(50);
    await run.activity("status", "looking");
    await run.delta("mammals.");
    expect(await run.complete()).toMatchObject({ applied: true, status: "completed" });
    expect(await log()).toEqual([
      "accepted",
      "starting",
      "running",
      "running",
      "chunk Whales are ",
      "tool_status looking",
      "chunk mammals.",
      "completed",
    ]);
    expect(await read()).toMatchObject({ response: "Whales are mammals.", provider: "claude" });
    expect(run.signal.aborted).toBe(false);
    expect(time.sleeping()).toBe(0);
  });

  it("keeps the order of its calls, also where none is waited for", async () => {
    const { start, time, log } = await world();
    const run = await start();
    const calls = [
      run.running(),
      run.delta("a"),
      run.activity("input", "ls"),
      run.delta("b"),
      run.answerReady(),
      run.complete(),
    ];
    await time.until(Promise.all(calls));
    expect((await log()).slice(2)).toEqual([
      "running",
      "chunk a",
      "activity_line ls",
      "chunk b",
      "answer_ready",
      "completed",
    ]);
  });

  it("brings a fresh request id and the last position with every call (protocols 5.2)", async () => {
    const { start, asked } = await world();
    const run = await start();
    await run.running();
    await run.activity("status", "looking");
    await run.complete({ text: "All." });
    const bodies = asked.slice(1).map(({ body }) => body);
    expect(bodies.map(({ position }) => position)).toEqual(["2-2", "3-3", "4-4"]);
    expect(new Set(bodies.map(({ requestId }) => requestId)).size).toBe(3);
    expect(new Set(asked.map(({ body }) => body["leaseToken"]))).toEqual(new Set([run.leaseToken]));
  });

  it("is in the log once, whatever is lost on the way (protocols 5.2)", async () => {
    const lots = fc.array(fc.constantFrom("fine", "unsent", "unanswered", "busy"), {
      minLength: 1,
      maxLength: 20,
    });
    await fc.assert(
      fc.asyncProperty(lots, async (fates) => {
        let n = 0;
        const fate: Fate = (path, reach) => {
          if (path === "heartbeats") return null;
          const one = fates[n] ?? "fine";
          n += 1;
          if (one === "unsent") return Promise.reject(new TypeError("fetch failed"));
          if (one === "unanswered") return lostAnswer(reach);
          return one === "busy" ? Promise.resolve(problem(503, "unavailable")) : null;
        };
        const { start, time, log, read } = await world(fate, { attempts: 30, deadlineMs: 600_000 });
        const run = await start(600_000);
        await time.until(run.running({ provider: "claude" }));
        for (const delta of ["a", "b", "a"]) {
          await run.delta(delta);
          await time.advance(50);
        }
        const activity = run.activity("status", "looking");
        const ready = run.answerReady();
        await time.until(Promise.all([activity, ready, run.complete()]));
        const texts = (await log()).slice(2);
        expect(texts.filter((text) => !text.startsWith("chunk"))).toEqual([
          "running",
          "tool_status looking",
          "answer_ready",
          "completed",
        ]);
        expect((await read()).response).toBe("aba");
        expect(time.sleeping()).toBe(0);
      }),
      { numRuns: 30 },
    );
  });

  it("that is started again with its token is the same run", async () => {
    const { start, queries, job, log } = await world();
    const { leaseToken } = await start();
    const again = await queries.start(job.jobId, { generation: 1, leaseToken });
    expect(again.applied).toBe(true);
    expect(await again.run?.complete({ text: "All." })).toMatchObject({ status: "completed" });
    expect(await log()).toEqual(["accepted", "starting", "completed"]);
  });

  it("is somebody else's where the job is not accepted any more (http-api)", async () => {
    const { start, queries, job } = await world();
    const run = await start();
    const other = await queries.start(job.jobId, { generation: 1 });
    expect(other).toMatchObject({ applied: false, run: null, job: { status: "starting" } });
    run.drop();
  });

  it("completes with the text that it was given, also when it was given before", async () => {
    const { start, read } = await world();
    const run = await start();
    await run.delta("draft");
    await run.answerReady({ text: "final" });
    await run.complete({ outputImageStats: { published: 1, attached: 1, rejected: 0 } });
    expect(await read()).toMatchObject({ response: "final", outputImageStats: { published: 1 } });
  });

  it("fails and is interrupted with a word", async () => {
    const failing = await world();
    const error = { code: "provider_down", message: "It is down.", retryable: true };
    await (await failing.start()).fail(error);
    expect(await failing.read()).toMatchObject({ status: "failed", error });
    const stopping = await world();
    await (await stopping.start()).interrupt("The machine went away.");
    expect(await stopping.read()).toMatchObject({ status: "interrupted" });
  });

  it("may be ended again: nothing changes (http-api)", async () => {
    const { start, read } = await world();
    const run = await start();
    await run.complete({ text: "All." });
    expect(await run.fail({ message: "late" })).toMatchObject({ applied: false });
    expect(await read()).toMatchObject({ status: "completed", response: "All." });
  });

  it("takes no delta that is no text", async () => {
    const { start, read } = await world();
    const run = await start();
    const nothing = Object.create(null)["content"];
    await expect(run.delta(nothing)).rejects.toMatchObject({ code: "invalid_request" });
    await run.complete();
    expect(await read()).toMatchObject({ status: "completed", response: "" });
  });

  it("takes no delta after its answer", async () => {
    const { start } = await world();
    const run = await start();
    await run.answerReady({ text: "All." });
    await expect(run.delta("more")).rejects.toMatchObject({ code: "invalid_request" });
    await run.complete();
  });

  it("goes on where the service refuses what it was given", async () => {
    const { start, read } = await world();
    const run = await start();
    const odd = { text: "All.", mood: "good" };
    await expect(run.complete(odd)).rejects.toMatchObject({ status: 422 });
    expect(run.signal.aborted).toBe(false);
    await run.fail({ code: "odd", message: "The answer is odd." });
    expect(await read()).toMatchObject({ status: "failed", error: { code: "odd" } });
  });

  it("goes on where JSON cannot say what it was given", async () => {
    const { start, read, asked } = await world();
    const run = await start();
    const outputImageStats = { published: Number.NaN, attached: 0, rejected: 0 };
    const refused = { code: "invalid_request", status: null };
    await expect(run.complete({ text: "All.", outputImageStats })).rejects.toMatchObject(refused);
    expect(asked.map(({ path }) => path)).toEqual(["runs"]);
    await run.complete({ text: "All." });
    expect(await read()).toMatchObject({ status: "completed", response: "All." });
  });

  it.each(["answerReady", "complete"] as const)(
    "tells of an answer of any length what is kept of it: %s",
    async (verb) => {
      const { start, read } = await world();
      const run = await start();
      await run[verb]({ text: "\uffff".repeat(1_100_000) });
      await run.complete();
      const { response, responseTruncated } = await read();
      expect([response, responseTruncated]).toEqual(["\uffff".repeat(128_000), true]);
    },
  );

  it("completes with its deltas where its answer has an undefined text", async () => {
    const { start, read } = await world();
    const run = await start();
    await run.delta("All.");
    const answer: object = { text: undefined };
    await run.complete(answer);
    expect(await read()).toMatchObject({ status: "completed", response: "All." });
  });

  it("with a delta that was not taken ends: a hole would be seen by nobody", async () => {
    const { start, time } = await world((path) =>
      path === "chunks" ? Promise.resolve(problem(422, "invalid_request")) : null,
    );
    const run = await start();
    await run.delta("a");
    await time.advance(50);
    expect(run.signal.aborted).toBe(true);
    const refused = { code: "invalid_request", status: 422 };
    await expect(run.delta("b")).rejects.toMatchObject(refused);
    await expect(run.complete()).rejects.toMatchObject(refused);
  });
});

describe("a run's lease", () => {
  it("is renewed at a third of its time, until the end is told", async () => {
    const { start, time, asked, read } = await world();
    const run = await start(30_000);
    await time.advance(100_000);
    const beats = asked.filter(({ path }) => path === "heartbeats").map(({ at }) => at);
    expect(beats).toEqual(Array.from({ length: 10 }, (_, n) => 10_000 * (n + 1)));
    await run.complete({ text: "All." });
    await time.advance(100_000);
    expect(asked.filter(({ path }) => path === "heartbeats")).toHaveLength(10);
    expect((await read()).status).toBe("completed");
  });

  it("that is lost to a cancel ends the run with the service's word", async () => {
    const { start, time, client, job } = await world();
    const run = await start();
    await client.queries.cancel(job.jobId, { generation: 1 });
    await time.advance(20_000);
    expect(run.signal.reason).toMatchObject({
      code: "lease_lost",
      status: 409,
      problem: { jobStatus: "canceled" },
    });
    await expect(run.delta("more")).rejects.toBe(run.signal.reason);
    await expect(run.complete()).rejects.toBe(run.signal.reason);
    expect(time.sleeping()).toBe(0);
  });

  it("that is lost is heard of by the next call, too", async () => {
    const { start, client, job } = await world();
    const run = await start();
    await client.queries.cancel(job.jobId, { generation: 1 });
    await expect(run.activity("status", "looking")).rejects.toMatchObject({ code: "lease_lost" });
    expect(run.signal.aborted).toBe(true);
  });

  it("that runs out without an answer ends the run, and the call that waits", async () => {
    let isDown = false;
    const { start, time } = await world(() =>
      isDown ? Promise.reject(new TypeError("fetch failed")) : null,
    );
    const run = await start();
    isDown = true;
    const told = run.running();
    void told.catch(() => {});
    await time.advance(59_000);
    expect(run.signal.aborted).toBe(false);
    await time.advance(1_000);
    await expect(told).rejects.toMatchObject({ code: "lease_lost", status: null });
    expect(run.signal.aborted).toBe(true);
    expect(time.sleeping()).toBe(0);
  });

  it("outlives a minute of an unreachable service where it is longer", async () => {
    let isDown = false;
    const { start, time, log } = await world(() =>
      isDown ? Promise.reject(new TypeError("fetch failed")) : null,
    );
    const run = await start(600_000);
    isDown = true;
    const told = run.running();
    await time.advance(300_000);
    isDown = false;
    await time.until(told);
    expect(await log()).toEqual(["accepted", "starting", "running"]);
    run.drop();
  });

  it("does not count as lost while the end is told that ended it", async () => {
    let lost = 0;
    const { start, time, read } = await world((path, reach) => {
      if (path !== "complete" || lost >= 3) return null;
      lost += 1;
      return lostAnswer(reach);
    });
    const run = await start(1_200);
    expect(await time.until(run.complete({ text: "All." }))).toMatchObject({ applied: true });
    expect((await read()).status).toBe("completed");
  });

  it("is given up by a drop", async () => {
    const { start, time, asked, read } = await world();
    const run = await start();
    run.drop();
    await time.advance(100_000);
    expect(asked.map(({ path }) => path)).toEqual(["runs"]);
    await expect(run.complete()).rejects.toMatchObject({ code: "lease_lost" });
    expect((await read()).status).toBe("starting");
    expect(time.sleeping()).toBe(0);
  });
});
