/** A process that stands still, for as long as Lambda likes, and connections that died meanwhile. */
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type DynamodbFront, dynamodbFront } from "../../fakes/dynamodb-front.ts";
import { type FakeS3, fakeS3 } from "../../fakes/s3.ts";
import { framesIn } from "../../http/streams.ts";
import { runningJob } from "../queries.ts";
import { bundled } from "./bundle.ts";
import { type Env, environment } from "./environment.ts";
import { functionUrlEvent, ruleEvent } from "./events.ts";
import { type Deployed, deployed, functionUrl, preludeOf, streamedAnswer } from "./function.ts";
import {
  AUTHORIZED,
  BUCKET_ENTRY,
  bucketEnv,
  enqueueBody,
  JSON_AUTHORIZED,
  TABLE_ENTRY,
  tableEnv,
} from "./given.ts";
import { type Relay, relay } from "./relay.ts";

let front: DynamodbFront;
let bucket: FakeS3;
let bundles: { readonly table: string; readonly bucket: string; readonly short: string };
let between: Relay;
let all: Deployed[] = [];

beforeAll(async () => {
  front = await dynamodbFront();
  bucket = await fakeS3();
  const [table, ofBucket, short] = await Promise.all([
    bundled(TABLE_ENTRY),
    bundled(BUCKET_ENTRY),
    bundled("entry-short-streams.js"),
  ]);
  bundles = { table, bucket: ofBucket, short };
});

afterAll(async () => {
  await front.close();
  await bucket.close();
});

beforeEach(() => {
  all = [];
});

afterEach(async () => {
  await Promise.all(all.map((one) => one.close()));
  await between.close();
});

type Place = "table" | "bucket";

async function envOf(place: Place): Promise<Env> {
  const env = place === "table" ? await tableEnv(front) : bucketEnv(bucket);
  between = await relay(env["HOLDFAST_ENDPOINT"] ?? "");
  return { ...env, HOLDFAST_ENDPOINT: between.endpoint };
}

function deploy(bundle: keyof typeof bundles, env: Env, handler = "http"): Deployed {
  const one = deployed({ bundle: bundles[bundle], handler, env, timeoutMs: 40_000 });
  all.push(one);
  return one;
}

const made = (key: string) =>
  functionUrlEvent({
    method: "POST",
    path: "/v1/emails",
    headers: JSON_AUTHORIZED,
    body: enqueueBody(key),
  });

const read = (key: string) => functionUrlEvent({ path: `/v1/emails/${key}`, headers: AUTHORIZED });

function posted(path: string, body: object) {
  const asked = { method: "POST", path, headers: JSON_AUTHORIZED, body: JSON.stringify(body) };
  return functionUrlEvent(asked);
}

async function answerOf(one: Deployed, event: unknown) {
  const { prelude, text } = streamedAnswer(await one.invoke(event));
  return { status: prelude.statusCode, body: JSON.parse(text) };
}

describe.each(["table", "bucket"] as const)(
  "connections to a %s that died between requests",
  (place) => {
    it.each(["cut", "mute"] as const)("(%s) keep nobody from the next answer", async (how) => {
      const http = deploy(place, await envOf(place));
      const keys = [`${how}-1`, `${how}-2`, `${how}-3`];
      expect((await answerOf(http, made(keys[0] ?? ""))).status).toBe(201);
      await http.environments[0]?.whenIdle();
      between[how]();
      expect((await answerOf(http, read(keys[0] ?? ""))).body.job.state).toBe("pending");
      await http.environments[0]?.whenIdle();
      between[how]();
      const write = await answerOf(http, made(keys[1] ?? ""));
      // Where it is not known whether it was written, the same again tells.
      if (write.status === 503) {
        expect((await answerOf(http, made(keys[1] ?? ""))).status).toBeLessThan(202);
      } else expect(write.status).toBe(201);
      expect((await answerOf(http, read(keys[1] ?? ""))).body.job.attempts).toBe(0);
      expect(http.environments).toHaveLength(1);
    });
  },
);

describe("a process that is stopped", () => {
  it("while it opens its storage, until that has failed, opens it anew for its first request", async () => {
    const env = await envOf("table");
    front.setPlan(() => ({ applied: "never", seen: "silence" }));
    const one = await environment({
      bundle: bundles.table,
      handler: "http",
      env,
      timeoutMs: 40_000,
    });
    await one.whenIdle();
    front.setPlan(null);
    // Longer than anybody waits for an answer of the table.
    await sleep(6_500);
    const { prelude } = streamedAnswer(await one.invoke(read("none")).ended);
    expect(prelude.statusCode).toBe(404);
    await one.close();
  });

  it("in the middle of a settlement does not make one once its lease is another's", async () => {
    const http = deploy("table", await envOf("table"));
    await answerOf(http, made("welcome"));
    await answerOf(
      http,
      posted("/v1/emails/welcome/transitions", { from: ["pending"], to: "ready" }),
    );
    const leases = "/v1/emails/welcome/leases";
    const first = await answerOf(http, posted(leases, { durationMs: 100 }));
    const settle = { leaseToken: first.body.job.leaseToken, to: "sent" };
    const { by, invocation } = await http.begin(posted("/v1/emails/welcome/settlements", settle));
    by.freeze();
    await sleep(200);
    const second = await answerOf(http, posted(leases, { durationMs: 60_000 }));
    expect(second.body.job.attempts).toBe(2);
    by.thaw();
    const late = streamedAnswer(await invocation.ended);
    expect([late.prelude.statusCode, JSON.parse(late.text).code]).toEqual([409, "lease_lost"]);
    const { leaseToken } = second.body.job;
    const own = posted("/v1/emails/welcome/settlements", { leaseToken, to: "sent" });
    expect((await answerOf(http, own)).body.job.state).toBe("sent");
  });

  it("in the middle of a pass ends it when it goes on, and harms nothing", async () => {
    const env = await envOf("table");
    const http = deploy("table", env);
    for (const key of ["a", "b"]) await answerOf(http, made(key));
    const pass = deploy("table", env, "reconcile");
    await pass.result(ruleEvent());
    const { by, invocation } = await pass.begin(ruleEvent());
    by.freeze();
    await sleep(300);
    between.cut();
    by.thaw();
    const { error } = await invocation.ended;
    expect(error).toBeNull();
    expect((await answerOf(http, read("a"))).body.job.state).toBe("ready");
  });

  it("in the middle of a stream for longer than it lasts rotates it, and nothing is lost", async () => {
    const http = deploy("short", await envOf("table"));
    const entrance = await functionUrl(http);
    const job = await runningJob(entrance.url, AUTHORIZED);
    const path = `/v1/query-jobs/${job.jobId}/events`;
    const asked = { path, headers: { ...AUTHORIZED, accept: "text/event-stream" } };
    const { by, invocation } = await http.begin(
      functionUrlEvent({ ...asked, query: "generation=1" }),
    );
    const begun = new Promise<void>((resolve) => {
      invocation.onBytes(() => {
        if (invocation.bytes().includes("id: 3\n")) resolve();
      });
    });
    await begun;
    by.freeze();
    await job.chunk("Whales ");
    await sleep(2_000);
    between.cut();
    by.thaw();
    const { error, body } = await invocation.ended;
    expect(error).toBeNull();
    const frames = framesIn(preludeOf(body)?.body.toString() ?? "");
    const last = frames.at(-1);
    expect(last?.event).toBe("rotate");
    const after = Number(last?.data["resumeAfter"]);
    const again = functionUrlEvent({ ...asked, query: `generation=1&after=${after}` });
    const rest = framesIn(streamedAnswer(await http.invoke(again)).text);
    const ids = [...frames, ...rest].flatMap(({ id }) => (id === null ? [] : [id]));
    expect(ids).toEqual([1, 2, 3, 4]);
    await entrance.close();
  });
});
