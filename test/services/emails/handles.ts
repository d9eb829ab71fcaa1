/** Answered jobs as handles: they save a read, are never answered from, and cannot be changed. */
import { describe, expect, it } from "vitest";
import type { Emails, Job } from "../../../src/services/emails.ts";
import type { CurrentBench } from "./bench.ts";
import {
  asLeased,
  awaiting,
  claimed,
  FIRST_VIEW,
  KEY,
  lease,
  leased,
  MESSAGE,
  present,
  ready,
} from "./given.ts";

export function describeHandles(bench: CurrentBench): void {
  describe("answered jobs", () => {
    describeSavedReads(bench);
    describeStaleHandles(bench);
    describeFrozen(bench);
  });
}

/** Every way to be answered with a job that is not yet finished. */
const SOURCES: readonly [string, (emails: Emails) => Promise<Job>][] = [
  ["enqueue", async (emails) => (await emails.enqueue(KEY, FIRST_VIEW)).job],
  [
    "a second enqueue",
    async (emails) => {
      await emails.enqueue(KEY, FIRST_VIEW);
      return (await emails.enqueue(KEY, FIRST_VIEW)).job;
    },
  ],
  [
    "a batch",
    async (emails) => {
      const [result] = await emails.enqueueBatch([{ logicalKey: KEY, payload: FIRST_VIEW }]);
      if (result === undefined || "error" in result) throw new Error("not enqueued");
      return result.job;
    },
  ],
  [
    "a first import",
    async (emails) => (await emails.enqueueOrConvergeFirstImport("a@b.example", "r", "bob")).job,
  ],
  [
    "readJob",
    async (emails) => {
      await ready(emails);
      return present(await emails.readJob(KEY));
    },
  ],
  ["transition", ready],
  [
    "listJobs",
    async (emails) => {
      await ready(emails);
      return present((await emails.listJobs())[0]);
    },
  ],
  [
    "listPage",
    async (emails) => {
      await ready(emails);
      return present((await emails.listPage({ limit: 10 })).jobs[0]);
    },
  ],
  ["claimAwaitingAi", claimed],
  [
    "claimNextAwaitingAi",
    async (emails) => {
      await awaiting(emails);
      return present(await emails.claimNextAwaitingAi());
    },
  ],
  [
    "completeClaimedAi",
    async (emails) => {
      await claimed(emails);
      return present(await emails.completeClaimedAi(KEY, "ann@example.com", "Text."));
    },
  ],
  [
    "transitionSending",
    async (emails) => {
      const { leaseToken } = await leased(emails);
      return present(await emails.transitionSending(KEY, leaseToken, "ready"));
    },
  ],
];

const OPEN = ["pending", "awaiting_ai", "ai_dispatched", "ready"] as const;

function describeSavedReads(bench: CurrentBench): void {
  it.each(SOURCES)("the job of %s, passed as it is, saves the read", async (_, source) => {
    const { emails, traffic } = bench();
    const job = await source(emails);
    const before = { ...traffic };
    expect((await emails.transition(job, OPEN, "failed"))?.state).toBe("failed");
    expect([traffic.reads - before.reads, traffic.puts - before.puts]).toEqual([0, 1]);
  });

  it("a key costs one read and one write", async () => {
    const { emails, traffic } = bench();
    await ready(emails);
    const before = { ...traffic };
    await emails.transition(KEY, ["ready"], "failed");
    expect([traffic.reads - before.reads, traffic.puts - before.puts]).toEqual([1, 1]);
  });

  it("a copy of a job is no more than its key", async () => {
    const { emails, traffic } = bench();
    const job = await ready(emails);
    const before = traffic.reads;
    expect((await emails.transition({ ...job }, ["ready"], "failed"))?.state).toBe("failed");
    expect(traffic.reads - before).toBe(1);
  });

  it("a whole delivery by handles is one write a step", async () => {
    const { emails, traffic } = bench();
    const { job } = await emails.enqueue(KEY, FIRST_VIEW);
    const made = present(await emails.transition(job, ["pending"], "ready"));
    const held = present(await emails.acquireSendingLease(made, 60_000));
    const token = present(held.leaseToken);
    const longer = present(await emails.extendSendingLease(held, token, 120_000));
    await emails.transitionSending(longer, token, "sent");
    expect(traffic).toEqual({ reads: 0, puts: 5, pages: 0 });
  });

  it("a lease of a batch is settled by its handle with one write", async () => {
    const { emails, traffic } = bench();
    await ready(emails);
    const [job] = await emails.acquireDueLeases({ durationMs: 60_000, limit: 1 });
    const before = { ...traffic };
    await emails.transitionSending(present(job), asLeased(job).leaseToken, "sent");
    expect([traffic.reads - before.reads, traffic.puts - before.puts]).toEqual([0, 1]);
  });

  it("a new key costs one write and no read, a known one is read once", async () => {
    const { emails, traffic } = bench();
    await emails.enqueue(KEY, FIRST_VIEW);
    expect(traffic).toEqual({ reads: 0, puts: 1, pages: 0 });
  });

  it("readJob always reads", async () => {
    const { emails, another } = bench();
    const job = await ready(emails);
    await (await another()).emails.transition(KEY, ["ready"], "failed");
    expect((await emails.readJob(job))?.state).toBe("failed");
  });
}

function describeStaleHandles(bench: CurrentBench): void {
  it("what a stale job would allow is decided on what stands there", async () => {
    const { emails } = bench();
    const { job } = await emails.enqueue(KEY, FIRST_VIEW);
    await emails.transition(KEY, ["pending"], "ready");
    expect(await emails.transition(job, ["pending"], "cancelled")).toBeNull();
    expect((await emails.readJob(KEY))?.state).toBe("ready");
  });

  it("what a stale job would refuse is decided on what stands there", async () => {
    const { emails } = bench();
    const { job } = await emails.enqueue(KEY, FIRST_VIEW);
    await emails.transition(KEY, ["pending"], "ready");
    expect((await emails.acquireSendingLease(job, 60_000))?.state).toBe("sending");
  });

  it("a job that is many writes old is no more than stale", async () => {
    const { emails } = bench();
    const { job } = await emails.enqueue(KEY, FIRST_VIEW);
    await emails.transition(KEY, ["pending"], "ready");
    const { leaseToken } = await lease(emails);
    for (let ms = 1_000; ms < 10_000; ms += 1_000) {
      await emails.extendSendingLease(KEY, leaseToken, ms);
    }
    expect(await emails.transition(job, ["pending"], "cancelled")).toBeNull();
    expect((await emails.transitionSending(job, leaseToken, "sent"))?.state).toBe("sent");
  });

  it("a stale lease is refused, also when its job is passed", async () => {
    const { emails, clock, another } = bench();
    const { leaseToken } = await leased(emails);
    const held = present(await emails.readJob(KEY));
    clock.advance(60_000);
    await (await another()).emails.acquireSendingLease(KEY, 60_000);
    expect(await emails.transitionSending(held, leaseToken, "sent")).toBeNull();
    expect((await emails.readJob(KEY))?.state).toBe("sending");
  });

  it("a repeated settlement by a stale job is answered with what is stored", async () => {
    const { emails } = bench();
    const { leaseToken } = await leased(emails);
    const held = present(await emails.readJob(KEY));
    const settled = await emails.transitionSending(held, leaseToken, "sent");
    expect(await emails.transitionSending(held, leaseToken, "sent")).toEqual(settled);
  });

  it("a job passed after its retention is not answered from", async () => {
    const { clock, another } = bench();
    const { emails } = await another({ limits: { emailRetentionMs: 1_000 } });
    const { leaseToken } = await leased(emails);
    const sent = present(await emails.transitionSending(KEY, leaseToken, "sent"));
    clock.advance(1_000);
    expect(await emails.readJob(sent)).toBeNull();
    expect(await emails.transitionSending(sent, leaseToken, "sent")).toBeNull();
  });

  it("a job of another instance is no more than its key", async () => {
    const { emails, another } = bench();
    const other = await another();
    const job = await ready(other.emails);
    await other.emails.transition(job, ["ready"], "failed");
    expect((await emails.requeue(job))?.state).toBe("pending");
  });
}

function describeFrozen(bench: CurrentBench): void {
  it("a job cannot be changed, nor what is inside of it", async () => {
    const { emails } = bench();
    const { job } = await emails.enqueue(KEY, { ...MESSAGE, headers: { "X-A": "b" } });
    expect(Object.isFrozen(job)).toBe(true);
    expect(Object.isFrozen(job["headers"])).toBe(true);
    expect(() => Object.assign(job, { state: "sent" })).toThrow(TypeError);
  });

  it.each(SOURCES)("the job of %s is frozen", async (_, source) => {
    const job = await source(bench().emails);
    expect(Object.isFrozen(job)).toBe(true);
    expect(Object.isFrozen(job.recordingIds)).toBe(true);
  });

  it("the job of a repeated settlement is frozen", async () => {
    const { emails } = bench();
    const { leaseToken } = await leased(emails);
    await emails.transitionSending(KEY, leaseToken, "ready");
    await emails.acquireSendingLease(KEY, 60_000);
    const again = await emails.transitionSending(KEY, leaseToken, "ready");
    expect(Object.isFrozen(again)).toBe(true);
  });
}
