/** What payloads may hold when they come over HTTP (http-api "Rules for all routes"). */
import { describe, expect, it } from "vitest";
import { expectProblem, KEY, serve } from "./fixture.ts";

const HEAD = `{"logicalKey":"${KEY}","payload":{"type":"message","recipient":"ann@example.com",`;

describe("a payload", () => {
  it.each([
    ["in it", `${HEAD}"subject":"Hi","text":"Hello","__proto__":{"isAdmin":true}}}`],
    ["below it", `${HEAD}"subject":"Hi","text":"Hello","headers":{"__proto__":"x"}}}`],
    ["beside it", `${HEAD}"subject":"Hi","text":"Hello"},"__proto__":{"isAdmin":true}}`],
  ])(
    "with __proto__ %s is refused, as every unknown property, and nothing is stored",
    async (_, raw) => {
      const { ask, storage } = await serve();
      const headers = { "content-type": "application/json" };
      const told = await ask("POST", "/v1/emails", { raw, headers });
      const { errors } = expectProblem(told, 422, "invalid_request");
      expect(JSON.stringify(errors)).toContain("__proto__");
      expect(storage.putCount()).toBe(0);
      const batch = await ask("POST", "/v1/email-batches", { raw: `{"jobs":[${raw}]}`, headers });
      expect(batch.status).toBe(200);
      expect(batch.text).toContain('"invalid_request"');
      expect(storage.putCount()).toBe(0);
    },
  );

  it.each([
    ["no object", { payload: "text" }],
    ["a list", { payload: [] }],
    ["null", { payload: null }],
    ["left out", {}],
    ["without a kind", { payload: { recipient: "ann@example.com" } }],
  ])("that is %s is refused by its place", async (_, body) => {
    const { ask, storage } = await serve();
    const told = await ask("POST", "/v1/emails", { body: { logicalKey: KEY, ...body } });
    const { errors } = expectProblem(told, 422, "invalid_request");
    expect(errors).toEqual([expect.objectContaining({ path: expect.stringMatching(/^payload/) })]);
    expect(storage.putCount()).toBe(0);
  });
});
