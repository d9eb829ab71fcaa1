/** Leasing what is due: order, back-off, lapsed leases, used-up attempts (EMAIL-79, EMAIL-81). */
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { defineEmailKind } from "../../../src/machines/emails/kinds.ts";
import { ContendedError, MisconfiguredError } from "../../../src/ports/faults.ts";
import type { Emails, Job } from "../../../src/services/emails.ts";
import type { CurrentBench } from "./bench.ts";
import {
  asLeased,
  FIRST_VIEW,
  ID,
  jobIn,
  KEY,
  leased,
  present,
  ready,
  STATES,
  times,
} from "./given.ts";

export function describeDueLeases(bench: CurrentBench): void {
  describe("leasing what is due", () => {
    describeDue(bench);
    describeBackOff(bench);
    describeNotBefore(bench);
    describeExhaustion(bench);
    describeTrouble(bench);
  });
}

function due(emails: Emails, limit = 100): Promise<readonly Job[]> {
  return emails.acquireDueLeases({ durationMs: 60_000, limit });
}

async function dueKeys(emails: Emails, limit = 100): Promise<readonly string[]> {
  return (await due(emails, limit)).map((job) => job.logicalKey);
}

/** One attempt that fails at once. */
async function failedAttempt(emails: Emails, lastError: string): Promise<void> {
  const [job] = await due(emails);
  await emails.transitionSending(KEY, asLeased(job).leaseToken, "ready", { lastError });
}

function describeDue(bench: CurrentBench): void {
  it("a ready job is leased at once, as by a direct lease", async () => {
    const { emails, at } = bench();
    await ready(emails);
    const [job] = await emails.acquireDueLeases({ durationMs: 30_000, limit: 1 });
    expect(job).toMatchObject({ state: "sending", attempts: 1, leaseUntil: at(30_000) });
    expect(job?.leaseToken).toMatch(/^[0-9a-f-]{36}$/);
    expect(await emails.readJob(KEY)).toEqual(job);
  });

  it("every lease of a batch has a token of its own, good for its job", async () => {
    const { emails } = bench();
    for (const key of ["a", "b", "c"]) await ready(emails, key);
    const jobs = await due(emails);
    expect(new Set(jobs.map((job) => job.leaseToken)).size).toBe(3);
    for (const job of jobs) {
      const sent = await emails.transitionSending(job, job.leaseToken ?? "", "sent");
      expect(sent?.state).toBe("sent");
    }
  });

  it("only ready jobs, and leases that ran out, are due", async () => {
    const { emails } = bench();
    for (const state of STATES) await jobIn(emails, state, state);
    expect(await dueKeys(emails)).toEqual(["ready"]);
  });

  it("a lease that ran out is due at its end, not before", async () => {
    const { emails, clock } = bench();
    await leased(emails);
    clock.advance(59_999);
    expect(await dueKeys(emails)).toEqual([]);
    clock.advance(1);
    const [job] = await due(emails);
    expect(job?.attempts).toBe(2);
  });

  it("the oldest due come first, whatever their time of creation", async () => {
    const { emails, clock } = bench();
    for (const key of ["c", "a", "b"]) await emails.enqueue(key, FIRST_VIEW);
    for (const key of ["b", "c", "a"]) {
      clock.advance(1);
      await emails.transition(key, ["pending"], "ready");
    }
    expect(await dueKeys(emails)).toEqual(["b", "c", "a"]);
  });

  it("a limit leaves the others for the next call", async () => {
    const { emails, clock } = bench();
    for (const key of times(10, (index) => `job-${index}`)) {
      await ready(emails, key);
      clock.advance(1);
    }
    expect(await dueKeys(emails, 9)).toEqual(times(9, (index) => `job-${index}`));
    expect(await dueKeys(emails, 9)).toEqual(["job-9"]);
    expect(await dueKeys(emails, 9)).toEqual([]);
  });

  it("four callers at once lease every job once", async () => {
    const { emails } = bench();
    const keys = times(12, (index) => `job-${String(index).padStart(2, "0")}`);
    for (const key of keys) await ready(emails, key);
    const batches = await Promise.all(times(4, () => dueKeys(emails, 12)));
    expect(batches.flat().sort()).toEqual(keys);
  });
}

function describeBackOff(bench: CurrentBench): void {
  it("EMAIL-79 after the first failed attempt a job waits 60,000 ms exactly", async () => {
    const { emails, clock } = bench();
    await ready(emails);
    await failedAttempt(emails, "timeout");
    clock.advance(59_999);
    expect(await dueKeys(emails)).toEqual([]);
    clock.advance(1);
    expect(await dueKeys(emails)).toEqual([KEY]);
  });

  it("EMAIL-79 after the second it waits 120,000 ms exactly", async () => {
    const { emails, clock } = bench();
    await ready(emails);
    await failedAttempt(emails, "timeout");
    clock.advance(60_000);
    await failedAttempt(emails, "timeout");
    clock.advance(119_999);
    expect(await dueKeys(emails)).toEqual([]);
    clock.advance(1);
    expect(await dueKeys(emails)).toEqual([KEY]);
  });

  it("a direct lease need not wait for the back-off", async () => {
    const { emails } = bench();
    await ready(emails);
    await failedAttempt(emails, "timeout");
    expect((await emails.acquireSendingLease(KEY, 1_000))?.attempts).toBe(2);
  });
}

function describeNotBefore(bench: CurrentBench): void {
  it("a job is not due before the instant that its enqueue named", async () => {
    const { emails, clock, at } = bench();
    await emails.enqueue(KEY, FIRST_VIEW, "pending", { notBefore: at(7_200_000) });
    await emails.transition(KEY, ["pending"], "ready");
    clock.advance(7_199_999);
    expect(await dueKeys(emails)).toEqual([]);
    clock.advance(1);
    expect(await dueKeys(emails)).toEqual([KEY]);
  });

  it("an instant that has passed changes nothing", async () => {
    const { emails } = bench();
    const notBefore = "2026-01-01T02:00:00+02:00";
    await emails.enqueue(KEY, FIRST_VIEW, "pending", { notBefore });
    await emails.transition(KEY, ["pending"], "ready");
    expect(await dueKeys(emails)).toEqual([KEY]);
  });

  it("a direct lease does not wait for it", async () => {
    const { emails, at } = bench();
    await emails.enqueue(KEY, FIRST_VIEW, "pending", { notBefore: at(7_200_000) });
    await emails.transition(KEY, ["pending"], "ready");
    expect((await emails.acquireSendingLease(KEY, 1_000))?.state).toBe("sending");
  });
}

function describeExhaustion(bench: CurrentBench): void {
  it("EMAIL-81 a job that was leased three times in vain is failed, and not leased", async () => {
    const { emails, clock, at, observed } = bench();
    await ready(emails);
    for (let attempt = 1; attempt <= 3; attempt += 1) {
      expect(await dueKeys(emails)).toEqual([KEY]);
      clock.advance(60_000);
    }
    expect(await dueKeys(emails)).toEqual([]);
    expect(await emails.readJob(KEY)).toMatchObject({
      state: "failed",
      attempts: 3,
      failedAt: at(180_000),
      lastError: "every attempt ended without a report",
      leaseToken: null,
    });
    expect(observed.get("email.exhausted")).toBe(1);
  });

  it("EMAIL-81 the holder of the last lease is superseded by the failure", async () => {
    const { emails, clock } = bench();
    await ready(emails);
    for (let attempt = 1; attempt <= 2; attempt += 1) {
      await due(emails);
      clock.advance(60_000);
    }
    const [last] = await due(emails);
    clock.advance(60_000);
    await due(emails);
    expect(await emails.transitionSending(KEY, asLeased(last).leaseToken, "sent")).toBeNull();
    expect((await emails.readJob(KEY))?.state).toBe("failed");
  });

  it("a job that is failed keeps the error of its last attempt", async () => {
    const { emails, clock } = bench();
    await ready(emails);
    for (const error of ["first", "second", "third"]) {
      await failedAttempt(emails, error);
      clock.advance(240_000);
    }
    expect(await dueKeys(emails)).toEqual([]);
    expect(await emails.readJob(KEY)).toMatchObject({ state: "failed", lastError: "third" });
  });

  it("a failed job does not take the place of one that can be leased", async () => {
    const { emails, clock } = bench();
    await ready(emails);
    for (let attempt = 1; attempt <= 3; attempt += 1) {
      await due(emails);
      clock.advance(60_000);
    }
    await ready(emails, "other");
    expect(await dueKeys(emails, 1)).toEqual(["other"]);
  });

  it("a kind says itself how many attempts its jobs have", async () => {
    const { another, clock } = bench();
    const payload = z.object({ plan: z.string() });
    const kinds = [defineEmailKind({ name: "once", payload, maxAttempts: 1 })];
    const { emails } = await another({ app: { kinds } });
    await emails.enqueue(KEY, { type: "once", recipient: "ann@example.com", plan: "pro" });
    await emails.transition(KEY, ["pending"], "ready");
    expect(await dueKeys(emails)).toEqual([KEY]);
    clock.advance(60_000);
    expect(await dueKeys(emails)).toEqual([]);
    expect((await emails.readJob(KEY))?.state).toBe("failed");
  });

  it("a requeued job has all its attempts again", async () => {
    const { emails, clock } = bench();
    await ready(emails);
    for (let attempt = 1; attempt <= 4; attempt += 1) {
      await due(emails);
      clock.advance(60_000);
    }
    await emails.requeue(KEY);
    await emails.transition(KEY, ["pending"], "ready");
    const [job] = await due(emails);
    expect(present(job).attempts).toBe(1);
  });
}

function describeTrouble(bench: CurrentBench): void {
  it("a corrupt record in the due index stops no other, and stays as it is", async () => {
    const { emails, plant, contents } = bench();
    await ready(emails);
    await plant(`emails/jobs/${ID}`, '{"logicalKey":');
    await ready(emails, "other");
    expect(await dueKeys(emails)).toEqual(["other"]);
    expect((await contents()).get(`emails/jobs/${ID}`)).toBe('{"logicalKey":');
  });

  it("a job that stays busy stops no other, and is leased later", async () => {
    const { emails, interference } = bench();
    await ready(emails);
    await ready(emails, "other");
    interference.beforePut = async (key) => {
      if (key === `emails/jobs/${ID}`) throw new ContendedError("busy");
    };
    expect(await dueKeys(emails)).toEqual(["other"]);
    interference.beforePut = async () => {};
    expect(await dueKeys(emails)).toEqual([KEY]);
  });

  it("a job that stays busy is passed over also when no other is due", async () => {
    const { emails, interference } = bench();
    await ready(emails);
    interference.beforePut = async () => {
      throw new ContendedError("busy");
    };
    expect(await dueKeys(emails)).toEqual([]);
  });

  it("leases that were taken before the storage failed are answered", async () => {
    const { emails, interference } = bench();
    await ready(emails);
    await ready(emails, "other");
    interference.beforePut = async (key) => {
      if (key === `emails/jobs/${ID}`) throw new MisconfiguredError("no right to write");
    };
    expect(await dueKeys(emails)).toEqual(["other"]);
  });

  it("a storage that fails altogether is told, not answered as if nothing were due", async () => {
    const { emails, interference } = bench();
    await ready(emails);
    interference.beforePut = async () => {
      throw new MisconfiguredError("no right to write");
    };
    await expect(due(emails)).rejects.toMatchObject({ code: "misconfigured" });
  });
}
