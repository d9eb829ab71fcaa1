/** Answers that are larger than what AWS passes on, of what was asked only and of what was done. */
import { expect, it } from "vitest";
import { bufferedHandler } from "../../../adapters/runtime/lambda/http.ts";
import { balancerEvent } from "./events.ts";

const CONTEXT = { awsRequestId: "1", getRemainingTimeInMillis: () => 20_000 };

const handler = bufferedHandler({
  log: () => {},
  fetch: async () => Response.json({ text: "x".repeat(1_100_000) }),
});

it.each([
  ["GET", /^the answer has \d+ bytes/],
  ["POST", /^what was asked for is done, but the answer has \d+ bytes/],
])("of a %s is told as what it is", async (method, detail) => {
  const answer = await handler(balancerEvent({ path: "/v1/emails", method }, false), CONTEXT);
  expect(answer).toMatchObject({ statusCode: 422, body: expect.any(String) });
  expect(JSON.parse(String(answer["body"])).detail).toMatch(detail);
});
