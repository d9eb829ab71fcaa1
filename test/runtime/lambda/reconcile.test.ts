/** The pass that a schedule begins, in a function of its own. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { LambdaContext } from "../../../adapters/runtime/lambda/platform.ts";
import { reconcileHandler } from "../../../adapters/runtime/lambda/reconcile.ts";
import { MisconfiguredError } from "../../../src/ports/faults.ts";
import { type Sink, startSink } from "../../adapters/mail/sink.ts";
import { type DynamodbFront, dynamodbFront } from "../../fakes/dynamodb-front.ts";
import { errorAnswer, type FakeS3, fakeS3 } from "../../fakes/s3.ts";
import { bundled } from "./bundle.ts";
import type { Env } from "./environment.ts";
import { functionUrlEvent, queueEvent, ruleEvent, schedulerEvent } from "./events.ts";
import { type Deployed, deployed } from "./function.ts";
import {
  BUCKET_ENTRY,
  bucketEnv,
  enqueueBody,
  JSON_AUTHORIZED,
  TABLE_ENTRY,
  tableEnv,
} from "./given.ts";

let front: DynamodbFront;
let bucket: FakeS3;
let sink: Sink;
let bundles: { readonly table: string; readonly bucket: string };
const all: Deployed[] = [];

beforeAll(async () => {
  front = await dynamodbFront();
  const [table, ofBucket] = await Promise.all([bundled(TABLE_ENTRY), bundled(BUCKET_ENTRY)]);
  bundles = { table, bucket: ofBucket };
});

afterAll(() => front.close());

beforeEach(async () => {
  bucket = await fakeS3();
  sink = await startSink();
});

afterEach(async () => {
  front.setPlan(null);
  await Promise.all(all.splice(0).map((one) => one.close()));
  await bucket.close();
  await sink.close();
});

type Place = keyof typeof bundles;

function deploy(place: Place, handler: string, env: Env, timeoutMs = 40_000): Deployed {
  const one = deployed({ bundle: bundles[place], handler, env, timeoutMs });
  all.push(one);
  return one;
}

async function envOf(place: Place): Promise<Env> {
  const env = place === "table" ? await tableEnv(front) : bucketEnv(bucket);
  return {
    ...env,
    HOLDFAST_MAILER: `smtp://127.0.0.1:${sink.port}?tls=optional`,
    HOLDFAST_MAIL_FROM: "jobs@example.com",
  };
}

async function enqueue(place: Place, env: Env, ...keys: readonly string[]): Promise<void> {
  const http = deploy(place, "httpBuffered", env);
  for (const key of keys) {
    const body = enqueueBody(key);
    const asked = { method: "POST", path: "/v1/emails", headers: JSON_AUTHORIZED, body };
    expect(await http.result(functionUrlEvent(asked))).toMatchObject({ statusCode: 201 });
  }
}

/** Nothing answers as it should. */
const DOWN = { status: 500, type: "InternalServerError" };

describe.each(["table", "bucket"] as const)("a scheduled pass over a %s", (place) => {
  it.each([
    ["a rule", ruleEvent()],
    ["the scheduler", schedulerEvent()],
    ["the scheduler with a payload of its own", {}],
  ])("by %s delivers what is due, and answers its report", async (_name, event) => {
    const env = await envOf(place);
    await enqueue(place, env, "welcome:ann", "welcome:bob");
    const pass = deploy(place, "reconcile", env);
    expect(await pass.result(event)).toMatchObject({
      emails: { sent: 2, failed: 0 },
      failures: [],
      hasMore: false,
    });
    expect(sink.received).toHaveLength(2);
    expect(await pass.result(event)).toMatchObject({ emails: { sent: 0 }, failures: [] });
    expect(pass.environments).toHaveLength(1);
  });

  it("beside another delivers each mail once", async () => {
    const env = await envOf(place);
    await enqueue(place, env, "a", "b", "c");
    const pass = deploy(place, "reconcile", env);
    const reports = await Promise.all([pass.result(ruleEvent()), pass.result(ruleEvent())]);
    expect(pass.environments).toHaveLength(2);
    expect(sink.received).toHaveLength(3);
    const sent = reports.map((report) => Object(report["emails"]).sent);
    expect(sent.reduce((sum, one) => sum + one, 0)).toBe(3);
  });

  it("throws where the storage is down, and goes on when it is back", async () => {
    const env = await envOf(place);
    await enqueue(place, env, "welcome:ann");
    const pass = deploy(place, "reconcile", { ...env, HOLDFAST_RECONCILE_BUDGET_MS: "3000" });
    expect(await pass.result(ruleEvent())).toMatchObject({ emails: { sent: 1 } });
    front.setPlan(() => DOWN);
    bucket.faultOf = () => ({ answer: errorAnswer(500, "InternalError") });
    const { error } = await pass.invoke(ruleEvent());
    expect(error).toMatchObject({ errorType: "StoreUnavailableError" });
    expect(error?.errorMessage).toMatch(
      /^the pass could read nothing \((?:unavailable|store_timeout)/,
    );
    front.setPlan(null);
    bucket.faultOf = () => null;
    expect(await pass.result(ruleEvent())).toMatchObject({ failures: [] });
  });

  it("throws where it was down from the beginning", async () => {
    const env = await envOf(place);
    front.setPlan(() => DOWN);
    bucket.faultOf = () => ({ answer: errorAnswer(500, "InternalError") });
    const pass = deploy(place, "reconcile", env);
    expect((await pass.invoke(ruleEvent())).error?.errorType).toBe("StoreUnavailableError");
    front.setPlan(null);
    bucket.faultOf = () => null;
    expect(await pass.result(ruleEvent())).toMatchObject({ failures: [] });
    expect(pass.environments).toHaveLength(1);
  });

  it("throws by the clock's name where that is ten minutes off", async () => {
    for (const offset of ["600000", "-600000"]) {
      const env = { ...(await envOf(place)), CLOCK_OFFSET_MS: offset };
      const { error } = await deploy(place, "reconcile", env).invoke(ruleEvent());
      expect(error?.errorType).toBe("MisconfiguredError");
      expect(error?.errorMessage).toMatch(
        /^this machine's clock is (599|600|601) s (behind|ahead of) /,
      );
    }
  });
});

describe("a scheduled pass", () => {
  const sumOf = (counts: Readonly<Record<string, number>>): number =>
    Object.values(counts).reduce((sum, one) => sum + one, 0);

  it("asks a table at most ten times where nothing is due, for its clock once alone", async () => {
    const { HOLDFAST_KEYS: _keys, ...own } = await tableEnv(front);
    const pass = deploy("table", "reconcile", own);
    front.takeCounts();
    await pass.result(ruleEvent());
    const first = front.takeCounts();
    // What the storage asks when it is opened is among them.
    expect(sumOf(first)).toBeLessThanOrEqual(10);
    await pass.result(ruleEvent());
    const later = front.takeCounts();
    expect(later["GetItem"] ?? 0).toBeLessThan(first["GetItem"] ?? 0);
    await pass.result(ruleEvent());
    expect(front.takeCounts()).toEqual(later);
  });

  it("asks a bucket at most four times where nothing is due, for its clock once alone", async () => {
    const { HOLDFAST_KEYS: _keys, ...own } = bucketEnv(bucket);
    const pass = deploy("bucket", "reconcile", own);
    await pass.result(ruleEvent());
    const first = bucket.counted();
    expect(sumOf(first)).toBeLessThanOrEqual(4);
    await pass.result(ruleEvent());
    expect(bucket.counted().get).toBe(first.get - 1);
  });

  it("throws what is wrong with its configuration, and nothing of what that says", async () => {
    const env = { ...(await tableEnv(front)), HOLDFAST_KEYS: "S3cret" };
    const { error } = await deploy("table", "reconcile", env).invoke(ruleEvent());
    expect(error?.errorType).toBe("MisconfiguredError");
    expect(error?.errorMessage).toMatch(/^HOLDFAST_KEYS must be JSON/);
    expect(error?.errorMessage).not.toContain("S3cret");
  });

  it("throws by the table's name where that is missing", async () => {
    const env = { ...(await tableEnv(front)), HOLDFAST_TABLE: "another" };
    const { error } = await deploy("table", "reconcile", env).invoke(ruleEvent());
    expect(error).toMatchObject({ errorType: "MisconfiguredError" });
    expect(error?.errorMessage).toContain("another");
  });

  it("is begun by no request and no message", async () => {
    const pass = deploy("table", "reconcile", await tableEnv(front));
    for (const event of [functionUrlEvent({ path: "/S3cret" }), queueEvent(["S3cret"])]) {
      const { error } = await pass.invoke(event);
      expect(error?.errorMessage).toMatch(
        /^this handler is for a schedule, and got an object with /,
      );
      expect(error?.errorMessage).not.toContain("S3cret");
    }
  });

  it("has what is left of the function's time, less seven seconds for its end", async () => {
    const budgets: number[] = [];
    const handler = reconcileHandler({
      async reconcile({ budgetMs }) {
        budgets.push(budgetMs);
        throw new MisconfiguredError("enough");
      },
    });
    const within = (ms: number): LambdaContext => ({
      awsRequestId: "1",
      getRemainingTimeInMillis: () => ms,
    });
    await expect(handler({}, within(60_000))).rejects.toThrow("enough");
    await expect(handler({}, within(7_100))).rejects.toThrow("enough");
    await expect(handler({}, within(7_099))).rejects.toThrow(/time-out leaves no time for a pass/);
    expect(budgets).toEqual([53_000, 100]);
  });
});
