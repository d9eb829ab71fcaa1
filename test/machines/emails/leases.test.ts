import { describe, expect, it } from "vitest";
import * as z from "zod";
import { durationMs } from "../../../src/core/time.ts";
import type { SettledState } from "../../../src/machines/emails/fields.ts";
import { defineEmailKind, emailKinds } from "../../../src/machines/emails/kinds.ts";
import { EMAIL_STATES } from "../../../src/machines/emails/record.ts";
import { applied, at, decide, FIRST_VIEW, refused, SENDING, stored } from "./given.ts";

const MINUTE = durationMs(60_000);
const SETTLED: readonly SettledState[] = ["sent", "ready", "cancelled", "failed"];

const ready = stored({ state: "ready", readyAt: "2026-01-01T00:00:00.000Z" });

function acquire(leaseToken: string, requestId: string | null = null) {
  return { kind: "acquire", leaseMs: MINUTE, requestId, leaseToken } as const;
}

function acquireDue(leaseToken: string) {
  return { kind: "acquireDue", leaseMs: MINUTE, leaseToken } as const;
}

function settle(leaseToken: string, to: SettledState) {
  return { kind: "settle", leaseToken, to } as const;
}

function extend(leaseToken: string, leaseMs: number) {
  return { kind: "extend", leaseToken, leaseMs: durationMs(leaseMs) } as const;
}

describe("acquiring a lease", () => {
  it("EMAIL-39 a ready job is sending until now and the duration, with one more attempt", () => {
    const job = stored({ ...ready.job, lastError: "timeout", attempts: 1 }, { epoch: 6 });
    const next = applied(job, acquire("token-a", "request-1"), at(500));
    expect(next.job).toEqual({
      ...ready.job,
      state: "sending",
      attempts: 2,
      updatedAt: "2026-01-01T00:00:00.500Z",
      sendingAt: "2026-01-01T00:00:00.500Z",
      lastError: null,
      leaseUntil: "2026-01-01T00:01:00.500Z",
      leaseToken: "token-a",
    });
    expect(next.extra).toEqual({ ...ready.extra, epoch: 7, requestId: "request-1" });
  });

  it("EMAIL-40 a lease without length is a bug of whoever passes it on", () => {
    const command = { ...acquire("token-a"), leaseMs: durationMs(0) };
    expect(() => decide(ready, command, at(0))).toThrow("a lease lasts at least a millisecond");
    const extension = extend("token-a", 0);
    expect(() => decide(stored(SENDING), extension, at(0))).toThrow("at least a millisecond");
  });

  it("EMAIL-41 one millisecond before leaseUntil the lease stands", () => {
    expect(decide(stored(SENDING), acquire("token-b"), at(59_999))).toEqual(
      refused("not_leasable", "sending"),
    );
  });

  it("EMAIL-42 at exactly leaseUntil another may take it: new token, one more attempt", () => {
    const next = applied(stored(SENDING, { epoch: 1 }), acquire("token-b"), at(60_000));
    expect([next.job.leaseToken, next.job.attempts, next.extra.epoch]).toEqual(["token-b", 2, 2]);
    expect(next.job.leaseUntil).toBe("2026-01-01T00:02:00.000Z");
  });

  it.each(EMAIL_STATES.filter((state) => state !== "ready" && state !== "sending"))(
    "EMAIL-43 a job in %s cannot be leased",
    (state) => {
      for (const command of [acquire("token-a"), acquireDue("token-a")]) {
        expect(decide(stored({ state }), command, at(9_999_999))).toEqual(
          refused("not_leasable", state),
        );
      }
    },
  );

  it("knows no back-off, no notBefore and no maximum of attempts", () => {
    const job = stored({ ...ready.job, attempts: 40 }, { notBefore: "2027-01-01T00:00:00.000Z" });
    expect(applied(job, acquire("token-a"), at(0)).job.attempts).toBe(41);
  });

  it("a job that does not exist cannot be leased", () => {
    expect(decide(null, acquire("token-a"), at(0))).toEqual({
      kind: "reject",
      rejection: { kind: "job_not_found" },
    });
  });
});

describe("the repeat of an acquisition", () => {
  const leased = applied(ready, acquire("token-a", "request-1"), at(0));

  it("gets the same lease while that stands, up to its last millisecond", () => {
    for (const now of [0, 1, 59_999]) {
      expect(decide(leased, acquire("token-b", "request-1"), at(now))).toEqual({
        kind: "unchanged",
        state: leased,
      });
    }
  });

  it("gets a new lease with a new token once that ran out", () => {
    const next = applied(leased, acquire("token-b", "request-1"), at(60_000));
    expect([next.job.leaseToken, next.job.attempts, next.extra.epoch]).toEqual(["token-b", 2, 2]);
  });

  it("is told by its request id: another one, or none, is somebody else", () => {
    for (const requestId of ["request-2", null]) {
      expect(decide(leased, acquire("token-b", requestId), at(1)).kind).toBe("reject");
    }
    const anonymous = applied(ready, acquire("token-a", null), at(0));
    expect(decide(anonymous, acquire("token-b", null), at(1)).kind).toBe("reject");
  });

  it("protocols 2.3: a delayed duplicate of A's request does not let the paused A settle", () => {
    const taken = applied(leased, acquire("token-b", "request-2"), at(60_000));
    const duplicate = applied(taken, acquire("token-c", "request-1"), at(120_000));
    expect([duplicate.extra.epoch, duplicate.job.leaseToken]).toEqual([3, "token-c"]);
    for (const to of SETTLED) {
      expect(decide(duplicate, settle("token-a", to), at(120_001))).toEqual(
        refused("lease_lost", "sending", "2026-01-01T00:02:00.000Z"),
      );
    }
  });

  it("is forgotten with the lease that it made", () => {
    const settled = applied(leased, settle("token-a", "ready"), at(1));
    expect(settled.extra.requestId).toBeNull();
    const again = applied(settled, acquire("token-b", "request-1"), at(2));
    expect([again.job.leaseToken, again.job.attempts]).toEqual(["token-b", 2]);
  });
});

describe("extending a lease", () => {
  it("sets its end from now, and changes nothing else", () => {
    const job = stored(SENDING, { epoch: 1, requestId: "request-1" });
    const next = applied(job, extend("token-a", 120_000), at(1_000));
    expect(next).toEqual({
      ...job,
      job: {
        ...job.job,
        updatedAt: "2026-01-01T00:00:01.000Z",
        leaseUntil: "2026-01-01T00:02:01.000Z",
      },
    });
  });

  it("may end it earlier", () => {
    const next = applied(stored(SENDING), extend("token-a", 1), at(1_000));
    expect(next.job.leaseUntil).toBe("2026-01-01T00:00:01.001Z");
  });

  it("is allowed long after the lease ran out, while nobody else took it", () => {
    const next = applied(stored(SENDING), extend("token-a", 1_000), at(86_400_000));
    expect(next.job.leaseUntil).toBe("2026-01-02T00:00:01.000Z");
  });

  it("is refused to any other token, and without a lease", () => {
    expect(decide(stored(SENDING), extend("token-b", 1_000), at(1))).toEqual(
      refused("lease_lost", "sending"),
    );
    expect(decide(ready, extend("token-a", 1_000), at(1))).toEqual(refused("lease_lost", "ready"));
  });

  it("is refused after another took the lease", () => {
    const taken = applied(stored(SENDING), acquire("token-b"), at(60_000));
    expect(decide(taken, extend("token-a", 1_000), at(60_001)).kind).toBe("reject");
  });
});

describe("leasing what is due", () => {
  it("leases a ready job at its due time and not before", () => {
    const job = stored({ ...ready.job, attempts: 1 }, { epoch: 1 });
    expect(decide(job, acquireDue("token-b"), at(59_999))).toEqual(
      refused("not_leasable", "ready"),
    );
    const next = applied(job, acquireDue("token-b"), at(60_000));
    expect([next.job.state, next.job.attempts, next.job.leaseToken]).toEqual([
      "sending",
      2,
      "token-b",
    ]);
    expect([next.extra.epoch, next.extra.requestId]).toEqual([2, null]);
  });

  it("honours notBefore", () => {
    const job = stored(ready.job, { notBefore: "2026-01-01T00:10:00.000Z" });
    expect(decide(job, acquireDue("token-a"), at(599_999)).kind).toBe("reject");
    expect(decide(job, acquireDue("token-a"), at(600_000)).kind).toBe("apply");
  });

  it("leases one whose holder's lease ran out, that instant included", () => {
    expect(decide(stored(SENDING), acquireDue("token-b"), at(59_999)).kind).toBe("reject");
    const next = applied(stored(SENDING), acquireDue("token-b"), at(60_000));
    expect([next.job.leaseToken, next.job.attempts]).toEqual(["token-b", 2]);
  });

  it("EMAIL-81 fails one that used up its attempts, and its old holder is fenced", () => {
    const job = stored({ ...SENDING, attempts: 3 }, { epoch: 3 });
    const next = applied(job, acquireDue("token-b"), at(60_000));
    expect(next.job).toEqual({
      ...job.job,
      state: "failed",
      updatedAt: "2026-01-01T00:01:00.000Z",
      failedAt: "2026-01-01T00:01:00.000Z",
      lastError: "every attempt ended without a report",
      leaseUntil: null,
      leaseToken: null,
    });
    expect(next.extra.epoch).toBe(3);
    expect(decide(next, settle("token-a", "sent"), at(60_001)).kind).toBe("reject");
    expect(decide(next, settle("token-a", "failed"), at(60_001)).kind).toBe("reject");
  });

  it("keeps the last error of one that used up its attempts", () => {
    const job = stored({ ...ready.job, attempts: 3, lastError: "refused" });
    const next = applied(job, acquireDue("token-b"), at(86_400_000));
    expect([next.job.state, next.job.lastError]).toEqual(["failed", "refused"]);
  });

  it("does not fail one that used up its attempts while its holder's lease stands", () => {
    const job = stored({ ...SENDING, attempts: 3 });
    expect(decide(job, acquireDue("token-b"), at(59_999)).kind).toBe("reject");
  });

  it("takes the number of attempts from the kind", () => {
    const kinds = emailKinds([
      defineEmailKind({ name: "welcome", payload: z.object({}), maxAttempts: 1 }),
    ]);
    const rules = { kinds, retentionMs: null };
    const enqueue = {
      kind: "enqueue",
      logicalKey: "welcome:1",
      payload: { type: "welcome", recipient: FIRST_VIEW.recipient },
      initialState: "pending",
      notBefore: null,
      onPayloadMismatch: "return",
    } as const;
    const pending = applied(null, enqueue, at(0), rules);
    const move = { kind: "transition", from: ["pending"], to: "ready" } as const;
    const first = applied(
      applied(pending, move, at(0), rules),
      acquireDue("token-a"),
      at(0),
      rules,
    );
    expect(first.job.state).toBe("sending");
    expect(applied(first, acquireDue("token-b"), at(60_000), rules).job.state).toBe("failed");
  });
});
