/** "Tenants never see, block or detect each other": two of them, one logical key, over HTTP. */
import { describe, expect, it } from "vitest";
import { ROUTES } from "../../src/http/app.ts";
import { documentOf } from "../../src/http/documents.ts";
import {
  as,
  enqueue,
  jobIn,
  KEY,
  pathOf,
  type Served,
  serve,
  type Told,
  textIn,
} from "./fixture.ts";

/** Everything in an answer but what differs between any two. */
function comparable({ status, headers, body }: Told) {
  const kept = [...headers].filter(([name]) => name !== "x-request-id");
  return { status, headers: kept, body };
}

async function withJobs(served: Served, name: "acme" | "beta" | "all", count: number) {
  for (let n = 0; n < count; n += 1) {
    await as(served, name)("POST", "/v1/emails", enqueue(`of ${name}`, `${name}-${n}`));
  }
}

describe("one logical key of several tenants", () => {
  it("is a job of each, and none answers for another", async () => {
    const served = await serve();
    for (const name of ["acme", "beta", "all"] as const) {
      const told = await as(served, name)("POST", "/v1/emails", enqueue(`of ${name}`));
      expect(told.status).toBe(201);
    }
    await as(served, "acme")("POST", pathOf(KEY, "/transitions"), {
      body: { from: ["pending"], to: "cancelled" },
    });
    for (const [name, state] of [
      ["acme", "cancelled"],
      ["beta", "pending"],
      ["all", "pending"],
    ] as const) {
      const job = jobIn(await as(served, name)("GET", pathOf(KEY)));
      expect(job).toMatchObject({ state, text: `of ${name}` });
    }
  });

  it("its lease of one tenant is nothing to the other", async () => {
    const served = await serve();
    for (const name of ["acme", "beta"] as const) {
      await as(served, name)("POST", "/v1/emails", enqueue("x"));
      const body = { from: ["pending"], to: "ready" };
      await as(served, name)("POST", pathOf(KEY, "/transitions"), { body });
    }
    const body = { durationMs: 60_000, limit: 100 };
    const due = await as(served, "acme")("POST", "/v1/email-leases", { body });
    const [job] = Array.isArray(due.body["jobs"]) ? due.body["jobs"] : [];
    expect(due.body["jobs"]).toHaveLength(1);
    const settlement = { body: { leaseToken: job.leaseToken, to: "sent" } };
    const foreign = await as(served, "beta")("POST", pathOf(KEY, "/settlements"), settlement);
    expect([foreign.status, foreign.body["code"], foreign.body["state"]]).toEqual([
      409,
      "lease_lost",
      "ready",
    ]);
    const own = await as(served, "acme")("POST", pathOf(KEY, "/settlements"), settlement);
    expect(jobIn(own)["state"]).toBe("sent");
  });
});

describe("what only another tenant has", () => {
  it.each(
    ROUTES.filter(({ path }) => path.includes("{k}")).map((route) => [route.id, route] as const),
  )("%s answers as for what is missing", async (_, route) => {
    const { method, path } = route;
    const { example = {} } = documentOf(route);
    const empty = await serve();
    const full = await serve();
    await as(full, "acme")("POST", "/v1/emails", enqueue("x"));
    const ask = method === "GET" ? {} : { body: example };
    const at = path.replace("{k}", encodeURIComponent(KEY));
    const missing = await as(empty, "beta")(method, at, ask);
    const foreign = await as(full, "beta")(method, at, ask);
    expect(missing.status).toBe(404);
    expect(comparable(foreign)).toEqual(comparable(missing));
  });

  it("cannot be erased, configured or found", async () => {
    const served = await serve();
    await as(served, "acme")("POST", "/v1/emails", enqueue("x"));
    await as(served, "acme")("PUT", "/v1/email-config");
    const beta = as(served, "beta");
    expect((await beta("POST", "/v1/erasures", { body: { email: KEY } })).status).toBe(404);
    expect((await beta("GET", "/v1/email-config")).status).toBe(404);
    expect((await beta("PUT", "/v1/email-config")).status).toBe(201);
    expect((await beta("GET", "/v1/emails")).body).toEqual({
      jobs: [],
      corrupt: [],
      nextCursor: null,
    });
    expect(jobIn(await as(served, "acme")("GET", pathOf(KEY)))["state"]).toBe("pending");
  });

  it("is in no list, not counted and not due", async () => {
    const served = await serve();
    await withJobs(served, "acme", 3);
    const failing = { body: { from: ["pending"], to: "failed" } };
    await as(served, "acme")("POST", pathOf("acme-0", "/transitions"), failing);
    const body = { from: ["pending"], to: "ready" };
    await as(served, "acme")("POST", pathOf("acme-1", "/transitions"), { body });
    for (const name of ["beta", "all"] as const) {
      const told = await as(served, name)("GET", "/v1/health");
      expect(told.text).not.toMatch(/"due":[1-9]/);
      expect((await as(served, name)("GET", "/v1/stuck")).body["items"]).toEqual([]);
      const due = { body: { durationMs: 1, limit: 100 } };
      const leases = await as(served, name)("POST", "/v1/email-leases", due);
      expect(leases.body["jobs"]).toEqual([]);
    }
    expect((await as(served, "acme")("GET", "/v1/health")).text).toMatch(/"due":1/);
    expect((await as(served, "acme")("GET", "/v1/stuck")).body["items"]).toHaveLength(1);
  });
});

describe("cursors", () => {
  it.each(["/v1/emails?limit=1", "/v1/stuck?limit=1"])(
    "of %s are of one tenant and one list",
    async (path) => {
      const served = await serve();
      for (const name of ["acme", "beta", "all"] as const) {
        await withJobs(served, name, 3);
        for (let n = 0; n < 3; n += 1) {
          await as(served, name)("POST", pathOf(`${name}-${n}`, "/transitions"), {
            body: { from: ["pending"], to: "failed" },
          });
        }
      }
      const cursor = textIn((await as(served, "acme")("GET", path)).body, "nextCursor");
      const next = `${path}&cursor=${encodeURIComponent(cursor)}`;
      expect((await as(served, "acme")("GET", next)).status).toBe(200);
      for (const name of ["beta", "all"] as const) {
        const told = await as(served, name)("GET", next);
        expect([told.status, told.body["code"]]).toEqual([422, "invalid_cursor"]);
      }
      const other = path.startsWith("/v1/stuck") ? "/v1/emails" : "/v1/stuck";
      const told = await as(served, "acme")("GET", `${other}?cursor=${encodeURIComponent(cursor)}`);
      expect([told.status, told.body["code"]]).toEqual([422, "invalid_cursor"]);
    },
  );

  it("hold no name and no key of anybody", async () => {
    const served = await serve();
    await withJobs(served, "acme", 2);
    const { body } = await as(served, "acme")("GET", "/v1/emails?limit=1");
    expect(textIn(body, "nextCursor")).toMatch(/^[\w-]+$/);
    expect(textIn(body, "nextCursor")).not.toMatch(/acme|emails/);
  });
});

describe("a bad record of one tenant", () => {
  it("stops nobody else, and nobody else is told", async () => {
    const served = await serve();
    await withJobs(served, "acme", 1);
    const [key = ""] = [...served.storage.bodies().keys()];
    served.storage.plant(key, "{");
    await withJobs(served, "beta", 1);
    const own = await as(served, "acme")("GET", "/v1/emails");
    expect(own.body["corrupt"]).toHaveLength(1);
    const other = await as(served, "beta")("GET", "/v1/emails");
    expect([other.body["corrupt"], other.body["jobs"]]).toEqual([[], [expect.anything()]]);
    const health = await as(served, "beta")("GET", "/v1/health");
    expect(health.text).toContain('"corruptRecords":0');
  });
});
