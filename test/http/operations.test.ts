/** The configuration, what holds on every route of a job, and operations. Names quote http-api. */
import { describe, expect, it } from "vitest";
import { isJsonObject } from "../../src/core/json.ts";
import { LEASE_MS, running } from "../services/queries/given.ts";
import {
  created,
  expectProblem,
  jobIn,
  KEY,
  leased,
  MESSAGE,
  pathOf,
  ready,
  type Served,
  START,
  serve,
  textIn,
} from "./fixture.ts";

const WRITER = "writer@example.com";
const LATER = "2026-01-31T09:00:10.000Z";

function post(served: Served, rest: string, body: object, key = KEY) {
  return served.ask("POST", pathOf(key, rest), { body });
}

describe("the configuration", () => {
  it("`404 config_not_found`, `PUT ensures it (201 when made, 200 after)`, then it is read", async () => {
    const served = await serve();
    expectProblem(await served.ask("GET", "/v1/email-config"), 404, "config_not_found");
    const cursor = { body: { cursor: null } };
    const early = await served.ask("PUT", "/v1/email-config/cursors/reminderCursor", cursor);
    expectProblem(early, 404, "config_not_found");
    const made = await served.ask("PUT", "/v1/email-config");
    expect([made.status, made.body]).toEqual([201, { config: { enabledAt: START } }]);
    served.advance(1_000);
    const again = await served.ask("PUT", "/v1/email-config", { body: {} });
    expect([again.status, again.body]).toEqual([200, made.body]);
    expect((await served.ask("GET", "/v1/email-config")).body).toEqual(made.body);
  });

  it.each(["shareDiscoveryCursor", "reminderCursor", "firstViewCursor", "firstImportCursor"])(
    "%s is set and set back",
    async (name) => {
      const served = await serve();
      await served.ask("PUT", "/v1/email-config");
      for (const cursor of [{ createdAt: START, id: "row-1" }, null]) {
        const told = await served.ask("PUT", `/v1/email-config/cursors/${name}`, {
          body: { cursor },
        });
        expect(told.body).toEqual({ config: { enabledAt: START, [name]: cursor } });
      }
    },
  );

  it.each(["reconciliationCursor", "enabledAt", "__proto__", "constructor"])(
    "`unknown name 404 cursor_not_found`: %s",
    async (name) => {
      const served = await serve();
      await served.ask("PUT", "/v1/email-config");
      const body = { cursor: { createdAt: START, id: "x" } };
      const told = await served.ask("PUT", `/v1/email-config/cursors/${name}`, { body });
      expectProblem(told, 404, "cursor_not_found");
    },
  );
});

describe("every route on a job", () => {
  const ROUTES: readonly (readonly [string, string, object | null])[] = [
    ["GET", "", null],
    ["POST", "/transitions", { from: ["pending"], to: "ready" }],
    ["POST", "/ai-claims", { claimant: WRITER }],
    ["POST", "/ai-reclaims", { claimant: WRITER, staleBefore: START }],
    ["POST", "/ai-completions", { claimant: WRITER, summary: "x" }],
    ["POST", "/ai-releases", { claimant: WRITER }],
    ["POST", "/leases", { durationMs: 1_000 }],
    ["POST", "/lease-extensions", { leaseToken: "x", durationMs: 1_000 }],
    ["POST", "/settlements", { leaseToken: "x", to: "sent" }],
    ["POST", "/requeues", {}],
  ];

  it.each(ROUTES)(
    "%s …%s: `a missing job is 404 job_not_found on every route`",
    async (method, rest, body) => {
      const served = await serve();
      const told = await served.ask(method, pathOf(KEY, rest), body === null ? {} : { body });
      expectProblem(told, 404, "job_not_found");
      expect(served.storage.putCount()).toBe(0);
    },
  );

  it.each(ROUTES)(
    "%s …%s: `past retention 410 job_expired`, lists skip it",
    async (method, rest, body) => {
      const served = await serve({ retentionMs: 1_000 });
      const { leaseToken } = await leased(served);
      await post(served, "/settlements", { leaseToken, to: "sent" });
      served.advance(1_001);
      const told = await served.ask(method, pathOf(KEY, rest), body === null ? {} : { body });
      expect(expectProblem(told, 410, "job_expired")["state"]).toBe("sent");
      expect((await served.ask("GET", "/v1/emails")).body["jobs"]).toEqual([]);
      const enqueue = { body: { logicalKey: KEY, payload: MESSAGE } };
      expectProblem(await served.ask("POST", "/v1/emails", enqueue), 410, "job_expired");
    },
  );

  it.each(ROUTES)("%s …%s: `erased: 410 erased`", async (method, rest, body) => {
    const served = await serve();
    await created(served);
    const erasure = await served.ask("POST", "/v1/erasures", { body: { email: KEY } });
    expect(erasure.status).toBe(200);
    const told = await served.ask(method, pathOf(KEY, rest), body === null ? {} : { body });
    expect(expectProblem(told, 410, "erased")["state"]).toBe("pending");
    expect(served.storage.bodies().size).toBe(1);
    expect([...served.storage.bodies().values()].join()).not.toContain(MESSAGE.text);
  });
});

describe("operations", () => {
  it("`GET /v1/stuck`: a run whose lease has lapsed, until a pass has ended it", async () => {
    const served = await serve();
    const { queries } = served.holdfast;
    const { jobId } = await running(queries);
    await queries.heartbeat(jobId);
    expect((await served.ask("GET", "/v1/stuck")).body["items"]).toEqual([]);
    served.advance(LEASE_MS);
    const { body } = await served.ask("GET", "/v1/stuck");
    expect(body["items"]).toMatchObject([{ machine: "queries", id: jobId, state: "running" }]);
    const pass = await served.ask("POST", "/v1/reconciliations", { body: {} });
    expect(pass.body["queries"]).toEqual({ completed: 0, interrupted: 1, retired: 0 });
    expect((await served.ask("GET", "/v1/stuck")).body["items"]).toEqual([]);
  });

  it("`GET /v1/stuck`: what failed, as an address that its routes take", async () => {
    const served = await serve();
    const { leaseToken } = await leased(served);
    await post(served, "/settlements", { leaseToken, to: "failed" });
    const { body } = await served.ask("GET", "/v1/stuck");
    const [item] = Array.isArray(body["items"]) ? body["items"] : [];
    if (item === undefined || !isJsonObject(item)) throw new Error("nothing is stuck");
    expect(item).toMatchObject({ machine: "emails", state: "failed", since: START });
    const requeued = await served.ask("POST", `/v1/emails/${item["id"]}/requeues`);
    expect(jobIn(requeued)["logicalKey"]).toBe(KEY);
    expect((await served.ask("GET", "/v1/stuck")).body["items"]).toEqual([]);
  });

  it("`GET /v1/health`: counts of the due index by queue", async () => {
    const served = await serve();
    await ready(served);
    const { status, body } = await served.ask("GET", "/v1/health");
    expect(status).toBe(200);
    expect(body).toMatchObject({
      emails: {
        deliver: { due: 1, more: false, oldestDueAt: START },
        stuck: { due: 0, more: false, oldestDueAt: null },
      },
      receipts: { attend: { due: 0, more: false, oldestDueAt: null }, counters: { replays: 0 } },
      queries: {
        attend: { due: 0, more: false, oldestDueAt: null },
        stuck: { due: 0, more: false, oldestDueAt: null },
        counters: { admitted: 0, leasesLost: 0 },
      },
    });
  });

  it("`POST /v1/erasures`: a tombstone in its place, and again the same answer", async () => {
    const served = await serve();
    expectProblem(
      await served.ask("POST", "/v1/erasures", { body: { email: KEY } }),
      404,
      "job_not_found",
    );
    await created(served);
    served.advance(10_000);
    const first = await served.ask("POST", "/v1/erasures", { body: { email: KEY } });
    expect([first.status, first.body]).toEqual([
      200,
      {
        machine: "emails",
        id: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
        state: "pending",
        updatedAt: LATER,
      },
    ]);
    served.advance(10_000);
    const body = { email: textIn(first.body, "id") };
    const again = await served.ask("POST", "/v1/erasures", { body });
    expect([again.status, again.body]).toEqual([200, first.body]);
  });

  it("`GET /healthz` and `/readyz` need no key", async () => {
    const served = await serve();
    for (const path of ["/healthz", "/readyz", "/openapi.json", "/docs"]) {
      expect((await served.ask("GET", path, { key: null })).status).toBe(200);
      expect((await served.ask("HEAD", path, { key: null })).status).toBe(200);
    }
  });
});
