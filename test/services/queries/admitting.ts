/** Admission (QUERY-1 to 15; protocols 4.2). */
import { describe, expect, it } from "vitest";
import { after, durationMs, isoTime } from "../../../src/core/time.ts";
import type { CurrentBench } from "../emails/bench.ts";
import {
  admitted,
  CLIENT_JOB_ID,
  codeOf,
  FENCE_MS,
  IN_STATUS,
  OTHER_CLIENT_JOB_ID,
  owned,
  queryKeys,
  REQUEST,
} from "./given.ts";

export function describeAdmitting(bench: CurrentBench): void {
  const queries = () => bench().holdfast.queries;
  const admit = (fields: object) => queries().admit({ ...REQUEST, ...fields });

  describe("admission", () => {
    it("QUERY-1 makes a job of a request, which another instance sees at once", async () => {
      const { created, job } = await admit({});
      expect(created).toBe(true);
      expect(job).toMatchObject({ status: "accepted", eventSeq: 1, clientJobId: CLIENT_JOB_ID });
      const other = (await bench().another()).holdfast.queries;
      expect(await other.getSnapshot(job.jobId)).toEqual(job);
    });

    it("protocols 4.5 costs two reads and two writes", async () => {
      const { traffic } = bench();
      const before = { ...traffic };
      await admit({});
      expect(traffic.reads - before.reads).toBe(2);
      expect(traffic.puts - before.puts).toBe(2);
    });

    it.each(["accepted", "running", "answer_ready", "completed", "interrupted"] as const)(
      "QUERY-2 the same request again is answered with its job, which is %s",
      async (status) => {
        const job = await IN_STATUS[status](queries());
        expect(await admit({})).toEqual({ created: false, job });
        const other = (await bench().another()).holdfast.queries;
        expect(await other.admit(REQUEST)).toEqual({ created: false, job });
      },
    );

    it("QUERY-3 of equal requests at the same time, of several instances, one makes the job", async () => {
      const instances = [bench(), await bench().another(), await bench().another()];
      const answers = await Promise.all(
        [...instances, ...instances].map(({ holdfast }) => holdfast.queries.admit(REQUEST)),
      );
      expect(answers.filter(({ created }) => created)).toHaveLength(1);
      expect(new Set(answers.map(({ job }) => job.jobId)).size).toBe(1);
      // Whoever lost left nothing behind.
      expect(queryKeys(await bench().contents())).toHaveLength(2);
    });

    it.each([
      ["query", { query: "another prompt" }],
      ["session", { sessionId: "session-2" }],
      ["model", { model: "large" }],
    ])("QUERY-4 another %s is a conflict that tells nothing", async (_name, fields) => {
      await admit({ query: "TOP SECRET" });
      const work = admit({ query: "TOP SECRET", ...fields });
      expect(await codeOf(work)).toBe("job_identity_conflict");
      await expect(work).rejects.not.toThrow(/SECRET|session/);
    });

    it("QUERY-4 a property that nobody knows is no conflict", async () => {
      await admit({});
      expect((await admit({ unknown: 1 })).created).toBe(false);
    });

    it.each(["accepted", "starting", "running", "answer_ready"] as const)(
      "QUERY-5 another generation is refused while the one before is %s",
      async (status) => {
        await IN_STATUS[status](queries());
        expect(await codeOf(admit({ generation: 2 }))).toBe("job_generation_active");
        // As far as the root knows it is accepted still; its log says otherwise.
        const other = (await bench().another()).holdfast.queries;
        const again = other.admit({ ...REQUEST, generation: 2 });
        expect(await codeOf(again)).toBe("job_generation_active");
      },
    );

    it.each(["completed", "failed", "canceled", "interrupted"] as const)(
      "QUERY-6 a later generation, also skipping some, follows one that is %s",
      async (status) => {
        const first = await IN_STATUS[status](queries());
        const { created, job } = await admit({ generation: 5 });
        expect(created).toBe(true);
        expect(job).toMatchObject({ generation: 5, status: "accepted" });
        expect(await queries().getSnapshot(first.jobId, 1)).toEqual(first);
        expect(await codeOf(admit({ generation: 3 }))).toBe("job_generation_active");
        await queries().cancel(job.jobId, 5);
        expect(await codeOf(admit({ generation: 3 }))).toBe("job_generation_out_of_order");
      },
    );

    it("QUERY-7 an interrupted run holds its session for 21 minutes, for every client job", async () => {
      const { jobId } = await owned(queries());
      await queries().interrupt(jobId);
      await queries().acknowledge(jobId, 1);
      bench().clock.advance(1_000);
      for (const fields of [{ generation: 2 }, { clientJobId: OTHER_CLIENT_JOB_ID }]) {
        await expect(admit(fields)).rejects.toMatchObject({
          code: "provider_orphan_fence",
          retryAfterMs: FENCE_MS - 1_000,
          heldUntil: isoTime(after(bench().clock.now(), durationMs(FENCE_MS - 1_000))),
        });
      }
      bench().clock.advance(FENCE_MS - 1_000);
      expect((await admit({ generation: 2 })).created).toBe(true);
    });

    it("QUERY-8 a held session is no other's concern", async () => {
      const { jobId } = await owned(queries());
      await queries().interrupt(jobId);
      const other = { clientJobId: OTHER_CLIENT_JOB_ID, sessionId: "session-2" };
      expect((await admit(other)).created).toBe(true);
    });

    it("QUERY-9 judges duplicate, active, fence, order", async () => {
      const held = await owned(queries());
      await queries().interrupt(held.jobId);
      expect((await admit({})).created).toBe(false);
      expect(await codeOf(admit({ query: "x" }))).toBe("job_identity_conflict");
      const active = { clientJobId: OTHER_CLIENT_JOB_ID, sessionId: "session-2" };
      await admit(active);
      const next = { ...active, sessionId: REQUEST.sessionId, generation: 2 };
      expect(await codeOf(admit(next))).toBe("job_generation_active");
      const earlier = (await bench().another()).holdfast.queries;
      expect(await codeOf(earlier.admit({ ...REQUEST, generation: 2 }))).toBe(
        "provider_orphan_fence",
      );
    });

    it.each([
      ["invalid_request", "a text"],
      ["invalid_client_job_id", { ...REQUEST, clientJobId: "nonsense" }],
      ["invalid_generation", { ...REQUEST, generation: 1e20 }],
      ["query_too_large", { ...REQUEST, query: "x".repeat(48_001) }],
      ["invalid_query", { ...REQUEST, query: "half \ud83d" }],
      ["query_or_attachment_required", { ...REQUEST, query: "  " }],
      ["invalid_session_id", { ...REQUEST, sessionId: "-" }],
    ])("QUERY-10 a request with %s is refused, and nothing is stored", async (code, raw) => {
      expect(await codeOf(queries().admit(raw))).toBe(code);
      expect(queryKeys(await bench().contents())).toEqual([]);
    });

    it("QUERY-13 shows neither prompt nor reference in any answer", async () => {
      const reference = { query: "SECRET before", response: "SECRET answer" };
      const { job } = await admit({ query: "SECRET prompt", reference });
      const { events } = await queries().replay(job.jobId, 1);
      const shown = [job, events, await queries().list(), await queries().getSnapshot(job.jobId)];
      expect(JSON.stringify(shown)).not.toContain("SECRET");
      const { request } = await queries().getExecution(job.jobId);
      expect(request).toMatchObject({ query: "SECRET prompt", reference });
    });

    it("QUERY-15 the case of a client job id does not matter", async () => {
      await admit({});
      expect((await admit({ clientJobId: CLIENT_JOB_ID.toUpperCase() })).created).toBe(false);
    });

    it("protocols 5.8 a request over the limit of a body is kept whole", async () => {
      const query = "\u0001ab\u{1F600}".repeat(12_000).slice(0, 48_000);
      const reference = { query: "r", response: "\u{1F600}".repeat(64_000) };
      const { job } = await admit({ query, reference });
      const other = (await bench().another()).holdfast.queries;
      const { request } = await other.getExecution(job.jobId);
      expect(request.reference).toEqual(reference);
      expect((await other.admit({ ...REQUEST, query, reference })).created).toBe(false);
    });

    it("protocols 4.1 keeps 64 earlier generations, and refuses the next until one is retired", async () => {
      for (let generation = 1; generation <= 65; generation += 1) {
        const { jobId } = await admitted(queries(), { generation });
        await queries().cancel(jobId, generation);
      }
      expect(await codeOf(admit({ generation: 66 }))).toBe("job_history_full");
      expect((await admit({ generation: 1 })).created).toBe(false);
    });

    it("G10 another tenant's client job of the same id is another", async () => {
      const { job } = await admit({});
      const tenant = bench().holdfast.tenant("acme").queries;
      expect(await codeOf(tenant.getSnapshot(job.jobId))).toBe("query_job_not_found");
      expect((await tenant.admit({ ...REQUEST, query: "another" })).created).toBe(true);
    });
  });
}
