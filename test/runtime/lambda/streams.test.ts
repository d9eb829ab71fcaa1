/** Live streams through a function URL: each is one invocation, which nobody may leave and which ends in time. */
import { afterAll, afterEach, beforeAll, expect, it, vi } from "vitest";
import { createClient } from "../../../src/client/client.ts";
import { type DynamodbFront, dynamodbFront } from "../../fakes/dynamodb-front.ts";
import { remoteStream, runningJob } from "../queries.ts";
import { bundled } from "./bundle.ts";
import { type Deployed, deployed, type FunctionUrl, functionUrl } from "./function.ts";
import { AUTHORIZED, KEY, TABLE_ENTRY, tableEnv } from "./given.ts";

let front: DynamodbFront;
let bundles: { readonly short: string; readonly usual: string };
let deployment: Deployed;
let entrance: FunctionUrl;

beforeAll(async () => {
  front = await dynamodbFront();
  const [short, usual] = await Promise.all([
    bundled("entry-short-streams.js"),
    bundled(TABLE_ENTRY),
  ]);
  bundles = { short, usual };
});

afterAll(() => front.close());

async function deploy(bundle: keyof typeof bundles, timeoutMs: number): Promise<string> {
  const env = await tableEnv(front);
  deployment = deployed({ bundle: bundles[bundle], handler: "http", env, timeoutMs });
  entrance = await functionUrl(deployment);
  return entrance.url;
}

afterEach(async () => {
  await entrance.close();
  await deployment.close();
});

const eventsOf = (url: string, jobId: string): string =>
  `${url}/v1/query-jobs/${jobId}/events?generation=1`;

it("an event arrives while the answer goes on, which ends with the last one", async () => {
  const url = await deploy("usual", 60_000);
  const job = await runningJob(url, AUTHORIZED);
  const stream = await remoteStream(eventsOf(url, job.jobId), AUTHORIZED);
  await job.chunk("Whales ");
  await vi.waitFor(() => expect(stream.frames().map(({ id }) => id)).toEqual([1, 2, 3, 4]), 30_000);
  await job.complete();
  await stream.ended;
  expect(stream.frames().at(-1)).toMatchObject({ event: "completed" });
  // That of the stream, and that of the calls at the same time.
  expect(deployment.environments).toHaveLength(2);
});

it("a rotation ends a stream where the next one begins", async () => {
  const url = await deploy("short", 20_000);
  const job = await runningJob(url, AUTHORIZED);
  const stream = await remoteStream(eventsOf(url, job.jobId), AUTHORIZED);
  await stream.ended;
  expect(stream.frames().at(-1)).toEqual({ id: null, event: "rotate", data: { resumeAfter: 3 } });
  await job.chunk("Whales ");
  const again = { ...AUTHORIZED, "last-event-id": "3" };
  const next = await remoteStream(eventsOf(url, job.jobId), again);
  await next.ended;
  expect(next.frames().map(({ id }) => id)).toEqual([4, null]);
});

it("a follower of the client library gets each event once, over all rotations", async () => {
  const url = await deploy("short", 20_000);
  const job = await runningJob(url, AUTHORIZED);
  const client = createClient({ url, key: KEY });
  const seen: number[] = [];
  const rotations = () =>
    deployment.log().filter(({ route, status }) => route === EVENTS && status === 200).length;
  const following = (async () => {
    for await (const event of client.queries.follow(job.jobId, { generation: 1 })) {
      if (event.type !== "snapshot") seen.push(event.eventSeq);
    }
  })();
  for (const connections of [1, 2, 3]) {
    await vi.waitFor(() => expect(rotations()).toBeGreaterThanOrEqual(connections), 20_000);
    await job.chunk(`part ${connections} `);
  }
  await job.complete();
  await following;
  expect(seen).toEqual([1, 2, 3, 4, 5, 6, 7]);
});

const EVENTS = "/v1/query-jobs/{jobId}/events";

it("a reader that goes away does not end the invocation, which its rotation does", async () => {
  const url = await deploy("short", 20_000);
  const job = await runningJob(url, AUTHORIZED);
  const leaving = new AbortController();
  const headers = { ...AUTHORIZED, accept: "text/event-stream" };
  const answer = await fetch(eventsOf(url, job.jobId), { headers, signal: leaving.signal });
  expect(answer.status).toBe(200);
  leaving.abort();
  await Promise.all(deployment.environments.map((one) => one.whenIdle()));
  expect(deployment.environments.every((one) => !one.isOver)).toBe(true);
  await job.chunk("Whales ");
});

it("a stream ends whole before the function's time does, and says so to its operator", async () => {
  const url = await deploy("usual", 5_000);
  const job = await runningJob(url, AUTHORIZED);
  const stream = await remoteStream(eventsOf(url, job.jobId), AUTHORIZED);
  await stream.ended;
  expect(stream.frames().map(({ id }) => id)).toEqual([1, 2, 3]);
  await Promise.all(deployment.environments.map((one) => one.whenIdle()));
  expect(deployment.environments.every((one) => !one.isOver)).toBe(true);
  expect(deployment.log().filter(({ event }) => event === "stream cut")).toMatchObject([
    { level: "warn", detail: "the function's time-out ends streams early: give it 60 s or more" },
  ]);
});
