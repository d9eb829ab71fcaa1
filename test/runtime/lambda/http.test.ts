/** Requests through everything that AWS has before a function, each event in its own shape. */
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { sha256Hex } from "../../../src/core/hash.ts";
import { type DynamodbFront, dynamodbFront } from "../../fakes/dynamodb-front.ts";
import { type FakeS3, fakeS3 } from "../../fakes/s3.ts";
import { bundled } from "./bundle.ts";
import type { Env } from "./environment.ts";
import {
  type Asked,
  balancerEvent,
  functionUrlEvent,
  httpApiEvent,
  restEvent,
  ruleEvent,
} from "./events.ts";
import { type Deployed, deployed, streamedAnswer } from "./function.ts";
import {
  AUTHORIZED,
  BUCKET_ENTRY,
  bucketEnv,
  enqueueBody,
  JSON_AUTHORIZED,
  TABLE_ENTRY,
  tableEnv,
} from "./given.ts";

let front: DynamodbFront;
let bucket: FakeS3;
let tableBundle: string;
let bucketBundle: string;
let current: Deployed | null = null;

beforeAll(async () => {
  front = await dynamodbFront();
  bucket = await fakeS3();
  [tableBundle, bucketBundle] = await Promise.all([bundled(TABLE_ENTRY), bundled(BUCKET_ENTRY)]);
});

afterAll(async () => {
  await front.close();
  await bucket.close();
});

afterEach(async () => {
  await current?.close();
  current = null;
});

async function onTable(handler = "http", env: Env = {}): Promise<Deployed> {
  const all = { ...(await tableEnv(front)), ...env };
  current = deployed({ bundle: tableBundle, handler, env: all, timeoutMs: 20_000 });
  return current;
}

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

type Way = (deployment: Deployed, asked: Asked) => Promise<Answer>;

async function byUrl(deployment: Deployed, asked: Asked): Promise<Answer> {
  const { prelude, text } = streamedAnswer(await deployment.invoke(functionUrlEvent(asked)));
  return { status: prelude.statusCode, headers: prelude.headers, text };
}

async function byStreamingRest(deployment: Deployed, asked: Asked): Promise<Answer> {
  const { prelude, text } = streamedAnswer(await deployment.invoke(restEvent(asked)));
  return { status: prelude.statusCode, headers: prelude.headers, text };
}

/** The event of it leads to an answer as a whole. */
function whole(eventOf: (asked: Asked) => unknown): Way {
  return async (deployment, asked) => {
    const result = await deployment.result(eventOf(asked));
    const multi = Object.entries(Object(result["multiValueHeaders"]));
    const single = Object.entries(Object(result["headers"]));
    expect(result["isBase64Encoded"]).toBe(false);
    return {
      status: Number(result["statusCode"]),
      headers: Object.fromEntries([
        ...single,
        ...multi.map(([name, values]) => [name, Object(values)[0]]),
      ]),
      text: String(result["body"]),
    };
  };
}

const WAYS: readonly (readonly [string, string, Way])[] = [
  ["a function URL that streams", "http", byUrl],
  ["a REST API that streams", "http", byStreamingRest],
  ["an HTTP API", "http", whole((asked) => httpApiEvent(asked))],
  ["a load balancer", "http", whole((asked) => balancerEvent(asked, false))],
  ["a load balancer with all values", "http", whole((asked) => balancerEvent(asked, true))],
  ["a function URL that buffers", "httpBuffered", whole(functionUrlEvent)],
  ["a REST API that buffers", "httpBuffered", whole((asked) => restEvent(asked))],
];

describe.each(WAYS)("behind %s", (_name, handler, ask) => {
  it("a job is made, read by its key and read with none of it", async () => {
    const deployment = await onTable(handler);
    const made = await ask(deployment, {
      method: "POST",
      path: "/v1/emails",
      headers: { ...JSON_AUTHORIZED, "x-request-id": "request-1" },
      body: enqueueBody("welcome:ann@example.com"),
    });
    expect(made).toMatchObject({
      status: 201,
      headers: { "x-request-id": "request-1", "content-type": "application/json" },
    });
    const isDecoded = ask === WAYS[2]?.[2];
    const path = isDecoded
      ? "/v1/emails/welcome:ann@example.com"
      : "/v1/emails/welcome%3Aann%40example.com";
    const read = await ask(deployment, { path, headers: AUTHORIZED });
    expect([read.status, JSON.parse(read.text).job.logicalKey]).toEqual([
      200,
      "welcome:ann@example.com",
    ]);
    const head = await ask(deployment, { method: "HEAD", path, headers: AUTHORIZED });
    expect([head.status, head.text]).toEqual([200, ""]);
    const none = await ask(deployment, {
      method: "POST",
      path: "/v1/email-ai-claims",
      headers: JSON_AUTHORIZED,
      body: '{"claimant":"ann@example.com"}',
    });
    expect([none.status, none.text]).toEqual([204, ""]);
    const missing = await ask(deployment, { path: "/v1/emails/none" });
    expect([missing.status, JSON.parse(missing.text).code]).toEqual([401, "unauthorized"]);
    expect(deployment.environments).toHaveLength(1);
  });

  it("nothing of one connection stands in an answer, nor what a body is not", async () => {
    const deployment = await onTable(handler);
    const page = await ask(deployment, { path: "/docs" });
    expect([page.status, page.headers["content-type"]]).toEqual([200, "text/html; charset=utf-8"]);
    for (const name of ["connection", "transfer-encoding", "keep-alive"]) {
      expect(page.headers).not.toHaveProperty(name);
    }
    expect(page.text).toMatch(/^<!doctype html>/i);
  });

  it("a body in base64 is read, and one that only says so is refused", async () => {
    const deployment = await onTable(handler);
    const asked = {
      method: "POST",
      path: "/v1/emails",
      // As it was before it was packed, or something else: the body counts.
      headers: { ...JSON_AUTHORIZED, "content-length": "7" },
      isBase64Encoded: true,
    };
    const body = enqueueBody("welcome:ü", "Schön, daß Du da bist.");
    const made = await ask(deployment, { ...asked, body: Buffer.from(body).toString("base64") });
    expect([made.status, JSON.parse(made.text).job.text]).toEqual([201, "Schön, daß Du da bist."]);
    const wrong = await ask(deployment, { ...asked, body });
    expect(JSON.parse(wrong.text)).toMatchObject({
      status: 400,
      code: "bad_request",
      detail: "the body is told to be base64, and is not",
      instance: "/v1/emails",
    });
    expect(wrong.text + JSON.stringify(deployment.log())).not.toContain("Schön");
  });

  it("no body is none, whatever length a header says", async () => {
    const deployment = await onTable(handler);
    const headers = { ...AUTHORIZED, "content-length": "9000000" };
    const asked = { method: "POST", path: "/v1/emails/none/requeues", headers, body: "" };
    expect((await ask(deployment, asked)).status).toBe(404);
  });

  it("what is no request is answered in the form of all problems", async () => {
    const deployment = await onTable(handler);
    const bodied = await ask(deployment, { path: "/healthz", body: "x" });
    expect([bodied.status, JSON.parse(bodied.text).detail]).toEqual([
      400,
      "a GET request must not have a body",
    ]);
    const header = await ask(deployment, { path: "/healthz", headers: { "x-a": "a\nb" } });
    expect([header.status, header.headers["content-type"]]).toEqual([
      400,
      "application/problem+json",
    ]);
    const odd = await ask(deployment, { path: "/healthz", headers: { "x-a": "ü→" } });
    expect(odd.status).toBe(200);
  });

  it("a parameter that stands there twice is refused, and one with signs is read", async () => {
    const deployment = await onTable(handler);
    const twice = await ask(deployment, {
      path: "/v1/emails",
      query: "limit=1&limit=2",
      headers: AUTHORIZED,
    });
    // A load balancer that tells one value of each name tells the last.
    const isLost = ask === WAYS[3]?.[2];
    expect(twice.status).toBe(isLost ? 200 : 422);
    const signs = await ask(deployment, {
      path: "/v1/emails",
      query: "limit=%31%30",
      headers: AUTHORIZED,
    });
    expect(signs.status).toBe(200);
    const cursor = await ask(deployment, {
      path: "/v1/emails",
      query: "limit=1&cursor=a%2Bb%26limit=2",
      headers: AUTHORIZED,
    });
    expect(JSON.parse(cursor.text).code).toBe("invalid_cursor");
  });
});

describe("over a bucket", () => {
  it("a job is made and read", async () => {
    const env = bucketEnv(bucket);
    current = deployed({ bundle: bucketBundle, handler: "http", env, timeoutMs: 20_000 });
    const made = await byUrl(current, {
      method: "POST",
      path: "/v1/emails",
      headers: JSON_AUTHORIZED,
      body: enqueueBody("welcome:ann"),
    });
    expect(made.status).toBe(201);
    const read = await byUrl(current, { path: "/v1/emails/welcome:ann", headers: AUTHORIZED });
    expect(JSON.parse(read.text)).toMatchObject({ job: { state: "pending" } });
  });
});

describe("keys with signs that paths are made of", () => {
  const KEYS_OF_ALL_SORTS = ["a/b", "100%", "who?", "#1", "a%2Fb", "ü ö", "a+b", "a;b=c"];

  it.each(WAYS.filter(([name]) => !name.includes("HTTP API")))(
    "behind %s reach their job",
    async (_name, handler, ask) => {
      const deployment = await onTable(handler);
      for (const key of KEYS_OF_ALL_SORTS) {
        const asked = { method: "POST", path: "/v1/emails", headers: JSON_AUTHORIZED };
        await ask(deployment, { ...asked, body: enqueueBody(key) });
        const path = `/v1/emails/${encodeURIComponent(key)}`;
        const { text } = await ask(deployment, { path, headers: AUTHORIZED });
        expect(JSON.parse(text)).toMatchObject({ job: { logicalKey: key } });
      }
    },
  );

  it("behind an HTTP API, which decodes paths, need their hash where that took something away", async () => {
    const deployment = await onTable("http");
    const ask = whole((asked) => httpApiEvent(asked));
    // What HTTP APIs were seen to send for the encoded form; of a%2Fb and who%3F too little is left.
    const told = { "#1": "#1", "ü ö": "ü ö", "a+b": "a+b", "a;b=c": "a;b=c", "100%": "100%" };
    for (const [key, path] of Object.entries(told)) {
      const asked = { method: "POST", path: "/v1/emails", headers: JSON_AUTHORIZED };
      await ask(deployment, { ...asked, body: enqueueBody(key) });
      const { text } = await ask(deployment, { path: `/v1/emails/${path}`, headers: AUTHORIZED });
      expect(JSON.parse(text)).toMatchObject({ job: { logicalKey: key } });
    }
    const asked = { method: "POST", path: "/v1/emails", headers: JSON_AUTHORIZED };
    await ask(deployment, { ...asked, body: enqueueBody("a/b") });
    const lost = await ask(deployment, { path: "/v1/emails/a/b", headers: AUTHORIZED });
    expect(lost.status).toBe(404);
    const hash = await ask(deployment, {
      path: `/v1/emails/sha256:${sha256Hex("a/b")}`,
      headers: AUTHORIZED,
    });
    expect(JSON.parse(hash.text)).toMatchObject({ job: { logicalKey: "a/b" } });
  });
});

describe("the stage of an API", () => {
  it("is no part of the path, also where it is called as we call ours", async () => {
    const deployment = await onTable("httpBuffered");
    for (const stage of ["dev", "v1"]) {
      for (const path of [`/${stage}/v1/health`, "/v1/health"]) {
        for (const event of [
          httpApiEvent({ path, headers: AUTHORIZED }, stage),
          restEvent({ path, headers: AUTHORIZED }, stage),
          { ...restEvent({ path, headers: AUTHORIZED }, stage), version: "1.0" },
        ]) {
          expect(await deployment.result(event)).toMatchObject({ statusCode: 200 });
        }
      }
    }
    const other = await deployment.result(httpApiEvent({ path: "/x/v1/health" }, "dev"));
    expect(other).toMatchObject({ statusCode: 404 });
  });
});

describe("a handler for requests", () => {
  it.each(["http", "httpBuffered"])(
    "%s throws at what is none, and tells its shape alone",
    async (handler) => {
      const deployment = await onTable(handler);
      const { error } = await deployment.invoke({ prompt: "S3cret", [`${"x".repeat(50)}`]: 1 });
      expect(error).toMatchObject({ errorType: "TypeError" });
      expect(error?.errorMessage).toMatch(/and got an object with prompt, x{40}$/);
      expect((await deployment.invoke("S3cret")).error?.errorMessage).toMatch(/and got a string$/);
      expect((await deployment.invoke({})).error?.errorMessage).toMatch(/and got an empty object$/);
      expect((await deployment.invoke(ruleEvent())).error?.errorMessage).toContain("detail-type");
    },
  );

  it("answers 503 by the names of variables that are wrong, and logs why", async () => {
    const deployment = await onTable("http", { HOLDFAST_KEYS: "S3cret", HOLDFAST_APP: "./app.js" });
    const { status, text } = await byUrl(deployment, { path: "/v1/health" });
    expect([status, JSON.parse(text).detail]).toEqual([
      503,
      "HOLDFAST_KEYS, HOLDFAST_APP: the log says what is wrong",
    ]);
    const [line] = deployment.log();
    expect(line?.["message"]).toMatch(
      /HOLDFAST_APP must not be set on AWS Lambda: give it to lambda\(\{ app \}\)/,
    );
    expect(JSON.stringify(line)).not.toContain("S3cret");
  });

  it("finds keys in a file of its deployment", async () => {
    const folder = mkdtempSync(join(tmpdir(), "holdfast-lambda-"));
    const { HOLDFAST_KEYS: keys = "" } = await tableEnv(front);
    writeFileSync(join(folder, "keys.json"), keys);
    const deployment = await onTable("http", {
      HOLDFAST_KEYS: "@keys.json",
      LAMBDA_TASK_ROOT: folder,
    });
    const { status } = await byUrl(deployment, { path: "/v1/health", headers: AUTHORIZED });
    expect(status).toBe(200);
  });
});

describe("an answer as a whole", () => {
  it("is no stream: whoever asks for one is told what to do, at once", async () => {
    const deployment = await onTable("httpBuffered");
    const ask = whole(functionUrlEvent);
    const made = await ask(deployment, {
      method: "POST",
      path: "/v1/query-jobs",
      headers: JSON_AUTHORIZED,
      body: JSON.stringify({
        clientJobId: "11111111-1111-4111-8111-111111111111",
        generation: 1,
        query: "Are whales fish?",
        sessionId: "chat-42",
      }),
    });
    const { jobId } = JSON.parse(made.text).job;
    const asked = { path: `/v1/query-jobs/${jobId}/events`, query: "generation=1" };
    const stream = await ask(deployment, {
      ...asked,
      headers: { ...AUTHORIZED, accept: "text/event-stream", "x-request-id": "request-1" },
    });
    expect([stream.status, stream.headers["content-type"], stream.headers["x-request-id"]]).toEqual(
      [422, "application/problem+json", "request-1"],
    );
    expect(JSON.parse(stream.text).detail).toContain("leave out accept: text/event-stream");
    const page = await ask(deployment, { ...asked, headers: AUTHORIZED });
    expect(JSON.parse(page.text).events).toHaveLength(1);
    expect(JSON.stringify(deployment.log())).not.toContain("whales");
  });

  it("over what is passed on is refused with the way to less of it", async () => {
    const deployment = await onTable("http");
    const ask = whole((asked) => balancerEvent(asked, false));
    for (let n = 0; n < 12; n += 1) {
      const made = await ask(deployment, {
        method: "POST",
        path: "/v1/emails",
        headers: JSON_AUTHORIZED,
        body: enqueueBody(`key-${n}`, "S3cret ".repeat(14_000)),
      });
      expect(made.status).toBe(201);
    }
    const all = await ask(deployment, { path: "/v1/emails", headers: AUTHORIZED });
    expect(JSON.parse(all.text)).toMatchObject({ status: 422, errors: [{ path: "limit" }] });
    expect(all.text).not.toContain("S3cret");
    const fewer = await ask(deployment, {
      path: "/v1/emails",
      query: "limit=4",
      headers: AUTHORIZED,
    });
    expect(fewer.status).toBe(200);
    const streamed = await byUrl(deployment, { path: "/v1/emails", headers: AUTHORIZED });
    expect([streamed.status, JSON.parse(streamed.text).jobs.length]).toEqual([200, 12]);
  });
});
