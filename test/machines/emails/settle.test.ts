import { describe, expect, it } from "vitest";
import { durationMs } from "../../../src/core/time.ts";
import type { SettledState } from "../../../src/machines/emails/fields.ts";
import { EMAIL_STATES } from "../../../src/machines/emails/record.ts";
import { applied, at, decide, refused, SENDING, stored } from "./given.ts";

const SETTLED: readonly SettledState[] = ["sent", "ready", "cancelled", "failed"];

// SHA-256 of `token-a`.
const HASH_A = "a70bf50e531ce1a817561f2f5d5b6645d4e806becf58ccc5e8cf6b8045a090a8";

function acquire(leaseToken: string) {
  return { kind: "acquire", leaseMs: durationMs(60_000), requestId: null, leaseToken } as const;
}

function settle(leaseToken: string, to: SettledState) {
  return { kind: "settle", leaseToken, to } as const;
}

describe("settling", () => {
  it.each([
    ["sent", "sentAt"],
    ["ready", "readyAt"],
    ["cancelled", "cancelledAt"],
    ["failed", "failedAt"],
  ] as const)(
    "EMAIL-45 the holder's settlement to %s stamps %s and ends the lease",
    (to, stamp) => {
      const job = stored(SENDING, { epoch: 1, requestId: "request-1" });
      const next = applied(job, settle("token-a", to), at(2_000));
      expect(next.job).toEqual({
        ...job.job,
        state: to,
        [stamp]: "2026-01-01T00:00:02.000Z",
        updatedAt: "2026-01-01T00:00:02.000Z",
        leaseUntil: null,
        leaseToken: null,
      });
      expect(next.extra).toEqual({
        ...job.extra,
        requestId: null,
        lastSettlement: { tokenHash: HASH_A, to },
      });
    },
  );

  it("EMAIL-46 is accepted after expiry, while nobody else took the lease", () => {
    for (const to of SETTLED) {
      expect(applied(stored(SENDING), settle("token-a", to), at(999_999_999)).job.state).toBe(to);
    }
  });

  it("EMAIL-44 a superseded token settles nothing, and the record keeps the new one", () => {
    const taken = applied(stored(SENDING), acquire("token-b"), at(60_000));
    for (const to of SETTLED) {
      expect(decide(taken, settle("token-a", to), at(60_001))).toEqual(
        refused("lease_lost", "sending", "2026-01-01T00:01:00.000Z"),
      );
    }
    expect(applied(taken, settle("token-b", "sent"), at(60_002)).job.state).toBe("sent");
  });

  it("EMAIL-47 back to ready: readyAt is now, attempts stay, the error is kept", () => {
    const command = { ...settle("token-a", "ready"), lastError: "timeout" };
    const { job } = applied(stored(SENDING), command, at(5_000));
    expect([job.readyAt, job.attempts, job.lastError]).toEqual([
      "2026-01-01T00:00:05.000Z",
      1,
      "timeout",
    ]);
  });

  it("the last error is kept unless mentioned", () => {
    const job = stored({ ...SENDING, lastError: "from before" });
    expect(applied(job, settle("token-a", "failed"), at(1)).job.lastError).toBe("from before");
    const command = { ...settle("token-a", "failed"), lastError: null };
    expect(applied(job, command, at(1)).job.lastError).toBeNull();
  });

  it("EMAIL-24 an error over 4,000 characters is a bug of whoever passes it on", () => {
    const command = { ...settle("token-a", "failed"), lastError: "e".repeat(4_001) };
    expect(() => decide(stored(SENDING), command, at(1))).toThrow("last error too long");
  });

  it.each(EMAIL_STATES.filter((state) => state !== "sending"))(
    "a job in %s that this token never settled is lost to it",
    (state) => {
      expect(decide(stored({ state }), settle("token-a", "sent"), at(1))).toEqual(
        refused("lease_lost", state),
      );
    },
  );
});

describe("the repeat of a settlement", () => {
  it.each(SETTLED)("EMAIL-45 to %s is answered with the stored job", (to) => {
    const settled = applied(stored(SENDING), settle("token-a", to), at(2_000));
    expect(decide(settled, settle("token-a", to), at(9_000))).toEqual({
      kind: "unchanged",
      state: settled,
    });
  });

  it("to another state is refused", () => {
    const settled = applied(stored(SENDING), settle("token-a", "sent"), at(2_000));
    for (const to of ["ready", "cancelled", "failed"] as const) {
      expect(decide(settled, settle("token-a", to), at(9_000))).toEqual(
        refused("lease_lost", "sent", "2026-01-01T00:00:02.000Z"),
      );
    }
  });

  it("by another token is refused", () => {
    const settled = applied(stored(SENDING), settle("token-a", "sent"), at(2_000));
    expect(decide(settled, settle("token-b", "sent"), at(9_000)).kind).toBe("reject");
  });

  it("is refused after a later settlement", () => {
    const byA = applied(stored(SENDING), settle("token-a", "ready"), at(1_000));
    const leasedB = applied(byA, acquire("token-b"), at(2_000));
    const byB = applied(leasedB, settle("token-b", "ready"), at(3_000));
    expect(decide(byB, settle("token-a", "ready"), at(4_000)).kind).toBe("reject");
    expect(decide(byB, settle("token-b", "ready"), at(4_000)).kind).toBe("unchanged");
  });

  it("is answered with the job as it is, also while another holds it", () => {
    const byA = applied(stored(SENDING), settle("token-a", "ready"), at(1_000));
    const leasedB = applied(byA, acquire("token-b"), at(2_000));
    expect(decide(leasedB, settle("token-a", "ready"), at(3_000))).toEqual({
      kind: "unchanged",
      state: leasedB,
    });
  });

  it("is answered with the job as it is after it was moved on", () => {
    const ready = applied(stored(SENDING), settle("token-a", "ready"), at(1_000));
    const cancel = { kind: "transition", from: ["ready"], to: "cancelled" } as const;
    const cancelled = applied(ready, cancel, at(2_000));
    expect(decide(cancelled, settle("token-a", "ready"), at(3_000))).toEqual({
      kind: "unchanged",
      state: cancelled,
    });
  });

  it("is refused in a new life in which the same state came back", () => {
    const failed = applied(stored(SENDING), settle("token-a", "failed"), at(1_000));
    const pending = applied(failed, { kind: "requeue" }, at(2_000));
    const fail = { kind: "transition", from: ["pending"], to: "failed" } as const;
    const again = applied(pending, fail, at(3_000));
    expect(decide(again, settle("token-a", "failed"), at(4_000)).kind).toBe("reject");
  });
});
