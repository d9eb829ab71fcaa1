/** The query routes of runners (http-api "Queries"): a run from its start to its end, and its repeats. */
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../src/core/json.ts";
import { expectProblem, jobIn, type Served, serve, type Told, textIn } from "./fixture.ts";
import {
  accepted,
  done,
  ended,
  objectIn,
  owned,
  read,
  running,
  starting,
  submit,
  TOKEN,
  UNKNOWN_ID,
} from "./query-given.ts";

const PATH = "/v1/query-jobs";
const OTHER = "another token";

function start(served: Served, jobId: string, body: object = {}): Promise<Told> {
  return served.ask("POST", `${PATH}/${jobId}/runs`, { body: { generation: 1, ...body } });
}

async function textOf(served: Served, jobId: string): Promise<unknown> {
  return jobIn(await read(served, jobId))["partialText"];
}

async function logOf(served: Served, jobId: string): Promise<readonly string[]> {
  const { events } = await served.holdfast.queries.replay(jobId, 1);
  return events.map(({ type }) => type);
}

describe("starting", () => {
  it("is one caller's, who gets a token of its own, a position and what to answer", async () => {
    const served = await serve();
    const jobId = textIn(await accepted(served), "jobId");
    const first = await start(served, jobId);
    expect(first.body).toEqual({
      applied: true,
      job: expect.objectContaining({ jobId, status: "starting", eventSeq: 2 }),
      request: expect.objectContaining({ query: "durable prompt" }),
      leaseToken: expect.stringMatching(/^[0-9a-f-]{36}$/),
      position: "2-2",
    });
    const nobody = { applied: false, request: null, leaseToken: null, position: null };
    expect((await start(served, jobId)).body).toEqual({ ...nobody, job: first.body["job"] });
    expect((await start(served, jobId, { leaseToken: OTHER })).body).toMatchObject(nobody);
  });

  it("a token of the caller's own makes a retry return the same run", async () => {
    const served = await serve();
    const { jobId, started } = await starting(served);
    const again = await start(served, jobId, { leaseToken: TOKEN });
    expect(again.body).toEqual(started);
    expect(await logOf(served, jobId)).toEqual(["accepted", "starting"]);
  });

  it("QUERY-62 needs the right generation, and refuses what is no lease", async () => {
    const served = await serve();
    const jobId = textIn(await accepted(served), "jobId");
    const told = await start(served, jobId, { generation: 2 });
    expectProblem(told, 409, "query_job_generation_mismatch");
    expectProblem(await start(served, jobId, { generation: null }), 422, "invalid_generation");
    for (const leaseMs of [0, 86_400_001, "1", null]) {
      expectProblem(await start(served, jobId, { leaseMs }), 422, "invalid_request");
    }
    expectProblem(await start(served, jobId, { more: 1 }), 422, "invalid_request");
    expect(await logOf(served, jobId)).toEqual(["accepted"]);
  });

  it("QUERY-83 is refused while the session is held, and tells for how long", async () => {
    const served = await serve();
    const { post } = await owned(served);
    const waiting = textIn(await accepted(served, { clientJobId: UNKNOWN_ID }), "jobId");
    done(await post("interrupt"));
    served.advance(1_000);
    const told = await start(served, waiting);
    expect(told.headers.get("retry-after")).toBe("1259");
    expect(expectProblem(told, 409, "provider_orphan_fence")).toMatchObject({
      jobStatus: "accepted",
      retryAfterMs: 1_259_000,
      error: { retryable: true, retryAfterMs: 1_259_000 },
    });
    served.advance(1_259_000);
    expect((await start(served, waiting)).body["applied"]).toBe(true);
  });

  it("shows the token to nobody but whoever brings or gets it: readers see none", async () => {
    const served = await serve();
    const { jobId, post } = await running(served);
    const texts = [
      (await read(served, jobId)).text,
      (await served.ask("GET", PATH)).text,
      (await post("chunks", { delta: "x" }, "?job=full")).text,
      JSON.stringify(served.lines),
    ];
    for (const text of texts) expect(text).not.toContain(TOKEN);
  });

  it("of two callers at the same time one gets it", async () => {
    const served = await serve();
    const jobId = textIn(await accepted(served), "jobId");
    const tokens = ["a", "b", "c", "d"];
    const told = await Promise.all(
      tokens.map((leaseToken) => start(served, jobId, { leaseToken })),
    );
    expect(told.filter(({ body }) => body["applied"] === true)).toHaveLength(1);
  });
});

describe("a run", () => {
  it("QUERY-16, 18, 25, 26 goes from its start to its end, each call told where it is", async () => {
    const served = await serve();
    const { jobId, post } = await starting(served);
    const calls: readonly [string, object, string][] = [
      ["running", { linkage: { provider: "claude", claudeRunId: "run-1" } }, "running"],
      ["linkage", { linkage: { resolvedModel: "opus" } }, "running"],
      ["chunks", { delta: "Whales are " }, "running"],
      ["activity", { kind: "status", text: "Reading" }, "running"],
      ["activity", { kind: "input", text: "whales.txt" }, "running"],
      ["chunks", { delta: "mammals." }, "running"],
      ["answer-ready", { text: "Whales are mammals." }, "answer_ready"],
      ["complete", { text: "Whales are mammals." }, "completed"],
    ];
    for (const [index, [route, body, status]] of calls.entries()) {
      const eventSeq = index + 3;
      expect((await post(route, body)).body).toEqual({
        ...{ applied: true, eventSeq, status },
        position: `${eventSeq}-${eventSeq}`,
      });
    }
    expect(jobIn(await read(served, jobId))).toMatchObject({
      ...{ status: "completed", response: "Whales are mammals.", responseTruncated: false },
      ...{ provider: "claude", claudeRunId: "run-1", resolvedModel: "opus" },
      activity: [
        { kind: "status", text: "Reading" },
        { kind: "input", text: "whales.txt" },
      ],
    });
    const types = ["accepted", "starting", "running", "running", "chunk", "tool_status"];
    const rest = ["activity_line", "chunk", "answer_ready", "completed"];
    expect(await logOf(served, jobId)).toEqual([...types, ...rest]);
  });

  it("`?job=full` adds the job, as it is after the call", async () => {
    const served = await serve();
    const { jobId, post } = await running(served);
    const told = done(await post("chunks", { delta: "more" }, "?job=full"));
    expect(told["job"]).toEqual(jobIn(await read(served, jobId)));
    expect(done(await post("heartbeats", {}, "?job=full"))["job"]).toEqual(told["job"]);
    const bad = await post("chunks", { delta: "more" }, "?job=half");
    expectProblem(bad, 422, "invalid_request");
  });

  it("`?job=full` reads the job whole in a process that knows nothing of it", async () => {
    const served = await serve();
    const { jobId, post } = await running(served);
    done(await post("chunks", { delta: "first, " }));
    const other = await serve({ storage: served.storage });
    const told = await other.ask("POST", `${PATH}/${jobId}/chunks?job=full`, {
      body: { leaseToken: TOKEN, delta: "second" },
    });
    expect(objectIn(told.body, "job")["partialText"]).toBe("first, second");
  });

  it("QUERY-22, 29 changes nothing of an answer that is committed", async () => {
    const served = await serve();
    const { jobId, post } = await running(served);
    done(await post("answer-ready", { text: "an answer" }));
    const late: readonly [string, object][] = [
      ["chunks", { delta: "more" }],
      ["linkage", { linkage: {} }],
      ["activity", { kind: "status", text: "x" }],
      ["answer-ready", { text: "another answer" }],
    ];
    for (const [route, body] of late) {
      const told = await post(route, body);
      expect([told.status, told.body["applied"]]).toEqual([200, false]);
    }
    // QUERY-27: a failure completes what is committed.
    expect(done(await post("fail", { error: { code: "broken" } }))["status"]).toBe("completed");
    expect(jobIn(await read(served, jobId))["response"]).toBe("an answer");
  });

  it("QUERY-24, 27 fails with an error without credentials and paths", async () => {
    const served = await serve();
    const { jobId, post } = await running(served);
    const message = "read /home/ann/keys with Bearer abcdefghijklmnop";
    const error = { code: "provider_timeout", message, retryable: true, retryAfterMs: 1.5 };
    expect(done(await post("fail", { error }))["status"]).toBe("failed");
    const job = jobIn(await read(served, jobId));
    expect(job["error"]).toMatchObject({
      ...{ code: "provider_timeout", retryable: true, retryAfterMs: 2 },
    });
    expect(JSON.stringify(job)).not.toMatch(/home\/ann|abcdefghijklmnop/);
  });

  it.each([
    ["before", {}, false],
    ["after", { linkage: true }, true],
  ])(
    "QUERY-31 interrupts, and holds the session %s its provider was confirmed: %j",
    async (_, has, isHeld) => {
      const served = await serve();
      const { jobId, post } = "linkage" in has ? await owned(served) : await running(served);
      expect(done(await post("interrupt", { reason: "shut down" }))["status"]).toBe("interrupted");
      const job = jobIn(await read(served, jobId));
      expect(job["error"]).toEqual({ code: "interrupted", message: "shut down", retryable: true });
      expect("orphanFenceUntil" in job).toBe(isHeld);
      expect((await submit(served, { generation: 2 })).status).toBe(isHeld ? 409 : 202);
    },
  );

  it("QUERY-12, 20, 26 leaves out what does not fit, and takes what does", async () => {
    const served = await serve();
    const { jobId, post } = await running(served);
    const ref = {
      ...{ id: `m_${"a".repeat(24)}`, kind: "user_photo", mime: "image/png" },
      ...{ width: 10, height: 10, createdAt: "2026-01-31T09:00:00Z" },
    };
    const body = {
      text: "an answer",
      attachments: [ref, { id: "none" }, 1, null],
      outputImageStats: { published: 1, attached: 2, rejected: 0 },
      linkage: { provider: "nobody", cliSessionId: "x".repeat(300) },
    };
    done(await post("complete", body));
    const job = jobIn(await read(served, jobId));
    expect(job["attachments"]).toEqual([ref]);
    expect(job).not.toHaveProperty("outputImageStats");
    expect(job["provider"]).toBe("claude");
    expect(job["cliSessionId"]).toBe("x".repeat(256));
  });

  it.each<[string, object]>([
    ["running", {}],
    ["running", { linkage: 1 }],
    ["linkage", { linkage: { other: "x" } }],
    ["chunks", { delta: 1 }],
    ["chunks", { delta: "x", more: 1 }],
    ["activity", { kind: "other", text: "x" }],
    ["answer-ready", {}],
    ["complete", { text: "x", attachments: {} }],
    ["fail", {}],
    ["fail", { error: "x" }],
    ["interrupt", { reason: null }],
    ["heartbeats", { leaseMs: 0 }],
    ["chunks", { delta: "x", requestId: "" }],
    ["chunks", { delta: "x", requestId: "é" }],
    ["chunks", { delta: "x", requestId: "x".repeat(129) }],
    ["chunks", { delta: "x", leaseToken: "" }],
  ])("refuses %s %j, and writes nothing", async (route, body) => {
    const served = await serve();
    const { jobId, post } = await running(served);
    const before = await logOf(served, jobId);
    expectProblem(await post(route, body), 422, "invalid_request");
    expect(await logOf(served, jobId)).toEqual(before);
  });
});

describe("the holder of a run", () => {
  const ROUTES: readonly [string, object][] = [
    ["heartbeats", {}],
    ["running", { linkage: {} }],
    ["linkage", { linkage: {} }],
    ["chunks", { delta: "x" }],
    ["activity", { kind: "status", text: "x" }],
    ["answer-ready", { text: "x" }],
    ["complete", { text: "x" }],
    ["fail", { error: {} }],
    ["interrupt", {}],
  ];

  it.each(ROUTES)(
    "alone may call %s: `lease_lost` for any other token, without one refused",
    async (route, body) => {
      const served = await serve();
      const { jobId, post } = await running(served);
      const told = await post(route, { ...body, leaseToken: OTHER });
      const problem = expectProblem(told, 409, "lease_lost");
      expect(problem).toMatchObject({ jobStatus: "running", error: { code: "lease_lost" } });
      expect(problem).not.toHaveProperty("state");
      const bare = await served.ask("POST", `${PATH}/${jobId}/${route}`, { body });
      expectProblem(bare, 422, "invalid_request");
      expect(jobIn(await read(served, jobId))["status"]).toBe("running");
    },
  );

  it.each(ROUTES)(
    "QUERY-32 is told that %s changed nothing after its own end, all others that they lost it",
    async (route, body) => {
      const served = await serve();
      const { jobId, post } = await ended(served);
      const told = await post(route, body);
      expect(told.body).toEqual({
        ...{ applied: false, eventSeq: 4, status: "completed", position: "4-4" },
      });
      const other = await post(route, { ...body, leaseToken: OTHER });
      expect(expectProblem(other, 409, "lease_lost")["jobStatus"]).toBe("completed");
      expect(jobIn(await read(served, jobId))["response"]).toBe("an answer");
    },
  );

  it("QUERY-16 has lost it when another ended it; nobody holds an accepted job", async () => {
    const served = await serve();
    const { jobId, post } = await running(served);
    await served.ask("POST", `${PATH}/${jobId}/cancel`, { body: { generation: 1 } });
    const told = expectProblem(await post("complete", { text: "x" }), 409, "lease_lost");
    expect(told["jobStatus"]).toBe("canceled");
    const waiting = await accepted(served, { clientJobId: UNKNOWN_ID });
    const body = { leaseToken: TOKEN, error: {} };
    const path = `${PATH}/${waiting["jobId"]}/fail`;
    expectProblem(await served.ask("POST", path, { body }), 409, "lease_lost");
  });

  it("QUERY-42 keeps the run by its heartbeats, and by whatever it writes", async () => {
    const served = await serve();
    const { jobId, post } = await running(served);
    const passed = async () => {
      const told = await served.ask("POST", "/v1/reconciliations");
      return objectIn(told.body, "queries")["interrupted"];
    };
    done(await post("heartbeats", { leaseMs: 120_000 }));
    served.advance(119_999);
    expect(await passed()).toBe(0);
    done(await post("heartbeats"));
    served.advance(59_000);
    done(await post("chunks", { delta: "x" }));
    served.advance(59_000);
    expect(await passed()).toBe(0);
    served.advance(1_001);
    expect(await passed()).toBe(1);
    expectProblem(await post("heartbeats"), 409, "lease_lost");
    expect(jobIn(await read(served, jobId))["status"]).toBe("interrupted");
  });

  it("a lease that ran out is still its holder's while nobody ended the run", async () => {
    const served = await serve();
    const { post } = await running(served);
    served.advance(3_600_000);
    done(await post("heartbeats"));
    expect(done(await post("complete", { text: "x" }))["status"]).toBe("completed");
  });
});

describe("deltas", () => {
  it("of more than 16,000 characters are refused, and those of 16,000 taken", async () => {
    const served = await serve();
    const { jobId, post } = await running(served);
    const problem = expectProblem(
      await post("chunks", { delta: "x".repeat(16_001) }),
      422,
      "delta_too_large",
    );
    expect(problem).toMatchObject({
      errors: [{ path: "delta" }],
      error: { code: "delta_too_large", message: problem["detail"] },
    });
    done(await post("chunks", { delta: "x".repeat(16_000) }));
    expect(await textOf(served, jobId)).toBe("x".repeat(16_000));
  });

  it("that end in half a surrogate pair are joined with the next", async () => {
    const served = await serve();
    const { jobId, post } = await running(served);
    const [high = "", low = ""] = "🐋".split("");
    const raw = (delta: string) => JSON.stringify({ leaseToken: TOKEN, delta });
    const headers = { "content-type": "application/json" };
    const path = `${PATH}/${jobId}/chunks`;
    done(await served.ask("POST", path, { raw: raw(`a ${high}`), headers }));
    expect(await textOf(served, jobId)).toBe("a ");
    done(await served.ask("POST", path, { raw: raw(`${low}!`), headers }));
    expect(await textOf(served, jobId)).toBe("a 🐋!");
    done(await post("complete", { text: "a 🐋!" }));
  });

  it("QUERY-21 are cut where the answer has 128,000 characters, and flagged", async () => {
    const served = await serve();
    const { jobId, post } = await running(served);
    for (let n = 0; n < 9; n += 1) done(await post("chunks", { delta: "x".repeat(16_000) }));
    const job = jobIn(await read(served, jobId));
    expect([String(job["partialText"]).length, job["partialTruncated"]]).toEqual([128_000, true]);
  });
});

describe("answers", () => {
  it("QUERY-37 of 128,000 of the widest characters fit in a body of two megabytes, and come back whole", async () => {
    const served = await serve();
    const { jobId, post } = await running(served);
    const text = "界".repeat(128_000);
    done(await post("answer-ready", { text }));
    done(await post("complete", { text }));
    const job = jobIn(await read(served, jobId));
    expect([job["response"] === text, job["responseTruncated"]]).toEqual([true, false]);
  });

  it.each(["answer-ready", "complete"])(
    "over 128,000 characters are cut and flagged by %s; a body over two megabytes is refused",
    async (route) => {
      const served = await serve();
      const { jobId, post } = await running(served);
      const tooLarge = await post(route, { text: "x".repeat(2_097_152) });
      expectProblem(tooLarge, 413, "body_too_large");
      done(await post(route, { text: `${"x".repeat(127_999)}🐋` }));
      const job = jobIn(await read(served, jobId));
      expect([String(job["partialText"]).length, job["partialTruncated"]]).toEqual([127_999, true]);
    },
  );

  it("of other calls have one megabyte", async () => {
    const served = await serve();
    const { post } = await running(served);
    const told = await post("activity", { kind: "status", text: "x".repeat(1_048_576) });
    expectProblem(told, 413, "body_too_large");
  });
});

describe("repeats", () => {
  const chunk = (requestId: string, position?: unknown) => ({
    delta: `${requestId} `,
    requestId,
    ...(position === undefined ? {} : { position }),
  });

  it("with a requestId and a position write nothing more, and are answered as before", async () => {
    const served = await serve();
    const { jobId, started, post } = await starting(served);
    const first = done(await post("chunks", chunk("r-1", started["position"])));
    const second = done(await post("chunks", chunk("r-2", first["position"])));
    // The answer to the second was lost: the same again, with the position of the answer before.
    expect(done(await post("chunks", chunk("r-2", first["position"])))).toEqual(second);
    expect(done(await post("chunks", chunk("r-1", started["position"])))).toEqual(first);
    expect(await textOf(served, jobId)).toBe("r-1 r-2 ");
  });

  it("with a requestId alone are looked for from the log's beginning", async () => {
    const served = await serve();
    const { jobId, post } = await running(served);
    const first = done(await post("chunks", chunk("r-1")));
    done(await post("chunks", chunk("r-2")));
    expect(done(await post("chunks", chunk("r-1")))).toEqual(first);
    expect(await textOf(served, jobId)).toBe("r-1 r-2 ");
  });

  it("without a requestId append again", async () => {
    const served = await serve();
    const { jobId, post } = await running(served);
    for (let n = 0; n < 2; n += 1) done(await post("chunks", { delta: "x" }));
    expect(await textOf(served, jobId)).toBe("xx");
  });

  it("of an end are told it in another process, too", async () => {
    const served = await serve();
    const { jobId, started, post } = await starting(served);
    const body = { text: "an answer", requestId: "r-1", position: started["position"] };
    const first = done(await post("complete", body));
    const other = await serve({ storage: served.storage });
    const told = await other.ask("POST", `${PATH}/${jobId}/complete`, {
      body: { leaseToken: TOKEN, ...body },
    });
    expect(done(told)).toEqual(first);
  });

  it("after a 503 whose write landed are recognised", async () => {
    let isDown = false;
    const served = await serve({
      commandMs: 1_000,
      seen: (storage) =>
        storage.withFaults(({ kind }, when) => {
          if (!isDown) return null;
          if (kind === "put" && when === "before") return "lost_late";
          return when === "before" ? "unavailable" : null;
        }),
    });
    const { jobId, started, post } = await starting(served);
    isDown = true;
    const lost = await post("chunks", chunk("r-1", started["position"]));
    expect([lost.status, objectIn(lost.body, "error")["retryable"]]).toEqual([503, true]);
    isDown = false;
    served.storage.applyLate();
    const told: JsonObject = done(await post("chunks", chunk("r-1", started["position"])));
    expect(told["eventSeq"]).toBe(3);
    expect(await textOf(served, jobId)).toBe("r-1 ");
  });

  it.each(["none", "", "0-0", "2-1", "7-9", "02-02", "1-2", "2-3", 2, null])(
    "with the position %j, which no answer gave, are refused",
    async (position) => {
      const served = await serve();
      const { jobId, post } = await running(served);
      const told = await post("chunks", chunk("r-1", position));
      const problem = expectProblem(told, 422, "invalid_event_cursor");
      expect(problem["errors"]).toMatchObject([{ path: "position" }]);
      expect(await textOf(served, jobId)).toBe("");
    },
  );
});
