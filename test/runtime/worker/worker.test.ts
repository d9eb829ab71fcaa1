/** The Worker as wrangler builds it, in workerd over R2: all machines by the client, and its cron events. */
import { gzipSync } from "node:zlib";
import { afterAll, afterEach, describe, expect, it } from "vitest";
import { HoldfastError } from "../../../src/client/client.ts";
import { docsPage, documentText } from "../../../src/http/docs.ts";
import { MESSAGE } from "../../http/fixture.ts";
import { eventsPath, eventually } from "../../http/streams.ts";
import { idsOf, remoteStream, runningJob } from "../queries.ts";
import { built } from "./built.ts";
import { startProvider } from "./provider.ts";
import { KEY, OTHER_KEY, openWorkers, type Workers, type WorkersOptions } from "./workers.ts";

/** Of the script as it is sent, compressed, without the API's document and its page. */
const SCRIPT_BYTES_MAX = 124 * 1_024;

const gzipped = (text: string) => gzipSync(text, { level: 9 }).byteLength;

const worker = await built();

const provider = await startProvider();
afterAll(() => provider.close());

let open: Workers | null = null;

afterEach(async () => {
  await open?.close();
  open = null;
});

async function running(options: WorkersOptions = {}) {
  open = await openWorkers(worker, options);
  const [first] = open.workers;
  if (first === undefined) throw new Error("no worker");
  return { ...first, lines: open.lines };
}

const AUTHORIZED = { authorization: `Bearer ${KEY}` };

/** What a call is refused as; its answer where it is not. */
async function codeOf(call: Promise<unknown>): Promise<unknown> {
  return call.catch((error: unknown) => (error instanceof HoldfastError ? error.code : error));
}

describe("what wrangler builds", () => {
  it("binds the bucket, has nothing of Node and no SDK, and stays small", async () => {
    expect(worker.told).toMatch(/env\.HOLDFAST_BUCKET \(holdfast\)\s+R2 Bucket/);
    expect(worker.told).not.toMatch(/warning/i);
    expect(worker.script).not.toMatch(/["'`]node:|aws-sdk|nodemailer/);
    const documents = gzipped((await documentText("")) + (await docsPage()));
    expect(gzipped(worker.script) - documents).toBeLessThan(SCRIPT_BYTES_MAX);
  });
});

describe("over HTTP", () => {
  it("all three machines are driven by the client, and tenants are apart (G10)", async () => {
    const { client } = await running();
    const { emails, receipts, queries, ...rest } = client();
    const key = "welcome:ann@example.com";
    expect(await emails.enqueue({ logicalKey: key, payload: MESSAGE })).toMatchObject({
      created: true,
    });
    expect(await emails.enqueue({ logicalKey: key, payload: MESSAGE })).toMatchObject({
      created: false,
    });
    expect((await rest.reconcile()).emails.promoted).toBe(1);
    const { jobs } = await emails.leaseDue({ durationMs: 60_000, limit: 10 });
    expect(jobs).toMatchObject([{ logicalKey: key, state: "sending" }]);
    const leaseToken = String(jobs[0]?.leaseToken);
    const settled = await emails.settle(key, { leaseToken, to: "sent" });
    expect(settled.job.state).toBe("sent");
    expect(await codeOf(emails.settle(key, { leaseToken: "x", to: "sent" }))).toBe("lease_lost");
    expect(await codeOf(client(OTHER_KEY).emails.read(key))).toBe("job_not_found");

    const payload = { amount: 5 };
    const { receipt } = await receipts.prepare({ operationId: "charge-1", payload });
    const { owned, dispatchToken } = await receipts.dispatch(receipt.id);
    expect(owned).toBe(true);
    const result = { charge: "ch_1" };
    const accepted = await receipts.accept(receipt.id, {
      result,
      ...(dispatchToken === null ? {} : { dispatchToken }),
    });
    expect(accepted.receipt).toMatchObject({ state: "accepted", result });
    expect((await receipts.complete(receipt.id)).receipt.state).toBe("terminal");
    const replayed = await receipts.prepare({ operationId: "charge-1", payload });
    expect(replayed).toMatchObject({ created: false, receipt: { state: "terminal", result } });

    const { job } = await queries.submit({
      clientJobId: "22222222-2222-4222-8222-222222222222",
      generation: 1,
      query: "Are whales fish?",
      sessionId: "chat-1",
    });
    const { run } = await queries.start(job.jobId, { generation: 1 });
    await run?.running();
    await run?.delta("Whales are mammals.");
    await run?.complete();
    const { ticket } = await queries.ticket(job.jobId, { generation: 1 });
    let answer = "";
    for await (const event of client(ticket).queries.follow(job.jobId, { generation: 1 })) {
      if (event.type === "chunk") answer += String(event.data["text"]);
    }
    expect(answer).toBe("Whales are mammals.");
  });

  it("answers what needs no key, and refuses what has none", async () => {
    const { url, client } = await running();
    const statuses = await Promise.all(
      ["/healthz", "/readyz", "/openapi.json", "/docs", "/v1/health", "/nowhere"].map(
        async (path) => (await fetch(url + path)).status,
      ),
    );
    expect(statuses).toEqual([200, 200, 200, 200, 401, 404]);
    expect(await codeOf(client(`hf_app_${"C".repeat(43)}`).health())).toBe("unauthorized");
  });

  it("streams a job live, while other requests append to it", async () => {
    const { url } = await running();
    const job = await runningJob(url, AUTHORIZED);
    const stream = await remoteStream(url + eventsPath(job.jobId), AUTHORIZED);
    await eventually(() => expect(idsOf(stream.frames())).toEqual([1, 2, 3]));
    await job.chunk("Whales ");
    await eventually(() => expect(idsOf(stream.frames())).toEqual([1, 2, 3, 4]));
    await job.complete();
    await stream.ended;
    expect(idsOf(stream.frames())).toEqual([1, 2, 3, 4, 5]);
  });

  it("asks the bucket no more for a reader who has gone", async () => {
    const { url, counts } = await running();
    const job = await runningJob(url, AUTHORIZED);
    const stream = await remoteStream(url + eventsPath(job.jobId), AUTHORIZED);
    await eventually(() => expect(idsOf(stream.frames())).toEqual([1, 2, 3]));
    await counts();
    await eventually(async () => expect((await counts()).get).toBeGreaterThan(0));
    stream.leave();
    // The runtime notices at the next word to the reader, and ends the request by itself, too.
    await job.chunk("Whales ");
    const looks = async () => {
      await counts();
      // Longer than from one look at a log to the next.
      await new Promise((resolve) => setTimeout(resolve, 1_500));
      return counts();
    };
    await eventually(async () => expect(await looks()).toEqual({}));
  });
});

describe("a cron event", () => {
  it("delivers by an HTTP mailer what is due, once", async () => {
    const { client, cron } = await running({ env: provider.env });
    const { emails } = client();
    await emails.enqueue({ logicalKey: "a", payload: MESSAGE });
    await client(OTHER_KEY).emails.enqueue({ logicalKey: "b", payload: MESSAGE });
    expect(await cron()).toBe("ok");
    expect(await cron()).toBe("ok");
    expect((await emails.read("a")).job.state).toBe("sent");
    expect((await client(OTHER_KEY).emails.read("b")).job.state).toBe("sent");
    const { posts } = provider;
    const { recipient: to, subject, text } = MESSAGE;
    expect(posts.map(({ body }) => body)).toEqual([1, 2].map(() => ({ to, subject, text })));
    expect(posts[0]?.headers).toMatchObject({ authorization: "Bearer S3cret" });
    expect(new Set(posts.map(({ headers }) => headers["idempotency-key"])).size).toBe(2);
  });

  it("with nothing due asks at most four things of R2 for a tenant", async () => {
    const { client, cron, counts } = await running({ env: provider.env });
    await client().emails.enqueue({ logicalKey: "a", payload: MESSAGE });
    await client().emails.transition("a", { from: ["pending"], to: "cancelled" });
    await cron();
    await counts();
    expect(await cron()).toBe("ok");
    // Of two tenants: two lists and a get each; the clock is looked at once for both.
    expect(await counts()).toEqual({ list: 4, get: 2, put: 1 });
  });

  it("fails, and names the clock, where R2's is ten minutes ahead", async () => {
    const { cron, lines } = await running({ aheadMs: 600_000 });
    expect(await cron()).toBe("exception");
    await eventually(() =>
      expect(lines()).toMatchObject([
        {
          level: "error",
          event: "pass not run",
          message: expect.stringContaining("clock is 600 s"),
        },
      ]),
    );
  });

  it("warns of a clock that is a little off, and goes on", async () => {
    const { cron, lines } = await running({ aheadMs: 30_000 });
    expect(await cron()).toBe("ok");
    await eventually(() =>
      expect(lines()).toMatchObject([
        { level: "warn", event: "clock", detail: expect.stringContaining("clock is 30 s behind") },
      ]),
    );
  });
});
