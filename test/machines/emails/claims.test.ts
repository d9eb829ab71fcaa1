import { describe, expect, it } from "vitest";
import { EMAIL_STATES, type LiveEmail } from "../../../src/machines/emails/record.ts";
import { applied, at, decide, refused, SENDING, stored, TWO_CLIPS } from "./given.ts";

const waiting = stored({ ...TWO_CLIPS, state: "awaiting_ai" });

function claim(claimant: string, claimToken = "claim-1") {
  return { kind: "claim", claimant, claimToken } as const;
}

function complete(claimant: string, claimToken: string | null = null) {
  return { kind: "completeClaim", claimant, claimToken, summary: "Both are about boats." } as const;
}

function release(claimant: string, claimToken: string | null = null) {
  return { kind: "releaseClaim", claimant, claimToken } as const;
}

function reclaim(claimant: string, staleBefore: number, claimToken = "claim-2") {
  return { kind: "reclaim", claimant, staleBefore: at(staleBefore), claimToken } as const;
}

/** Claimed by a@example.com one second into 2026, under claim-1. */
function claimed(): LiveEmail {
  return applied(waiting, claim("a@example.com"), at(1_000));
}

describe("claiming", () => {
  it("EMAIL-28 a job of two clips goes to its claimant, at the time of the claim", () => {
    const { job, extra } = claimed();
    expect(job).toEqual({
      ...waiting.job,
      state: "ai_dispatched",
      aiClaimedBy: "a@example.com",
      aiDispatchedAt: "2026-01-01T00:00:01.000Z",
      updatedAt: "2026-01-01T00:00:01.000Z",
    });
    expect(extra).toEqual({ ...waiting.extra, claimToken: "claim-1" });
  });

  it("EMAIL-29 a kind that does not wait for AI cannot be claimed", () => {
    const job = stored({ state: "awaiting_ai" });
    expect(decide(job, claim("a@example.com"), at(0))).toEqual(
      refused("not_claimable", "awaiting_ai"),
    );
  });

  it.each(EMAIL_STATES.filter((state) => state !== "awaiting_ai"))(
    "EMAIL-29 EMAIL-31 a job in %s cannot be claimed",
    (state) => {
      const job = stored({ ...TWO_CLIPS, state, ...(state === "sending" ? SENDING : {}) });
      expect(decide(job, claim("a@example.com"), at(0))).toEqual(refused("not_claimable", state));
    },
  );
});

describe("completing a claim", () => {
  it("EMAIL-32 the claimant's text makes the job ready", () => {
    const { job, extra } = applied(claimed(), complete("a@example.com"), at(2_000));
    expect([job.state, job.readyAt, job.updatedAt, job.generatedSummary]).toEqual([
      "ready",
      "2026-01-01T00:00:02.000Z",
      "2026-01-01T00:00:02.000Z",
      "Both are about boats.",
    ]);
    expect([job.aiClaimedBy, extra.claimToken]).toEqual(["a@example.com", null]);
  });

  it("EMAIL-32 another person's is refused", () => {
    expect(decide(claimed(), complete("b@example.com"), at(2_000))).toEqual(
      refused("claim_lost", "ai_dispatched", "2026-01-01T00:00:01.000Z"),
    );
  });

  it("EMAIL-32 the right token does not make up for another claimant", () => {
    expect(decide(claimed(), complete("b@example.com", "claim-1"), at(2_000)).kind).toBe("reject");
  });

  it("EMAIL-33 a second completion is refused", () => {
    const ready = applied(claimed(), complete("a@example.com", "claim-1"), at(2_000));
    expect(decide(ready, complete("a@example.com", "claim-1"), at(3_000))).toEqual(
      refused("claim_lost", "ready", "2026-01-01T00:00:02.000Z"),
    );
  });

  it("EMAIL-24 a summary over 20,000 characters is a bug of whoever passes it on", () => {
    const command = { ...complete("a@example.com"), summary: "s".repeat(20_001) };
    expect(() => decide(claimed(), command, at(2_000))).toThrow("summary too long");
  });

  it("a job that nobody claimed cannot be completed", () => {
    expect(decide(waiting, complete("a@example.com"), at(0))).toEqual(
      refused("claim_lost", "awaiting_ai"),
    );
  });
});

describe("reclaiming", () => {
  it("EMAIL-34 a dispatch later than staleBefore stays with its claimant", () => {
    expect(decide(claimed(), reclaim("b@example.com", 999), at(9_000))).toEqual(
      refused("not_claimable", "ai_dispatched", "2026-01-01T00:00:01.000Z"),
    );
  });

  it.each([1_000, 1_001])(
    "EMAIL-34 one at or before staleBefore (%d ms) changes hands",
    (stale) => {
      const { job, extra } = applied(claimed(), reclaim("b@example.com", stale), at(9_000));
      expect(job).toEqual({
        ...claimed().job,
        aiClaimedBy: "b@example.com",
        aiDispatchedAt: "2026-01-01T00:00:09.000Z",
        updatedAt: "2026-01-01T00:00:09.000Z",
      });
      expect(extra.claimToken).toBe("claim-2");
    },
  );

  it("EMAIL-34 without a dispatch time the last change counts", () => {
    const job = stored({
      ...TWO_CLIPS,
      state: "ai_dispatched",
      updatedAt: "2026-01-01T00:00:05.000Z",
    });
    expect(decide(job, reclaim("b@example.com", 4_999), at(9_000)).kind).toBe("reject");
    expect(decide(job, reclaim("b@example.com", 5_000), at(9_000)).kind).toBe("apply");
  });

  it("the claimant may take over its own stale claim", () => {
    const next = applied(claimed(), reclaim("a@example.com", 1_000), at(9_000));
    expect([next.job.aiClaimedBy, next.extra.claimToken]).toEqual(["a@example.com", "claim-2"]);
  });

  it("EMAIL-34 only a dispatched job of a kind that waits for AI can be reclaimed", () => {
    expect(decide(waiting, reclaim("b@example.com", 5_000), at(9_000))).toEqual(
      refused("not_claimable", "awaiting_ai"),
    );
    const plain = stored({ state: "ai_dispatched" });
    expect(decide(plain, reclaim("b@example.com", 5_000), at(9_000))).toEqual(
      refused("not_claimable", "ai_dispatched"),
    );
  });

  it("EMAIL-35 the former claimant can neither complete nor release", () => {
    const job = applied(claimed(), reclaim("b@example.com", 1_000), at(9_000));
    for (const command of [complete("a@example.com"), release("a@example.com")]) {
      expect(decide(job, command, at(9_001))).toEqual(
        refused("claim_lost", "ai_dispatched", "2026-01-01T00:00:09.000Z"),
      );
    }
  });

  it("EMAIL-36 after A, B and A again, A's first token is refused and its last one accepted", () => {
    const byB = applied(claimed(), reclaim("b@example.com", 1_000), at(2_000));
    const byA = applied(byB, reclaim("a@example.com", 2_000, "claim-3"), at(3_000));
    expect(decide(byA, complete("a@example.com", "claim-1"), at(4_000)).kind).toBe("reject");
    expect(decide(byA, release("a@example.com", "claim-1"), at(4_000)).kind).toBe("reject");
    expect(applied(byA, complete("a@example.com", "claim-3"), at(4_000)).job.state).toBe("ready");
  });

  it("EMAIL-36 without a token the claimant alone decides, as in the original", () => {
    const byB = applied(claimed(), reclaim("b@example.com", 1_000), at(2_000));
    const byA = applied(byB, reclaim("a@example.com", 2_000, "claim-3"), at(3_000));
    expect(applied(byA, complete("a@example.com"), at(4_000)).job.state).toBe("ready");
  });

  it("a token is refused for a claim that an original made without one", () => {
    const job = stored({ ...TWO_CLIPS, state: "ai_dispatched", aiClaimedBy: "a@example.com" });
    expect(decide(job, complete("a@example.com", "claim-1"), at(0)).kind).toBe("reject");
    expect(applied(job, complete("a@example.com"), at(0)).job.state).toBe("ready");
  });
});

describe("releasing a claim", () => {
  it("EMAIL-38 returns the job to those that wait, without claimant and dispatch time", () => {
    const next = applied(claimed(), release("a@example.com", "claim-1"), at(2_000));
    expect(next).toEqual({
      ...waiting,
      job: { ...waiting.job, updatedAt: "2026-01-01T00:00:02.000Z" },
    });
  });

  it("EMAIL-38 is refused to another person", () => {
    expect(decide(claimed(), release("b@example.com"), at(2_000)).kind).toBe("reject");
  });

  it("EMAIL-38 a second release is refused", () => {
    const next = applied(claimed(), release("a@example.com"), at(2_000));
    expect(decide(next, release("a@example.com"), at(3_000))).toEqual(
      refused("claim_lost", "awaiting_ai", "2026-01-01T00:00:02.000Z"),
    );
  });
});

describe("claiming the next job", () => {
  const next = (claimant: string | null) =>
    ({ kind: "claimNext", claimant, claimToken: "claim-9" }) as const;

  it("EMAIL-37 takes a waiting job of any kind", () => {
    for (const job of [waiting, stored({ state: "awaiting_ai" })]) {
      const { job: claimedJob } = applied(job, next("a@example.com"), at(1_000));
      expect([claimedJob.state, claimedJob.aiClaimedBy, claimedJob.aiDispatchedAt]).toEqual([
        "ai_dispatched",
        "a@example.com",
        "2026-01-01T00:00:01.000Z",
      ]);
    }
  });

  it("EMAIL-37 its claimant can finish, also when the kind need not have waited", () => {
    const job = applied(stored({ state: "awaiting_ai" }), next("a@example.com"), at(1_000));
    expect(applied(job, complete("a@example.com", "claim-9"), at(2_000)).job.state).toBe("ready");
  });

  it("EMAIL-37 without a claimant nobody can complete or release; a stale reclaim can", () => {
    const job = applied(waiting, next(null), at(1_000));
    expect("aiClaimedBy" in job.job).toBe(false);
    expect(decide(job, complete("a@example.com", "claim-9"), at(2_000)).kind).toBe("reject");
    expect(decide(job, release("a@example.com", "claim-9"), at(2_000)).kind).toBe("reject");
    const again = applied(job, reclaim("a@example.com", 1_000), at(2_000));
    expect(applied(again, complete("a@example.com"), at(3_000)).job.state).toBe("ready");
  });

  it.each(EMAIL_STATES.filter((state) => state !== "awaiting_ai"))(
    "EMAIL-37 a job in %s is not taken",
    (state) => {
      const job = stored({ ...TWO_CLIPS, state, ...(state === "sending" ? SENDING : {}) });
      expect(decide(job, next(null), at(0))).toEqual(refused("not_claimable", state));
    },
  );
});
