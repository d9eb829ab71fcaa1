/** Removing what is personal in a job, on request: at once, for good, and without its key. */
import { describe, expect, it } from "vitest";
import { StoreUnavailableError } from "../../../src/ports/faults.ts";
import type { Emails, Job } from "../../../src/services/emails.ts";
import { JobErasedError, JobExpiredError } from "../../../src/services/errors.ts";
import type { CurrentBench } from "./bench.ts";
import {
  FIRST_VIEW,
  ID,
  jobIn,
  KEY,
  lease,
  MESSAGE,
  originalRecord,
  present,
  ready,
  STATES,
  settled,
  thrownBy,
} from "./given.ts";

export function describeErasure(bench: CurrentBench): void {
  describe("erasure", () => {
    describeErasing(bench);
    describeRefusals(bench);
    describeRecords(bench);
    describeRivals(bench);
  });
}

function describeErasing(bench: CurrentBench): void {
  it.each(STATES.filter((state) => state !== "sending"))(
    "a job that is %s is erased: its id, kind, state and times are answered",
    async (state) => {
      const { emails, clock, at } = bench();
      const job = await jobIn(emails, state);
      clock.advance(5_000);
      const erased = present(await emails.erase(KEY));
      expect(erased).toMatchObject({ id: ID, type: "two-clips", state, updatedAt: at(5_000) });
      expect(erased.createdAt).toBe(job.createdAt);
      const names = Object.keys(erased).filter((name) => !name.endsWith("At"));
      expect(names.sort()).toEqual(["id", "state", "type"]);
      expect(Object.isFrozen(erased)).toBe(true);
    },
  );

  it("by its id, by a job answered before, and by a copy of that", async () => {
    const { emails } = bench();
    const refs: ((job: Job) => Parameters<Emails["erase"]>[0])[] = [
      () => `sha256:${ID}`,
      (job) => job,
      (job) => ({ ...job }),
      () => KEY,
    ];
    const { job } = await emails.enqueue(KEY, FIRST_VIEW);
    const [first, ...repeats] = await Promise.all(refs.map((ref) => emails.erase(ref(job))));
    expect(first).toMatchObject({ id: ID, state: "pending" });
    expect(repeats).toEqual([first, first, first]);
  });

  it("a job just answered is erased with one write and no read", async () => {
    const { emails, traffic } = bench();
    const { job } = await emails.enqueue(KEY, FIRST_VIEW);
    const before = { ...traffic };
    await emails.erase(job);
    expect([traffic.reads - before.reads, traffic.puts - before.puts]).toEqual([0, 1]);
  });

  it("again, however much later, the answer is the same, nothing is written or counted", async () => {
    const { emails, clock, contents, observed } = bench();
    await ready(emails);
    const erased = await emails.erase(KEY);
    const before = await contents();
    clock.advance(86_400_000);
    expect(await emails.erase(KEY)).toEqual(erased);
    expect(await contents()).toEqual(before);
    expect(observed.get("email.erased")).toBe(1);
  });

  it("a job past its retention loses its key, too, before and after it was retired", async () => {
    const { clock, another, contents } = bench();
    const { emails } = await another({ limits: { emailRetentionMs: 1_000 } });
    for (const key of ["first-view:share-1", "first-view:share-2"]) {
      await jobIn(emails, "sent", key);
    }
    clock.advance(1_000);
    expect(await emails.retireExpired(1)).toBe(1);
    for (const key of ["first-view:share-1", "first-view:share-2"]) {
      expect(await thrownBy(() => emails.enqueue(key, FIRST_VIEW))).toBeInstanceOf(JobExpiredError);
      expect(await emails.erase(key)).toMatchObject({ state: "sent" });
      expect(await thrownBy(() => emails.enqueue(key, FIRST_VIEW))).toBeInstanceOf(JobErasedError);
    }
    expect([...(await contents()).values()].join()).not.toMatch(/first-view:|ann@/);
    expect(await emails.retireExpired(10)).toBe(0);
  });

  it("one tenant's erasure leaves the job of another under the same key", async () => {
    const { emails, holdfast } = bench();
    const other = holdfast.tenant("other").emails;
    for (const each of [emails, other]) await ready(each);
    await emails.erase(KEY);
    expect((await other.readJob(KEY))?.state).toBe("ready");
  });
}

function describeRefusals(bench: CurrentBench): void {
  it("a key that has no job is erased to null, and can be used", async () => {
    const { emails, observed } = bench();
    expect(await emails.erase(KEY)).toBeNull();
    expect(observed.get("email.erased")).toBeUndefined();
    expect((await emails.enqueue(KEY, FIRST_VIEW)).created).toBe(true);
  });

  it("a leased job is left to its holder, also after its lease ran out", async () => {
    const { emails, clock, contents } = bench();
    await ready(emails);
    const { leaseToken } = await lease(emails, KEY, 1_000);
    const before = await contents();
    expect(await emails.erase(KEY)).toBeNull();
    clock.advance(1_000);
    expect(await emails.erase(KEY)).toBeNull();
    expect(await contents()).toEqual(before);
    await emails.transitionSending(KEY, leaseToken, "sent");
    expect(await emails.erase(KEY)).toMatchObject({ state: "sent" });
  });

  it("a corrupt record is reported and left as it is", async () => {
    const { emails, plant, contents } = bench();
    await plant(`emails/jobs/${ID}`, "not json");
    expect(await thrownBy(() => emails.erase(KEY))).toMatchObject({ code: "record_corrupt" });
    expect((await contents()).get(`emails/jobs/${ID}`)).toBe("not json");
  });

  it("a job of another key in its place is corrupt here as everywhere", async () => {
    const { emails, plant } = bench();
    await plant(`emails/jobs/${ID}`, JSON.stringify(originalRecord({ logicalKey: "other" })));
    expect(await thrownBy(() => emails.erase(KEY))).toMatchObject({ code: "record_corrupt" });
  });
}

function describeRecords(bench: CurrentBench): void {
  it("nothing that is stored holds its key, its recipient or its content", async () => {
    const { emails, contents } = bench();
    await emails.enqueue("welcome:ann@example.com", { ...MESSAGE, replyTo: "bob@example.com" });
    await emails.transition("welcome:ann@example.com", ["pending"], "failed", {
      generatedSummary: "A text for Ann.",
      lastError: "550 ann@example.com",
    });
    expect([...(await contents()).values()].join()).toMatch(/Ann/);
    await emails.erase("welcome:ann@example.com");
    const stored = [...(await contents())].flat().join();
    // Random names in the header may hold any few letters, so each of these has more than letters.
    expect(stored).not.toMatch(/ann@|bob@|example\.com|hello[ .]|welcome:|550 |"text"/i);
  });

  it("its record is a tombstone that is due never", async () => {
    const { emails, contents, at } = bench();
    await settled(emails, "failed", { lastError: "550 ann@example.com" });
    await emails.erase(KEY);
    const body: Record<string, unknown> = JSON.parse(
      (await contents()).get(`emails/jobs/${ID}`) ?? "",
    );
    const { holdfast, ...fields } = body;
    expect(fields).toEqual({
      type: "first-view",
      state: "failed",
      createdAt: at(0),
      updatedAt: at(0),
      readyAt: at(0),
      sendingAt: at(0),
      failedAt: at(0),
    });
    const names = Object.keys(Object(holdfast)).sort();
    expect(names).toEqual(["due", "erased", "marker", "recent", "schema", "v", "w"]);
    expect(holdfast).toMatchObject({ erased: true, due: null, marker: null });
  });

  it("a job that an original store wrote is erased, though its key is not taken any more", async () => {
    const { emails, plant, contents } = bench();
    const logicalKey = "k".repeat(2_000);
    const id = "1c8123314be794fecd4622dd336c932c8c1592f8e3aa12eebf2e98aba92efd11";
    await plant(`emails/jobs/${ID}`, `${JSON.stringify(originalRecord(), null, 2)}\n`);
    await plant(`emails/jobs/${id}`, JSON.stringify(originalRecord({ logicalKey })));
    expect(await emails.erase(KEY)).toMatchObject({
      id: ID,
      state: "ready",
      createdAt: "2026-01-01T00:00:00.000Z",
      readyAt: "2026-01-01T00:00:01.000Z",
    });
    expect(await emails.erase(`sha256:${id}`)).toMatchObject({ id, state: "ready" });
    expect(await emails.erase(`sha256:${id}`)).toMatchObject({ id, state: "ready" });
    expect([...(await contents()).values()].join()).not.toMatch(/ann@|kkk|recording/);
    expect(await emails.acquireDueLeases({ durationMs: 1_000, limit: 10 })).toEqual([]);
    expect(await emails.listJobs()).toEqual(Object.assign([], { corrupt: [] }));
  });
}

function describeRivals(bench: CurrentBench): void {
  it("an erasure without a reply is settled by reading back", async () => {
    const { emails, interference, another } = bench();
    await ready(emails);
    interference.afterPut = async () => {
      interference.afterPut = async () => {};
      throw new StoreUnavailableError("the reply was lost");
    };
    const erased = await emails.erase(KEY);
    expect(erased).toMatchObject({ id: ID, state: "ready" });
    expect(await (await another()).emails.erase(KEY)).toEqual(erased);
  });

  it("a job that was erased behind a handle's back is not written over", async () => {
    const { emails, another } = bench();
    const { job } = await emails.enqueue(KEY, FIRST_VIEW);
    const erased = await (await another()).emails.erase(KEY);
    expect(await emails.transition(job, ["pending"], "ready")).toBeNull();
    expect(await emails.erase(job)).toEqual(erased);
  });

  it("a job that was leased behind a handle's back is not erased", async () => {
    const { emails, another } = bench();
    const job = await ready(emails);
    await lease((await another()).emails);
    expect(await emails.erase(job)).toBeNull();
    expect((await emails.readJob(KEY))?.state).toBe("sending");
  });

  it("of a lease and an erasure at once exactly one happens", async () => {
    const { emails, another } = bench();
    const other = await another();
    for (let round = 0; round < 8; round += 1) {
      const key = `job-${round}`;
      const job = await ready(emails, key);
      const [leased, erased] = await Promise.all([
        other.emails.acquireSendingLease(key, 60_000),
        emails.erase(round % 2 === 0 ? job : key),
      ]);
      expect([leased, erased].filter((answer) => answer !== null)).toHaveLength(1);
    }
  });
}
