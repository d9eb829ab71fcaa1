import { describe, expect, it } from "vitest";
import type { Transition } from "../../../src/machines/emails/commands.ts";
import {
  EMAIL_STATES,
  type EmailStateName,
  type LiveEmail,
} from "../../../src/machines/emails/record.ts";
import { applied, at, decide, RULES, refused, SENDING, stored, TWO_CLIPS } from "./given.ts";

function inState(state: EmailStateName): LiveEmail {
  return state === "sending" ? stored(SENDING) : stored({ state });
}

function move(to: EmailStateName, more: Partial<Transition> = {}): Transition {
  return { kind: "transition", from: EMAIL_STATES, to, ...more };
}

describe("every command but enqueue and converge", () => {
  it.each([
    move("ready"),
    { kind: "claim", claimant: "a@example.com", claimToken: "c" },
    { kind: "reclaim", claimant: "a@example.com", claimToken: "c", staleBefore: at(0) },
    { kind: "completeClaim", claimant: "a@example.com", claimToken: null, summary: "s" },
    { kind: "releaseClaim", claimant: "a@example.com", claimToken: null },
    { kind: "claimNext", claimant: null, claimToken: "c" },
    { kind: "requeue" },
    { kind: "retire" },
  ] as const)("rejects job_not_found where there is no job: $kind", (command) => {
    expect(decide(null, command, at(0))).toEqual({
      kind: "reject",
      rejection: { kind: "job_not_found" },
    });
  });
});

const ALLOWED: Readonly<Record<string, string | null>> = {
  "pending awaiting_ai": null,
  "pending ready": "readyAt",
  "pending cancelled": "cancelledAt",
  "pending failed": "failedAt",
  "awaiting_ai ai_dispatched": "aiDispatchedAt",
  "awaiting_ai cancelled": "cancelledAt",
  "awaiting_ai failed": "failedAt",
  "ai_dispatched ready": "readyAt",
  "ai_dispatched cancelled": "cancelledAt",
  "ai_dispatched failed": "failedAt",
  "ready cancelled": "cancelledAt",
  "ready failed": "failedAt",
};

const STAMPS = [
  "aiDispatchedAt",
  "readyAt",
  "sendingAt",
  "sentAt",
  "cancelledAt",
  "failedAt",
] as const;

describe("the table of transitions", () => {
  const pairs = EMAIL_STATES.flatMap((from) => EMAIL_STATES.map((to) => [from, to] as const));

  it.each(pairs.filter(([from, to]) => `${from} ${to}` in ALLOWED))(
    "EMAIL-18 %s to %s stamps its own instant and updatedAt",
    (from, to) => {
      const next = applied(inState(from), move(to), at(60_000));
      const stamped = STAMPS.filter((name) => next.job[name] === "2026-01-01T00:01:00.000Z");
      const stamp = ALLOWED[`${from} ${to}`];
      expect(stamped).toEqual(stamp === null ? [] : [stamp]);
      expect([next.job.state, next.job.updatedAt]).toEqual([to, "2026-01-01T00:01:00.000Z"]);
    },
  );

  it("has twelve moves, and there are 64 pairs", () => {
    expect([pairs.length, Object.keys(ALLOWED).length]).toEqual([64, 12]);
  });

  it.each(pairs.filter(([from, to]) => from !== "sending" && !(`${from} ${to}` in ALLOWED)))(
    "EMAIL-19 EMAIL-22 EMAIL-23 %s to %s is no move",
    (from, to) => {
      expect(decide(inState(from), move(to), at(1))).toEqual({
        kind: "reject",
        rejection: {
          kind: "invalid_transition",
          from,
          to,
          state: from,
          updatedAt: "2026-01-01T00:00:00.000Z",
        },
      });
    },
  );

  it.each(EMAIL_STATES)("EMAIL-21 a job that is sending mismatches on the way to %s", (to) => {
    expect(decide(stored(SENDING), move(to), at(1))).toEqual(refused("state_mismatch", "sending"));
    // Not even when its lease ran out long ago.
    expect(decide(stored(SENDING), move(to), at(9_999_999))).toEqual(
      refused("state_mismatch", "sending"),
    );
  });

  it.each(EMAIL_STATES)(
    "EMAIL-20 %s mismatches when it is not among the expected states",
    (state) => {
      const from = EMAIL_STATES.filter((name) => name !== state);
      for (const to of EMAIL_STATES) {
        expect(decide(inState(state), move(to, { from }), at(1))).toEqual(
          refused("state_mismatch", state),
        );
      }
    },
  );

  it("EMAIL-20 no expected state at all never matches", () => {
    expect(decide(stored(), move("ready", { from: [] }), at(1)).kind).toBe("reject");
  });

  it("EMAIL-25 pending to awaiting_ai sets no state timestamp", () => {
    const next = applied(stored(), move("awaiting_ai"), at(1));
    expect(STAMPS.filter((name) => next.job[name] !== undefined)).toEqual([]);
  });

  it("keeps the stamps of earlier states", () => {
    const ready = applied(stored(), move("ready"), at(1_000));
    const next = applied(ready, move("cancelled"), at(2_000));
    expect([next.job.readyAt, next.job.cancelledAt]).toEqual([
      "2026-01-01T00:00:01.000Z",
      "2026-01-01T00:00:02.000Z",
    ]);
  });
});

describe("what a transition carries", () => {
  it("EMAIL-26 the last error is kept unless it is mentioned", () => {
    const job = stored({ lastError: "timeout" });
    expect(applied(job, move("ready"), at(1)).job.lastError).toBe("timeout");
    expect(applied(job, move("ready", { lastError: null }), at(1)).job.lastError).toBeNull();
    expect(applied(job, move("ready", { lastError: "other" }), at(1)).job.lastError).toBe("other");
  });

  it("the summary is kept unless it is mentioned", () => {
    const job = stored({ generatedSummary: "first" });
    expect(applied(job, move("ready"), at(1)).job.generatedSummary).toBe("first");
    const changed = applied(job, move("ready", { generatedSummary: "second" }), at(1));
    expect(changed.job.generatedSummary).toBe("second");
  });

  it("EMAIL-24 texts at their bounds fit; longer ones are a bug of whoever passes them on", () => {
    const fits = move("ready", {
      generatedSummary: "s".repeat(20_000),
      lastError: "e".repeat(4_000),
    });
    expect(applied(stored(), fits, at(1)).job.lastError).toHaveLength(4_000);
    const summary = move("ready", { generatedSummary: "s".repeat(20_001) });
    expect(() => decide(stored(), summary, at(1))).toThrow("summary too long");
    const error = move("ready", { lastError: "e".repeat(4_001) });
    expect(() => decide(stored(), error, at(1))).toThrow("last error too long");
  });

  it("leaving ai_dispatched ends the claim's token", () => {
    const job = stored(
      { ...TWO_CLIPS, state: "ai_dispatched", aiClaimedBy: "a@example.com" },
      { claimToken: "claim-a" },
    );
    for (const to of ["ready", "cancelled", "failed"] as const) {
      expect(applied(job, move(to), at(1)).extra.claimToken).toBeNull();
    }
  });

  it("entering ai_dispatched does not bring back the claimant of an earlier dispatch", () => {
    const job = stored({ ...TWO_CLIPS, state: "awaiting_ai", aiClaimedBy: "a@example.com" });
    expect(applied(job, move("ai_dispatched"), at(1)).job.aiClaimedBy).toBeUndefined();
  });
});

describe("requeue", () => {
  const failed = stored(
    {
      ...TWO_CLIPS,
      state: "failed",
      attempts: 3,
      shareId: "share-1",
      generatedSummary: "Both are about boats.",
      aiDispatchedAt: "2026-01-01T00:00:00.000Z",
      aiClaimedBy: "a@example.com",
      readyAt: "2026-01-01T00:00:00.000Z",
      sendingAt: "2026-01-01T00:00:00.000Z",
      cancelledAt: "2026-01-01T00:00:00.000Z",
      failedAt: "2026-01-01T00:00:00.000Z",
      lastError: "refused",
    },
    {
      epoch: 4,
      lastSettlement: {
        tokenHash: "ef2742cceac60b0294823cb949b5068eeff3c2262740e8f286ef8d07ac8d301c",
        to: "failed",
      },
      notBefore: "2026-01-01T00:00:00.000Z",
    },
  );

  it("begins a new life: stamps, claim, settlement and notBefore go; text, error and epoch stay", () => {
    expect(applied(failed, { kind: "requeue" }, at(60_000))).toEqual({
      kind: "live",
      job: {
        ...TWO_CLIPS,
        state: "pending",
        recipient: "owner@example.com",
        shareId: "share-1",
        generatedSummary: "Both are about boats.",
        attempts: 0,
        createdAt: "2026-01-01T00:00:00.000Z",
        updatedAt: "2026-01-01T00:01:00.000Z",
        lastError: "refused",
        leaseUntil: null,
        leaseToken: null,
      },
      extra: {
        epoch: 4,
        requestId: null,
        lastSettlement: null,
        claimToken: null,
        notBefore: null,
        generation: 0,
        retentionUntil: null,
      },
    });
  });

  it("mismatches in every other state, so that its repeat does no harm", () => {
    for (const state of EMAIL_STATES.filter((name) => name !== "failed")) {
      expect(decide(inState(state), { kind: "requeue" }, at(1))).toEqual(
        refused("state_mismatch", state),
      );
    }
    const pending = applied(failed, { kind: "requeue" }, at(60_000));
    expect(decide(pending, { kind: "requeue" }, at(60_001), RULES)).toEqual(
      refused("state_mismatch", "pending", "2026-01-01T00:01:00.000Z"),
    );
  });
});
