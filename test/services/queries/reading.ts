/** Reading jobs, pages of events and lists (QUERY-54 to 65; semantics C5). */
import { describe, expect, it } from "vitest";
import type { ShownEvent } from "../../../src/machines/queries/public-event.ts";
import type { Queries } from "../../../src/services/queries.ts";
import type { CurrentBench } from "../emails/bench.ts";
import {
  admitted,
  CLIENT_JOB_ID,
  codeOf,
  codesOf,
  completed,
  DAY,
  OTHER_CLIENT_JOB_ID,
  running,
  started,
} from "./given.ts";

const clientJob = (n: number): string =>
  `${String(n).padStart(8, "0")}-0000-4000-8000-000000000000`;

/** All events, as pages of at most `limit` bring them. */
async function inPages(
  queries: Queries,
  jobId: string,
  limit: number,
): Promise<readonly ShownEvent[]> {
  const events: ShownEvent[] = [];
  for (let hasMore = true; hasMore; ) {
    const page = await queries.replay(jobId, 1, events.at(-1)?.eventSeq ?? 0, { limit });
    expect(page.events.length).toBeLessThanOrEqual(limit);
    events.push(...page.events);
    hasMore = page.hasMore;
  }
  return events;
}

export function describeReading(bench: CurrentBench): void {
  const queries = () => bench().holdfast.queries;
  const another = async () => (await bench().another()).holdfast.queries;

  describe("reading", () => {
    it("QUERY-54 a job is read until its retention is over, and gone at that very time", async () => {
      const job = await completed(queries());
      expect(job.retentionUntil).toBe(bench().at(7 * DAY));
      bench().clock.advance(7 * DAY - 1);
      expect(await queries().getSnapshot(job.jobId)).toEqual(job);
      bench().clock.advance(1);
      for (const one of [queries(), await another()]) {
        expect(await codeOf(one.getSnapshot(job.jobId))).toBe("query_job_not_found");
        expect(await codeOf(one.replay(job.jobId, 1))).toBe("query_job_not_found");
        expect(await codeOf(one.acknowledge(job.jobId, 1))).toBe("query_job_not_found");
        expect(await one.findByClientGeneration(CLIENT_JOB_ID, 1)).toBeUndefined();
        expect((await one.list()).jobs).toEqual([]);
      }
    });

    it("QUERY-54 a job that has not ended is read however old it is", async () => {
      const job = await running(queries());
      bench().clock.advance(30 * DAY);
      expect(await (await another()).getSnapshot(job.jobId)).toEqual(job);
    });

    it("QUERY-58 pages hold the events behind the cursor, in order, and the job", async () => {
      const { jobId } = await running(queries());
      for (let n = 0; n < 10; n += 1) await queries().appendPartial(jobId, String(n));
      for (const one of [queries(), await another()]) {
        const all = await one.replay(jobId, 1);
        expect(all.events.map(({ eventSeq }) => eventSeq)).toEqual(
          Array.from({ length: 13 }, (_, index) => index + 1),
        );
        expect(all).toMatchObject({ gap: null, oldestEventSeq: 1, latestEventSeq: 13 });
        expect(all.job).toEqual(await queries().getSnapshot(jobId));
        const paged = await inPages(one, jobId, 4);
        expect(paged).toEqual(all.events);
        const chunks = paged.filter(({ type }) => type === "chunk");
        expect(chunks.map(({ data }) => data["text"]).join("")).toBe("0123456789");
      }
    });

    it("QUERY-58 a page begins behind its cursor also where its reader knew an older state", async () => {
      const { jobId } = await running(queries());
      const behind = await another();
      await behind.getSnapshot(jobId);
      for (let n = 0; n < 5; n += 1) await queries().appendPartial(jobId, String(n));
      const page = await behind.replay(jobId, 1, 1, { limit: 4 });
      expect(page.events.map(({ eventSeq }) => eventSeq)).toEqual([2, 3, 4, 5]);
      expect(page).toMatchObject({ hasMore: true, latestEventSeq: 8 });
    });

    it("QUERY-59 a cursor ahead of the job is a gap, and one at its head none", async () => {
      const job = await running(queries());
      const { jobId, eventSeq } = job;
      expect(await queries().replay(jobId, 1, eventSeq)).toMatchObject({
        ...{ events: [], gap: null, hasMore: false, job },
      });
      expect(await queries().replay(jobId, 1, eventSeq + 1)).toMatchObject({
        ...{ events: [], gap: { reason: "cursor_ahead" }, hasMore: false, job },
      });
    });

    it.each([-1, 1.5, "3", Number.NaN])("the cursor %s is refused", async (after) => {
      const { jobId } = await running(queries());
      const work = queries().replay(jobId, 1, after as number);
      expect(await codeOf(work)).toBe("invalid_event_cursor");
    });

    it("QUERY-60 the whole log is replayable while the job is kept", async () => {
      const { jobId } = await running(queries());
      for (let n = 0; n < 300; n += 1) await queries().appendActivity(jobId, "status", String(n));
      const first = await queries().replay(jobId, 1);
      expect(first.events).toHaveLength(256);
      expect(first).toMatchObject({ hasMore: true, latestEventSeq: 303 });
      const rest = await (await another()).replay(jobId, 1, 256);
      expect(rest.events.at(-1)?.eventSeq).toBe(303);
      expect(rest.job.activity).toHaveLength(64);
    });

    it("QUERY-62 another generation than the job's is a mismatch", async () => {
      const { jobId } = await running(queries());
      const calls = [
        queries().getSnapshot(jobId, 2),
        queries().replay(jobId, 2),
        queries().subscribe(jobId, 2, 0, () => {}),
      ];
      expect(await codesOf(calls)).toEqual(new Set(["query_job_generation_mismatch"]));
    });

    it("QUERY-65 answers are copies", async () => {
      const { jobId } = await running(queries());
      const before = structuredClone(await queries().getSnapshot(jobId));
      const taken = await queries().getSnapshot(jobId);
      Object.assign(taken, { status: "failed", partialText: "mine" });
      (taken.attachments as unknown[]).push("mine");
      const { request } = await queries().getExecution(jobId);
      Object.assign(request, { query: "mine" });
      expect(await queries().getSnapshot(jobId)).toEqual(before);
      expect((await queries().getExecution(jobId)).request.query).toBe("durable prompt");
    });

    it("QUERY-68 a job is found by its client job id and generation", async () => {
      const job = await running(queries());
      for (const one of [queries(), await another()]) {
        expect(await one.findByClientGeneration(CLIENT_JOB_ID.toUpperCase(), 1)).toEqual(job);
        expect(await one.findByClientGeneration(CLIENT_JOB_ID, 2)).toBeUndefined();
        expect(await one.findByClientGeneration(OTHER_CLIENT_JOB_ID, 1)).toBeUndefined();
      }
    });

    it("reads on from what it knows: one look and the root", async () => {
      const { jobId } = await running(queries());
      const { traffic } = bench();
      const before = { ...traffic };
      await queries().getSnapshot(jobId);
      expect(traffic.reads - before.reads).toBe(2);
      expect(traffic.pages - before.pages).toBe(0);
    });
  });

  describe("listing", () => {
    it("shows the latest generation of each client job, page by page, each once", async () => {
      for (let n = 0; n < 7; n += 1) await admitted(queries(), { clientJobId: clientJob(n) });
      const first = await queries().findByClientGeneration(clientJob(3), 1);
      await queries().cancel(first?.jobId ?? "", 1);
      const next = await admitted(queries(), { clientJobId: clientJob(3), generation: 2 });
      const shown: string[] = [];
      let cursor: string | null = null;
      do {
        const page: Awaited<ReturnType<ReturnType<typeof queries>["list"]>> = await queries().list({
          ...{ limit: 3, cursor },
        });
        shown.push(...page.jobs.map(({ jobId }) => jobId));
        cursor = page.nextCursor;
      } while (cursor !== null);
      expect(new Set(shown).size).toBe(7);
      expect(shown).toHaveLength(7);
      expect(shown).toContain(next.jobId);
    });

    it("ends a page early where the answers are long, and shows the rest on the next", async () => {
      const jobs = Array.from({ length: 20 }, (_, n) => clientJob(n));
      for (const clientJobId of jobs) {
        const { jobId } = await running(queries(), { clientJobId });
        await queries().markAnswerReady(jobId, "x".repeat(128_000));
      }
      const first = await queries().list({ limit: 100 });
      expect(first.jobs.length).toBeLessThan(20);
      const second = await queries().list({ limit: 100, cursor: first.nextCursor });
      const shown = [...first.jobs, ...second.jobs].map(({ clientJobId }) => clientJobId);
      expect(shown.sort()).toEqual(jobs);
      // What is passed over was read, too.
      const none = await queries().list({ limit: 100, status: "running" });
      expect(none).toMatchObject({ jobs: [], nextCursor: expect.any(String) });
    });

    it("shows those of one status only, as their logs tell it", async () => {
      const job = await running(queries());
      await admitted(queries(), { clientJobId: OTHER_CLIENT_JOB_ID });
      // The root of the first does not know yet that it was started.
      const other = await another();
      expect((await other.list({ status: "running" })).jobs).toEqual([job]);
      expect((await other.list({ status: "failed" })).jobs).toEqual([]);
    });

    it("protocols 4.3 shows accepted ones, the longest waiting first", async () => {
      const late = [clientJob(9), clientJob(1), clientJob(5)];
      for (const clientJobId of late) {
        await admitted(queries(), { clientJobId });
        bench().clock.advance(1_000);
      }
      await started(queries());
      const { jobs } = await (await another()).list({ status: "accepted" });
      expect(jobs.map(({ clientJobId }) => clientJobId)).toEqual(late);
    });

    it("refuses a cursor that another listing gave", async () => {
      for (let n = 0; n < 3; n += 1) await admitted(queries(), { clientJobId: clientJob(n) });
      const { nextCursor } = await queries().list({ limit: 1 });
      const work = queries().list({ status: "accepted", cursor: nextCursor });
      expect(await codeOf(work)).toBe("invalid_cursor");
      expect(await codeOf(queries().list({ cursor: "nonsense" }))).toBe("invalid_cursor");
    });

    it("G6 tells what cannot be read, and shows the rest", async () => {
      const job = await admitted(queries());
      const id = "ab".repeat(32);
      await bench().plant(`queries/roots/${id}`, '{"nonsense":true}');
      const page = await (await another()).list();
      expect(page.jobs).toEqual([job]);
      expect(page.corrupt).toMatchObject([{ id }]);
    });

    it("tells whoever answers them what was asked", async () => {
      await admitted(queries());
      const { executions } = await queries().listRetainedExecutions();
      expect(executions).toMatchObject([{ request: { query: "durable prompt" } }]);
    });
  });
}
