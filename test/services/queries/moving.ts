/** What a run and its reader do to a job (QUERY-16 to 37; semantics C2, C3). */
import { describe, expect, it } from "vitest";
import type { Queries } from "../../../src/services/queries.ts";
import type { CurrentBench } from "../emails/bench.ts";
import {
  admitted,
  answered,
  codeOf,
  codesOf,
  completed,
  FENCE_MS,
  IN_STATUS,
  owned,
  running,
  type Status,
  started,
  UNKNOWN_JOB_ID,
} from "./given.ts";

type Move = (queries: Queries, jobId: string) => Promise<{ readonly applied: boolean }>;

const MOVES: Readonly<Record<string, { readonly from: readonly Status[]; readonly move: Move }>> = {
  markStarting: { from: ["accepted"], move: (queries, jobId) => queries.markStarting(jobId) },
  markRunning: { from: ["starting"], move: (queries, jobId) => queries.markRunning(jobId) },
  updateLinkage: {
    from: ["starting", "running"],
    move: (queries, jobId) => queries.updateLinkage(jobId, { codexRunId: "run-2" }),
  },
  appendPartial: {
    from: ["starting", "running"],
    move: (queries, jobId) => queries.appendPartial(jobId, " and more"),
  },
  appendActivity: {
    from: ["starting", "running"],
    move: (queries, jobId) => queries.appendActivity(jobId, "status", "reading"),
  },
  markAnswerReady: {
    from: ["starting", "running"],
    move: (queries, jobId) => queries.markAnswerReady(jobId, "an answer"),
  },
  complete: {
    from: ["starting", "running", "answer_ready"],
    move: (queries, jobId) => queries.complete(jobId, { text: "an answer" }),
  },
  fail: {
    from: ["accepted", "starting", "running", "answer_ready"],
    move: (queries, jobId) => queries.fail(jobId, { code: "c", message: "m" }),
  },
  interrupt: {
    from: ["accepted", "starting", "running", "answer_ready"],
    move: (queries, jobId) => queries.interrupt(jobId),
  },
};

const STATUSES = Object.keys(IN_STATUS) as readonly Status[];

export function describeMoving(bench: CurrentBench): void {
  const queries = () => bench().holdfast.queries;

  describe("a job", () => {
    for (const [name, { from, move }] of Object.entries(MOVES)) {
      it.each(STATUSES)(`QUERY-16, 17 %s: ${name} where it may`, async (status) => {
        const before = await IN_STATUS[status](queries());
        bench().clock.advance(1_000);
        const { applied } = await move(queries(), before.jobId);
        expect(applied).toBe(from.includes(status));
        const after = await queries().getSnapshot(before.jobId);
        if (!applied) expect(after).toEqual(before);
        else {
          expect(after.eventSeq).toBe(before.eventSeq + 1);
          expect(after.updatedAt).toBe(bench().at(1_000));
        }
      });
    }

    it("QUERY-18 has the time it began, which later linkage leaves alone", async () => {
      const { jobId } = (await started(queries())).job;
      const { job } = await queries().markRunning(jobId, { provider: "claude" });
      expect(job).toMatchObject({ startedAt: bench().at(0), provider: "claude" });
      bench().clock.advance(5_000);
      const linked = (await queries().updateLinkage(jobId, { claudeRunId: "run-1" })).job;
      expect(linked).toMatchObject({
        ...{ startedAt: bench().at(0), claudeRunId: "run-1", status: "running" },
        providerOwnershipConfirmedAt: bench().at(5_000),
      });
    });

    it("QUERY-21 keeps 128,000 characters of its text, and says that there were more", async () => {
      const { jobId } = await running(queries());
      await queries().appendPartial(jobId, "x".repeat(127_999));
      const { job } = await queries().appendPartial(jobId, "yz");
      expect(job).toMatchObject({ partialTruncated: true });
      expect(job.partialText).toBe(`${"x".repeat(127_999)}y`);
      const { events } = await queries().replay(jobId, 1, 3);
      expect(events[0]?.data).toMatchObject({ text: "x".repeat(16_000), deltaTruncated: true });
    });

    it("QUERY-22 takes no chunk after its answer was committed", async () => {
      const job = await answered(queries());
      expect(await queries().appendPartial(job.jobId, "late")).toMatchObject({
        ...{ applied: false, job },
      });
    });

    it("QUERY-23 counts an activity that is told again", async () => {
      const { jobId } = await running(queries());
      await queries().appendActivity(jobId, "input", "ls");
      const { job } = await queries().appendActivity(jobId, "input", "ls");
      expect(job.activity).toMatchObject([{ kind: "input", text: "ls", repeatCount: 2 }]);
    });

    it("QUERY-25, 26 commits its answer, then completes with it", async () => {
      const { jobId } = await answered(queries());
      const { applied, job } = await queries().complete(jobId, {
        text: "an answer",
        outputImageStats: { published: 2, attached: 1, rejected: 1 },
      });
      expect(applied).toBe(true);
      expect(job).toMatchObject({
        ...{ status: "completed", response: "an answer", partialText: "an answer" },
        ...{ answerReadyAt: bench().at(0), completedAt: bench().at(0) },
        outputImageStats: { published: 2, attached: 1, rejected: 1 },
      });
    });

    it("QUERY-26 completes with another text than its chunks add up to", async () => {
      const { jobId } = await running(queries());
      await queries().appendPartial(jobId, "draft");
      await queries().complete(jobId, { text: "the final text" });
      const other = (await bench().another()).holdfast.queries;
      expect((await other.getSnapshot(jobId)).response).toBe("the final text");
    });

    it.each(["fail", "interrupt"] as const)(
      "QUERY-27, 30 completes by %s once its answer is committed",
      async (end) => {
        const { jobId } = await answered(queries());
        const error = { code: "provider_down", message: "it is down" };
        const { job } = await (end === "fail"
          ? queries().fail(jobId, error)
          : queries().interrupt(jobId));
        expect(job).toMatchObject({ status: "completed", response: "an answer" });
        expect(job.error).toBeUndefined();
      },
    );

    it("QUERY-28 is canceled once, by its own generation only", async () => {
      const before = await running(queries());
      const { jobId } = before;
      expect(await codeOf(queries().cancel(jobId, 2))).toBe("query_job_generation_mismatch");
      expect(await queries().getSnapshot(jobId)).toEqual(before);
      const { applied, job } = await queries().cancel(jobId, 1);
      expect(applied).toBe(true);
      expect(job).toMatchObject({ status: "canceled", error: { code: "canceled" } });
      expect(await queries().cancel(jobId, 1)).toMatchObject({ applied: false, job });
    });

    it("QUERY-29 cannot be canceled while its answer is committed, and completes", async () => {
      const { jobId } = await answered(queries());
      expect(await codeOf(queries().cancel(jobId, 1))).toBe("query_job_answer_committing");
      expect((await queries().complete(jobId, { text: "an answer" })).applied).toBe(true);
    });

    it("QUERY-31 holds its session only when a provider may be at work", async () => {
      const free = await running(queries());
      const { job } = await queries().interrupt(free.jobId);
      expect(job).toMatchObject({
        error: { code: "interrupted", retryable: true },
        status: "interrupted",
      });
      expect(job.orphanFenceUntil).toBeUndefined();
      const held = await owned(queries(), { generation: 2 });
      const ended = (await queries().interrupt(held.jobId)).job;
      expect(ended.orphanFenceUntil).toBe(bench().at(FENCE_MS));
    });

    it.each(["complete", "fail"] as const)(
      "QUERY-32 a %s after the end changes nothing, whosever run it was",
      async (late) => {
        const { job, leaseToken } = await started(queries());
        await queries().cancel(job.jobId, 1);
        const ended = await queries().getSnapshot(job.jobId);
        const other = (await bench().another()).holdfast.queries;
        for (const token of [leaseToken, "another"]) {
          const options = { leaseToken: token };
          const answer =
            late === "complete"
              ? other.complete(job.jobId, { text: "late" }, options)
              : other.fail(job.jobId, { code: "c", message: "m" }, options);
          expect(await answer).toMatchObject({ applied: false, job: ended });
        }
      },
    );

    it("QUERY-33 is acknowledged once, after its end, and stays so", async () => {
      const { jobId } = await running(queries());
      expect(await codeOf(queries().acknowledge(jobId, 1))).toBe("query_job_not_terminal");
      await queries().complete(jobId, { text: "" });
      expect(await codeOf(queries().acknowledge(jobId, 2))).toBe("query_job_generation_mismatch");
      const { applied, job } = await queries().acknowledge(jobId, 1);
      expect(applied).toBe(true);
      expect(job).toMatchObject({ status: "completed", acknowledgedAt: bench().at(0) });
      const other = (await bench().another()).holdfast.queries;
      expect(await other.acknowledge(jobId, 1)).toMatchObject({ applied: false, job });
    });

    it("QUERY-34 of several ends at the same time, of several instances, one counts", async () => {
      const { job, leaseToken } = await started(queries());
      const { jobId } = job;
      const others = [await bench().another(), await bench().another()];
      const ends = await Promise.all([
        queries().fail(jobId, { code: "c", message: "m" }),
        ...others.map(({ holdfast }) =>
          holdfast.queries.complete(jobId, { text: "x" }, { leaseToken }),
        ),
        ...others.map(({ holdfast }) => holdfast.queries.cancel(jobId, 1)),
      ]);
      expect(ends.filter(({ applied }) => applied)).toHaveLength(1);
      expect((await queries().getSnapshot(jobId)).eventSeq).toBe(3);
    });

    it("QUERY-35 a cancel of the generation before leaves the next one alone", async () => {
      const before = await completed(queries());
      const next = await admitted(queries(), { generation: 2 });
      expect((await queries().cancel(before.jobId, 1)).applied).toBe(false);
      expect(await codeOf(queries().cancel(next.jobId, 1))).toBe("query_job_generation_mismatch");
      expect(await queries().getSnapshot(next.jobId)).toEqual(next);
    });

    it("is read before it refuses anything, by an instance that knows an older state of it", async () => {
      const { job, leaseToken } = await started(queries());
      const { jobId } = job;
      const behind = (await bench().another()).holdfast.queries;
      expect((await behind.getSnapshot(jobId)).status).toBe("starting");
      await queries().markRunning(jobId, {}, { leaseToken });
      await queries().complete(jobId, { text: "x" }, { leaseToken });
      expect((await behind.acknowledge(jobId, 1)).applied).toBe(true);
    });

    it("QUERY-36 that nobody knows is not found by any operation", async () => {
      for (const jobId of [UNKNOWN_JOB_ID, "nonsense", "../x"]) {
        const calls: readonly Promise<unknown>[] = [
          ...Object.values(MOVES).map(({ move }) => move(queries(), jobId)),
          queries().heartbeat(jobId),
          queries().cancel(jobId, 1),
          queries().acknowledge(jobId, 1),
          queries().getSnapshot(jobId),
          queries().getExecution(jobId),
          queries().replay(jobId, 1),
          queries().subscribe(jobId, 1, 0, () => {}),
        ];
        expect(await codesOf(calls)).toEqual(new Set(["query_job_not_found"]));
      }
    });

    it("QUERY-37 completes with 128,000 of the widest characters, and returns them whole", async () => {
      const { jobId } = await running(queries());
      const text = "\u{1F600}".repeat(64_000);
      await queries().appendPartial(jobId, text);
      await queries().markAnswerReady(jobId, text);
      await queries().complete(jobId, { text });
      const other = (await bench().another()).holdfast.queries;
      expect((await other.getSnapshot(jobId)).response).toBe(text);
    });
  });
}
