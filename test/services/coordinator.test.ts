/** Running queries with a runner (QUERY-74 to 83; semantics C7). */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import {
  type FaultPlan,
  type MemoryStorage,
  memoryStorage,
} from "../../adapters/storage/memory.ts";
import type { QuerySnapshot } from "../../src/machines/queries/snapshot.ts";
import { RunnerError } from "../../src/ports/runner.ts";
import type { Coordinator, CoordinatorOptions } from "../../src/services/coordinator.ts";
import { type Bench, openBench } from "./emails/bench.ts";
import {
  codeOf,
  FENCE_MS,
  LEASE_MS,
  OTHER_CLIENT_JOB_ID,
  owned,
  REQUEST,
} from "./queries/given.ts";
import { hanging, type Run, saying, stopped } from "./queries/runners.ts";

const PROVIDER_MS = 21 * 60_000;

describe("a coordinator", () => {
  let storage: MemoryStorage;
  let bench: Bench;
  const coordinators: Coordinator[] = [];

  beforeEach(async () => {
    storage = memoryStorage();
    bench = await openBench({
      storage,
      plant: async (key, body) => storage.plant(key, body),
      destroy: async () => {},
    });
  });
  afterEach(async () => {
    for (const coordinator of coordinators.splice(0)) await coordinator.close();
    await bench.close();
  });

  const queries = () => bench.holdfast.queries;

  function coordinate(run: Run, options: Partial<CoordinatorOptions> = {}): Coordinator {
    const coordinator = bench.holdfast.coordinate({ runner: { run }, ...options });
    coordinators.push(coordinator);
    return coordinator;
  }

  async function withFaults(plan: FaultPlan, run: Run): Promise<Coordinator> {
    const { holdfast } = await bench.another({ storage: storage.withFaults(plan) });
    const coordinator = holdfast.coordinate({ runner: { run } });
    coordinators.push(coordinator);
    return coordinator;
  }

  const statusOf = async (jobId: string) => (await queries().getSnapshot(jobId)).status;
  const reached = (jobId: string, status: string) =>
    vi.waitFor(async () => expect(await statusOf(jobId)).toBe(status));
  /** Until the run has said its word, durably. */
  const underWay = (jobId: string) =>
    vi.waitFor(async () => expect((await queries().getSnapshot(jobId)).partialText).toBe("a word"));

  it("runs what is submitted to its end, in the order of C7", async () => {
    const coordinator = coordinate(saying("one ", "two"));
    const { job } = await coordinator.submit(REQUEST);
    await coordinator.idle();
    const { events } = await queries().replay(job.jobId, 1);
    expect(events.map(({ type }) => type)).toEqual([
      ...["accepted", "starting", "running", "running", "chunk", "answer_ready", "completed"],
    ]);
    expect(await queries().getSnapshot(job.jobId)).toMatchObject({
      ...{ status: "completed", response: "one two", provider: "claude", claudeRunId: "run-1" },
    });
  });

  it("hands the runner what was asked", async () => {
    const seen: unknown[] = [];
    const coordinator = coordinate(async (execution) => {
      seen.push(execution);
      return { text: "done" };
    });
    const { job } = await coordinator.submit({ ...REQUEST, model: "large", effort: "high" });
    await coordinator.idle();
    expect(seen).toEqual([
      {
        jobId: job.jobId,
        query: "durable prompt",
        sessionId: "session-durable-1",
        reference: null,
        model: "large",
        effort: "high",
        attachmentIds: [],
        attachmentRefs: [],
      },
    ]);
    expect((await queries().getSnapshot(job.jobId)).response).toBe("done");
  });

  it("semantics C6 joins deltas into chunks of 1,024 characters and more", async () => {
    const coordinator = coordinate(saying(...Array.from({ length: 300 }, () => "0123456789")));
    const { job } = await coordinator.submit(REQUEST);
    await coordinator.idle();
    const { events } = await queries().replay(job.jobId, 1);
    const chunks = events.filter(({ type }) => type === "chunk");
    expect(chunks.length).toBeLessThanOrEqual(4);
    expect(chunks.map(({ data }) => data["text"]).join("")).toBe("0123456789".repeat(300));
  });

  it("finds what was accepted while nobody was there, the longest waiting first", async () => {
    const first = await queries().admit(REQUEST);
    bench.clock.advance(1);
    await queries().admit({ ...REQUEST, clientJobId: OTHER_CLIENT_JOB_ID });
    const order: string[] = [];
    const coordinator = coordinate(async ({ jobId }) => {
      order.push(jobId);
      return { text: "x" };
    });
    await coordinator.look();
    await coordinator.idle();
    expect(order).toHaveLength(2);
    expect(order[0]).toBe(first.job.jobId);
  });

  it("two of them run each job once", async () => {
    let runs = 0;
    const run: Run = async () => {
      runs += 1;
      return { text: "x" };
    };
    const { holdfast } = await bench.another();
    const other = holdfast.coordinate({ runner: { run } });
    coordinators.push(other);
    const one = coordinate(run);
    const { job } = await one.submit(REQUEST);
    await other.look();
    await Promise.all([one.idle(), other.idle()]);
    expect(runs).toBe(1);
    expect(await statusOf(job.jobId)).toBe("completed");
  });

  it("QUERY-74 gives two equal requests without a session one of their own, and runs once", async () => {
    let runs = 0;
    const coordinator = coordinate(async () => {
      runs += 1;
      return { text: "x" };
    });
    const { sessionId: _none, ...request } = REQUEST;
    const [one, two] = await Promise.all([
      coordinator.submit(request),
      coordinator.submit(request),
    ]);
    expect(one?.job.jobId).toBe(two?.job.jobId);
    expect([one?.created, two?.created].filter((created) => created)).toHaveLength(1);
    await coordinator.idle();
    expect(runs).toBe(1);
    expect((await coordinator.submit(request)).created).toBe(false);
  });

  it("QUERY-75 lets the prompt go only when ownership is durable", async () => {
    let isOwned: boolean | null = null;
    let confirmedAt: string | undefined;
    const coordinator = coordinate(async ({ jobId }, callbacks) => {
      await callbacks.started({});
      isOwned = await callbacks.ownership({ claudeRunId: "run-1" });
      confirmedAt = (await queries().getSnapshot(jobId)).providerOwnershipConfirmedAt;
      return { text: "x" };
    });
    await coordinator.submit(REQUEST);
    await coordinator.idle();
    expect(isOwned).toBe(true);
    expect(confirmedAt).toBe(bench.at(0));
  });

  it("QUERY-75 after a cancel elsewhere the barrier says no", async () => {
    let isOwned: boolean | null = null;
    const coordinator = coordinate(async ({ jobId }, callbacks, signal) => {
      await callbacks.started({});
      await (await bench.another()).holdfast.queries.cancel(jobId, 1);
      isOwned = await callbacks.ownership({});
      expect(signal.aborted).toBe(true);
      throw stopped();
    });
    const { job } = await coordinator.submit(REQUEST);
    await coordinator.idle();
    expect(isOwned).toBe(false);
    expect(await statusOf(job.jobId)).toBe("canceled");
  });

  it("QUERY-76 fails a provider that takes too long, retryable, before it is stopped", async () => {
    const coordinator = coordinate(hanging());
    const { job } = await coordinator.submit(REQUEST);
    await underWay(job.jobId);
    bench.clock.elapse(PROVIDER_MS);
    await coordinator.idle();
    expect(await queries().getSnapshot(job.jobId)).toMatchObject({
      ...{ status: "failed", error: { code: "provider_timeout", retryable: true } },
      partialText: "a word",
    });
  });

  it("QUERY-76 fails also a provider that never said that it has begun", async () => {
    const hang = hanging();
    const coordinator = coordinate((execution, callbacks, signal) =>
      hang(execution, { ...callbacks, started: async () => {} }, signal),
    );
    const { job } = await coordinator.submit(REQUEST);
    await underWay(job.jobId);
    bench.clock.elapse(PROVIDER_MS);
    await coordinator.idle();
    expect(await queries().getSnapshot(job.jobId)).toMatchObject({
      ...{ status: "failed", error: { code: "provider_timeout", retryable: true } },
    });
  });

  it("QUERY-76 completes with the answer that was ready when the time was up", async () => {
    const hang = hanging();
    const coordinator = coordinate((execution, callbacks, signal) =>
      hang(
        execution,
        {
          ...callbacks,
          async delta(text) {
            await callbacks.delta(text);
            await callbacks.answerReady();
          },
        },
        signal,
      ),
    );
    const { job } = await coordinator.submit(REQUEST);
    await reached(job.jobId, "answer_ready");
    bench.clock.elapse(PROVIDER_MS);
    await coordinator.idle();
    expect(await queries().getSnapshot(job.jobId)).toMatchObject({
      ...{ status: "completed", response: "a word" },
    });
  });

  it("semantics C7 goes on behind a ready answer, whatever comes too late for the job", async () => {
    const coordinator = coordinate(async (_execution, callbacks) => {
      await callbacks.started({});
      await callbacks.started({});
      await callbacks.ownership({});
      await callbacks.answerReady("The answer.");
      await callbacks.activity("status", "Drawing.");
      await callbacks.delta("more");
      return { outputImageStats: { published: 1, attached: 1, rejected: 0 } };
    });
    const { job } = await coordinator.submit(REQUEST);
    await coordinator.idle();
    expect(await queries().getSnapshot(job.jobId)).toMatchObject({
      ...{ status: "completed", response: "The answer.", outputImageStats: { published: 1 } },
    });
  });

  it.each<[string, Run]>([
    ["delta", async (_, callbacks) => callbacks.delta(Object(undefined)).then(() => ({}))],
    ["activity", async (_, { activity }) => activity("status", Object(7)).then(() => ({}))],
    ["answer", async (_, { answerReady }) => answerReady(Object(7)).then(() => ({}))],
    ["result", async () => ({ text: Object(7) })],
  ])("QUERY-81 fails where what its runner tells is no text: %s", async (_, told) => {
    const coordinator = coordinate(async (execution, callbacks, signal) => {
      await callbacks.started({});
      return told(execution, callbacks, signal);
    });
    const { job } = await coordinator.submit(REQUEST);
    await coordinator.idle();
    expect(await queries().getSnapshot(job.jobId)).toMatchObject({
      ...{ status: "failed", error: { code: "runner_failed" } },
    });
  });

  it("QUERY-77, 78 runs one job of a session at a time, in order, and others beside it", async () => {
    const order: string[] = [];
    const gates = new Map<string, () => void>();
    const coordinator = coordinate(async ({ query }) => {
      order.push(query);
      await new Promise<void>((resolve) => gates.set(query, resolve));
      return { text: "x" };
    });
    const submit = (n: number, sessionId: string) =>
      coordinator.submit({
        ...REQUEST,
        clientJobId: `${n}0000000-0000-4000-8000-000000000000`,
        query: `q${n}`,
        sessionId,
      });
    await submit(1, "a");
    await submit(2, "a");
    await submit(3, "b");
    await vi.waitFor(() => expect([...order].sort()).toEqual(["q1", "q3"]));
    gates.get("q1")?.();
    await vi.waitFor(() => expect(order).toContain("q2"));
    gates.get("q2")?.();
    gates.get("q3")?.();
    await coordinator.idle();
  });

  it("runs no more at once than it may", async () => {
    let running = 0;
    let most = 0;
    const coordinator = coordinate(
      async () => {
        running += 1;
        most = Math.max(most, running);
        await new Promise((resolve) => setTimeout(resolve, 2));
        running -= 1;
        return { text: "x" };
      },
      { atOnce: 2 },
    );
    for (let n = 0; n < 6; n += 1) {
      const clientJobId = `${n}0000000-0000-4000-8000-000000000000`;
      await coordinator.submit({ ...REQUEST, clientJobId, sessionId: `s${n}` });
    }
    await coordinator.idle();
    expect(most).toBe(2);
  });

  it("QUERY-78 frees the session whatever the end", async () => {
    const ends: readonly Run[] = [
      async () => ({ text: "x" }),
      async () => {
        throw new RunnerError("provider_refused", "no");
      },
      async () => {
        throw new Error("a bug of the runner");
      },
      async (_execution, callbacks) => {
        await callbacks.started({ sessionId: "another" });
        throw stopped();
      },
    ];
    let n = 0;
    const coordinator = coordinate((...call) => (ends[n] ?? saying("x"))(...call), {
      project: () => {
        n += 1;
        throw new Error("a bug of the projection");
      },
    });
    const statuses: string[] = [];
    for (let generation = 1; generation <= ends.length; generation += 1) {
      const { job } = await coordinator.submit({ ...REQUEST, generation });
      await coordinator.idle();
      statuses.push(await statusOf(job.jobId));
    }
    expect(statuses).toEqual(["completed", "failed", "failed", "failed"]);
  });

  it("QUERY-79 tells the projection of every end, and of all of them when it is asked to", async () => {
    const told: QuerySnapshot[] = [];
    const coordinator = coordinate(saying("x"), { project: (job) => void told.push(job) });
    const first = await coordinator.submit(REQUEST);
    await coordinator.idle();
    const second = await coordinator.submit({ ...REQUEST, generation: 2 });
    await coordinator.cancel(second.job.jobId, 2);
    await coordinator.idle();
    expect(told.map(({ jobId }) => jobId)).toEqual(
      expect.arrayContaining([first.job.jobId, second.job.jobId]),
    );
    told.length = 0;
    await coordinator.projectAll();
    expect(told).toEqual([await queries().getSnapshot(second.job.jobId)]);
  });

  it("QUERY-80 interrupts what runs when it is closed, and takes no more", async () => {
    const coordinator = coordinate(hanging());
    const { job } = await coordinator.submit(REQUEST);
    await underWay(job.jobId);
    await coordinator.close();
    expect(await queries().getSnapshot(job.jobId)).toMatchObject({
      ...{ status: "interrupted", error: { retryable: true }, partialText: "a word" },
      orphanFenceUntil: bench.at(FENCE_MS),
    });
    expect(await codeOf(coordinator.submit(REQUEST))).toBe("coordinator_shutting_down");
  });

  it("QUERY-80 writes what its provider has said before it is closed", async () => {
    let said = (): void => {};
    const isSaid = new Promise<void>((resolve) => {
      said = resolve;
    });
    const hang = hanging();
    const coordinator = coordinate((execution, callbacks, signal) =>
      hang(
        execution,
        { ...callbacks, delta: (text) => callbacks.delta(text).then(() => said()) },
        signal,
      ),
    );
    const { job } = await coordinator.submit(REQUEST);
    await isSaid;
    await coordinator.close();
    expect(await queries().getSnapshot(job.jobId)).toMatchObject({
      ...{ status: "interrupted", partialText: "a word" },
    });
  });

  it("QUERY-80 interrupts also what is being started when it is closed", async () => {
    const slow = await bench.another();
    const coordinator = slow.holdfast.coordinate({ runner: { run: hanging() } });
    let closed: Promise<void> | null = null;
    slow.interference.beforePut = async (key) => {
      if (key.endsWith("/000000000002")) closed ??= coordinator.close();
    };
    const { job } = await coordinator.submit(REQUEST);
    await vi.waitFor(() => expect(closed).not.toBeNull());
    await closed;
    expect(await statusOf(job.jobId)).toBe("interrupted");
  });

  it("peer fault 3 leaves accepted what it had not begun when it is closed", async () => {
    const coordinator = coordinate(hanging(), { atOnce: 1 });
    const first = await coordinator.submit(REQUEST);
    const other = { ...REQUEST, clientJobId: OTHER_CLIENT_JOB_ID, sessionId: "s2" };
    const second = await coordinator.submit(other);
    await underWay(first.job.jobId);
    await coordinator.close();
    expect(await statusOf(second.job.jobId)).toBe("accepted");
  });

  it("QUERY-81 tells a typed error by its code, and of any other the log alone", async () => {
    let error: unknown = new RunnerError("provider_rate_limited", "slow down", {
      ...{ retryable: true, retryAfterMs: null },
    });
    const logged: unknown[] = [];
    const { holdfast } = await bench.another({ log: (...line) => void logged.push(line) });
    const run: Run = async () => {
      throw error;
    };
    const coordinator = holdfast.coordinate({ runner: { run } });
    coordinators.push(coordinator);
    const first = await coordinator.submit(REQUEST);
    await coordinator.idle();
    expect((await queries().getSnapshot(first.job.jobId)).error).toEqual({
      ...{ code: "provider_rate_limited", message: "slow down", retryable: true },
    });
    expect(logged).toEqual([]);
    error = new Error(
      `lost of ${REQUEST.query} ${REQUEST.query}: srv.internal\nBearer abcdefghijkl`,
    );
    const second = await coordinator.submit({ ...REQUEST, generation: 2 });
    await coordinator.idle();
    expect((await queries().getSnapshot(second.job.jobId)).error).toEqual({
      ...{ code: "runner_failed", message: "The runner met an error that it did not expect." },
    });
    const fields = { tenant: null, id: second.job.jobId, code: "runner_failed" };
    const detail = "lost of [redacted] [redacted]: srv.internal [redacted]";
    expect(logged).toEqual([["warn", "query runner failed", { ...fields, detail }]]);
  });

  it("QUERY-81 tells no error with the prompt in it", async () => {
    const coordinator = coordinate(async ({ query }) => {
      throw new RunnerError("mine", `no answer to "${query.slice(0, 40)}…"`);
    });
    const query = "My name is Ann and I live in a small house.";
    const { job } = await coordinator.submit({ ...REQUEST, query });
    await coordinator.idle();
    expect((await queries().getSnapshot(job.jobId)).error?.message).toBe(
      'no answer to "[redacted]…"',
    );
  });

  it("QUERY-81 fails a provider that answers in another session", async () => {
    let isOwned: boolean | null = null;
    const coordinator = coordinate(async (_execution, callbacks) => {
      await callbacks.started({ sessionId: "another" });
      isOwned = await callbacks.ownership({});
      throw stopped();
    });
    const { job } = await coordinator.submit(REQUEST);
    await coordinator.idle();
    expect(isOwned).toBe(false);
    expect(await queries().getSnapshot(job.jobId)).toMatchObject({
      ...{ status: "failed", error: { code: "session_identity_mismatch" } },
    });
  });

  it.each([
    ["off", ["status"], ["Working."]],
    ["status", ["status"], ["reading a file"]],
    ["preview", ["status", "input", "output"], ["reading a file", "ls", "a.txt"]],
  ])("QUERY-82 in the mode %s shows of tools what it may", async (mode, kinds, texts) => {
    const coordinator = coordinate(async (_execution, callbacks) => {
      await callbacks.started({});
      await callbacks.activity("status", "reading a file");
      await callbacks.activity("input", "ls");
      await callbacks.activity("output", "a.txt");
      return { text: "x" };
    });
    const { job } = await coordinator.submit({ ...REQUEST, activityToolMode: mode });
    await coordinator.idle();
    const { activity } = await queries().getSnapshot(job.jobId);
    expect(activity.map(({ kind }) => kind)).toEqual(kinds);
    expect(activity.map(({ text }) => text)).toEqual(texts);
  });

  it("QUERY-83 waits with an accepted job until its session is free", async () => {
    const waiting = await queries().admit(REQUEST);
    const holder = await owned(queries(), { clientJobId: OTHER_CLIENT_JOB_ID });
    await queries().interrupt(holder.jobId);
    let runs = 0;
    const coordinator = coordinate(async () => {
      runs += 1;
      return { text: "x" };
    });
    await coordinator.look();
    bench.clock.elapse(30_000);
    expect(await statusOf(waiting.job.jobId)).toBe("accepted");
    bench.clock.advance(FENCE_MS);
    await vi.waitFor(async () => {
      bench.clock.elapse(30_000);
      expect(await statusOf(waiting.job.jobId)).toBe("completed");
    });
    expect(runs).toBe(1);
  });

  it("a cancel here ends the run at once, and is what stands", async () => {
    let signal = new AbortController().signal;
    const hang = hanging();
    const coordinator = coordinate((execution, callbacks, own) => {
      signal = own;
      return hang(execution, callbacks, own);
    });
    const { job } = await coordinator.submit(REQUEST);
    await underWay(job.jobId);
    expect((await coordinator.cancel(job.jobId, 1)).applied).toBe(true);
    expect(signal.aborted).toBe(true);
    await coordinator.idle();
    expect(await statusOf(job.jobId)).toBe("canceled");
  });

  it("a cancel elsewhere is learnt by the next heartbeat", async () => {
    const coordinator = coordinate(hanging());
    const { job } = await coordinator.submit(REQUEST);
    await underWay(job.jobId);
    await (await bench.another()).holdfast.queries.cancel(job.jobId, 1);
    let isIdle = false;
    void coordinator.idle().then(() => {
      isIdle = true;
    });
    await vi.waitFor(() => {
      bench.clock.elapse(20_000);
      expect(isIdle).toBe(true);
    });
    expect(await statusOf(job.jobId)).toBe("canceled");
  });

  it("holds its run on by heartbeats while the provider thinks", async () => {
    const coordinator = coordinate(hanging());
    const { job } = await coordinator.submit(REQUEST);
    await underWay(job.jobId);
    for (let n = 0; n < 9; n += 1) {
      bench.clock.advance(20_000);
      const before = bench.traffic.puts;
      bench.clock.elapse(20_000);
      await vi.waitFor(() => expect(bench.traffic.puts).toBeGreaterThan(before));
      await (await bench.another()).holdfast.reconcile();
    }
    expect(await statusOf(job.jobId)).toBe("running");
  });

  it("a storage that is away for a moment costs nothing of the answer", async () => {
    let puts = 0;
    let isBlind = false;
    // Every other part is written without a reply, and cannot be looked for at once.
    const plan: FaultPlan = ({ kind, key }, when) => {
      if (when === "after") return null;
      if (isBlind) {
        isBlind = false;
        return "unavailable";
      }
      if (kind !== "put" || !key.startsWith("queries/log/")) return null;
      puts += 1;
      isBlind = puts % 2 === 0;
      return isBlind ? "lost_now" : null;
    };
    const coordinator = await withFaults(plan, saying("x".repeat(1_500), "y".repeat(1_500)));
    const { job } = await coordinator.submit(REQUEST);
    await coordinator.idle();
    expect(await queries().getSnapshot(job.jobId)).toMatchObject({
      ...{ status: "completed", response: "x".repeat(1_500) + "y".repeat(1_500) },
    });
  });

  it("C7 a storage that stays away ends the run, and no end is made up", async () => {
    let isAway = false;
    const hang = hanging();
    const coordinator = await withFaults(
      (_operation, when) => (isAway && when === "before" ? "unavailable" : null),
      (execution, callbacks, signal) =>
        hang(
          execution,
          {
            ...callbacks,
            async delta(text) {
              isAway = true;
              try {
                await callbacks.activity("status", text);
              } finally {
                // Too late: what was said in between is not there.
                isAway = false;
              }
            },
          },
          signal,
        ),
    );
    const { job } = await coordinator.submit(REQUEST);
    let isIdle = false;
    void coordinator.idle().then(() => {
      isIdle = true;
    });
    // Until it has lost its patience.
    await vi.waitFor(() => {
      bench.clock.elapse(5_000);
      expect(isIdle).toBe(true);
    });
    expect(await queries().getSnapshot(job.jobId)).toMatchObject({
      ...{ status: "running", partialText: "" },
    });
    bench.clock.advance(LEASE_MS);
    await bench.holdfast.reconcile();
    expect(await statusOf(job.jobId)).toBe("interrupted");
  });

  it("C7 keeps what a provider had said that failed", async () => {
    const coordinator = coordinate(async (_execution, callbacks) => {
      await callbacks.started({});
      await callbacks.delta("a word");
      throw new RunnerError("provider_unavailable", "it broke off", { retryable: true });
    });
    const { job } = await coordinator.submit(REQUEST);
    await coordinator.idle();
    expect(await queries().getSnapshot(job.jobId)).toMatchObject({
      ...{ status: "failed", partialText: "a word" },
    });
  });

  it.each([
    ["atOnce", { atOnce: 0 }],
    ["deadlineMs", { deadlineMs: 999 }],
  ])("refuses a wrong %s", (name, options) => {
    expect(() => coordinate(saying(), options)).toThrow(name);
  });
});
