/** Streams of queries from real servers: over sockets, by curl, from another process's writes, at the end. */
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type FakeS3, fakeS3 } from "../fakes/s3.ts";
import { TICKET_SECRET } from "../http/fixture.ts";
import { eventsPath, eventually, framesIn } from "../http/streams.ts";
import { type Env, type ServerProcess, startServer } from "./process.ts";
import { idsOf, posted, type RemoteStream, remoteStream, runningJob } from "./queries.ts";

let folder: string;
let bucket: FakeS3;
let servers: ServerProcess[];

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "holdfast-streams-"));
  bucket = await fakeS3();
  servers = [];
});

afterEach(async () => {
  await Promise.all(servers.map((server) => server.kill("SIGKILL")));
  await bucket.close();
  rmSync(folder, { recursive: true, force: true });
});

async function serving(env: Env): Promise<ServerProcess> {
  const server = await startServer({ HOLDFAST_SECRET: TICKET_SECRET, ...env });
  servers.push(server);
  return server;
}

const MEMORY: Env = { HOLDFAST_STORAGE: "memory" };

describe("holdfast serve", () => {
  it("streams a job to curl -N by a ticket, event by event, and its log has no ticket", async () => {
    const { url, lines } = await serving(MEMORY);
    const job = await runningJob(url);
    const at = `/v1/query-jobs/${job.jobId}`;
    const { ticket } = await posted(url, `${at}/tickets`, { generation: 1 });
    const address = `${url}${eventsPath(job.jobId)}&ticket=${ticket}`;
    const curl = spawn("curl", ["-sS", "-N", "-i", "-H", "Accept: text/event-stream", address]);
    const closed = new Promise((resolve) => curl.once("close", resolve));
    let text = "";
    curl.stdout.setEncoding("utf8").on("data", (some: string) => {
      text += some;
    });
    const body = () => text.slice(text.indexOf("\r\n\r\n") + 4);
    await eventually(() => expect(idsOf(framesIn(body()))).toEqual([1, 2, 3]));
    await job.chunk("Whales ");
    await eventually(() => expect(idsOf(framesIn(body()))).toEqual([1, 2, 3, 4]));
    await job.complete();
    expect([await closed, idsOf(framesIn(body()))]).toEqual([0, [1, 2, 3, 4, 5]]);
    expect(text).toMatch(/^HTTP\/1.1 200 OK\r\n/);
    expect(text).toMatch(/\r\ncontent-type: text\/event-stream\r\n/);
    expect(body()).toMatch(/^:/);
    expect(JSON.stringify(lines())).not.toMatch(/hft1|ticket=/);
  });

  it("tells five hundred connections every event once, in order, and says nothing on stderr", async () => {
    const server = await serving(MEMORY);
    const job = await runningJob(server.url);
    const address = server.url + eventsPath(job.jobId);
    const streams: RemoteStream[] = [];
    for (let n = 0; n < 500; n += 1) streams.push(await remoteStream(address));
    for (let n = 0; n < 20; n += 1) await job.chunk(`${n} `);
    await job.complete();
    await Promise.all(streams.map(({ ended }) => ended));
    const all = Array.from({ length: 24 }, (_, at) => at + 1);
    for (const { frames } of streams) expect(idsOf(frames())).toEqual(all);
    expect((await server.kill("SIGTERM")).stderr).toBe("");
  });

  it("told to stop, sends its readers on, and ends every stream properly", async () => {
    const server = await serving(MEMORY);
    const { jobId } = await runningJob(server.url);
    const streams = await Promise.all(
      [1, 2, 3].map(() => remoteStream(server.url + eventsPath(jobId))),
    );
    for (const { frames } of streams) await eventually(() => expect(frames()).toHaveLength(3));
    const { status, stderr } = await server.kill("SIGTERM");
    expect([status, stderr]).toEqual([0, ""]);
    for (const { frames, ended } of streams) {
      await ended;
      expect(frames().at(-1)).toEqual({ id: null, event: "rotate", data: { resumeAfter: 3 } });
    }
  });
});

describe("two servers on one storage", () => {
  const PLACES: Readonly<Record<string, () => Env>> = {
    "a folder of several processes": () => ({
      HOLDFAST_DATA_DIR: folder,
      HOLDFAST_FOLDER_SHARING: "processes",
    }),
    "a bucket": () => ({
      AWS_REGION: "eu-central-1",
      AWS_ACCESS_KEY_ID: "test",
      AWS_SECRET_ACCESS_KEY: "test",
      HOLDFAST_STORAGE: "s3",
      HOLDFAST_BUCKET: bucket.bucket,
      HOLDFAST_ENDPOINT: bucket.endpoint,
      HOLDFAST_PATH_STYLE: "true",
    }),
  };

  it.each(Object.entries(PLACES))("%s: what one writes the other's readers see", async (_, env) => {
    const writer = await serving(env());
    const reader = await serving(env());
    const job = await runningJob(writer.url);
    // A ticket of one is good at the other.
    const path = `/v1/query-jobs/${job.jobId}/tickets`;
    const { ticket } = await posted(writer.url, path, { generation: 1 });
    const address = `${reader.url}${eventsPath(job.jobId)}&ticket=${ticket}`;
    const live = await remoteStream(address);
    await eventually(() => expect(idsOf(live.frames())).toEqual([1, 2, 3]));
    await job.chunk("Whales ");
    await eventually(() => expect(idsOf(live.frames())).toEqual([1, 2, 3, 4]));
    // Its reader goes on at the other server where this one ends.
    await reader.kill("SIGTERM");
    await live.ended;
    expect(live.frames().at(-1)?.event).toBe("rotate");
    const other = address.replace(reader.url, writer.url);
    const next = await remoteStream(other, { "last-event-id": "4" });
    await job.complete();
    await next.ended;
    expect(idsOf(next.frames())).toEqual([5]);
  });
});
