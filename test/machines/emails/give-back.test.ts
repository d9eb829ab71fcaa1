/** A lease that is given back, since nobody could try what it was taken for. */
import { describe, expect, it } from "vitest";
import { durationMs } from "../../../src/core/time.ts";
import { dueOfEmail } from "../../../src/machines/emails/due.ts";
import { emailRecord, parseEmailRecord } from "../../../src/machines/emails/record.ts";
import { applied, at, decide, KINDS, refused, SENDING, stored } from "./given.ts";

// SHA-256 of `token-a`.
const HASH_A = "a70bf50e531ce1a817561f2f5d5b6645d4e806becf58ccc5e8cf6b8045a090a8";

const GIVE_BACK = { kind: "giveBack", leaseToken: "token-a", lastError: "not there" } as const;

function acquireDue(leaseToken: string) {
  return { kind: "acquireDue", leaseMs: durationMs(60_000), leaseToken } as const;
}

describe("giving a lease back", () => {
  it("leaves the job as it was before the lease, but for its error and when it is due", () => {
    const ready = stored(
      { state: "ready", attempts: 1, readyAt: "2026-01-01T00:00:00.000Z" },
      { epoch: 4 },
    );
    const leased = applied(ready, acquireDue("token-a"), at(90_000));
    const next = applied(leased, GIVE_BACK, at(95_000));
    expect(next.job).toEqual({
      ...ready.job,
      sendingAt: "2026-01-01T00:01:30.000Z",
      updatedAt: "2026-01-01T00:01:35.000Z",
      lastError: "not there",
    });
    expect(next.extra).toEqual({
      ...ready.extra,
      epoch: 5,
      notBefore: "2026-01-01T00:02:35.000Z",
      lastSettlement: { tokenHash: HASH_A, to: "ready" },
    });
  });

  it.each([0, 1, 2, 7])("after %d attempts it is due 60,000 ms later, never more", (attempts) => {
    const readyAt = "2025-12-31T00:00:00.000Z";
    const ready = stored({ state: "ready", attempts, readyAt });
    const leased = applied(
      ready,
      { ...acquireDue("token-a"), kind: "acquire", requestId: null },
      at(0),
    );
    const next = applied(leased, GIVE_BACK, at(5_000));
    expect(dueOfEmail(next, KINDS)).toEqual({ queue: "deliver", at: at(65_000) });
    expect(next.job.attempts).toBe(attempts);
  });

  it("at once leaves the job due when it was", () => {
    const readyAt = "2026-01-01T00:00:00.000Z";
    const ready = stored({ state: "ready", attempts: 1, readyAt });
    const leased = applied(ready, acquireDue("token-a"), at(90_000));
    const next = applied(leased, { ...GIVE_BACK, isAtOnce: true }, at(95_000));
    expect(dueOfEmail(next, KINDS)).toEqual(dueOfEmail(ready, KINDS));
    expect(next.job.attempts).toBe(1);
  });

  it("EMAIL-79 the back-off of earlier attempts is neither begun anew nor forgotten", () => {
    const failed = { kind: "settle", leaseToken: "token-a", to: "ready" } as const;
    const once = applied(stored({ ...SENDING, attempts: 2 }), failed, at(0));
    expect(dueOfEmail(once, KINDS)?.at).toBe(at(120_000));
    const given = applied(
      applied(once, acquireDue("token-b"), at(120_000)),
      {
        ...GIVE_BACK,
        leaseToken: "token-b",
      },
      at(121_000),
    );
    expect(dueOfEmail(given, KINDS)?.at).toBe(at(181_000));
    const again = applied(
      applied(given, acquireDue("token-c"), at(181_000)),
      {
        ...failed,
        leaseToken: "token-c",
      },
      at(182_000),
    );
    expect([again.job.attempts, dueOfEmail(again, KINDS)?.at]).toEqual([3, at(182_000 + 240_000)]);
  });

  it("happens any number of times without an attempt, and under a new epoch each time", () => {
    let job = stored({ state: "ready", readyAt: "2026-01-01T00:00:00.000Z" });
    for (let n = 0; n < 20; n += 1) {
      const leased = applied(job, acquireDue(`token-${n}`), at(n * 60_000));
      job = applied(leased, { ...GIVE_BACK, leaseToken: `token-${n}` }, at(n * 60_000));
    }
    expect([job.job.state, job.job.attempts, job.extra.epoch]).toEqual(["ready", 0, 20]);
    expect(applied(job, acquireDue("token-x"), at(1_200_000)).job.attempts).toBe(1);
  });

  it("a job that was not to be delivered before a later instant still is not", () => {
    const job = stored(SENDING, { notBefore: "2026-01-02T00:00:00.000Z" });
    expect(applied(job, GIVE_BACK, at(0)).extra.notBefore).toBe("2026-01-02T00:00:00.000Z");
  });

  it("EMAIL-46 is accepted after the lease ran out, while nobody else took it", () => {
    expect(applied(stored(SENDING), GIVE_BACK, at(999_999_999)).job.state).toBe("ready");
  });

  it("EMAIL-44 a superseded token gives nothing back", () => {
    const taken = applied(stored(SENDING), acquireDue("token-b"), at(60_000));
    expect(decide(taken, GIVE_BACK, at(60_001))).toEqual(
      refused("lease_lost", "sending", "2026-01-01T00:01:00.000Z"),
    );
  });

  it("protocols 2.1 its repeat is answered with the job as it is, and changes nothing", () => {
    const given = applied(stored(SENDING), GIVE_BACK, at(1_000));
    expect(decide(given, GIVE_BACK, at(2_000))).toEqual({ kind: "unchanged", state: given });
    const leased = applied(given, acquireDue("token-b"), at(61_000));
    expect(decide(leased, GIVE_BACK, at(62_000))).toEqual({ kind: "unchanged", state: leased });
    const sent = { kind: "settle", leaseToken: "token-a", to: "sent" } as const;
    expect(decide(given, sent, at(2_000)).kind).toBe("reject");
  });

  it("of a record that an original leased makes one that can be read", () => {
    const { readyAt, ...job } = stored({ ...SENDING, attempts: 0 }).job;
    const given = applied(stored(job), GIVE_BACK, at(1_000));
    expect(given.job).toMatchObject({ attempts: 0, readyAt: "2026-01-01T00:00:01.000Z" });
    const { fields, extra } = emailRecord(given);
    expect(parseEmailRecord(fields, extra, KINDS)).toEqual({ ok: true, state: given });
  });
});
