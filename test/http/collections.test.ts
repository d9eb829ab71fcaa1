/** `POST /v1/query-collections`: the walk that removes logs which belong to no query job. */
import { expect, it } from "vitest";
import { expectProblem, serve } from "./fixture.ts";
import { accepted } from "./query-given.ts";

const ORPHAN = "77777777-7777-4777-8777-777777777777";

it("removes, page by page, what belongs to no job, and leaves alone what does", async () => {
  const served = await serve();
  const { jobId } = await accepted(served);
  const holdfast = { schema: 1, w: "abcdefghijklmnop" };
  const body = JSON.stringify({ items: [{ type: "canceled", at: 1 }], holdfast });
  served.storage.plant(`queries/log/${ORPHAN}/000000000005`, body);
  const told = { examined: 0, removed: 0 };
  for (let isComplete: unknown = false; isComplete !== true; ) {
    const page = await served.ask("POST", "/v1/query-collections", { body: { limit: 1 } });
    expect(page.status).toBe(200);
    told.examined += Number(page.body["examined"]);
    told.removed += Number(page.body["removed"]);
    ({ isComplete } = page.body);
  }
  expect(told).toEqual({ examined: 2, removed: 1 });
  const again = await served.ask("POST", "/v1/query-collections");
  expect(again.body).toEqual({ examined: 1, removed: 0, corrupt: 0, isComplete: true });
  const left = await served.ask("GET", `/v1/query-jobs/${String(jobId)}?generation=1`);
  expect(left.status).toBe(200);
});

it("is an operator's, and bounded", async () => {
  const served = await serve();
  const ask = (body: object, key: string) =>
    served.ask("POST", "/v1/query-collections", { body, key: served.keys[key] ?? null });
  expectProblem(await ask({}, "reader"), 403, "forbidden");
  for (const limit of [0, 1_001, 1.5]) {
    expectProblem(await ask({ limit }, "all"), 422, "invalid_request");
  }
});
