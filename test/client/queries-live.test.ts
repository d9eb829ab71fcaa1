/** Following jobs of the real service as they run: by key, by ticket and over sockets, whatever is cut. */
import { once } from "node:events";
import { type AddressInfo, connect, createServer } from "node:net";
import { serve } from "@hono/node-server";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type Client,
  createClient,
  type Fetch,
  type FollowOptions,
  type QueryRun,
} from "../../src/client/client.ts";
import { newKey } from "../../src/http/keys.ts";
import { manualTime } from "./manual-time.ts";
import { submitted } from "./query-given.ts";
import { service } from "./service.ts";

const SECRET = "a-secret-of-tests-that-is-long-enough";

/** Its bytes up to `bytesMax`, then a broken connection. */
function cut(response: Response, bytesMax: number | undefined): Response {
  const { body, status, headers } = response;
  if (bytesMax === undefined || body === null) return response;
  const reader = body.getReader();
  let left = bytesMax;
  const rest = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { value } = await reader.read();
      if (value === undefined) return controller.close();
      controller.enqueue(value.subarray(0, left));
      left -= value.length;
      if (left > 0) return;
      controller.error(new TypeError("terminated"));
      await reader.cancel();
    },
    cancel: () => reader.cancel(),
  });
  return new Response(rest, { status, headers });
}

/** What a reader was told: numbers, the text of the chunks, and how it ended. */
async function followed(client: Client, jobId: string, options: Partial<FollowOptions> = {}) {
  const seqs: number[] = [];
  let text = "";
  let last = "";
  for await (const one of client.queries.follow(jobId, { generation: 1, ...options })) {
    last = one.type;
    if (one.type === "snapshot") continue;
    seqs.push(one.eventSeq);
    if (one.type === "chunk") text += String(one.data["text"]);
  }
  return { seqs, text, last };
}

async function startedRun(client: Client, jobId: string): Promise<QueryRun> {
  const { run } = await client.queries.start(jobId, { generation: 1 });
  if (run === null) throw new Error("not started");
  return run;
}

const range = (from: number, to: number) =>
  Array.from({ length: Math.max(0, to - from + 1) }, (_, n) => from + n);

describe("a job that runs", () => {
  it("is told to its readers event by event, wherever their connections are cut", async () => {
    const cuts = fc.array(fc.integer({ min: 1, max: 3_000 }), { maxLength: 12 });
    const deltas = fc.array(fc.string({ unit: "grapheme", minLength: 1, maxLength: 300 }), {
      maxLength: 12,
    });
    await fc.assert(
      fc.asyncProperty(cuts, cuts, deltas, fc.nat(400), async (some, others, pieces, pauseMs) => {
        const time = manualTime();
        const { deps } = time;
        const http = { open: true, rotationMs: 2_000 };
        const real = await service({ clock: time.clock, http });
        const writer = real.client({ deps });
        const { jobId } = await submitted(writer);
        const readings = [some, others].map((places, after) => {
          const ends = [...places];
          const fetch: Fetch = async (url, init) => cut(await real.fetch(url, init), ends.shift());
          return followed(real.client({ fetch, deps }), jobId, { after });
        });
        const run = await startedRun(writer, jobId);
        await run.running();
        for (const piece of pieces) {
          await run.delta(piece);
          await time.advance(pauseMs);
        }
        await time.until(run.complete());
        const [first, second] = await time.until(Promise.all(readings));
        const { job } = await writer.queries.get(jobId, { generation: 1 });
        const text = pieces.join("");
        expect(job.response).toBe(text);
        expect(first).toEqual({ seqs: range(1, job.eventSeq), text, last: "completed" });
        expect(second).toEqual({ seqs: range(2, job.eventSeq), text, last: "completed" });
      }),
      { numRuns: 25 },
    );
  }, 120_000);

  it("is told by its ticket, which opens nothing else and ends (http-api, Tickets)", async () => {
    const time = manualTime();
    const { deps } = time;
    const { key, entry } = newKey("server", new Uint8Array(32), { scopes: ["*"] });
    const http = { keys: [entry], secret: SECRET };
    const real = await service({ clock: time.clock, http });
    const { queries, ...rest } = real.client({ key, deps });
    const { jobId } = await submitted({ queries, ...rest });
    const asked = { generation: 1, ttlMs: 60_000 };
    const { ticket, expiresAt } = await queries.ticket(jobId, asked);
    expect(expiresAt).toBe("2026-01-01T00:01:00.000Z");
    const phone = real.client({ key: ticket, deps });
    const reading = followed(phone, jobId);
    const run = await startedRun({ queries, ...rest }, jobId);
    await run.complete({ text: "All." });
    expect(await time.until(reading)).toEqual({ seqs: [1, 2, 3], text: "", last: "completed" });
    expect(await phone.queries.events(jobId, { generation: 1, after: 2 })).toMatchObject({
      events: [{ type: "completed", data: { response: "All." } }],
      hasMore: false,
    });
    expect(await phone.queries.ack(jobId, { generation: 1 })).toMatchObject({ applied: true });
    await expect(phone.queries.list()).rejects.toMatchObject({ code: "forbidden" });
    expect(await followed(phone, jobId, { after: 3 })).toMatchObject({ last: "snapshot" });
    await time.advance(61_000);
    await expect(followed(phone, jobId)).rejects.toMatchObject({ code: "unauthorized" });
  });

  it("is shown to a reader whose cursor is ahead of it, and told from there (http-api)", async () => {
    const time = manualTime();
    const real = await service({ clock: time.clock });
    const client = real.client({ deps: time.deps });
    const { jobId } = await submitted(client);
    const reading = followed(client, jobId, { after: 100 });
    await time.advance(2_000);
    const run = await startedRun(client, jobId);
    await run.complete({ text: "All." });
    expect(await time.until(reading)).toEqual({ seqs: [2, 3], text: "", last: "completed" });
  });

  it("is not there for whoever has another id or generation", async () => {
    const client = (await service()).client();
    const { jobId } = await submitted(client);
    const wrong = followed(client, jobId, { generation: 2 });
    await expect(wrong).rejects.toMatchObject({ code: "query_job_generation_mismatch" });
    const missing = followed(client, "9c5c4d0a-0000-4000-8000-000000000000");
    await expect(missing).rejects.toMatchObject({ code: "query_job_not_found" });
  });

  it("is told over sockets that are cut inside its events", async () => {
    const { app } = await service();
    const server = serve({ fetch: app.fetch, port: 0, hostname: "127.0.0.1" });
    await once(server, "listening");
    const url = (port: number): string => `http://127.0.0.1:${port}`;
    const { port } = server.address() as AddressInfo;
    const proxy = await cutting(port, [700, 1_100]);
    const client = createClient({ url: url(port) });
    const { jobId } = await submitted(client);
    const reading = followed(createClient({ url: url(proxy.port) }), jobId);
    const run = await startedRun(client, jobId);
    for (let n = 0; n < 40; n += 1) {
      await run.delta(`${n} 🐋 Grüße, `);
      await run.activity("status", `at ${n}`);
    }
    await run.complete();
    const { job } = await client.queries.get(jobId, { generation: 1 });
    expect(await reading).toEqual({
      seqs: range(1, job.eventSeq),
      text: job.response,
      last: "completed",
    });
    expect(proxy.connections()).toBe(3);
    proxy.close();
    server.close();
  });
});

/** Passes connections on, the first of them only for so many bytes of what comes back. */
async function cutting(target: number, bytes: readonly number[]) {
  let connections = 0;
  const proxy = createServer((near) => {
    let left = bytes[connections] ?? Number.POSITIVE_INFINITY;
    connections += 1;
    const far = connect(target, "127.0.0.1");
    const destroy = (): void => {
      near.destroy();
      far.destroy();
    };
    near.on("error", destroy).on("close", destroy).pipe(far);
    far.on("error", destroy).on("close", destroy);
    far.on("data", (data: Buffer) => {
      const part = data.subarray(0, left);
      left -= part.length;
      near.write(part, () => {
        if (left <= 0) destroy();
      });
    });
  }).listen(0, "127.0.0.1");
  await once(proxy, "listening");
  const { port } = proxy.address() as AddressInfo;
  return { port, connections: () => connections, close: () => proxy.close() };
}
