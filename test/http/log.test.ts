/** What is logged of a request: one line of fixed fields, and never anything that was private in it. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isJsonObject } from "../../src/core/json.ts";
import { ROUTES } from "../../src/http/app.ts";
import { documentOf } from "../../src/http/documents.ts";
import type { Route } from "../../src/http/route.ts";
import { type Ask, created, KEY, leased, MESSAGE, pathOf, serve } from "./fixture.ts";

const FIELDS = ["method", "ms", "requestId", "route", "status"];

describe("the line of a request", () => {
  it.each([
    ["an answer", "GET", "/v1/emails", {}, 200, "info", ["key", "tenant"]],
    ["a refusal", "GET", "/v1/emails/none", {}, 404, "info", ["code", "key", "tenant"]],
    ["a refusal of input", "POST", "/v1/emails", {}, 422, "info", ["code", "key", "tenant"]],
    ["a missing key", "GET", "/v1/emails", { key: null }, 401, "info", ["code"]],
    ["a missing route", "GET", "/none", {}, 404, "info", ["code"]],
    ["another method", "PATCH", "/v1/emails", {}, 405, "info", ["code"]],
    ["a probe", "GET", "/healthz", {}, 200, "debug", []],
    ["a page", "GET", "/docs", {}, 200, "info", []],
  ] as const)(
    "of %s is one, with exactly its fields",
    async (_, method, path, ask: Ask, status, level, more) => {
      const served = await serve();
      await served.ask(method, path, ask);
      expect(served.lines).toHaveLength(1);
      const [line] = served.lines;
      expect([line?.level, line?.event, line?.fields["status"]]).toEqual([
        level,
        "request",
        status,
      ]);
      expect(Object.keys(line?.fields ?? {}).sort()).toEqual([...FIELDS, ...more].sort());
    },
  );

  it("names the route as it is written, the key by its id, and the time that it took", async () => {
    const served = await serve();
    await created(served);
    const headers = { "x-request-id": "req-1" };
    await served.ask("HEAD", pathOf(KEY), { key: served.keys["acme"] ?? null, headers });
    expect(served.lines.at(-1)?.fields).toEqual({
      requestId: "req-1",
      method: "HEAD",
      route: "/v1/emails/{k}",
      status: 404,
      ms: 0,
      key: "acme",
      tenant: "acme",
      code: "job_not_found",
    });
  });

  it("keeps no answer back when it cannot be written", async () => {
    const log = (): never => {
      throw new Error("the disk is full");
    };
    const served = await serve({ http: { log } });
    await created(served);
    expect((await served.ask("GET", pathOf(KEY))).status).toBe(200);
  });

  it("of a fault comes with one about the fault, which quotes nobody", async () => {
    const served = await serve({ seen: (storage) => storage.withFaults(() => "unavailable") });
    await served.ask("GET", pathOf(KEY));
    expect(served.lines.map(({ level, event }) => [level, event])).toEqual([
      ["error", "fault"],
      ["error", "request"],
    ]);
    const [fault, request] = served.lines;
    expect(fault?.fields["requestId"]).toBe(request?.fields["requestId"]);
    expect(Object.keys(fault?.fields ?? {}).sort()).toEqual(["fault", "message", "requestId"]);
  });

  it("of a fault that others threw has its frames, and not its words", async () => {
    const served = await serve({
      seen: (storage) => ({
        async open(context) {
          const get = () => Promise.reject(new RangeError(`about ${KEY}`));
          return { ...(await storage.open(context)), get };
        },
      }),
    });
    await served.ask("GET", pathOf(KEY));
    expect(served.lines[0]?.fields).toMatchObject({ fault: "RangeError" });
    expect(JSON.stringify(served.lines)).not.toContain(KEY);
  });
});

/** Told from everything else that could stand in a line. */
const aSecret = fc.stringMatching(/^[a-z]{12}$/).map((letters) => `s3cret${letters}`);

/** Every text of an example is replaced by a secret, and a property added. */
function secretly(value: unknown, secret: string): unknown {
  if (typeof value === "string") return value.includes("@") ? `${secret}@example.com` : secret;
  if (Array.isArray(value)) return value.map((one) => secretly(one, secret));
  if (!isJsonObject(value)) return value;
  const entries = Object.entries(value).map(([name, one]) => [name, secretly(one, secret)]);
  return Object.fromEntries([...entries, [secret, secret]]);
}

const PLACES = ["key", "path", "query", "body", "raw", "type", "cookie", "tenant"] as const;

type Place = (typeof PLACES)[number];

function headersWith(secret: string, place: Place): Record<string, string> {
  return {
    "content-type": place === "type" ? `text/${secret}` : "application/json",
    ...(place === "cookie" ? { cookie: `session=${secret}` } : {}),
    ...(place === "tenant" ? { "holdfast-tenant": secret } : {}),
  };
}

function bodyWith(route: Route, secret: string, place: Place): string {
  const { example = {} } = documentOf(route);
  if (place === "raw") return `{"${secret}`;
  return JSON.stringify(place === "body" ? secretly(example, secret) : example);
}

/** A request of the route with `secret` in one place of it. */
function asking(route: Route, secret: string, place: Place): readonly [string, Ask] {
  const name = place === "path" ? secret : "none";
  const query = place === "query" ? `?cursor=${secret}&${secret}=1` : "";
  const ask: Ask = {
    headers: headersWith(secret, place),
    ...(route.method === "GET" ? {} : { raw: bodyWith(route, secret, place) }),
    ...(place === "key" ? { key: `hf_${secret}_${"A".repeat(43)}` } : {}),
  };
  return [route.path.replace(/\{\w+\}/, name) + query, ask];
}

describe("no line holds what was private", () => {
  it("wherever in a request it stands: key, path, query, body, headers", async () => {
    const served = await serve();
    const aRoute = fc.constantFrom(...ROUTES);
    await fc.assert(
      fc.asyncProperty(
        aRoute,
        fc.constantFrom(...PLACES),
        aSecret,
        async (route, place, secret) => {
          const from = served.lines.length;
          const told = await served.ask(route.method, ...asking(route, secret, place));
          expect(told.status).toBeLessThan(500);
          expect(served.lines.length).toBe(from + 1);
          expect(JSON.stringify(served.lines.slice(from))).not.toContain(secret);
        },
      ),
      { numRuns: 600 },
    );
  });

  it("also of what succeeded and of what the storage failed at: payloads, keys, tokens", async () => {
    await fc.assert(
      fc.asyncProperty(aSecret, async (secret) => {
        let isDown = false;
        const served = await serve({
          seen: (storage) => storage.withFaults(() => (isDown ? "unavailable" : null)),
        });
        const key = `key ${secret}`;
        const payload = { ...MESSAGE, recipient: `${secret}@example.com`, text: secret };
        await created(served, key, { payload });
        const { leaseToken } = await leased(served);
        const body = { leaseToken, to: "failed", lastError: secret };
        await served.ask("POST", pathOf(KEY, "/settlements"), { body });
        isDown = true;
        await served.ask("GET", pathOf(key));
        await served.ask("POST", "/v1/emails", { body: { logicalKey: key, payload } });
        const all = JSON.stringify(served.lines);
        for (const text of [secret, String(leaseToken), KEY, served.keys["all"] ?? ""]) {
          expect(all).not.toContain(text);
        }
      }),
      { numRuns: 20 },
    );
  });

  it("a record that cannot be read is named by its id only", async () => {
    const served = await serve();
    await created(served);
    const [key = ""] = [...served.storage.bodies().keys()];
    served.storage.plant(key, '{"logicalKey":"s3cret"');
    await served.ask("GET", pathOf(KEY));
    expect(JSON.stringify(served.lines)).not.toMatch(/s3cret|welcome/);
  });
});
