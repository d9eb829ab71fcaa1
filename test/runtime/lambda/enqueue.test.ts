/** Emails that come as messages of a queue. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { enqueueHandler } from "../../../adapters/runtime/lambda/enqueue.ts";
import { memoryStorage } from "../../../adapters/storage/memory.ts";
import { createHoldfast } from "../../../src/holdfast.ts";
import { InvalidInputError } from "../../../src/services/errors.ts";
import { type DynamodbFront, dynamodbFront } from "../../fakes/dynamodb-front.ts";
import { bundled } from "./bundle.ts";
import type { Env } from "./environment.ts";
import { functionUrlEvent, queueEvent, ruleEvent } from "./events.ts";
import { type Deployed, deployed } from "./function.ts";
import { AUTHORIZED, enqueueBody, JSON_AUTHORIZED, TABLE_ENTRY, tableEnv } from "./given.ts";

let front: DynamodbFront;
let bundle: string;
let env: Env;
let queue: Deployed;
let http: Deployed;

beforeAll(async () => {
  front = await dynamodbFront();
  bundle = await bundled(TABLE_ENTRY);
});

afterAll(() => front.close());

beforeEach(async () => {
  env = await tableEnv(front);
  queue = deployed({ bundle, handler: "enqueue", env, timeoutMs: 20_000 });
  http = deployed({ bundle, handler: "httpBuffered", env, timeoutMs: 20_000 });
});

afterEach(async () => {
  front.setPlan(null);
  await queue.close();
  await http.close();
});

/** What SQS is to keep. */
async function failedOf(event: unknown): Promise<readonly string[]> {
  const { batchItemFailures } = await queue.result(event);
  return (batchItemFailures as { itemIdentifier: string }[]).map((one) => one.itemIdentifier);
}

async function keys(headers: Readonly<Record<string, string>> = AUTHORIZED): Promise<string[]> {
  const { body } = await http.result(functionUrlEvent({ path: "/v1/emails", headers }));
  const { jobs } = JSON.parse(String(body));
  return jobs.map((job: { logicalKey: string }) => job.logicalKey).sort();
}

const refusals = () => queue.log().filter(({ event }) => event === "message refused");

const withMore = (key: string, more: object): string =>
  JSON.stringify({ ...JSON.parse(enqueueBody(key)), ...more });

const SHOP = { authorization: `Bearer hf_shop_${"A".repeat(43)}` };

describe("a batch of messages", () => {
  it("makes each job once, however often its message comes", async () => {
    const event = queueEvent([enqueueBody("a"), enqueueBody("b"), enqueueBody("a")]);
    expect(await failedOf(event)).toEqual([]);
    expect(await failedOf(event)).toEqual([]);
    expect(await keys()).toEqual(["a", "b"]);
    expect(queue.log()).toEqual([]);
  });

  it("goes to the tenants that keys name, and to no other", async () => {
    const event = queueEvent([
      withMore("a", { tenant: "shop" }),
      withMore("b", { tenant: "nobody" }),
      enqueueBody("c"),
    ]);
    expect(await failedOf(event)).toEqual(["message-2"]);
    expect(await keys()).toEqual(["c"]);
    expect(await keys(SHOP)).toEqual(["a"]);
    expect(refusals()).toMatchObject([
      { messageId: "message-2", code: "invalid_request", isFinal: true, level: "error" },
    ]);
  });

  it("fails what can never succeed, by its id, and does the rest", async () => {
    const event = queueEvent([
      "no JSON: S3cret",
      withMore("a", { surprise: "S3cret" }),
      JSON.stringify({ logicalKey: "b", payload: { type: "message", recipient: "S3cret" } }),
      JSON.stringify({
        logicalKey: "c",
        payload: { type: "S3cret", recipient: "ann@example.com" },
      }),
      '{"logicalKey":"d","logicalKey":"S3cret","payload":{}}',
      enqueueBody("e"),
      "",
    ]);
    expect(await failedOf(event)).toEqual([1, 2, 3, 4, 5, 7].map((n) => `message-${n}`));
    expect(await keys()).toEqual(["e"]);
    const lines = refusals();
    expect(lines).toHaveLength(6);
    for (const line of lines) expect(line).toMatchObject({ level: "error", isFinal: true });
    expect(lines.map(({ code, detail }) => [code, detail])).toContainEqual([
      "malformed_json",
      "the body cannot be parsed as JSON",
    ]);
    expect(JSON.stringify(lines)).not.toContain("S3cret");
    expect(lines.map(({ detail }) => detail)).toContain("surprise: unknown property");
  });

  it("fails without the words of an application's own kind, which may quote", async () => {
    const lines: unknown[] = [];
    const holdfast = await createHoldfast({ storage: memoryStorage() });
    const quoting = {
      ...holdfast,
      emails: {
        ...holdfast.emails,
        async enqueue(): Promise<never> {
          throw new InvalidInputError([{ path: "payload.name", message: "not S3cret" }]);
        },
      },
    };
    const handler = enqueueHandler({
      open: async () => ({ holdfast: quoting, tenants: [] }),
      log: (...line) => void lines.push(line),
    });
    const context = { awsRequestId: "1", getRemainingTimeInMillis: () => 20_000 };
    await handler(queueEvent([enqueueBody("a")]), context);
    expect(lines).toEqual([
      [
        "error",
        "message refused",
        {
          messageId: "message-1",
          code: "invalid_request",
          detail: "not valid: payload.name",
          isFinal: true,
        },
      ],
    ]);
  });

  it("takes what POST /v1/emails takes, options included", async () => {
    const one = withMore("a", {
      notBefore: "2031-01-01T00:00:00.000Z",
      onPayloadMismatch: "conflict",
    });
    expect(await failedOf(queueEvent([one]))).toEqual([]);
    const stored = JSON.stringify(await front.items(env["HOLDFAST_TABLE"] ?? ""));
    expect(stored).toContain("2031-01-01T00:00:00.000Z");
    const other = JSON.parse(enqueueBody("a", "Something else."));
    const conflict = JSON.stringify({ ...other, onPayloadMismatch: "conflict" });
    expect(await failedOf(queueEvent([conflict]))).toEqual(["message-1"]);
    expect(refusals()).toMatchObject([{ code: "job_payload_conflict", isFinal: true }]);
    const made = await http.result(
      functionUrlEvent({ method: "POST", path: "/v1/emails", headers: JSON_AUTHORIZED, body: one }),
    );
    expect(made).toMatchObject({ statusCode: 200 });
  });

  it("fails what the storage did not take, to come again", async () => {
    await failedOf(queueEvent([enqueueBody("a")]));
    front.setPlan((operation, input) =>
      operation === "PutItem" && JSON.stringify(input).includes("bob")
        ? { status: 400, type: "ProvisionedThroughputExceededException" }
        : null,
    );
    const bob = enqueueBody("b").replace("ann@", "bob@");
    expect(await failedOf(queueEvent([bob, enqueueBody("c")]))).toEqual(["message-1"]);
    expect(refusals()).toMatchObject([
      { messageId: "message-1", code: "throttled", isFinal: false, level: "warn" },
    ]);
    front.setPlan(null);
    expect(await failedOf(queueEvent([bob]))).toEqual([]);
    expect(await keys()).toEqual(["a", "b", "c"]);
  });

  it("of a FIFO queue ends each group at its first that fails, and no other group", async () => {
    const bodies = ["a", "", "b", "c"].map((name) => (name === "" ? "no JSON" : enqueueBody(name)));
    const { Records } = queueEvent(bodies, "jobs.fifo");
    const groups = ["one", "one", "one", "two"];
    const event = {
      Records: Records.map((message, index) => ({
        ...message,
        attributes: { ...message.attributes, MessageGroupId: groups[index] },
      })),
    };
    expect(await failedOf(event)).toEqual(["message-2", "message-3"]);
    expect(await keys()).toEqual(["a", "c"]);
    expect(refusals()).toHaveLength(1);
  });

  it("begins nothing that the function has no time for", async () => {
    const short = deployed({ bundle, handler: "enqueue", env, timeoutMs: 2_900 });
    const answer = await short.result(queueEvent([enqueueBody("a")]));
    expect(answer).toEqual({ batchItemFailures: [{ itemIdentifier: "message-1" }] });
    expect(short.log()).toMatchObject([{ code: "out_of_time", isFinal: false }]);
    await short.close();
    expect(await keys()).toEqual([]);
  });

  it("comes again as a whole where nothing can be opened", async () => {
    front.setPlan(() => ({ status: 500, type: "InternalServerError" }));
    const { error } = await queue.invoke(queueEvent([enqueueBody("a")]));
    expect(error?.errorType).toBe("StoreUnavailableError");
    front.setPlan(null);
    expect(await failedOf(queueEvent([enqueueBody("a")]))).toEqual([]);
  });

  it("is no other event", async () => {
    for (const event of [ruleEvent(), functionUrlEvent({ path: "/S3cret" }), { Records: [{}] }]) {
      const { error } = await queue.invoke(event);
      expect(error?.errorMessage).toMatch(
        /^this handler is for an SQS queue, and got an object with /,
      );
      expect(error?.errorMessage).not.toContain("S3cret");
    }
  });
});
