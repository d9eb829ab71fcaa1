/** Every call on query jobs against the real service. */
import { describe, expect, it } from "vitest";
import { queryRoutes } from "../../src/http/queries.ts";
import { queryEventRoutes } from "../../src/http/query-events.ts";
import { clientJobId, request, submitted } from "./query-given.ts";
import { service } from "./service.ts";

const refused = (code: string, more: object = {}) => expect.objectContaining({ code, ...more });

describe("the client's queries", () => {
  it("have a call for every route, or a run's", async () => {
    const client = (await service()).client();
    const { queries } = client;
    const { jobId } = await submitted(client);
    const { run } = await queries.start(jobId, { generation: 1 });
    const names: Readonly<Record<string, string>> = {
      read: "get",
      acknowledge: "ack",
      chunk: "delta",
    };
    const missing = Object.keys({ ...queryRoutes, ...queryEventRoutes }).filter((route) => {
      const name = names[route] ?? route;
      return !(name in queries) && !(name in (run ?? {})) && route !== "heartbeat";
    });
    expect(missing).toEqual([]);
    run?.drop();
  });

  it("take a job from its submission to its acknowledgement", async () => {
    const { queries } = (await service()).client();
    const { created, job } = await queries.submit(request());
    expect([created, job.status]).toEqual([true, "accepted"]);
    const { jobId } = job;
    const generation = { generation: 1 };
    await expect(queries.ack(jobId, generation)).rejects.toEqual(
      refused("query_job_not_terminal", { status: 409 }),
    );
    const { run } = await queries.start(jobId, generation);
    await run?.complete({ text: "Whales are mammals." });
    expect(await queries.ack(jobId, generation)).toMatchObject({ applied: true });
    expect(await queries.ack(jobId, generation)).toMatchObject({ applied: false });
    expect((await queries.get(jobId, generation)).job.response).toBe("Whales are mammals.");
    expect(await queries.cancel(jobId, generation)).toMatchObject({ applied: false });
  });

  it("answer a submission again, and find it by the client's id", async () => {
    const { queries } = (await service()).client();
    const { job } = await queries.submit(request());
    expect(await queries.submit(request())).toMatchObject({ created: false, job });
    const found = await queries.byClient(clientJobId(1), { generation: 1 });
    expect(found.job.jobId).toBe(job.jobId);
    const other = { ...request(), query: "What are sharks?" };
    await expect(queries.submit(other)).rejects.toEqual(
      refused("job_identity_conflict", { status: 409 }),
    );
    await expect(queries.byClient(clientJobId(2), { generation: 1 })).rejects.toEqual(
      refused("query_job_not_found"),
    );
    await expect(queries.get(job.jobId, { generation: 2 })).rejects.toEqual(
      refused("query_job_generation_mismatch"),
    );
  });

  it("read a job's events page by page", async () => {
    const client = (await service()).client();
    const { queries } = client;
    const { jobId } = await submitted(client);
    const { run } = await queries.start(jobId, { generation: 1 });
    await run?.complete({ text: "All." });
    const first = await queries.events(jobId, { generation: 1, limit: 2 });
    expect(first).toMatchObject({ hasMore: true, latestEventSeq: 3, gap: null });
    const rest = await queries.events(jobId, { generation: 1, after: 2 });
    expect([...first.events, ...rest.events].map(({ type }) => type)).toEqual([
      "accepted",
      "starting",
      "completed",
    ]);
    const ahead = await queries.events(jobId, { generation: 1, after: 9 });
    expect(ahead).toMatchObject({ gap: { reason: "cursor_ahead" }, events: [] });
  });

  it("list jobs by status, page by page", async () => {
    const client = (await service()).client();
    for (const n of [1, 2, 3]) await submitted(client, n);
    const { queries } = client;
    const [job] = (await queries.list({ status: "accepted", limit: 2 })).jobs;
    await queries.cancel(job?.jobId ?? "", { generation: 1 });
    const canceled = await queries.list({ status: "canceled" });
    expect(canceled.jobs.map(({ jobId }) => jobId)).toEqual([job?.jobId]);
    const ids = new Set<string>();
    let cursor: string | null = null;
    do {
      const from: { cursor?: string } = cursor === null ? {} : { cursor };
      const page: Awaited<ReturnType<typeof queries.list>> = await queries.list({
        ...from,
        limit: 1,
      });
      for (const one of page.jobs) ids.add(one.jobId);
      cursor = page.nextCursor;
    } while (cursor !== null);
    expect(ids.size).toBe(3);
  });

  it("say for how long a session is held", async () => {
    const client = (await service()).client();
    const { jobId } = await submitted(client, 1, "talk");
    const { queries } = client;
    const { run } = await queries.start(jobId, { generation: 1 });
    await run?.running();
    await run?.linkage({ provider: "claude" });
    await run?.interrupt();
    const error = await queries.submit(request(2, "talk")).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: "provider_orphan_fence", status: 409 });
    expect(error).toHaveProperty("retryAfterMs", expect.any(Number));
  });
});
