/** The sending lease: who may send, for how long, what a repeat gets (EMAIL-39 to 43, 49, 50). */
import { describe, expect, it } from "vitest";
import type { CurrentBench } from "./bench.ts";
import {
  asLeased,
  countOfJobs,
  jobIn,
  KEY,
  lease,
  leased,
  ready,
  STATES,
  settled,
  times,
} from "./given.ts";

export function describeLeases(bench: CurrentBench): void {
  describe("sending leases", () => {
    describeAcquisitions(bench);
    describeRequestIds(bench);
    describeExtensions(bench);
    describePausedHolders(bench);
  });
}

function describeAcquisitions(bench: CurrentBench): void {
  it("EMAIL-39 a ready job is leased: counted, stamped, with a token and no error", async () => {
    const { emails, clock, at } = bench();
    await settled(emails, "ready", { lastError: "timeout" });
    clock.advance(1_000);
    const job = asLeased(await emails.acquireSendingLease(KEY, 60_000));
    expect(job).toMatchObject({
      state: "sending",
      attempts: 2,
      sendingAt: at(1_000),
      updatedAt: at(1_000),
      leaseUntil: at(61_000),
      lastError: null,
    });
    expect(job.leaseToken).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-/);
  });

  it("EMAIL-40 a lease can be one millisecond, and one day, long", async () => {
    const { emails, at } = bench();
    await ready(emails, "short");
    await ready(emails, "long");
    expect((await emails.acquireSendingLease("short", 1))?.leaseUntil).toBe(at(1));
    expect((await emails.acquireSendingLease("long", 86_400_000))?.leaseUntil).toBe(at(86_400_000));
  });

  it("EMAIL-41 a lease cannot be taken one millisecond before its end", async () => {
    const { emails, clock } = bench();
    const job = await leased(emails);
    clock.advance(59_999);
    expect(await emails.acquireSendingLease(KEY, 60_000)).toBeNull();
    expect((await emails.readJob(KEY))?.leaseToken).toBe(job.leaseToken);
  });

  it("EMAIL-42 a lease can be taken at its end, under a new token", async () => {
    const { emails, clock, at } = bench();
    const first = await leased(emails);
    clock.advance(60_000);
    const second = await lease(emails);
    expect(second).toMatchObject({ attempts: 2, sendingAt: at(60_000), leaseUntil: at(120_000) });
    expect(second.leaseToken).not.toBe(first.leaseToken);
  });

  it.each(STATES.filter((state) => state !== "ready" && state !== "sending"))(
    "EMAIL-43 a job that is %s is not leased",
    async (state) => {
      const { emails, contents } = bench();
      await jobIn(emails, state);
      const before = await contents();
      expect(await emails.acquireSendingLease(KEY, 60_000)).toBeNull();
      expect(await contents()).toEqual(before);
    },
  );

  it("EMAIL-43 a job that is not there is not leased", async () => {
    expect(await bench().emails.acquireSendingLease("nobody", 60_000)).toBeNull();
  });

  it("EMAIL-50 of eight acquisitions at once one wins, and the losers write nothing", async () => {
    const { emails, traffic } = bench();
    await ready(emails);
    const before = traffic.puts;
    const answers = await Promise.all(times(8, () => emails.acquireSendingLease(KEY, 60_000)));
    expect(countOfJobs(answers)).toBe(1);
    expect(traffic.puts - before).toBe(1);
    expect((await emails.readJob(KEY))?.attempts).toBe(1);
  });

  it("a direct lease knows neither back-off nor a maximum of attempts", async () => {
    const { emails } = bench();
    await ready(emails);
    for (let attempt = 1; attempt <= 5; attempt += 1) {
      const { leaseToken, attempts } = await lease(emails);
      expect(attempts).toBe(attempt);
      await emails.transitionSending(KEY, leaseToken, "ready");
    }
  });
}

function describeRequestIds(bench: CurrentBench): void {
  const acquire = (requestId: string) =>
    bench().emails.acquireSendingLease(KEY, 60_000, { requestId });

  it("the same request again gets the lease while that stands, and writes nothing", async () => {
    const { emails, clock, contents } = bench();
    await ready(emails);
    const first = await acquire("request-1");
    const before = await contents();
    clock.advance(59_999);
    expect(await acquire("request-1")).toEqual(first);
    expect(await contents()).toEqual(before);
  });

  it("another request does not get it", async () => {
    await ready(bench().emails);
    await acquire("request-1");
    expect(await acquire("request-2")).toBeNull();
    expect(await bench().emails.acquireSendingLease(KEY, 60_000)).toBeNull();
  });

  it("after the lease ran out the same request gets a new one, under a new token", async () => {
    const { emails, clock } = bench();
    await ready(emails);
    const first = asLeased(await acquire("request-1"));
    clock.advance(60_000);
    const second = asLeased(await acquire("request-1"));
    expect(second.attempts).toBe(2);
    expect(second.leaseToken).not.toBe(first.leaseToken);
    expect(await emails.transitionSending(KEY, first.leaseToken, "sent")).toBeNull();
  });

  it("a delayed duplicate of a request revives neither its lease nor its token", async () => {
    const { emails, clock } = bench();
    await ready(emails);
    const first = asLeased(await acquire("request-a"));
    clock.advance(60_000);
    const second = asLeased(await acquire("request-b"));
    expect(await acquire("request-a")).toBeNull();
    clock.advance(60_000);
    const third = asLeased(await acquire("request-a"));
    for (const { leaseToken } of [first, second]) {
      expect(await emails.transitionSending(KEY, leaseToken, "sent")).toBeNull();
    }
    expect((await emails.transitionSending(KEY, third.leaseToken, "sent"))?.state).toBe("sent");
  });

  it("a request whose lease was settled is a new acquisition", async () => {
    const { emails } = bench();
    await ready(emails);
    const first = asLeased(await acquire("request-1"));
    await emails.transitionSending(KEY, first.leaseToken, "ready");
    const second = asLeased(await acquire("request-1"));
    expect(second.leaseToken).not.toBe(first.leaseToken);
  });
}

function describeExtensions(bench: CurrentBench): void {
  it("a holder sets the end of its lease anew, counted from now", async () => {
    const { emails, clock, at } = bench();
    const { leaseToken, ...before } = await leased(emails);
    clock.advance(30_000);
    const job = await emails.extendSendingLease(KEY, leaseToken, 60_000);
    expect(job).toEqual({ ...before, leaseToken, leaseUntil: at(90_000), updatedAt: at(30_000) });
    expect(await emails.readJob(KEY)).toEqual(job);
  });

  it("the new end may be earlier", async () => {
    const { emails, clock, at } = bench();
    const { leaseToken } = await leased(emails);
    expect((await emails.extendSendingLease(KEY, leaseToken, 1_000))?.leaseUntil).toBe(at(1_000));
    clock.advance(1_000);
    expect((await emails.acquireSendingLease(KEY, 60_000))?.attempts).toBe(2);
  });

  it("a lease that ran out and was taken by nobody can be extended", async () => {
    const { emails, clock, at } = bench();
    const { leaseToken } = await leased(emails);
    clock.advance(3_600_000);
    const job = await emails.extendSendingLease(KEY, leaseToken, 60_000);
    expect(job?.leaseUntil).toBe(at(3_660_000));
    expect(await emails.acquireSendingLease(KEY, 60_000)).toBeNull();
  });

  it("peer fault 1: a superseded holder extends nothing", async () => {
    const { emails, clock, contents } = bench();
    const { leaseToken } = await leased(emails);
    clock.advance(60_000);
    await lease(emails);
    const before = await contents();
    expect(await emails.extendSendingLease(KEY, leaseToken, 60_000)).toBeNull();
    expect(await contents()).toEqual(before);
  });

  it("a settled lease cannot be extended, nor that of a job that is not there", async () => {
    const { emails } = bench();
    const { leaseToken } = await leased(emails);
    await emails.transitionSending(KEY, leaseToken, "ready");
    expect(await emails.extendSendingLease(KEY, leaseToken, 60_000)).toBeNull();
    expect(await emails.extendSendingLease("nobody", leaseToken, 60_000)).toBeNull();
  });

  it("an extended lease is not due before its new end", async () => {
    const { emails, clock } = bench();
    const { leaseToken } = await leased(emails);
    clock.advance(30_000);
    await emails.extendSendingLease(KEY, leaseToken, 60_000);
    clock.advance(59_999);
    expect(await emails.acquireDueLeases({ durationMs: 1_000, limit: 10 })).toEqual([]);
    clock.advance(1);
    expect(await emails.acquireDueLeases({ durationMs: 1_000, limit: 10 })).toHaveLength(1);
  });
}

function describePausedHolders(bench: CurrentBench): void {
  it.each(["sent", "ready", "cancelled", "failed"] as const)(
    "EMAIL-49 the write of a holder that slept in it is refused once another leased: %s",
    async (to) => {
      const { emails, clock, another } = bench();
      const { leaseToken } = await leased(emails);
      const sleeper = await another();
      let next = "";
      sleeper.interference.beforePut = async () => {
        sleeper.interference.beforePut = async () => {};
        clock.advance(86_400_000);
        next = (await lease(emails)).leaseToken;
      };
      expect(await sleeper.emails.transitionSending(KEY, leaseToken, to)).toBeNull();
      expect(await emails.readJob(KEY)).toMatchObject({ state: "sending", leaseToken: next });
    },
  );

  it("EMAIL-49 the extension of a holder that slept in it is refused after another's", async () => {
    const { emails, clock, another } = bench();
    const { leaseToken } = await leased(emails);
    const sleeper = await another();
    sleeper.interference.beforePut = async () => {
      sleeper.interference.beforePut = async () => {};
      clock.advance(86_400_000);
      await lease(emails);
    };
    expect(await sleeper.emails.extendSendingLease(KEY, leaseToken, 60_000)).toBeNull();
  });
}
