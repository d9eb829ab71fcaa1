/** Who may ask what: keys, scopes, the owner of the folder, a service without keys, other origins. */
import { describe, expect, it } from "vitest";
import { ROUTES } from "../../src/http/app.ts";
import { newKey, SCOPES } from "../../src/http/keys.ts";
import type { Route } from "../../src/http/route.ts";
import { InvalidInputError } from "../../src/services/errors.ts";
import {
  type Ask,
  BASE,
  created,
  expectProblem,
  jobIn,
  KEY,
  leased,
  pathOf,
  serve,
  type Told,
} from "./fixture.ts";

const SECRET = "the owner's own secret";
const OWNER = {
  secret: SECRET,
  isLocal: (env: unknown) => JSON.stringify(env) === '{"is":"local"}',
};
const LOCAL = { is: "local" };

const pathIn = ({ path }: Route): string =>
  path.replace(/\{(k|id|jobId|clientJobId)\}/, "none").replace("{name}", "reminderCursor");

/** Which scopes a key may have one of, by the table of http-api "Auth". */
const ALLOWED: Readonly<Record<string, readonly string[]>> = {
  "emails:read": ["emails:read", "emails:write", "*"],
  "emails:write": ["emails:write", "*"],
  "receipts:read": ["receipts:read", "receipts:write", "*"],
  "receipts:write": ["receipts:write", "*"],
  "queries:read": ["queries:read", "queries:write", "*"],
  "queries:write": ["queries:write", "*"],
  "queries:run": ["queries:run", "*"],
  ops: ["ops", "*"],
  any: SCOPES,
};

const SCOPE_KEYS = SCOPES.map((scope, index) => ({
  scope,
  ...newKey(`key-${index}`, new Uint8Array(32).fill(index), { scopes: [scope] }),
}));

describe("scopes", () => {
  const TABLE = ROUTES.flatMap((route) =>
    SCOPE_KEYS.map(({ scope, key }) => [route.method, route.path, scope, route, key] as const),
  );

  it.each(TABLE)("%s %s with %s", async (method, _, scope, route, key) => {
    const { ask, storage } = await serve({
      http: { keys: SCOPE_KEYS.map(({ entry }) => entry) },
    });
    const told = await ask(method, pathIn(route), { key });
    if (ALLOWED[route.scope]?.includes(scope)) {
      expect([401, 403]).not.toContain(told.status);
    } else {
      expectProblem(told, 403, "forbidden");
      expect(storage.putCount()).toBe(0);
    }
  });
});

describe("keys", () => {
  it.each([
    ["none", {}],
    ["an empty one", { authorization: "Bearer " }],
    ["another scheme", { authorization: "Basic aGY6eA==" }],
    ["one of nobody", { authorization: `Bearer hf_nobody_${"A".repeat(43)}` }],
    ["a known id with another secret", { authorization: `Bearer hf_all_${"A".repeat(43)}` }],
    ["one in the query only", {}],
  ])("%s: `401 unauthorized` on every route", async (_, headers) => {
    const { ask, keys } = await serve();
    for (const route of ROUTES) {
      const path = `${pathIn(route)}?key=${keys["all"]}`;
      const told = await ask(route.method, path, { key: null, headers });
      expectProblem(told, 401, "unauthorized");
      expect(told.text).not.toContain("nobody");
    }
  });

  it("the scheme may be written as one likes", async () => {
    const { ask, keys } = await serve();
    const headers = { authorization: `bEaReR ${keys["all"]}` };
    expect((await ask("GET", "/v1/emails", { key: null, headers })).status).toBe(200);
  });

  it("a removed entry lets nobody in any more", async () => {
    const { entry, key } = newKey("gone", new Uint8Array(32), { scopes: ["*"] });
    const { entry: other } = newKey("stays", new Uint8Array(32), { scopes: ["*"] });
    const before = await serve({ http: { keys: [entry, other] } });
    expect((await before.ask("GET", "/v1/emails", { key })).status).toBe(200);
    const after = await serve({ http: { keys: [other] }, storage: before.storage });
    expectProblem(await after.ask("GET", "/v1/emails", { key }), 401, "unauthorized");
  });

  it("without any key every route but the open ones is `503 misconfigured naming HOLDFAST_KEYS`", async () => {
    const { ask } = await serve({ http: { keys: [] } });
    for (const route of ROUTES) {
      const told = await ask(route.method, pathIn(route));
      expect(expectProblem(told, 503, "misconfigured")["detail"]).toContain("HOLDFAST_KEYS");
    }
    expect((await ask("GET", "/healthz")).status).toBe(200);
  });

  it("entries that cannot be meant are refused when the app is made", async () => {
    const { entry } = newKey("a", new Uint8Array(32), { scopes: ["*"] });
    for (const keys of [[{ ...entry, sha256: "x" }], [entry, entry]]) {
      await expect(serve({ http: { keys } })).rejects.toThrow(InvalidInputError);
    }
    const both = serve({ http: { keys: [entry], open: true } });
    await expect(both).rejects.toThrow(InvalidInputError);
  });
});

describe("`leaseToken and claimToken are shown to keys with emails:write only`", () => {
  it("a reader sees null wherever a job is shown", async () => {
    const served = await serve();
    const { leaseToken } = await leased(served);
    const key = served.keys["reader"] ?? null;
    const read = await served.ask("GET", pathOf(KEY), { key });
    expect(jobIn(read)).toMatchObject({ state: "sending", leaseToken: null });
    for (const query of ["", "?state=sending"]) {
      const list = await served.ask("GET", `/v1/emails${query}`, { key });
      expect(list.body["jobs"]).toEqual([expect.objectContaining({ leaseToken: null })]);
      expect(list.text).not.toContain(String(leaseToken));
    }
    const writer = await served.ask("GET", pathOf(KEY), { key: served.keys["writer"] ?? null });
    expect(jobIn(writer)["leaseToken"]).toBe(leaseToken);
  });

  it("an operator without the emails scopes is shown no token either", async () => {
    const served = await serve();
    const { leaseToken } = await leased(served);
    const key = served.keys["operator"] ?? null;
    for (const path of ["/v1/stuck", "/v1/health"]) {
      const told = await served.ask("GET", path, { key });
      expect(told.status).toBe(200);
      expect(told.text).not.toContain(String(leaseToken));
      expect(told.text).not.toContain(KEY);
    }
  });
});

describe("the owner of the folder", () => {
  it("is let in from this host, into any tenant", async () => {
    const served = await serve({ http: { owner: OWNER, keys: [] } });
    const ask = { key: SECRET, env: LOCAL, headers: { "holdfast-tenant": "acme" } };
    expect((await served.ask("GET", "/v1/emails", ask)).status).toBe(200);
    expect(served.lines.at(-1)?.fields).toMatchObject({ key: "owner", tenant: "acme" });
    expect((await served.ask("GET", "/v1/emails", { key: SECRET, env: LOCAL })).status).toBe(200);
    expect(served.lines.at(-1)?.fields).toMatchObject({ key: "owner", tenant: null });
  });

  it.each([
    ["from elsewhere", { key: SECRET }],
    ["from elsewhere with a tenant", { key: SECRET, headers: { "holdfast-tenant": "acme" } }],
    ["with a part of the secret", { key: SECRET.slice(0, -1), env: LOCAL }],
    ["with more than the secret", { key: `${SECRET}x`, env: LOCAL }],
  ])("is not let in %s", async (_, ask: Ask) => {
    const { ask: asked } = await serve({ http: { owner: OWNER } });
    const told = await asked("GET", "/v1/emails", ask);
    expect([401, 403]).toContain(told.status);
    expect(told.text).not.toContain(SECRET);
  });

  it("a key, or nobody, cannot name a tenant", async () => {
    const headers = { "holdfast-tenant": "beta" };
    const withKeys = await serve({ http: { owner: OWNER } });
    expectProblem(
      await withKeys.ask("GET", "/v1/emails", { headers, env: LOCAL }),
      403,
      "forbidden",
    );
    const open = await serve({ http: { open: true, owner: OWNER } });
    const told = await open.ask("GET", "/v1/emails", { headers, env: LOCAL, key: null });
    expectProblem(told, 403, "forbidden");
  });

  it("a tenant that cannot be is refused as input", async () => {
    const { ask } = await serve({ http: { owner: OWNER } });
    const headers = { "holdfast-tenant": "../acme" };
    const told = await ask("GET", "/v1/emails", { key: SECRET, env: LOCAL, headers });
    expectProblem(told, 422, "invalid_request");
  });
});

describe("a service without keys", () => {
  const OPEN = { http: { open: true, corsOrigins: ["https://app.example.com"] } };

  async function fetched(url: string, headers: Record<string, string> = {}): Promise<Response> {
    const { app } = await serve(OPEN);
    return app.fetch(new Request(url, { headers }));
  }

  it.each([
    [BASE, {}],
    ["http://127.0.0.1:8787", {}],
    ["http://127.9.9.9", {}],
    ["http://[::1]:8787", {}],
    ["http://jobs.localhost", {}],
    [BASE, { origin: BASE }],
    [BASE, { origin: "https://app.example.com" }],
  ])("answers %s with %j", async (base, headers) => {
    expect((await fetched(`${base}/v1/emails`, headers)).status).toBe(200);
  });

  it.each([
    ["http://evil.example.com:8787", {}],
    ["http://127.0.0.1.evil.example.com", {}],
    ["http://localhost.evil.example.com", {}],
    ["http://10.0.0.1", {}],
    ["http://0.0.0.0:8787", {}],
    [BASE, { origin: "https://evil.example.com" }],
    [BASE, { origin: "null" }],
    [BASE, { origin: "http://localhost:1" }],
    [BASE, { origin: "https://app.example.com.evil.example.com" }],
    ["http://evil.example.com", { origin: "http://evil.example.com" }],
    [BASE, { "x-forwarded-for": "203.0.113.7" }],
    [BASE, { forwarded: "for=203.0.113.7" }],
    [BASE, { via: "1.1 proxy" }],
    [BASE, { "x-real-ip": "203.0.113.7" }],
    [BASE, { "sec-fetch-site": "cross-site" }],
  ])("refuses %s with %j", async (base, headers) => {
    const response = await fetched(`${base}/v1/emails`, headers);
    expect(response.status).toBe(403);
    expect(response.headers.get("content-type")).toBe("application/problem+json");
  });

  it("writes nothing for another site's page, which could send a form", async () => {
    const served = await serve(OPEN);
    const headers = { origin: "https://evil.example.com", "content-type": "text/plain" };
    const told = await served.ask("PUT", "/v1/email-config", { key: null, headers });
    expectProblem(told, 403, "forbidden");
    expect(served.storage.putCount()).toBe(0);
  });
});

describe("other origins", () => {
  const OURS = "https://app.example.com";
  const preflight = (origin: string): Ask => ({
    key: null,
    headers: {
      origin,
      "access-control-request-method": "POST",
      "access-control-request-headers": "authorization,content-type",
    },
  });
  const corsHeaders = ({ headers }: Told): string[] =>
    [...headers.keys()].filter((name) => name.startsWith("access-control-")).sort();

  it("`CORS is off`: no header of it by default", async () => {
    const { ask } = await serve();
    expect(corsHeaders(await ask("OPTIONS", "/v1/emails", preflight(OURS)))).toEqual([]);
    expect(corsHeaders(await ask("GET", "/v1/emails", { headers: { origin: OURS } }))).toEqual([]);
  });

  it("an exact origin may ask, and read what is told, refusals included", async () => {
    const served = await serve({ http: { corsOrigins: [OURS] } });
    const before = await served.ask("OPTIONS", "/v1/emails", preflight(OURS));
    expect(before.status).toBe(204);
    expect(before.headers.get("access-control-allow-origin")).toBe(OURS);
    expect(before.headers.get("access-control-allow-methods")).toBe("GET,HEAD,POST,PUT");
    expect(before.headers.get("access-control-allow-headers")).toMatch(/authorization/i);
    expect(before.headers.get("access-control-allow-credentials")).toBeNull();
    const requestId = before.headers.get("x-request-id");
    expect(requestId).toMatch(/^[0-9a-f-]{36}$/);
    expect(served.lines.map(({ fields }) => fields)).toEqual([
      { requestId, method: "OPTIONS", route: "none", status: 204, ms: 0 },
    ]);
    await created(served);
    for (const path of [pathOf(KEY), "/v1/none"]) {
      const told = await served.ask("GET", path, { headers: { origin: OURS } });
      expect(told.headers.get("access-control-allow-origin")).toBe(OURS);
      expect(told.headers.get("access-control-expose-headers")).toMatch(/x-request-id/i);
      expect(told.headers.get("vary")).toMatch(/origin/i);
    }
    const refused = await served.ask("GET", pathOf(KEY), { key: null, headers: { origin: OURS } });
    expect([refused.status, refused.headers.get("access-control-allow-origin")]).toEqual([
      401,
      OURS,
    ]);
  });

  it.each([
    "https://evil.example.com",
    "http://app.example.com",
    "https://app.example.com:8443",
    "https://app.example.com.evil.example.com",
    "null",
  ])("%s is not told that it may", async (origin) => {
    const { ask } = await serve({ http: { corsOrigins: [OURS] } });
    const before = await ask("OPTIONS", "/v1/emails", preflight(origin));
    expect(before.headers.get("access-control-allow-origin")).toBeNull();
    const told = await ask("GET", "/v1/emails", { headers: { origin } });
    expect(told.headers.get("access-control-allow-origin")).toBeNull();
  });
});
