/** How it is asked: paths, queries, methods and request ids, as they should be and not. */
import { Hono } from "hono";
import { describe, expect, it } from "vitest";
import { ROUTES } from "../../src/http/app.ts";
import { BASE, created, expectProblem, jobIn, KEY, MESSAGE, pathOf, serve } from "./fixture.ts";

describe("mounted below a path", () => {
  it("is the same service, its refusals of unknown routes included", async () => {
    const served = await serve();
    const outer = new Hono().mount("/jobs", served.app.fetch);
    const authorization = `Bearer ${served.keys["all"]}`;
    const ask = (path: string, method = "GET"): Promise<Response> =>
      Promise.resolve(outer.request(`${BASE}${path}`, { method, headers: { authorization } }));
    await created(served);
    expect((await ask(`/jobs${pathOf(KEY)}`)).status).toBe(200);
    const missing = await ask("/jobs/nope");
    expect(await missing.json()).toMatchObject({ status: 404, code: "not_found" });
    const wrong = await ask("/jobs/v1/emails", "DELETE");
    expect([wrong.status, wrong.headers.get("allow")]).toEqual([405, "GET, HEAD, POST"]);
  });
});

describe("keys in paths", () => {
  it.each([
    "é",
    "e\u0301",
    "日本語",
    "👩‍👩‍👧",
    "\u202eabc",
    "a/b",
    "a//b",
    "a%2Fb",
    "100%",
    "a b",
    "a+b",
    "a?b=c",
    "a#b",
    "a;b",
    "..a",
    "a\\b",
    "'\"<>",
    "\ttab\t.",
    "~",
    "__proto__",
    "constructor",
    "x".repeat(1_024),
  ])("%j is stored and found as it is, and as no other", async (key) => {
    const served = await serve();
    await created(served, "e\u0301" === key ? "é" : "é ".repeat(2));
    expect(await created(served, key)).toMatchObject({ logicalKey: key.trim() });
    const told = await served.ask("GET", pathOf(key.trim()));
    expect(jobIn(told)["logicalKey"]).toBe(key.trim());
    const moved = await served.ask("POST", pathOf(key.trim(), "/transitions"), {
      body: { from: ["pending"], to: "ready" },
    });
    expect(jobIn(moved)["state"]).toBe("ready");
  });

  it.each([
    ["/v1/emails/%ff", 422, "invalid_request"],
    ["/v1/emails/%zz", 422, "invalid_request"],
    ["/v1/emails/%", 422, "invalid_request"],
    ["/v1/emails/%00", 422, "invalid_request"],
    ["/v1/emails/%20", 422, "invalid_request"],
    ["/v1/emails/%ed%a0%80", 422, "invalid_request"],
    [`/v1/emails/${"a".repeat(1_025)}`, 422, "invalid_request"],
    [`/v1/emails/${"a".repeat(8_192)}`, 422, "invalid_request"],
    [`/v1/emails/${"%C3%A9".repeat(1_365)}`, 422, "invalid_request"],
    [`/v1/emails/${"a/".repeat(4_096)}`, 404, "not_found"],
    ["/v1/emails/", 404, "not_found"],
    ["/v1/emails//transitions", 404, "not_found"],
    ["/v1/emails/.", 404, "not_found"],
    ["/v1/emails/../stuck", 200, null],
    ["/v1/emails/%2e%2e/stuck", 200, null],
    ["/v1/emails/a/b", 404, "not_found"],
    ["/v1/emails%2Fa", 404, "not_found"],
    ["/V1/emails", 404, "not_found"],
    ["//v1/emails", 404, "not_found"],
    ["/", 404, "not_found"],
    ["/v1", 404, "not_found"],
    ["/v1/emails/a/", 404, "not_found"],
  ])("GET %s: %d", async (path, status, code) => {
    const served = await serve();
    const told = await served.ask("GET", path);
    if (code === null) expect(told.status).toBe(status);
    else expectProblem(told, status, code);
  });

  it("`sha256:` reaches keys that no path can name", async () => {
    const served = await serve();
    for (const key of [".", "..", "a/../b"]) {
      await created(served, key);
      const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(key));
      const told = await served.ask(
        "GET",
        `/v1/emails/sha256:${Buffer.from(digest).toString("hex")}`,
      );
      expect(jobIn(told)["logicalKey"]).toBe(key);
    }
  });
});

describe("queries", () => {
  it.each([
    "/v1/emails?limit=1&limit=1",
    "/v1/emails?limit=1&%6Cimit=2",
    "/v1/emails?Limit=1",
    "/v1/emails?state=ready,sent",
    "/v1/emails?__proto__=1",
    "/v1/stuck?state=failed",
    "/v1/health?x",
    "/v1/emails/a?limit=1",
    "/v1/email-config?cursor=",
  ])("%s is 422", async (path) => {
    const served = await serve();
    const told = await served.ask("GET", path);
    expectProblem(told, 422, "invalid_request");
    expect(told.body["instance"]).not.toContain("?");
  });

  it("of a POST are refused, too, before anything is written", async () => {
    const served = await serve();
    const body = { logicalKey: KEY, payload: MESSAGE };
    const told = await served.ask("POST", "/v1/emails?dryRun=true", { body });
    expectProblem(told, 422, "invalid_request");
    expect(served.storage.putCount()).toBe(0);
  });

  it("parameters may be encoded", async () => {
    const served = await serve();
    expect((await served.ask("GET", "/v1/emails?%6Cimit=%31")).status).toBe(200);
  });
});

describe("methods", () => {
  const PATHS = [...new Set(ROUTES.map(({ path }) => path))];
  const allowed = (path: string): string => {
    const own = ROUTES.filter((route) => route.path === path).map(({ method }) => String(method));
    // Below /v1/emails that route's name may also be a key.
    if (path === "/v1/emails/first-imports") own.push("GET");
    return [...own, ...(own.includes("GET") ? ["HEAD"] : [])].sort().join(", ");
  };

  it.each(PATHS)("%s refuses every other with the exact Allow", async (pattern) => {
    const served = await serve();
    const path = pattern.replace("{k}", "a%2Fb").replace("{name}", "reminderCursor");
    const allow = allowed(pattern);
    for (const method of ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "PROPFIND"]) {
      if (allow.split(", ").includes(method)) continue;
      const told = await served.ask(method, path);
      expectProblem(told, 405, "method_not_allowed");
      expect(told.headers.get("allow")).toBe(allow);
    }
  });

  it.each(["/healthz", "/readyz", "/openapi.json", "/docs"])(
    "%s is for GET and HEAD",
    async (path) => {
      const served = await serve();
      const told = await served.ask("POST", path, { key: null });
      expectProblem(told, 405, "method_not_allowed");
      expect(told.headers.get("allow")).toBe("GET, HEAD");
    },
  );

  it.each(["//v1/emails", "/other/v1/emails", "/other/healthz", "/v1/emails/a/b/transitions"])(
    "%s only ends as a route does, so it is 404 for every method",
    async (path) => {
      const served = await serve();
      for (const method of ["GET", "POST", "DELETE"]) {
        expectProblem(await served.ask(method, path), 404, "not_found");
      }
    },
  );

  it("HEAD of a route without GET is 405", async () => {
    const served = await serve();
    const told = await served.ask("HEAD", "/v1/email-leases");
    expect([told.status, told.headers.get("allow"), told.text]).toEqual([405, "POST", ""]);
  });
});

describe("X-Request-Id", () => {
  it.each(["a", "!~", "req-1/2:3", "x".repeat(128)])("%s is echoed", async (id) => {
    const served = await serve();
    const told = await served.ask("GET", "/v1/emails", { headers: { "x-request-id": id } });
    expect(told.headers.get("x-request-id")).toBe(id);
    expect(served.lines.at(-1)?.fields["requestId"]).toBe(id);
  });

  it.each([
    ["empty", ""],
    ["too long", "x".repeat(129)],
    ["with a space", "a b"],
    ["with a tab", "a\tb"],
    ["not ASCII", "é"],
    ["two of them", "a, b"],
    ["a line of its own", 'a{"level":"error"}\u00a0'],
  ])("%s is replaced, in the answer and in the log", async (_, id) => {
    const served = await serve();
    const told = await served.ask("GET", "/v2", { headers: { "x-request-id": id } });
    const made = told.headers.get("x-request-id");
    expect(made).toMatch(/^[0-9a-f-]{36}$/);
    expect(served.lines.at(-1)?.fields["requestId"]).toBe(made);
  });

  it("is in every answer, and another one each time", async () => {
    const served = await serve();
    const ids = new Set<string | null>();
    for (const path of ["/healthz", "/readyz", "/docs", "/openapi.json", "/none", "/v1/emails"]) {
      for (const method of ["GET", "HEAD", "POST"]) {
        ids.add((await served.ask(method, path)).headers.get("x-request-id"));
      }
    }
    expect(ids.size).toBe(18);
    expect(ids.has(null)).toBe(false);
  });
});

describe("below another path of another app", () => {
  it.each(["route", "mount"] as const)("by %s its routes work as they do alone", async (how) => {
    const served = await serve();
    await created(served, "a/b");
    const outer = new Hono();
    if (how === "route") outer.route("/jobs", served.app);
    else outer.mount("/jobs", served.app.fetch);
    const headers = { authorization: `Bearer ${served.keys["all"]}` };
    const response = await outer.request("/jobs/v1/emails/a%2Fb", { headers });
    expect(await response.json()).toMatchObject({ job: { logicalKey: "a/b" } });
    expect((await outer.request("/jobs/v1/none", { headers })).status).toBe(404);
  });
});
