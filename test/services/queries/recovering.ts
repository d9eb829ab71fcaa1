/** Passes, retention, erasure and what an operator removes (QUERY-42 to 46; protocols 4.3, 5.4). */
import { describe, expect, it } from "vitest";
import type { CurrentBench } from "../emails/bench.ts";
import {
  admitted,
  answered,
  CLIENT_JOB_ID,
  codeOf,
  completed,
  DAY,
  FENCE_MS,
  hintOf,
  LEASE_MS,
  OTHER_CLIENT_JOB_ID,
  owned,
  queryKeys,
  REQUEST,
  running,
} from "./given.ts";

export function describeRecovering(bench: CurrentBench): void {
  const queries = () => bench().holdfast.queries;
  const pass = async () => (await bench().holdfast.reconcile()).queries;
  const snapshot = (jobId: string) => queries().getSnapshot(jobId);

  describe("a pass", () => {
    it("QUERY-42 interrupts a run that lapsed, once, and tells how many", async () => {
      const { jobId } = await running(queries());
      bench().clock.advance(LEASE_MS);
      expect(await pass()).toEqual({ completed: 0, interrupted: 1, retired: 0 });
      expect(await snapshot(jobId)).toMatchObject({
        status: "interrupted",
        error: { code: "interrupted", retryable: true },
      });
      expect(await pass()).toEqual({ completed: 0, interrupted: 0, retired: 0 });
      expect((await queries().admit({ ...REQUEST, generation: 2 })).created).toBe(true);
    });

    it("QUERY-42, protocols 4.3 holds the session first when a provider may be at work", async () => {
      const { jobId } = await owned(queries());
      bench().clock.advance(LEASE_MS);
      const order: string[] = [];
      const other = await bench().another();
      other.interference.afterPut = async (key) => void order.push(key.split("/")[1] ?? "");
      await other.holdfast.reconcile();
      expect(order.filter((name) => name === "fences" || name === "log")).toEqual([
        "fences",
        "log",
      ]);
      expect((await snapshot(jobId)).orphanFenceUntil).toBe(bench().at(LEASE_MS + FENCE_MS));
      const next = queries().admit({ ...REQUEST, generation: 2 });
      expect(await codeOf(next)).toBe("provider_orphan_fence");
    });

    it("QUERY-43 completes a committed answer whose runner is gone, with its text", async () => {
      const { jobId } = await answered(queries());
      bench().clock.advance(LEASE_MS);
      expect(await pass()).toEqual({ completed: 1, interrupted: 0, retired: 0 });
      expect(await snapshot(jobId)).toMatchObject({
        ...{ status: "completed", response: "an answer", provider: "claude" },
      });
    });

    it("QUERY-45, peer fault 2 leaves alone what another live server runs", async () => {
      const job = await running(queries());
      const other = await bench().another();
      bench().clock.advance(LEASE_MS - 1);
      await other.holdfast.reconcile();
      expect(await snapshot(job.jobId)).toEqual(job);
    });

    it("tells the root what it read of a run that goes on, so that it is due when its lease ends", async () => {
      await running(queries());
      expect(hintOf(await bench().contents())).toMatchObject({ seq: 1, status: "accepted" });
      await pass();
      expect(hintOf(await bench().contents())).toMatchObject({ seq: 3, status: "running" });
    });

    it("leaves accepted jobs to those who can start them", async () => {
      const job = await admitted(queries());
      bench().clock.advance(DAY);
      await pass();
      expect(await snapshot(job.jobId)).toEqual(job);
    });

    it("interrupts an accepted job that nobody started in time, where that is asked for", async () => {
      const { jobId } = await admitted(queries());
      const impatient = await bench().another({ limits: { admissionTimeoutMs: 1_000 } });
      bench().clock.advance(1_000);
      await impatient.holdfast.reconcile();
      expect((await snapshot(jobId)).status).toBe("interrupted");
    });

    it("QUERY-46, G6 one job that cannot be read stops no other", async () => {
      const bad = await running(queries());
      const good = await running(queries(), { clientJobId: OTHER_CLIENT_JOB_ID });
      await bench().plant(`queries/log/${bad.jobId}/000000000004`, '{"nonsense":true}');
      bench().clock.advance(LEASE_MS);
      const report = await bench().holdfast.reconcile();
      expect(report.queries.interrupted).toBe(1);
      expect(report.failures).toMatchObject([{ machine: "queries", code: "record_corrupt" }]);
      expect((await snapshot(good.jobId)).status).toBe("interrupted");
    });

    it("QUERY-51 a missing event in the middle is told by whoever reads the log anew", async () => {
      const { jobId } = await running(queries());
      const event = { type: "chunk", at: 1_782_864_000_000, delta: "x" };
      const holdfast = { schema: 1, w: "abcdefghijklmnop" };
      await bench().plant(
        `queries/log/${jobId}/000000000007`,
        JSON.stringify({ items: [event], holdfast }),
      );
      const other = await bench().another();
      expect(await codeOf(other.holdfast.queries.getSnapshot(jobId))).toBe("record_corrupt");
      expect(other.observed.get("store.record_corrupt")).toBe(1);
    });

    it("QUERY-50 a job whose request is not what its fingerprint is of is told, and not shown", async () => {
      const { jobId } = await running(queries());
      const key = `queries/log/${jobId}/000000000001`;
      const body = (await bench().contents()).get(key) ?? "";
      await bench().plant(key, body.replace("durable prompt", "another prompt"));
      const other = await bench().another();
      expect(await codeOf(other.holdfast.queries.getSnapshot(jobId))).toBe("record_corrupt");
      expect(other.observed.get("store.record_corrupt")).toBe(1);
      expect((await other.holdfast.queries.list()).corrupt).toHaveLength(1);
    });

    it("says what it would do without doing it", async () => {
      const { jobId } = await running(queries());
      await queries().heartbeat(jobId);
      bench().clock.advance(LEASE_MS);
      const would = await bench().holdfast.reconcile({ dryRun: true });
      expect(would.queries).toEqual({ completed: 0, interrupted: 1, retired: 0 });
      expect((await snapshot(jobId)).status).toBe("running");
    });

    it("says of a job with something of both what it would do first", async () => {
      await completed(queries());
      const { jobId } = await running(queries(), { generation: 2 });
      await queries().heartbeat(jobId);
      bench().clock.advance(7 * DAY);
      const would = await bench().holdfast.reconcile({ dryRun: true });
      expect(would.queries).toEqual({ completed: 0, interrupted: 1, retired: 0 });
      expect(await pass()).toEqual(would.queries);
    });

    it("protocols 5.4 removes what is past its retention, and keeps who had it", async () => {
      await completed(queries());
      const next = await admitted(queries(), { generation: 2 });
      bench().clock.advance(7 * DAY - 1);
      await pass();
      expect((await queries().admit(REQUEST)).created).toBe(false);
      bench().clock.advance(1);
      expect(await pass()).toMatchObject({ retired: 1 });
      expect(await codeOf(queries().admit(REQUEST))).toBe("job_generation_active");
      expect(await snapshot(next.jobId)).toEqual(next);
      await queries().cancel(next.jobId, 2);
      expect(await pass()).toMatchObject({ retired: 1 });
      expect(await codeOf(queries().admit(REQUEST))).toBe("job_generation_out_of_order");
      const keys = queryKeys(await bench().contents());
      expect(keys.filter((key) => key.startsWith("queries/log/"))).toEqual([]);
      expect(keys.filter((key) => key.startsWith("queries/roots/"))).toHaveLength(1);
      expect(await pass()).toMatchObject({ retired: 0 });
    });

    it("protocols 5.4 goes on where a retirement was cut off", async () => {
      await completed(queries());
      bench().clock.advance(7 * DAY);
      const cut = await bench().another();
      let isMarked = false;
      cut.interference.afterPut = async (key) => {
        isMarked ||= key.startsWith("queries/roots/");
      };
      cut.interference.beforePut = async () => {
        if (isMarked) throw new Error("killed");
      };
      await cut.holdfast.reconcile();
      await pass();
      const keys = queryKeys(await bench().contents());
      expect(keys.filter((key) => key.startsWith("queries/log/"))).toEqual([]);
      expect((await queries().admit({ ...REQUEST, generation: 2 })).created).toBe(true);
    });
  });

  describe("erasing", () => {
    it("removes everything of a client job for ever", async () => {
      const { jobId } = await completed(queries());
      const next = await admitted(queries(), { generation: 2 });
      expect(await codeOf(queries().erase(CLIENT_JOB_ID))).toBe("in_use");
      await queries().cancel(next.jobId, 2);
      await queries().erase(CLIENT_JOB_ID);
      await queries().erase(CLIENT_JOB_ID);
      for (const one of [queries(), (await bench().another()).holdfast.queries]) {
        expect(await codeOf(one.getSnapshot(jobId))).toBe("query_job_not_found");
        expect(await codeOf(one.admit({ ...REQUEST, generation: 3 }))).toBe("erased");
        expect(await codeOf(one.findByClientGeneration(CLIENT_JOB_ID, 1))).toBe("erased");
        expect((await one.list()).jobs).toEqual([]);
      }
      const stored = JSON.stringify([...(await bench().contents())]);
      for (const personal of [CLIENT_JOB_ID, "durable prompt", "an answer", "session-durable"]) {
        expect(stored).not.toContain(personal);
      }
    });

    it("leaves alone what was admitted while it looked", async () => {
      await completed(queries());
      const slow = await bench().another();
      let isAdmitted = false;
      slow.interference.beforePut = async (key) => {
        if (isAdmitted || !key.startsWith("queries/roots/")) return;
        isAdmitted = true;
        await admitted(queries(), { generation: 2 });
      };
      expect(await codeOf(slow.holdfast.queries.erase(CLIENT_JOB_ID))).toBe("in_use");
      const next = await queries().findByClientGeneration(CLIENT_JOB_ID, 2);
      expect(next?.status).toBe("accepted");
    });

    it("tells that there is nothing to erase", async () => {
      expect(await codeOf(queries().erase(OTHER_CLIENT_JOB_ID))).toBe("query_job_not_found");
    });
  });

  describe("gc", () => {
    const TURN = "77777777-7777-4777-8777-777777777777";

    /** Walks once over everything. */
    async function collect(limit?: number): Promise<number> {
      let removed = 0;
      for (let isComplete = false; !isComplete; ) {
        const page = await queries().gc(limit);
        removed += page.removed;
        ({ isComplete } = page);
      }
      return removed;
    }

    it("protocols 4.3 removes what an admission left that was cut off, once it is old", async () => {
      const cut = await bench().another();
      cut.interference.beforePut = async (key) => {
        if (key.startsWith("queries/roots/")) throw new Error("killed");
      };
      await expect(cut.holdfast.queries.admit(REQUEST)).rejects.toThrow();
      const keys = async () => queryKeys(await bench().contents());
      expect(await keys()).toHaveLength(1);
      expect(await collect()).toBe(0);
      bench().clock.advance(60_000);
      expect(await collect()).toBe(1);
      expect((await keys()).filter((key) => key.startsWith("queries/log/"))).toEqual([]);
      // The root was moved on, and takes the next request.
      expect((await queries().admit(REQUEST)).created).toBe(true);
      expect(await collect()).toBe(0);
    });

    it("protocols 4.3 an admission that slept through it begins anew", async () => {
      const slow = await bench().another({ limits: { commandMs: 120_000 } });
      let asleep = async (): Promise<void> => {
        bench().clock.advance(60_000);
        await collect();
      };
      slow.interference.beforePut = async (key) => {
        if (!key.startsWith("queries/roots/")) return;
        const sleep = asleep;
        asleep = async () => {};
        await sleep();
      };
      const { created, job } = await slow.holdfast.queries.admit(REQUEST);
      expect(created).toBe(true);
      expect(await (await bench().another()).holdfast.queries.getSnapshot(job.jobId)).toEqual(job);
      expect(queryKeys(await bench().contents())).toHaveLength(2);
    });

    it("leaves alone what a root names, and goes on from its saved place", async () => {
      const jobs = [
        await completed(queries()),
        await running(queries(), { clientJobId: OTHER_CLIENT_JOB_ID }),
        await admitted(queries(), { clientJobId: TURN }),
      ];
      bench().clock.advance(DAY);
      expect(await collect(1)).toBe(0);
      for (const job of jobs) expect(await snapshot(job.jobId)).toEqual(job);
    });

    it("removes parts of a job that has no part 1 any more", async () => {
      const holdfast = { schema: 1, w: "abcdefghijklmnop" };
      const body = JSON.stringify({ items: [{ type: "canceled", at: 1 }], holdfast });
      await bench().plant(`queries/log/${TURN}/000000000005`, body);
      expect(await collect()).toBe(1);
      expect(queryKeys(await bench().contents())).toEqual([]);
    });
  });
}
