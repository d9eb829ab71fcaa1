/** Tickets: to whom they open what, for how long, and that nothing else does (http-api, "Tickets"). */
import { createHmac } from "node:crypto";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ROUTES } from "../../src/http/app.ts";
import { isForTickets } from "../../src/http/tickets.ts";
import { InvalidInputError } from "../../src/services/errors.ts";
import { admitted, completed, OTHER_CLIENT_JOB_ID, running } from "../services/queries/given.ts";
import { BASE, MADE_KEYS, TICKET_SECRET } from "./fixture.ts";
import { eventsPath, eventually, reading, type Served, serveStreams } from "./streams.ts";

const ORIGIN = "https://app.example.com";
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

let served: Served;

beforeEach(async () => {
  served = await serveStreams({ corsOrigins: [ORIGIN] });
});
afterEach(async () => {
  await served.holdfast.close();
});

const queries = () => served.holdfast.queries;

interface Ask {
  readonly method?: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

async function ask(path: string, { method = "GET", body, headers = {} }: Ask = {}) {
  const sent = body === undefined ? {} : { body: JSON.stringify(body) };
  const type = body === undefined ? {} : { "content-type": "application/json" };
  const response = await served.app.fetch(
    new Request(BASE + path, { method, headers: { ...type, ...headers }, ...sent }),
  );
  const text = await response.text();
  return { response, status: response.status, body: text === "" ? {} : JSON.parse(text) };
}

const bearer = (credential: string) => ({ headers: { authorization: `Bearer ${credential}` } });

const keyOf = (name: string) => bearer(MADE_KEYS.find(({ id }) => id === name)?.key ?? "");

const ticketsPath = (jobId: string) => `/v1/query-jobs/${jobId}/tickets`;

async function issued(jobId: string, more: object = {}, key = "all"): Promise<string> {
  const body = { generation: 1, ...more };
  const told = await ask(ticketsPath(jobId), { method: "POST", body, ...keyOf(key) });
  expect(told.status).toBe(200);
  return told.body.ticket;
}

/** By the two ways in which a ticket comes. */
async function verdicts(path: string, ticket: string, more: Ask = {}) {
  const inQuery = `${path}${path.includes("?") ? "&" : "?"}ticket=${encodeURIComponent(ticket)}`;
  const both = [await ask(path, { ...more, ...bearer(ticket) }), await ask(inQuery, more)];
  return both.map(({ status, body }) => [status, body.code]);
}

const twice = (status: number, code?: string) => [
  [status, code],
  [status, code],
];

describe("a ticket", () => {
  it("opens its own job: reading, following, cancelling and acknowledging it", async () => {
    const { jobId } = await running(queries());
    const ticket = await issued(jobId);
    const at = `/v1/query-jobs/${jobId}`;
    expect(await verdicts(`${at}?generation=1`, ticket)).toEqual(twice(200));
    expect(await verdicts(eventsPath(jobId), ticket)).toEqual(twice(200));
    const posted = { method: "POST", body: { generation: 1 } };
    expect(await verdicts(`${at}/cancel`, ticket, posted)).toEqual(twice(200));
    expect(await verdicts(`${at}/ack`, ticket, posted)).toEqual(twice(200));
    expect(await queries().getSnapshot(jobId, 1)).toMatchObject({
      status: "canceled",
      acknowledgedAt: expect.stringMatching(/Z$/),
    });
  });

  it("opens it by its id in any case, as a key does", async () => {
    const { jobId } = await admitted(queries());
    const ticket = await issued(jobId.toUpperCase());
    expect(await verdicts(eventsPath(jobId.toUpperCase()), ticket)).toEqual(twice(200));
  });

  it("is good for the routes that there are by these names", () => {
    expect(
      ROUTES.filter(isForTickets)
        .map(({ method, path }) => `${method} ${path}`)
        .sort(),
    ).toEqual([
      "GET /v1/query-jobs/{jobId}",
      "GET /v1/query-jobs/{jobId}/events",
      "POST /v1/query-jobs/{jobId}/ack",
      "POST /v1/query-jobs/{jobId}/cancel",
    ]);
  });

  it.each(
    ROUTES.filter((route) => !isForTickets(route)).map((route) => [route.id, route] as const),
  )("is refused by %s, whatever is asked of it", async (_, { method, path }) => {
    const { jobId } = await admitted(queries());
    const ticket = await issued(jobId);
    const at = path.replaceAll(/\{\w+\}/g, jobId);
    const more = method === "GET" ? {} : { method, body: { generation: 1 } };
    expect(await verdicts(at, ticket, more)).toEqual(twice(403, "forbidden"));
  });

  it("opens neither metrics nor the world of a tenant that a header names", async () => {
    served = await serveStreams({ counts: new Map() });
    const { jobId } = await admitted(queries());
    const ticket = await issued(jobId);
    expect((await ask("/v1/metrics", bearer(ticket))).status).toBe(403);
    const headers = { authorization: `Bearer ${ticket}`, "holdfast-tenant": "acme" };
    expect((await ask(eventsPath(jobId), { headers })).status).toBe(403);
  });

  it("opens no other job and no other generation: 403", async () => {
    const { jobId } = await completed(queries());
    const other = await admitted(queries(), { clientJobId: OTHER_CLIENT_JOB_ID, sessionId: "s-2" });
    const later = await admitted(queries(), { generation: 2, sessionId: "s-3" });
    const ticket = await issued(jobId);
    for (const path of [
      eventsPath(other.jobId),
      `/v1/query-jobs/${later.jobId}/events?generation=2`,
      `/v1/query-jobs/${later.jobId}/events?generation=1`,
      `/v1/query-jobs/${jobId}/events?generation=2`,
      `/v1/query-jobs/${jobId}/events?generation=`,
      `/v1/query-jobs/${jobId}/events`,
      `/v1/query-jobs/${other.jobId}?generation=1`,
    ]) {
      expect([path, await verdicts(path, ticket)]).toEqual([path, twice(403, "forbidden")]);
    }
    for (const body of [{ generation: 2 }, {}, { generation: null }, []]) {
      const posted = { method: "POST", body };
      const told = await verdicts(`/v1/query-jobs/${jobId}/ack`, ticket, posted);
      expect(told).toEqual(twice(403, "forbidden"));
    }
  });

  it("opens nothing of another tenant, whose jobs it cannot tell from others", async () => {
    const acme = served.holdfast.tenant("acme").queries;
    const { jobId } = await admitted(acme);
    const mine = await admitted(queries());
    const ticket = await issued(jobId, {}, "acme");
    expect(await verdicts(eventsPath(jobId), ticket)).toEqual(twice(200));
    expect(await verdicts(eventsPath(mine.jobId), ticket)).toEqual(twice(403, "forbidden"));
    expect(await verdicts(eventsPath(jobId), await issued(mine.jobId))).toEqual(
      twice(403, "forbidden"),
    );
    const asked = { method: "POST", body: { generation: 1 }, ...keyOf("beta") };
    expect((await ask(ticketsPath(jobId), asked)).body.code).toBe("query_job_not_found");
  });

  it("counts for nothing beside a key, whatever it is", async () => {
    const { jobId } = await running(queries());
    for (const ticket of ["", "nonsense", await issued(jobId)]) {
      const path = `${eventsPath(jobId)}&ticket=${encodeURIComponent(ticket)}`;
      expect((await ask(path, keyOf("all"))).status).toBe(200);
    }
  });

  it("is no ticket any more with any of its characters altered: 401", async () => {
    const { jobId } = await admitted(served.holdfast.tenant("acme").queries);
    const ticket = await issued(jobId, {}, "acme");
    for (let at = 0; at < ticket.length; at += 1) {
      for (const other of ["0", "1", "a", "_", "."]) {
        if (ticket[at] === other) continue;
        const altered = ticket.slice(0, at) + other + ticket.slice(at + 1);
        const { status } = await ask(eventsPath(jobId), bearer(altered));
        expect([altered, status]).toEqual([altered, 401]);
      }
    }
    const parts = ticket.split(".");
    const put = (index: number, text: string) => parts.with(index, text).join(".");
    const [, , , generation = "", expiresAt = "", seal = ""] = parts;
    for (const altered of [
      put(1, ""),
      put(1, "beta"),
      put(2, jobId.toUpperCase()),
      put(3, `0${generation}`),
      put(3, "2"),
      put(4, String(Number(expiresAt) + 1)),
      put(5, ""),
      put(5, seal.slice(1)),
      put(5, `${seal}A`),
      `${ticket}.`,
      ` ${ticket}x`,
      parts.slice(0, 5).join("."),
      "",
    ]) {
      expect([altered, await verdicts(eventsPath(jobId), altered)]).toEqual([
        altered,
        twice(401, "unauthorized"),
      ]);
    }
  });

  it("of another secret is none: 401", async () => {
    const { jobId } = await admitted(queries());
    const ticket = await issued(jobId);
    const app = served.holdfast.http({ open: true, secret: `${TICKET_SECRET}-and-more` });
    const response = await app.fetch(new Request(BASE + eventsPath(jobId), bearer(ticket)));
    expect(response.status).toBe(401);
  });

  it("is its fields and their HMAC-SHA-256 by the secret", async () => {
    const { jobId } = await admitted(served.holdfast.tenant("acme").queries);
    const ticket = await issued(jobId, { ttlMs: MINUTE }, "acme");
    const text = `hft1.acme.${jobId}.1.${served.time.clock.now() + MINUTE}`;
    const seal = createHmac("sha256", TICKET_SECRET).update(text).digest("base64url");
    expect(ticket).toBe(`${text}.${seal}`);
  });

  it("is over when it says so, and not before; an hour where nobody says", async () => {
    const { jobId } = await admitted(queries());
    for (const [more, ms] of [
      [{}, HOUR],
      [{ ttlMs: MINUTE }, MINUTE],
      [{ ttlMs: 24 * HOUR }, 24 * HOUR],
    ] as const) {
      const body = { generation: 1, ...more };
      const told = await ask(ticketsPath(jobId), { method: "POST", body, ...keyOf("all") });
      const end = served.time.clock.now() + ms;
      expect(told.body.expiresAt).toBe(new Date(end).toISOString());
      await served.time.advance(ms - 1);
      expect(await verdicts(eventsPath(jobId), told.body.ticket)).toEqual(twice(200));
      await served.time.advance(1);
      expect(await verdicts(eventsPath(jobId), told.body.ticket)).toEqual(
        twice(401, "unauthorized"),
      );
    }
  });

  it.each([59_999, 86_400_001, 60_000.5, "60000", null])("lasts no %j ms", async (ttlMs) => {
    const { jobId } = await admitted(queries());
    const body = { generation: 1, ttlMs };
    const told = await ask(ticketsPath(jobId), { method: "POST", body, ...keyOf("all") });
    expect([told.status, told.body.code]).toEqual([422, "invalid_request"]);
  });

  it("is given to whoever may read queries, for a job and generation that there is", async () => {
    const { jobId } = await admitted(queries());
    const posted = (body: object, key: string, id = jobId) =>
      ask(ticketsPath(id), { method: "POST", body, ...keyOf(key) });
    expect((await posted({ generation: 1 }, "looker")).status).toBe(200);
    expect((await posted({ generation: 1 }, "reader")).body.code).toBe("forbidden");
    expect((await posted({ generation: 2 }, "all")).body.code).toBe(
      "query_job_generation_mismatch",
    );
    expect((await posted({}, "all")).body.code).toBe("invalid_generation");
    expect((await posted({ generation: 1 }, "all", "x")).body.code).toBe("query_job_not_found");
  });

  it("is never logged, nor shown in a refusal", async () => {
    const { jobId } = await admitted(queries());
    const ticket = await issued(jobId);
    const told = [
      ...(await verdicts(eventsPath(jobId), ticket)),
      ...(await verdicts("/v1/emails", ticket)),
      ...(await verdicts(`${eventsPath(jobId)}&ticket=${ticket}`, `${ticket}x`)),
    ];
    expect(told.map(([status]) => status)).toEqual([200, 200, 403, 403, 401, 422]);
    const refusal = await ask(`/v1/emails?ticket=${ticket}`);
    expect(JSON.stringify(refusal.body)).not.toContain("hft1");
    expect(JSON.stringify(served.lines)).not.toMatch(/hft1|ticket=/);
    expect(served.lines.at(-1)?.fields).toMatchObject({ key: "ticket", tenant: null });
  });

  it("may stand in the query, which a key never does", async () => {
    const { jobId } = await admitted(queries());
    const key = MADE_KEYS.find(({ id }) => id === "all")?.key;
    expect((await ask(`${eventsPath(jobId)}&ticket=${key}`)).status).toBe(401);
  });
});

describe("a page of another site", () => {
  it("follows a job by a ticket in its query, and goes on behind the last event that it saw", async () => {
    const { jobId } = await running(queries());
    const ticket = await issued(jobId);
    const url = `${BASE}${eventsPath(jobId)}&ticket=${ticket}`;
    // What a browser's EventSource sends when it comes back.
    const headers = { accept: "text/event-stream", origin: ORIGIN, "last-event-id": "2" };
    const live = reading(await served.app.fetch(new Request(url, { headers })));
    expect(live.response.headers.get("access-control-allow-origin")).toBe(ORIGIN);
    await eventually(() => expect(live.frames().map(({ id }) => id)).toEqual([3]));
    await live.leave();
  });

  it("can read what it is refused for", async () => {
    const { jobId } = await admitted(queries());
    const told = await ask(`${eventsPath(jobId)}&ticket=x`, { headers: { origin: ORIGIN } });
    expect([told.status, told.response.headers.get("access-control-allow-origin")]).toEqual([
      401,
      ORIGIN,
    ]);
  });

  it("of a site that is not listed gets no leave to read", async () => {
    const { jobId } = await admitted(queries());
    const headers = { origin: "https://other.example.com" };
    const told = await ask(eventsPath(jobId), { headers: { ...headers, ...keyOf("all").headers } });
    expect(told.response.headers.get("access-control-allow-origin")).toBeNull();
  });

  it("may send a ticket as a bearer, and Last-Event-ID: its preflight is answered", async () => {
    const { jobId } = await admitted(queries());
    const response = await served.app.fetch(
      new Request(BASE + eventsPath(jobId), {
        method: "OPTIONS",
        headers: {
          origin: ORIGIN,
          "access-control-request-method": "GET",
          "access-control-request-headers": "authorization,last-event-id",
        },
      }),
    );
    expect(response.headers.get("access-control-allow-headers")).toMatch(
      /authorization.*last-event-id/,
    );
  });
});

describe("a service without a secret", () => {
  it("gives out no tickets, and says which setting is missing", async () => {
    const { jobId } = await admitted(queries());
    const app = served.holdfast.http({ open: true });
    const headers = { "content-type": "application/json" };
    const body = JSON.stringify({ generation: 1 });
    const response = await app.fetch(
      new Request(BASE + ticketsPath(jobId), { method: "POST", headers, body }),
    );
    const told = JSON.parse(await response.text());
    expect([response.status, told.code]).toEqual([503, "misconfigured"]);
    expect(told.detail).toContain("HOLDFAST_SECRET");
    expect(response.headers.get("retry-after")).toBe("60");
  });

  it("lets nobody in by one", async () => {
    const { jobId } = await admitted(queries());
    const ticket = await issued(jobId);
    const app = served.holdfast.http({ open: true });
    const response = await app.fetch(new Request(`${BASE}${eventsPath(jobId)}&ticket=${ticket}`));
    expect(response.status).toBe(401);
  });
});

describe("an option that cannot be meant", () => {
  it.each([
    ["secret", { secret: "s".repeat(31) }],
    ["secret", { secret: "s".repeat(513) }],
    ["secret", { secret: `${"s".repeat(40)} ` }],
    ["rotationMs", { rotationMs: 0 }],
    ["rotationMs", { rotationMs: 1.5 }],
    ["rotationMs", { rotationMs: 86_400_001 }],
  ])("%s is refused by its name: %j", (path, options) => {
    let thrown: unknown;
    try {
      served.holdfast.http(options);
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toBeInstanceOf(InvalidInputError);
    expect(thrown).toMatchObject({ errors: [{ path }] });
  });
});
