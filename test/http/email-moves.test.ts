/** Moving emails: transitions, claims, leases, settlements. Names quote http-api. */
import { describe, expect, it } from "vitest";
import {
  awaiting,
  claimed,
  created,
  expectProblem,
  jobIn,
  KEY,
  leased,
  MESSAGE,
  pathOf,
  ready,
  type Served,
  serve,
  TWO_CLIPS,
} from "./fixture.ts";

const WRITER = "writer@example.com";
const LATER = "2026-01-31T09:00:10.000Z";
const DAY_MS = 86_400_000;

function post(served: Served, rest: string, body: object, key = KEY) {
  return served.ask("POST", pathOf(key, rest), { body });
}

describe("POST …/transitions", () => {
  it("`→ {job}`, with its text and its error", async () => {
    const served = await serve();
    await created(served, KEY, { payload: TWO_CLIPS });
    const body = {
      from: ["failed", "pending"],
      to: "ready",
      generatedSummary: "Whales",
      lastError: "x",
    };
    expect(jobIn(await post(served, "/transitions", body))).toMatchObject({
      state: "ready",
      generatedSummary: "Whales",
      lastError: "x",
    });
  });

  it("`409 state_mismatch (also for sending)` with the current state", async () => {
    const served = await serve();
    await leased(served);
    for (const from of [["pending"], ["sending"], ["ready", "sending"]]) {
      const told = await post(served, "/transitions", { from, to: "cancelled" });
      expect(expectProblem(told, 409, "state_mismatch")["state"]).toBe("sending");
    }
  });

  it('`409 invalid_transition (also to: "sending")`', async () => {
    const served = await serve();
    await created(served);
    for (const to of ["sending", "sent", "pending", "ai_dispatched"]) {
      const told = await post(served, "/transitions", { from: ["pending"], to });
      expect(expectProblem(told, 409, "invalid_transition")["state"]).toBe("pending");
    }
  });
});

describe("claims", () => {
  it("claim, complete: `{job, claimToken}`, then `{job}`, ready with its text", async () => {
    const served = await serve();
    const claimToken = await claimed(served);
    const body = { claimant: " Writer@Example.com ", summary: "Whales", claimToken };
    expect(jobIn(await post(served, "/ai-completions", body))).toMatchObject({
      state: "ready",
      generatedSummary: "Whales",
    });
    const again = await post(served, "/ai-completions", body);
    expect(expectProblem(again, 409, "claim_lost")["state"]).toBe("ready");
  });

  it("`409 claim_lost (other claimant, state, or a token that is not current)`", async () => {
    const served = await serve();
    const claimToken = await claimed(served);
    for (const wrong of [{ claimant: "eve@example.com" }, { claimToken: "another" }]) {
      const body = { claimant: WRITER, claimToken, ...wrong };
      expectProblem(
        await post(served, "/ai-completions", { ...body, summary: "x" }),
        409,
        "claim_lost",
      );
      expectProblem(await post(served, "/ai-releases", body), 409, "claim_lost");
    }
  });

  it("release gives it back, and it can be claimed again", async () => {
    const served = await serve();
    await claimed(served);
    const told = await post(served, "/ai-releases", { claimant: WRITER });
    expect(jobIn(told)).toMatchObject({ state: "awaiting_ai" });
    expect((await post(served, "/ai-claims", { claimant: WRITER })).status).toBe(200);
    expectProblem(await post(served, "/ai-claims", { claimant: WRITER }), 409, "not_claimable");
  });

  it("reclaim takes over what is stale only, and the old token is lost", async () => {
    const served = await serve();
    const old = await claimed(served);
    served.advance(5_000);
    const early = { claimant: "b@example.com", staleBefore: "2026-01-31T08:59:59Z" };
    expectProblem(await post(served, "/ai-reclaims", early), 409, "not_claimable");
    const late = { claimant: "b@example.com", staleBefore: "2026-01-31T11:00:01+02:00" };
    const told = await post(served, "/ai-reclaims", late);
    expect(jobIn(told)).toMatchObject({ aiClaimedBy: "b@example.com" });
    expect(told.body["claimToken"]).not.toBe(old);
    const body = { claimant: "b@example.com", summary: "x", claimToken: old };
    expectProblem(await post(served, "/ai-completions", body), 409, "claim_lost");
  });

  it("`POST /v1/email-ai-claims → the longest waiting · 204`", async () => {
    const served = await serve();
    await awaiting(served, "first");
    served.advance(1_000);
    await awaiting(served, "second");
    const next = () => served.ask("POST", "/v1/email-ai-claims", { body: { claimant: WRITER } });
    const one = await next();
    expect(jobIn(one)).toMatchObject({ logicalKey: "first", state: "ai_dispatched" });
    expect(Object.keys(one.body).sort()).toEqual(["claimToken", "job"]);
    expect(jobIn(await next())).toMatchObject({ logicalKey: "second" });
    const none = await next();
    expect([none.status, none.text, none.headers.get("content-type")]).toEqual([204, "", null]);
  });
});

describe("leases", () => {
  it("`the same requestId while that lease stands returns the same lease; after it lapsed, a new one`", async () => {
    const served = await serve();
    await ready(served);
    const body = { durationMs: 1_000, requestId: "try-1" };
    const first = jobIn(await post(served, "/leases", body));
    expect(first).toMatchObject({ state: "sending", attempts: 1, leaseToken: expect.any(String) });
    expect(jobIn(await post(served, "/leases", body))).toEqual(first);
    served.advance(1_001);
    const later = jobIn(await post(served, "/leases", body));
    expect(later["leaseToken"]).not.toBe(first["leaseToken"]);
  });

  it("`409 not_leasable` while another's stands, and of a job that is not ready", async () => {
    const served = await serve();
    await created(served, "fresh");
    expectProblem(await post(served, "/leases", { durationMs: 1 }, "fresh"), 409, "not_leasable");
    await leased(served);
    const told = await post(served, "/leases", { durationMs: 1 });
    expect(expectProblem(told, 409, "not_leasable")["state"]).toBe("sending");
  });

  it.each([0, -1, DAY_MS + 1, 1.5, "1000", null])(
    "refuses a duration of %s",
    async (durationMs) => {
      const served = await serve();
      await ready(served);
      const before = served.storage.putCount();
      expectProblem(await post(served, "/leases", { durationMs }), 422, "invalid_request");
      expect(served.storage.putCount()).toBe(before);
    },
  );

  it("`POST /v1/email-leases`: oldest due first, at most `limit`, tokens for all", async () => {
    const served = await serve();
    for (const key of ["a", "b", "c"]) {
      await ready(served, key);
      served.advance(1_000);
    }
    const body = { durationMs: DAY_MS, limit: 2 };
    const told = await served.ask("POST", "/v1/email-leases", { body });
    expect(told.body["jobs"]).toEqual(
      ["a", "b"].map((logicalKey) =>
        expect.objectContaining({ logicalKey, state: "sending", leaseToken: expect.any(String) }),
      ),
    );
  });

  it("`one that has used its maxAttempts (default 3) is failed instead`", async () => {
    const served = await serve();
    await ready(served);
    const body = { durationMs: 1, limit: 1 };
    const counts: number[] = [];
    for (let n = 0; n < 4; n += 1) {
      const { body: answer } = await served.ask("POST", "/v1/email-leases", { body });
      counts.push(Array.isArray(answer["jobs"]) ? answer["jobs"].length : -1);
      served.advance(600_000);
    }
    expect(counts).toEqual([1, 1, 1, 0]);
    expect(jobIn(await served.ask("GET", pathOf(KEY)))).toMatchObject({ state: "failed" });
  });

  it("extension: `leaseUntil = now + durationMs also if earlier, allowed after expiry`", async () => {
    const served = await serve();
    const { leaseToken } = await leased(served);
    const shorter = await post(served, "/lease-extensions", { leaseToken, durationMs: 10_000 });
    expect(jobIn(shorter)["leaseUntil"]).toBe(LATER);
    served.advance(20_000);
    const revived = await post(served, "/lease-extensions", { leaseToken, durationMs: 1_000 });
    expect(jobIn(revived)["leaseUntil"]).toBe("2026-01-31T09:00:21.000Z");
    const body = { leaseToken: "another", durationMs: 1_000 };
    expectProblem(await post(served, "/lease-extensions", body), 409, "lease_lost");
  });
});

describe("POST …/settlements", () => {
  it.each(["sent", "ready", "cancelled", "failed"])("to %s", async (to) => {
    const served = await serve();
    const { leaseToken } = await leased(served);
    const told = await post(served, "/settlements", { leaseToken, to, lastError: "why" });
    expect(jobIn(told)).toMatchObject({
      state: to,
      leaseToken: null,
      leaseUntil: null,
      lastError: "why",
    });
  });

  it("`the same settlement again: 200, nothing written, leaseToken null`, also while another holds it", async () => {
    const served = await serve();
    const { leaseToken } = await leased(served);
    const body = { leaseToken, to: "ready" };
    await post(served, "/settlements", body);
    served.advance(3_600_000);
    await post(served, "/leases", { durationMs: 60_000 });
    const before = served.storage.putCount();
    const repeat = await post(served, "/settlements", body);
    expect(jobIn(repeat)).toMatchObject({ state: "sending", leaseToken: null });
    expect(served.storage.putCount()).toBe(before);
  });

  it("`409 lease_lost` for another token and for another end", async () => {
    const served = await serve();
    const { leaseToken } = await leased(served);
    await post(served, "/settlements", { leaseToken, to: "sent" });
    for (const body of [
      { leaseToken: "another", to: "sent" },
      { leaseToken, to: "failed" },
    ]) {
      const told = await post(served, "/settlements", body);
      expect(expectProblem(told, 409, "lease_lost")["state"]).toBe("sent");
    }
  });
});

describe("POST …/requeues", () => {
  it("`failed → pending: attempts 0 …, lastError kept`; a repeat is `409 state_mismatch`", async () => {
    const served = await serve();
    const { leaseToken } = await leased(served);
    await post(served, "/settlements", { leaseToken, to: "failed", lastError: "no such box" });
    const job = jobIn(await served.ask("POST", pathOf(KEY, "/requeues")));
    expect(job).toMatchObject({ state: "pending", attempts: 0, lastError: "no such box" });
    expect(Object.keys(job)).not.toContain("failedAt");
    const told = await served.ask("POST", pathOf(KEY, "/requeues"), { body: {} });
    expect(expectProblem(told, 409, "state_mismatch")["state"]).toBe("pending");
  });

  it("also of a job as large as may be, whose last error came on top", async () => {
    const served = await serve();
    const text = "界".repeat(76_200);
    await created(served, KEY, { payload: { ...MESSAGE, text } });
    await post(served, "/transitions", { from: ["pending"], to: "ready" });
    const { leaseToken } = jobIn(await post(served, "/leases", { durationMs: 1_000 }));
    const lastError = "界".repeat(4_000);
    await post(served, "/settlements", { leaseToken, to: "failed", lastError });
    expect(jobIn(await served.ask("POST", pathOf(KEY, "/requeues")))["state"]).toBe("pending");
    const moved = await post(served, "/transitions", { from: ["pending"], to: "ready" });
    expect(jobIn(moved)["state"]).toBe("ready");
  });

  it("a job as large as may be can be made ready and leased", async () => {
    const served = await serve();
    const text = (count: number) => ({
      ...MESSAGE,
      text: "界".repeat(75_000),
      html: "x".repeat(count),
    });
    let least = 1;
    for (let most = 20_000; least < most; ) {
      const middle = Math.ceil((least + most) / 2);
      const body = { logicalKey: `k${middle}`, payload: text(middle) };
      const { status } = await served.ask("POST", "/v1/emails", { body });
      if (status === 201) least = middle;
      else most = middle - 1;
    }
    const key = `k${least}`;
    const moved = await post(served, "/transitions", { from: ["pending"], to: "ready" }, key);
    expect(jobIn(moved)["state"]).toBe("ready");
    const lease = await post(served, "/leases", { durationMs: 1_000 }, key);
    expect(jobIn(lease)["state"]).toBe("sending");
  });
});
