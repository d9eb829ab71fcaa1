/** Runs, their tokens and leases, and appends that are repeated (protocols 4.3, 5.2). */
import { describe, expect, it } from "vitest";
import { MisconfiguredError, StoreUnavailableError } from "../../../src/ports/faults.ts";
import type { CurrentBench } from "../emails/bench.ts";
import {
  admitted,
  codeOf,
  codesOf,
  hintOf,
  LEASE_MS,
  owned,
  REQUEST,
  running,
  started,
} from "./given.ts";

export function describeHolding(bench: CurrentBench): void {
  const queries = () => bench().holdfast.queries;
  const another = async () => (await bench().another()).holdfast.queries;

  const hint = async () => hintOf(await bench().contents());

  describe("a run", () => {
    it("is taken once, and its own repeat gets it again", async () => {
      const { jobId } = await admitted(queries());
      const first = await queries().markStarting(jobId, { leaseToken: "mine" });
      expect(first).toMatchObject({ applied: true, leaseToken: "mine", position: "2-2" });
      const other = await another();
      const again = await other.markStarting(jobId, { leaseToken: "mine" });
      expect(again).toMatchObject({ applied: true, leaseToken: "mine", position: "2-2" });
      expect(await other.markStarting(jobId)).toMatchObject({
        ...{ applied: false, leaseToken: null, position: null },
      });
    });

    it("of several that start it at the same time has one holder", async () => {
      const { jobId } = await admitted(queries());
      const all = [queries(), await another(), await another(), await another()];
      const answers = await Promise.all(all.map((one) => one.markStarting(jobId)));
      expect(answers.filter(({ leaseToken }) => leaseToken !== null)).toHaveLength(1);
    });

    it("G2 takes nothing from whoever does not hold it", async () => {
      const { job } = await started(queries());
      const { jobId } = job;
      const other = await another();
      for (const options of [{}, { leaseToken: "another" }]) {
        const calls = [
          other.markRunning(jobId, {}, options),
          other.updateLinkage(jobId, {}, options),
          other.appendPartial(jobId, "x", "x", false, options),
          other.appendActivity(jobId, "status", "x", options),
          other.markAnswerReady(jobId, "x", {}, options),
          other.complete(jobId, { text: "x" }, options),
          other.fail(jobId, {}, options),
          other.interrupt(jobId, "x", options),
          other.heartbeat(jobId, options),
        ];
        expect(await codesOf(calls)).toEqual(new Set(["lease_lost"]));
      }
      expect(await queries().getSnapshot(jobId)).toEqual(job);
    });

    it("is the same in every process for whoever brings its token", async () => {
      const { job, leaseToken } = await started(queries());
      const other = await another();
      await other.markRunning(job.jobId, {}, { leaseToken });
      await queries().appendPartial(job.jobId, "one ");
      await other.appendPartial(job.jobId, "two ", "", false, { leaseToken });
      await queries().appendPartial(job.jobId, "three");
      const done = await other.complete(job.jobId, { text: "one two three" }, { leaseToken });
      expect(done.job).toMatchObject({ response: "one two three", eventSeq: 7 });
    });

    it("protocols 5.6 costs a write and a read for each append", async () => {
      const { jobId } = await running(queries());
      const { traffic } = bench();
      const before = { ...traffic };
      for (let count = 0; count < 5; count += 1) await queries().appendPartial(jobId, "x");
      expect(traffic.puts - before.puts).toBe(5);
      expect(traffic.reads - before.reads).toBe(5);
      expect(traffic.pages - before.pages).toBe(0);
    });

    it("protocols 5.2 tells the root once somebody had to read far behind it", async () => {
      const { job, leaseToken } = await started(queries());
      for (let n = 0; n < 20; n += 1) await queries().appendPartial(job.jobId, "x");
      expect((await hint()).seq).toBe(1);
      const other = await another();
      await other.appendPartial(job.jobId, "y", "", false, { leaseToken });
      expect((await hint()).seq).toBe(23);
      await other.appendPartial(job.jobId, "z", "", false, { leaseToken });
      expect((await hint()).seq).toBe(23);
    });

    it("protocols 8 costs a read and a write for a heartbeat", async () => {
      const { jobId } = await running(queries());
      const { traffic } = bench();
      const before = { ...traffic };
      await queries().heartbeat(jobId);
      expect(traffic.puts - before.puts).toBe(1);
      expect(traffic.reads - before.reads).toBe(1);
    });

    it("is held on by heartbeats, and by what it writes", async () => {
      const { jobId } = await running(queries());
      bench().clock.advance(LEASE_MS - 1);
      expect((await queries().heartbeat(jobId)).applied).toBe(true);
      bench().clock.advance(LEASE_MS - 1);
      await bench().holdfast.reconcile();
      await queries().appendPartial(jobId, "x");
      bench().clock.advance(LEASE_MS - 1);
      await bench().holdfast.reconcile();
      expect((await queries().getSnapshot(jobId)).status).toBe("running");
      bench().clock.advance(1);
      await bench().holdfast.reconcile();
      expect((await queries().getSnapshot(jobId)).status).toBe("interrupted");
    });

    it("a heartbeat of a job that was canceled elsewhere is not applied", async () => {
      const { jobId } = await running(queries());
      await (await another()).cancel(jobId, 1);
      expect((await queries().heartbeat(jobId)).applied).toBe(false);
    });

    it("nor is one of a job whose end could not be told to its root, once that end is asked for again", async () => {
      const { jobId } = await running(queries());
      await queries().heartbeat(jobId);
      const other = await bench().another();
      other.interference.beforePut = async (key) => {
        if (key.startsWith("queries/roots/")) throw new StoreUnavailableError("away");
      };
      expect((await other.holdfast.queries.cancel(jobId, 1)).applied).toBe(true);
      other.interference.beforePut = async () => {};
      expect((await other.holdfast.queries.cancel(jobId, 1)).applied).toBe(false);
      expect((await queries().heartbeat(jobId)).applied).toBe(false);
    });

    it("protocols 4.3 looks at the fence again also where its start is repeated", async () => {
      const { jobId } = await admitted(queries());
      const holder = await owned(queries(), {
        clientJobId: "66666666-6666-4666-8666-666666666666",
      });
      const cut = await bench().another();
      cut.interference.afterPut = async (key) => {
        cut.interference.isBlind = key.includes(jobId);
      };
      const options = { leaseToken: "mine" };
      const first = cut.holdfast.queries.markStarting(jobId, options);
      expect(await codeOf(first)).toBe("outcome_unknown");
      await queries().interrupt(holder.jobId);
      const { applied, job } = await queries().markStarting(jobId, options);
      expect(applied).toBe(false);
      expect(job).toMatchObject({ status: "failed", error: { code: "provider_orphan_fence" } });
    });

    it("QUERY-83 is not started while its session is held", async () => {
      const { jobId } = await admitted(queries());
      const holder = await owned(queries(), {
        clientJobId: "66666666-6666-4666-8666-666666666666",
      });
      await queries().interrupt(holder.jobId);
      expect(await codeOf(queries().markStarting(jobId))).toBe("provider_orphan_fence");
      expect((await queries().getSnapshot(jobId)).status).toBe("accepted");
    });

    it("protocols 4.3 leaves its session free where it ended otherwise while it was interrupted", async () => {
      const { jobId } = await owned(queries());
      bench().clock.advance(LEASE_MS);
      const sweeper = await bench().another();
      let isCanceled = false;
      sweeper.interference.beforePut = async (key) => {
        if (isCanceled || !key.startsWith("queries/log/")) return;
        isCanceled = true;
        await queries().cancel(jobId, 1);
      };
      await sweeper.holdfast.reconcile();
      expect((await queries().getSnapshot(jobId)).status).toBe("canceled");
      const next = await queries().admit({ ...REQUEST, generation: 2 });
      expect(next.created).toBe(true);
    });

    it("protocols 4.3 keeps its session held where another interrupted it first", async () => {
      const { jobId } = await owned(queries());
      bench().clock.advance(LEASE_MS);
      const sweeper = await bench().another();
      let isInterrupted = false;
      sweeper.interference.beforePut = async (key) => {
        if (isInterrupted || !key.startsWith("queries/log/")) return;
        isInterrupted = true;
        await queries().interrupt(jobId);
      };
      await sweeper.holdfast.reconcile();
      expect(isInterrupted).toBe(true);
      expect((await queries().getSnapshot(jobId)).status).toBe("interrupted");
      const next = queries().admit({ ...REQUEST, generation: 2 });
      expect(await codeOf(next)).toBe("provider_orphan_fence");
    });

    it("protocols 4.3 leaves its session free where its answer was committed while it was given up", async () => {
      const { jobId } = await admitted(queries());
      const options = { leaseToken: "mine" };
      await queries().markStarting(jobId, options);
      await queries().updateLinkage(jobId, {});
      const holder = await bench().another();
      let isReady = false;
      holder.interference.beforePut = async (key) => {
        if (isReady || !key.startsWith("queries/log/")) return;
        isReady = true;
        await queries().markAnswerReady(jobId, "Whales are mammals.");
      };
      const { job } = await holder.holdfast.queries.interrupt(jobId, "", options);
      expect(job).toMatchObject({ status: "completed", response: "Whales are mammals." });
      const next = await queries().admit({ ...REQUEST, generation: 2 });
      expect(next.created).toBe(true);
    });

    it("protocols 4.3 is answered where its session's hold cannot be taken back, and an operator told", async () => {
      const { jobId } = await admitted(queries());
      const options = { leaseToken: "mine" };
      await queries().markStarting(jobId, options);
      await queries().updateLinkage(jobId, {});
      const told: string[] = [];
      const holder = await bench().another({ log: (_level, event) => void told.push(event) });
      let isCanceled = false;
      holder.interference.beforePut = async (key) => {
        if (key.startsWith("queries/fences/") && isCanceled)
          throw new MisconfiguredError("expired");
        if (isCanceled || !key.startsWith("queries/log/")) return;
        isCanceled = true;
        await queries().cancel(jobId, 1);
      };
      const { applied, job } = await holder.holdfast.queries.interrupt(jobId, "", options);
      expect({ applied, status: job.status }).toEqual({ applied: false, status: "canceled" });
      expect(told).toEqual(["session hold not taken back"]);
    });

    it("protocols 4.3 keeps its session held where a sweep left it alone as its holder gave it up", async () => {
      const { jobId } = await admitted(queries());
      const options = { leaseToken: "mine" };
      await queries().markStarting(jobId, options);
      await queries().updateLinkage(jobId, {});
      bench().clock.advance(LEASE_MS);
      const sweeper = await bench().another();
      let isTold = false;
      sweeper.interference.beforePut = async (key) => {
        if (isTold || !key.startsWith("queries/log/")) return;
        isTold = true;
        await queries().appendPartial(jobId, "still here");
      };
      const holder = await bench().another();
      holder.interference.beforePut = async (key) => {
        if (isTold || !key.startsWith("queries/log/")) return;
        await sweeper.holdfast.reconcile();
      };
      await holder.holdfast.queries.interrupt(jobId, "", options);
      expect(isTold).toBe(true);
      expect((await queries().getSnapshot(jobId)).status).toBe("interrupted");
      const next = queries().admit({ ...REQUEST, generation: 2 });
      expect(await codeOf(next)).toBe("provider_orphan_fence");
    });

    it("protocols 4.3 ends retryable where its session came to be held as it started", async () => {
      const { jobId } = await admitted(queries());
      const holder = await owned(queries(), {
        clientJobId: "66666666-6666-4666-8666-666666666666",
      });
      const slow = await bench().another();
      let isHeld = false;
      slow.interference.beforePut = async (key) => {
        if (isHeld || !key.includes(jobId)) return;
        isHeld = true;
        await queries().interrupt(holder.jobId);
      };
      const { applied, job, leaseToken } = await slow.holdfast.queries.markStarting(jobId);
      expect({ applied, leaseToken }).toEqual({ applied: false, leaseToken: null });
      expect(job).toMatchObject({
        status: "failed",
        error: { code: "provider_orphan_fence", retryable: true },
      });
    });
  });

  describe("appends that wait behind one in flight", () => {
    it("share a part, each as an event of its own", async () => {
      const { jobId } = await running(queries());
      const before = bench().traffic.puts;
      const deltas = Array.from({ length: 20 }, (_, index) => `${index} `);
      const answers = await Promise.all(
        deltas.map((delta) => queries().appendPartial(jobId, delta)),
      );
      expect(bench().traffic.puts - before).toBeLessThanOrEqual(2);
      expect(answers.map(({ job }) => job.eventSeq)).toEqual(deltas.map((_, index) => index + 4));
      expect(new Set(answers.map(({ position }) => position)).size).toBeLessThanOrEqual(2);
      for (const one of [queries(), await another()]) {
        expect((await one.getSnapshot(jobId)).partialText).toBe(deltas.join(""));
        const { events } = await one.replay(jobId, 1, 3);
        expect(events.map(({ data }) => data["text"])).toEqual(deltas);
        // A cursor inside of a part.
        const { events: rest } = await one.replay(jobId, 1, 10, { limit: 3 });
        expect(rest.map(({ eventSeq }) => eventSeq)).toEqual([11, 12, 13]);
      }
    });

    it("are told in the order of their calls, whatever comes between", async () => {
      const { jobId } = await running(queries());
      const calls = [
        queries().appendPartial(jobId, "a"),
        queries().appendPartial(jobId, "b"),
        queries().appendActivity(jobId, "status", "reading"),
        queries().updateLinkage(jobId, { claudeRunId: "run-1" }),
        queries().appendPartial(jobId, "c"),
        queries().complete(jobId, { text: "abc" }),
        queries().appendPartial(jobId, "late"),
      ];
      const answers = await Promise.all(calls);
      expect(answers.map(({ applied }) => applied)).toEqual([
        ...[true, true, true, true, true, true, false],
      ]);
      const { events } = await queries().replay(jobId, 1, 3);
      expect(events.map(({ type }) => type)).toEqual([
        ...["chunk", "chunk", "tool_status", "running", "chunk", "completed"],
      ]);
      expect((await (await another()).getSnapshot(jobId)).response).toBe("abc");
    });

    it("end each as its own where somebody else ended the job meanwhile", async () => {
      const { jobId } = await running(queries());
      await (await another()).cancel(jobId, 1);
      const answers = await Promise.all(
        ["a", "b", "c"].map((delta) => queries().appendPartial(jobId, delta)),
      );
      expect(answers.map(({ applied }) => applied)).toEqual([false, false, false]);
      expect((await queries().getSnapshot(jobId)).eventSeq).toBe(4);
    });

    it("of several processes are all in the log, once, in one order", async () => {
      const { job, leaseToken } = await started(queries());
      const { jobId } = job;
      const all = [queries(), await another(), await another()];
      await Promise.all(
        all.flatMap((one, index) =>
          Array.from({ length: 8 }, (_, n) =>
            one.appendPartial(jobId, `${index}${n} `, "", false, { leaseToken }),
          ),
        ),
      );
      const { partialText, eventSeq } = await (await another()).getSnapshot(jobId);
      expect(eventSeq).toBe(26);
      const told = partialText.trim().split(" ");
      expect(new Set(told).size).toBe(24);
      for (const index of ["0", "1", "2"]) {
        const own = told.filter((delta) => delta.startsWith(index));
        expect(own).toEqual([...own].sort());
      }
    });
  });

  describe("an append with a request id", () => {
    const marked = (leaseToken: string, requestId: string, position: string | null) => ({
      ...{ leaseToken, requestId, position },
    });

    it("is written once, however often it is repeated, in any process", async () => {
      const { job, leaseToken, position } = await started(queries());
      const { jobId } = job;
      const first = marked(leaseToken, "call-1", position);
      const one = await queries().appendPartial(jobId, "one ", "", false, first);
      const second = marked(leaseToken, "call-2", one.position);
      const two = await queries().appendPartial(jobId, "two", "", false, second);
      for (const instance of [queries(), await another()]) {
        const again = await instance.appendPartial(jobId, "one ", "", false, first);
        expect(again).toMatchObject({ applied: true, position: one.position });
        const last = await instance.appendPartial(jobId, "two", "", false, second);
        expect(last).toMatchObject({ applied: true, position: two.position });
      }
      expect((await queries().getSnapshot(jobId)).partialText).toBe("one two");
    });

    it("protocols 5.5 is found behind its position also when the hint has passed it", async () => {
      const { job, leaseToken, position } = await started(queries());
      const { jobId } = job;
      const call = marked(leaseToken, "call-1", position);
      await queries().appendPartial(jobId, "once", "", false, call);
      await queries().appendPartial(jobId, " more");
      await queries().heartbeat(jobId);
      const other = await another();
      const again = await other.appendPartial(jobId, "once", "", false, call);
      expect(again).toMatchObject({ applied: true, position: "3-3" });
      expect((await other.getSnapshot(jobId)).partialText).toBe("once more");
    });

    it("is found from the beginning where no position is known", async () => {
      const { job, leaseToken } = await started(queries());
      const call = marked(leaseToken, "call-1", null);
      await queries().appendPartial(job.jobId, "once", "", false, call);
      const other = await another();
      await other.appendPartial(job.jobId, "once", "", false, call);
      expect((await other.getSnapshot(job.jobId)).partialText).toBe("once");
    });

    it("does not need the whole log where hint and position are current", async () => {
      const { job, leaseToken } = await started(queries());
      const { jobId } = job;
      for (let count = 0; count < 5; count += 1) await queries().appendPartial(jobId, "x");
      const beat = await queries().heartbeat(jobId);
      const { traffic, holdfast } = await bench().another();
      const call = marked(leaseToken, "call-1", beat.position);
      const before = { ...traffic };
      await holdfast.queries.appendActivity(jobId, "status", "x", call);
      // The library shows the whole job, so it reads it once.
      expect(traffic.puts - before.puts).toBe(1);
      const next = { ...traffic };
      const { position } = await holdfast.queries.appendActivity(jobId, "status", "y", {
        ...{ leaseToken, requestId: "call-2", position: "8-8" },
      });
      expect(position).toBe("9-9");
      expect(traffic.reads - next.reads).toBe(1);
    });

    it.each(["1000-1000", "1-2", "2-3", "nonsense", "3-2", "0-0", "01-1"])(
      "with the position %s, which no answer told, is refused and writes nothing",
      async (position) => {
        const { job, leaseToken } = await started(queries());
        const call = { leaseToken, requestId: "call-1", position };
        for (const instance of [queries(), await another()]) {
          const work = instance.appendPartial(job.jobId, "x", "", false, call);
          expect(await codeOf(work)).toBe("invalid_event_cursor");
        }
        expect(await queries().getSnapshot(job.jobId)).toEqual(job);
      },
    );
  });
}
