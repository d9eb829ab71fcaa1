/** The query routes of whoever asks and reads (http-api "Queries"), over the service as a caller meets it. */
import { describe, expect, it } from "vitest";
import { PROBLEMS, type ProblemCode } from "../../src/http/problem.ts";
import { type Ask, expectProblem, jobIn, START, serve, textIn } from "./fixture.ts";
import {
  accepted,
  CLIENT_JOB_ID,
  done,
  ended,
  objectIn,
  owned,
  REQUEST,
  read,
  running,
  starting,
  submit,
  TOKEN,
  UNKNOWN_ID,
  verdictOf,
} from "./query-given.ts";
import { QUERY_CASES, REQUEST_CODES } from "./query-problem-cases.ts";

const PATH = "/v1/query-jobs";

describe("submitting", () => {
  it("tells what is missing, in a body and in a query string", async () => {
    const served = await serve();
    const { jobId } = await starting(served);
    const unasked = expectProblem(await submit(served, { query: undefined }), 422, "invalid_query");
    expect(unasked["errors"]).toEqual([{ path: "query", message: "is missing" }]);
    const told = await served.ask("GET", `${PATH}/${jobId}`);
    expect(expectProblem(told, 422, "invalid_generation")["errors"]).toEqual([
      { path: "generation", message: "is missing" },
    ]);
  });

  it("QUERY-1, 2, 67 is 202 for the new and for the same again, also after the end", async () => {
    const served = await serve();
    const first = await submit(served);
    expect([first.status, first.body["created"]]).toEqual([202, true]);
    expect(first.body["job"]).toMatchObject({
      ...{ clientJobId: CLIENT_JOB_ID, generation: 1, status: "accepted", eventSeq: 1 },
      ...{ sessionId: REQUEST.sessionId, acceptedAt: START, attachments: [], activity: [] },
    });
    const again = await submit(served);
    expect([again.status, again.body]).toEqual([202, { ...first.body, created: false }]);
    const jobId = textIn(jobIn(first, 202), "jobId");
    await served.ask("POST", `${PATH}/${jobId}/cancel`, { body: { generation: 1 } });
    const late = await submit(served);
    expect([late.status, late.body["created"]]).toEqual([202, false]);
    expect(late.body["job"]).toMatchObject({ jobId, status: "canceled" });
  });

  it("QUERY-4 drops what it does not know, and refuses another request under the same identity", async () => {
    const served = await serve();
    const { jobId } = await accepted(served, { extra: 1, tags: ["a"] });
    const again = await submit(served);
    expect(again.body).toMatchObject({ created: false, job: { jobId } });
    const other = await submit(served, { query: "another prompt" });
    const problem = expectProblem(other, 409, "job_identity_conflict");
    // Nothing is told of what is stored under another fingerprint.
    expect(problem).not.toHaveProperty("jobStatus");
    expect(problem).not.toHaveProperty("updatedAt");
  });

  it("QUERY-15 takes ids in any case, and numbers as texts, as the original does", async () => {
    const served = await serve();
    const upper = "AAAAAAAA-BBBB-4CCC-8DDD-EEEEEEEEEEEE";
    const { clientJobId } = await accepted(served, { clientJobId: upper, generation: "3" });
    expect(clientJobId).toBe(upper.toLowerCase());
    const told = await served.ask("GET", `${PATH}/by-client/${upper}?generation=3`);
    expect(jobIn(told)["clientJobId"]).toBe(clientJobId);
  });

  it.each(REQUEST_CODES)(
    "QUERY-10 refuses with %s, names the place, and writes nothing",
    async (name) => {
      const code = name as keyof typeof QUERY_CASES;
      const served = await serve();
      const problem = expectProblem(await QUERY_CASES[code].meet(served), 422, code);
      expect(problem["errors"]).toEqual([
        {
          path: expect.stringMatching(/^\w/),
          message: expect.stringMatching(/^(must|is missing$)/),
        },
      ]);
      expect(served.storage.putCount()).toBe(0);
    },
  );

  it.each([["[]"], ["null"], ["1"], ['"text"']])(
    "QUERY-10 refuses %s: it is no object",
    async (raw) => {
      const { ask } = await serve();
      const headers = { "content-type": "application/json" };
      expectProblem(await ask("POST", PATH, { raw, headers }), 422, "invalid_request");
    },
  );

  it("QUERY-74 needs a session", async () => {
    const { sessionId: _, ...body } = REQUEST;
    const { ask } = await serve();
    expectProblem(await ask("POST", PATH, { body }), 422, "invalid_session_id");
  });

  it("QUERY-5, 6 admits one generation at a time, each higher than all before", async () => {
    const served = await serve();
    const { jobId } = await accepted(served, { generation: 2 });
    expectProblem(await submit(served, { generation: 3 }), 409, "job_generation_active");
    await served.ask("POST", `${PATH}/${jobId}/cancel`, { body: { generation: 2 } });
    expectProblem(await submit(served, { generation: 1 }), 409, "job_generation_out_of_order");
    expect((await submit(served, { generation: 7 })).status).toBe(202);
  });

  it("QUERY-7 tells when a held session is free, in the header, the problem and the original's error", async () => {
    const served = await serve();
    done(await (await owned(served)).post("interrupt"));
    served.advance(60_500);
    const told = await submit(served, { clientJobId: UNKNOWN_ID });
    const problem = expectProblem(told, 409, "provider_orphan_fence");
    const left = 21 * 60_000 - 60_500;
    const until = new Date(Date.parse(START) + 21 * 60_000).toISOString();
    expect(problem["detail"]).toContain(`the session is held until ${until}, `);
    expect(told.headers.get("retry-after")).toBe(String(Math.ceil(left / 1_000)));
    expect(problem["retryAfterMs"]).toBe(left);
    expect(problem["error"]).toEqual({
      code: "provider_orphan_fence",
      message: problem["detail"],
      retryable: true,
      retryAfterMs: left,
    });
    served.advance(left);
    expect((await submit(served, { clientJobId: UNKNOWN_ID })).status).toBe(202);
  });

  it("takes two megabytes and no more: the largest legal request fits", async () => {
    const served = await serve();
    const reference = { query: "界".repeat(48_000), response: "界".repeat(128_000) };
    await accepted(served, { query: "界".repeat(48_000), reference });
    const padded = { ...REQUEST, clientJobId: UNKNOWN_ID, extra: "x".repeat(2_097_152) };
    expectProblem(await served.ask("POST", PATH, { body: padded }), 413, "body_too_large");
    const fits = { ...padded, extra: "x".repeat(1_900_000) };
    expect((await served.ask("POST", PATH, { body: fits })).status).toBe(202);
  });

  it("QUERY-13 never shows what was asked, but to whoever holds the run", async () => {
    const served = await serve();
    const reference = { query: "an earlier prompt", response: "an earlier answer" };
    const secret = /durable prompt|an earlier/;
    const { jobId, started, post } = await starting(served, { reference });
    expect(started["request"]).toMatchObject({ query: REQUEST.query, reference });
    const texts = [
      (await submit(served, { reference })).text,
      (await submit(served)).text,
      (await read(served, jobId)).text,
      (await served.ask("GET", `${PATH}/by-client/${CLIENT_JOB_ID}?generation=1`)).text,
      (await served.ask("GET", PATH)).text,
      (await post("running", { linkage: {} }, "?job=full")).text,
      (await served.ask("POST", `${PATH}/${jobId}/runs`, { body: { generation: 1 } })).text,
      JSON.stringify(served.lines),
    ];
    for (const text of texts) expect(text).not.toMatch(secret);
  });
});

describe("reading", () => {
  it("QUERY-68 finds the job whose 202 was lost; another generation or nobody's id is 404", async () => {
    const served = await serve();
    const job = await accepted(served);
    const by = (id: string, generation: unknown) =>
      served.ask("GET", `${PATH}/by-client/${id}?generation=${generation}`);
    expect(jobIn(await by(CLIENT_JOB_ID, 1))).toEqual(job);
    expectProblem(await by(CLIENT_JOB_ID, 2), 404, "query_job_not_found");
    expectProblem(await by(UNKNOWN_ID, 1), 404, "query_job_not_found");
    expectProblem(await by("none", 1), 404, "query_job_not_found");
  });

  it("QUERY-62 needs the right generation", async () => {
    const served = await serve();
    const { jobId, updatedAt } = await accepted(served, { generation: 4 });
    const get = (query: string) => served.ask("GET", `${PATH}/${jobId}${query}`);
    expect(jobIn(await get("?generation=4"))["jobId"]).toBe(jobId);
    const problem = expectProblem(await get("?generation=3"), 409, "query_job_generation_mismatch");
    expect(problem).toMatchObject({ jobStatus: "accepted", updatedAt });
    expect(problem).not.toHaveProperty("state");
    for (const query of ["", "?generation=", "?generation=0", "?generation=x", "?generation=1.5"]) {
      const told = expectProblem(await get(query), 422, "invalid_generation");
      expect(told["errors"]).toMatchObject([{ path: "generation" }]);
    }
    expectProblem(await get("?generation=4&more=1"), 422, "invalid_request");
  });

  it("QUERY-36 is 404 for an id of nobody's, on every route of a job", async () => {
    const { ask } = await serve();
    const bodies: Readonly<Record<string, object>> = {
      cancel: { generation: 1 },
      ack: { generation: 1 },
      runs: { generation: 1 },
      heartbeats: {},
      running: { linkage: {} },
      linkage: { linkage: {} },
      chunks: { delta: "x" },
      activity: { kind: "status", text: "x" },
      "answer-ready": { text: "x" },
      complete: { text: "x" },
      fail: { error: {} },
      interrupt: {},
    };
    for (const id of [UNKNOWN_ID, "none", "a%2Fb"]) {
      const told = await ask("GET", `${PATH}/${id}?generation=1`);
      expectProblem(told, 404, "query_job_not_found");
      for (const [route, own] of Object.entries(bodies)) {
        const isOpen = "generation" in own;
        const body = isOpen ? own : { ...own, leaseToken: TOKEN };
        const refused = await ask("POST", `${PATH}/${id}/${route}`, { body });
        expectProblem(refused, 404, "query_job_not_found");
      }
    }
  });

  it("QUERY-54 shows a job until it is past its retention, and not after", async () => {
    const served = await serve();
    const { jobId } = await ended(served);
    served.advance(7 * 86_400_000 - 1);
    expect((await read(served, jobId)).status).toBe(200);
    served.advance(1);
    expectProblem(await read(served, jobId), 404, "query_job_not_found");
  });

  it("HEAD is where GET is", async () => {
    const served = await serve();
    const { jobId } = await accepted(served);
    const told = await served.ask("HEAD", `${PATH}/${jobId}?generation=1`);
    expect([told.status, told.text]).toEqual([200, ""]);
  });
});

describe("listing", () => {
  const idOf = (n: number) => `${String(n).padStart(8, "0")}-1111-4111-8111-111111111111`;

  it("shows the latest generation of each client job, by admission time within a page", async () => {
    const served = await serve();
    for (const n of [3, 1, 2]) {
      await accepted(served, { clientJobId: idOf(n), sessionId: `s-${n}` });
      served.advance(1_000);
    }
    await served.ask("POST", `${PATH}/${await idAt(served, 1)}/cancel`, {
      body: { generation: 1 },
    });
    await accepted(served, { clientJobId: idOf(1), generation: 2, sessionId: "s-1" });
    const told = await served.ask("GET", PATH);
    const found = [told.body["jobs"]]
      .flat()
      .map((job) => [Object(job)["clientJobId"], Object(job)["generation"]]);
    expect(found).toEqual([
      [idOf(3), 1],
      [idOf(2), 1],
      [idOf(1), 2],
    ]);
    expect(told.body).toMatchObject({ nextCursor: null, corrupt: [] });
  });

  async function idAt(served: Awaited<ReturnType<typeof serve>>, n: number): Promise<string> {
    const told = await served.ask("GET", `${PATH}/by-client/${idOf(n)}?generation=1`);
    return textIn(jobIn(told), "jobId");
  }

  it("shows each job once over the pages, and those of one status alone", async () => {
    const served = await serve();
    for (let n = 1; n <= 7; n += 1) {
      await accepted(served, { clientJobId: idOf(n), sessionId: `s-${n}` });
      served.advance(10);
    }
    await running(served, { clientJobId: idOf(8), sessionId: "s-8" });
    const walk = async (query: string) => {
      const seen: string[] = [];
      for (let cursor = ""; ; ) {
        const told = await served.ask("GET", `${PATH}?limit=3${query}${cursor}`);
        expect(told.status).toBe(200);
        seen.push(...[told.body["jobs"]].flat().map((job) => String(Object(job)["clientJobId"])));
        const { nextCursor } = told.body;
        if (typeof nextCursor !== "string") return seen;
        cursor = `&cursor=${nextCursor}`;
      }
    };
    const all = [1, 2, 3, 4, 5, 6, 7, 8].map(idOf);
    expect((await walk("")).sort()).toEqual(all);
    // From the due index: the longest waiting first.
    expect(await walk("&status=accepted")).toEqual(all.slice(0, 7));
    expect(await walk("&status=running")).toEqual([idOf(8)]);
    expect(await walk("&status=completed")).toEqual([]);
  });

  it.each([
    ["?cursor=none", "invalid_cursor"],
    ["?status=none", "invalid_request"],
    ["?limit=0", "invalid_request"],
    ["?limit=101", "invalid_request"],
    ["?generation=1", "invalid_request"],
  ])("refuses %s", async (query, code) => {
    const { ask } = await serve();
    expectProblem(await ask("GET", `${PATH}${query}`), 422, code);
  });

  it("lists what cannot be read by its id, and stops at no such record", async () => {
    const served = await serve();
    await accepted(served, { clientJobId: idOf(1), sessionId: "s-1" });
    const { jobId } = await accepted(served);
    const key = [...served.storage.bodies().keys()].find((one) => one.includes(`log/${jobId}/`));
    if (key === undefined) throw new Error("the log has no part");
    served.storage.plant(key, (served.storage.bodies().get(key) ?? "").replace("accepted", "lost"));
    const other = await serve({ storage: served.storage });
    const told = await other.ask("GET", PATH);
    expect(told.body).toMatchObject({
      jobs: [{ clientJobId: idOf(1) }],
      corrupt: [{ id: expect.any(String), reason: expect.any(String) }],
    });
    const problem = expectProblem(await read(other, String(jobId)), 500, "record_corrupt");
    expect(problem["detail"]).toContain(String(jobId));
    expect(problem["detail"]).not.toContain("000000000001");
  });
});

describe("canceling and acknowledging", () => {
  it("QUERY-28, 73 cancels once, by the right generation; a repeat changes nothing", async () => {
    const served = await serve();
    const { jobId } = await running(served);
    const cancel = (generation: unknown) =>
      served.ask("POST", `${PATH}/${jobId}/cancel`, { body: { generation } });
    expectProblem(await cancel(2), 409, "query_job_generation_mismatch");
    expectProblem(await cancel(undefined), 422, "invalid_generation");
    expectProblem(await cancel("1"), 422, "invalid_generation");
    const first = await cancel(1);
    expect(first.body).toMatchObject({
      applied: true,
      job: { status: "canceled", error: { code: "canceled" } },
    });
    const again = await cancel(1);
    expect([again.status, again.body]).toEqual([200, { ...first.body, applied: false }]);
  });

  it("QUERY-29 refuses once the answer is committed; the run still completes", async () => {
    const served = await serve();
    const { jobId, post } = await running(served);
    done(await post("answer-ready", { text: "an answer" }));
    const body = { generation: 1 };
    const told = await served.ask("POST", `${PATH}/${jobId}/cancel`, { body });
    expect(expectProblem(told, 409, "query_job_answer_committing")).toMatchObject({
      jobStatus: "answer_ready",
      updatedAt: START,
    });
    expect(done(await post("complete", { text: "an answer" }))["status"]).toBe("completed");
  });

  it("QUERY-33, 73 notes once that the reader has the end", async () => {
    const served = await serve();
    const { jobId, post } = await running(served);
    const ack = () => served.ask("POST", `${PATH}/${jobId}/ack`, { body: { generation: 1 } });
    expect(expectProblem(await ack(), 409, "query_job_not_terminal")["jobStatus"]).toBe("running");
    done(await post("complete", { text: "an answer" }));
    const first = await ack();
    expect(first.body).toMatchObject({ applied: true, job: { acknowledgedAt: START } });
    expect((await ack()).body).toEqual({ ...first.body, applied: false });
  });
});

describe("refusals of query routes", () => {
  const ERROR = (code: string, message: unknown) => ({ code, message });

  it.each<[string, string, ProblemCode, Ask]>([
    ["GET", `${PATH}/${UNKNOWN_ID}?generation=1`, "unauthorized", { key: null }],
    ["POST", PATH, "malformed_json", { raw: "{", headers: { "content-type": "application/json" } }],
    [
      "POST",
      PATH,
      "unsupported_media_type",
      { raw: "x", headers: { "content-type": "text/plain" } },
    ],
    [
      "POST",
      `${PATH}/${UNKNOWN_ID}/cancel`,
      "invalid_request",
      { body: { generation: 1, more: 1 } },
    ],
    ["GET", `${PATH}?limit=0`, "invalid_request", {}],
    ["GET", `${PATH}/${UNKNOWN_ID}?generation=1`, "query_job_not_found", {}],
    ["DELETE", PATH, "method_not_allowed", {}],
  ])("%s %s: the original's error stands beside %s", async (method, path, code, ask) => {
    const served = await serve();
    const problem = expectProblem(await served.ask(method, path, ask), PROBLEMS[code].status, code);
    expect(problem["error"]).toEqual(ERROR(code, problem["detail"]));
  });

  it("names the scope that a key lacks there, too; other routes have no such error", async () => {
    const { ask, keys } = await serve();
    const told = await ask("POST", PATH, { key: keys["looker"] ?? null, body: REQUEST });
    const problem = expectProblem(told, 403, "forbidden");
    expect(problem["error"]).toEqual(ERROR("forbidden", problem["detail"]));
    expect((await ask("GET", "/v1/emails/none")).body).not.toHaveProperty("error");
  });

  it("QUERY-41, QUERY-69 tells when to come again where the storage is away", async () => {
    const served = await serve({ seen: (storage) => storage.withFaults(() => "unavailable") });
    const problem = expectProblem(await submit(served), 503, "unavailable");
    expect(problem["error"]).toMatchObject({ retryable: true, retryAfterMs: 1_000 });
  });
});

describe("what an operator sees", () => {
  const erase = (served: Awaited<ReturnType<typeof serve>>, query: string) =>
    served.ask("POST", "/v1/erasures", { body: { query } });

  it("an erased client job answers erased, the same again as before, and one in use is refused", async () => {
    const served = await serve();
    const { jobId, post } = await running(served);
    const refused = expectProblem(await erase(served, CLIENT_JOB_ID), 409, "in_use");
    expect(refused).toMatchObject({ jobStatus: "running", updatedAt: START });
    served.advance(1_000);
    done(await post("complete", { text: "an answer" }));
    served.advance(1_000);
    const first = await erase(served, CLIENT_JOB_ID.toUpperCase());
    expect([first.status, first.body]).toEqual([
      200,
      {
        ...{ machine: "queries", id: CLIENT_JOB_ID, state: "completed" },
        updatedAt: "2026-01-31T09:00:01.000Z",
      },
    ]);
    served.advance(1_000);
    expect((await erase(served, CLIENT_JOB_ID)).body).toEqual(first.body);
    expectProblem(await submit(served), 410, "erased");
    expectProblem(await submit(served, { generation: 9 }), 410, "erased");
    const by = `${PATH}/by-client/${CLIENT_JOB_ID}?generation=1`;
    expectProblem(await served.ask("GET", by), 410, "erased");
    expectProblem(await read(served, jobId), 404, "query_job_not_found");
    expect([...served.storage.bodies().values()].join()).not.toMatch(/durable prompt|an answer/);
    expectProblem(await erase(served, UNKNOWN_ID), 404, "query_job_not_found");
    expectProblem(await erase(served, "none"), 422, "invalid_request");
  });

  it("a lapsed run is stuck, with nothing of its content, and a pass interrupts it", async () => {
    const served = await serve();
    const { jobId, post } = await owned(served);
    done(await post("heartbeats"));
    served.advance(60_001);
    const stuck = await served.ask("GET", "/v1/stuck");
    expect(stuck.body["items"]).toMatchObject([
      { machine: "queries", id: jobId, why: expect.any(String), action: expect.any(String) },
    ]);
    expect(stuck.text).not.toMatch(/durable prompt/);
    const told = await served.ask("POST", "/v1/reconciliations");
    expect(objectIn(told.body, "queries")).toEqual({ completed: 0, interrupted: 1, retired: 0 });
    const job = jobIn(await read(served, jobId));
    expect(job).toMatchObject({ status: "interrupted", error: { retryable: true } });
    expect((await served.ask("GET", "/v1/stuck")).body["items"]).toEqual([]);
  });
});

describe("tenants", () => {
  it("see nothing of each other's jobs", async () => {
    const served = await serve();
    const { jobId } = await accepted(served);
    const as = (name: string, method: string, path: string, ask: Ask = {}) =>
      served.ask(method, path, { key: served.keys[name] ?? null, ...ask });
    const foreign = await as("acme", "GET", `${PATH}/${jobId}?generation=1`);
    expectProblem(foreign, 404, "query_job_not_found");
    expect((await as("acme", "GET", PATH)).body["jobs"]).toEqual([]);
    const own = await as("acme", "POST", PATH, { body: REQUEST });
    expect(verdictOf(own)).toEqual([202, undefined]);
    expect(own.body["created"]).toBe(true);
  });
});
