/** Making, listing and reading emails: what each route answers and refuses. Names quote http-api. */
import { describe, expect, it } from "vitest";
import {
  created,
  expectProblem,
  jobIn,
  KEY,
  MESSAGE,
  pathOf,
  ready,
  type Served,
  START,
  serve,
  textIn,
} from "./fixture.ts";

const LATER = "2026-01-31T09:00:10.000Z";

function post(served: Served, rest: string, body: object, key = KEY) {
  return served.ask("POST", pathOf(key, rest), { body });
}

describe("POST /v1/emails", () => {
  it("`201 {created:true, job}` · `200 {created:false, job}`, whatever payload it brings", async () => {
    const served = await serve();
    const body = { logicalKey: ` ${KEY} `, payload: MESSAGE };
    const first = await served.ask("POST", "/v1/emails", { body });
    expect([first.status, first.body["created"]]).toEqual([201, true]);
    expect(first.body["job"]).toEqual({
      logicalKey: KEY,
      state: "pending",
      ...MESSAGE,
      attempts: 0,
      createdAt: START,
      updatedAt: START,
      lastError: null,
      leaseUntil: null,
      leaseToken: null,
    });
    const other = { ...body, payload: { ...MESSAGE, text: "Another text" } };
    const second = await served.ask("POST", "/v1/emails", { body: other });
    expect([second.status, second.body]).toEqual([200, { ...first.body, created: false }]);
  });

  it("with `conflict` the same payload is 200 and another 422, which tells nothing stored", async () => {
    const served = await serve();
    await created(served);
    const body = { logicalKey: KEY, payload: MESSAGE, onPayloadMismatch: "conflict" };
    expect((await served.ask("POST", "/v1/emails", { body })).status).toBe(200);
    const payload = { ...MESSAGE, text: "Another text" };
    const told = await served.ask("POST", "/v1/emails", { body: { ...body, payload } });
    expectProblem(told, 422, "job_payload_conflict");
    expect(told.text).not.toContain(MESSAGE.text);
  });

  it("notBefore keeps a job from being leased as due", async () => {
    const served = await serve();
    await created(served, KEY, { notBefore: LATER });
    await post(served, "/transitions", { from: ["pending"], to: "ready" });
    const due = { body: { durationMs: 1_000, limit: 1 } };
    expect((await served.ask("POST", "/v1/email-leases", due)).body["jobs"]).toEqual([]);
    served.advance(10_000);
    expect((await served.ask("POST", "/v1/email-leases", due)).body["jobs"]).toHaveLength(1);
  });

  it.each([
    ["initialState", { initialState: "ready" }],
    ["notBefore", { notBefore: "tomorrow" }],
    ["notBefore", { notBefore: "1969-12-31T23:59:59Z" }],
    ["onPayloadMismatch", { onPayloadMismatch: "ignore" }],
    ["payload.type", { payload: { ...MESSAGE, type: "letter" } }],
    ["payload.recipient", { payload: { ...MESSAGE, recipient: " ann@example.com" } }],
    ["payload.subject", { payload: { ...MESSAGE, subject: "two\nlines" } }],
    ["payload.cc", { payload: { ...MESSAGE, cc: "eve@example.com" } }],
    ["payload.headers.Bcc", { payload: { ...MESSAGE, headers: { Bcc: "eve@example.com" } } }],
    ["logicalKey", { logicalKey: " " }],
    ["logicalKey", { logicalKey: `sha256:${"a".repeat(64)}` }],
    ["logicalKey", { logicalKey: "é".repeat(513) }],
    ["extra", { extra: 1 }],
  ])("refuses a wrong %s by its place", async (path, wrong) => {
    const served = await serve();
    const body = { logicalKey: KEY, payload: MESSAGE, ...wrong };
    const { errors } = expectProblem(
      await served.ask("POST", "/v1/emails", { body }),
      422,
      "invalid_request",
    );
    expect(errors).toContainEqual({ path, message: expect.stringMatching(/\S/) });
    expect(served.storage.putCount()).toBe(0);
  });
});

describe("POST /v1/email-batches", () => {
  it("`the same verdict per item as one by one; the same key twice: the second is created:false`", async () => {
    const served = await serve();
    const item = (logicalKey: string) => ({ logicalKey, payload: MESSAGE });
    const jobs = [item("a"), item("b"), item("a"), { ...item("c"), extra: 1 }, 7, item(" ")];
    const { status, body } = await served.ask("POST", "/v1/email-batches", { body: { jobs } });
    expect(status).toBe(200);
    const problem = (path: string) => ({
      problem: expect.objectContaining({
        code: "invalid_request",
        instance: "/v1/email-batches",
        errors: [{ path, message: expect.any(String) }],
      }),
    });
    const job = (logicalKey: string) => expect.objectContaining({ logicalKey });
    expect(body["results"]).toEqual([
      { created: true, job: job("a") },
      { created: true, job: job("b") },
      { created: false, job: job("a") },
      problem("extra"),
      problem(""),
      problem("logicalKey"),
    ]);
  });

  it.each([
    ["none", []],
    ["101", Array.from({ length: 101 }, (_, n) => ({ logicalKey: `k${n}`, payload: MESSAGE }))],
  ])("refuses %s of them, as a whole", async (_, jobs) => {
    const served = await serve();
    const told = await served.ask("POST", "/v1/email-batches", { body: { jobs } });
    expectProblem(told, 422, "invalid_request");
    expect(served.storage.putCount()).toBe(0);
  });

  it("takes 100", async () => {
    const served = await serve();
    const jobs = Array.from({ length: 100 }, (_, n) => ({ logicalKey: `k${n}`, payload: MESSAGE }));
    const { body } = await served.ask("POST", "/v1/email-batches", { body: { jobs } });
    expect(body["results"]).toHaveLength(100);
    expect(JSON.stringify(body)).not.toContain('"problem"');
  });
});

describe("POST /v1/emails/first-imports", () => {
  it("`201 / 200 {created, job}, converging`", async () => {
    const served = await serve();
    const body = { recipient: " Ann@Example.com", recordingId: "rec-1", requestedBy: "bob" };
    const first = await served.ask("POST", "/v1/emails/first-imports", { body });
    expect(jobIn(first, 201)).toMatchObject({ recipient: "ann@example.com", type: "first-import" });
    const again = await served.ask("POST", "/v1/emails/first-imports", { body });
    expect([again.status, again.body["created"]]).toEqual([200, false]);
    const other = { ...body, recordingId: "rec-2" };
    const turned = await served.ask("POST", "/v1/emails/first-imports", { body: other });
    expect(jobIn(turned)).toMatchObject({ recordingIds: ["rec-2"] });
  });

  it("refuses a recipient that is no address", async () => {
    const served = await serve();
    const body = { recipient: "ann", recordingId: "rec-1", requestedBy: "bob" };
    const told = await served.ask("POST", "/v1/emails/first-imports", { body });
    expectProblem(told, 422, "invalid_request");
  });
});

describe("GET /v1/emails", () => {
  it("`limit 1..100, default 50`; pages meet everything exactly once", async () => {
    const served = await serve();
    for (let n = 0; n < 60; n += 1) await created(served, `key-${n}`);
    const whole = await served.ask("GET", "/v1/emails");
    expect(whole.body["jobs"]).toHaveLength(50);
    const met: string[] = [];
    for (let cursor = "", pages = 0; pages < 20; pages += 1) {
      const query = `?limit=7${cursor === "" ? "" : `&cursor=${encodeURIComponent(cursor)}`}`;
      const { body } = await served.ask("GET", `/v1/emails${query}`);
      const jobs = Array.isArray(body["jobs"]) ? body["jobs"] : [];
      met.push(...jobs.map(({ logicalKey }) => String(logicalKey)));
      if (body["nextCursor"] === null) break;
      cursor = textIn(body, "nextCursor");
    }
    expect(new Set(met).size).toBe(60);
    expect(met).toHaveLength(60);
  });

  it("`state` lists only jobs in it", async () => {
    const served = await serve();
    await created(served, "a");
    await ready(served, "b");
    const { body } = await served.ask("GET", "/v1/emails?state=ready");
    expect(body["jobs"]).toEqual([expect.objectContaining({ logicalKey: "b" })]);
  });

  it.each([
    "limit=0",
    "limit=101",
    "limit=1e1",
    "limit=-1",
    "limit=1.0",
    "limit=",
    "state=lost",
    "page=2",
  ])("refuses ?%s", async (query) => {
    const served = await serve();
    expectProblem(await served.ask("GET", `/v1/emails?${query}`), 422, "invalid_request");
  });

  it("`another cursor than the service made: 422 invalid_cursor`", async () => {
    const served = await serve();
    for (const cursor of ["", "x", "%00", "a".repeat(4_096), encodeURIComponent('{"queue":1}')]) {
      const told = await served.ask("GET", `/v1/emails?cursor=${cursor}`);
      expectProblem(told, 422, "invalid_cursor");
    }
  });
});

describe("GET /v1/emails/{k}", () => {
  it("`{k} is the logical key, URL-encoded, or sha256: and its 64 hex digits`", async () => {
    const served = await serve();
    const job = await created(served);
    expect(jobIn(await served.ask("GET", pathOf(KEY)))).toEqual(job);
    const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(KEY));
    const id = Buffer.from(digest).toString("hex");
    expect(jobIn(await served.ask("GET", `/v1/emails/sha256:${id}`))).toEqual(job);
    expect(jobIn(await served.ask("GET", `/v1/emails/sha256%3A${id}`))).toEqual(job);
    const upper = await served.ask("GET", `/v1/emails/sha256:${id.toUpperCase()}`);
    expectProblem(upper, 404, "job_not_found");
  });

  it("a route's own name may be a key: it is read, and its other routes work", async () => {
    const served = await serve();
    await created(served, "first-imports");
    expect(jobIn(await served.ask("GET", "/v1/emails/first-imports"))).toMatchObject({
      logicalKey: "first-imports",
    });
    const moved = await post(
      served,
      "/transitions",
      { from: ["pending"], to: "ready" },
      "first-imports",
    );
    expect(jobIn(moved)).toMatchObject({ state: "ready" });
  });

  it("`HEAD where GET is`: the same headers and no body", async () => {
    const served = await serve();
    await created(served);
    const told = await served.ask("HEAD", pathOf(KEY));
    expect([told.status, told.text]).toEqual([200, ""]);
    expect(told.headers.get("content-type")).toBe("application/json");
    expect((await served.ask("HEAD", pathOf("none"))).status).toBe(404);
  });
});
