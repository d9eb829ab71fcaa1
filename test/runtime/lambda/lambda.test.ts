/** The handlers as they are made, in this process, which is none of Lambda's. */
import { afterEach, expect, it, vi } from "vitest";
import { lambdaHandlers } from "../../../adapters/runtime/lambda/lambda.ts";
import { memoryStorage } from "../../../adapters/storage/memory.ts";
import { functionUrlEvent } from "./events.ts";

const CONTEXT = { awsRequestId: "1", getRemainingTimeInMillis: () => 20_000 };

const KEYS = JSON.stringify([{ id: "app", scopes: ["*"], sha256: "0".repeat(64) }]);

afterEach(() => vi.unstubAllEnvs());

it("the storage is opened before there is a request, and once for all of them", async () => {
  vi.stubEnv("HOLDFAST_TABLE", "jobs");
  vi.stubEnv("HOLDFAST_KEYS", KEYS);
  vi.stubEnv("HOLDFAST_LOG_LEVEL", "silent");
  let opened = 0;
  const handlers = lambdaHandlers(
    {
      storage: "dynamodb",
      openStorage: () => ({
        async open(context) {
          opened += 1;
          return memoryStorage().open(context);
        },
      }),
      storageTime: async () => null,
    },
    {},
  );
  await vi.waitFor(() => expect(opened).toBe(1));
  // Where nothing is streamed, an answer is one value.
  const answer = await handlers.http(functionUrlEvent({ path: "/readyz" }), CONTEXT);
  expect(answer).toMatchObject({ statusCode: 200, isBase64Encoded: false });
  await handlers.reconcile({}, CONTEXT);
  expect(opened).toBe(1);
});

it.each(["dynamodb", "s3"])("the entry for %s can be loaded anywhere", async (entry) => {
  const path = `../../../adapters/runtime/lambda/${entry}.js`;
  const { lambda, ...handlers } = await import(path);
  expect(typeof lambda).toBe("function");
  expect(Object.keys(handlers).sort()).toEqual(["enqueue", "http", "httpBuffered", "reconcile"]);
});
