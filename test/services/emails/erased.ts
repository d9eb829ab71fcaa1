/** What is left of an erased job for its callers: nothing to see, nothing to do, no key to use. */
import { describe, expect, it } from "vitest";
import { JobErasedError } from "../../../src/services/errors.ts";
import type { CurrentBench } from "./bench.ts";
import { FIRST_VIEW, ID, jobIn, KEY, lease, present, ready, STATES, thrownBy } from "./given.ts";

/** All but the one in which erasing is refused. */
const ERASABLE = STATES.filter((state) => state !== "sending");

export function describeErased(bench: CurrentBench): void {
  describe("an erased job", () => {
    describeSight(bench);
    describeKeyAfterwards(bench);
    describeCallsAfterwards(bench);
  });
}

function describeSight(bench: CurrentBench): void {
  it("it is read as null and missing from lists, which are not called corrupt", async () => {
    const { emails } = bench();
    await ready(emails);
    await ready(emails, "other");
    await emails.erase(KEY);
    expect(await emails.readJob(KEY)).toBeNull();
    const jobs = await emails.listJobs();
    expect([jobs.map((job) => job.logicalKey), jobs.corrupt]).toEqual([["other"], []]);
    const page = await emails.listPage({ limit: 10 });
    expect([page.jobs.length, page.corrupt]).toEqual([1, []]);
  });
}

function describeKeyAfterwards(bench: CurrentBench): void {
  it("its key is refused to every creation, one by one and in batches", async () => {
    const { emails } = bench();
    const first = "first-import:ann@example.com";
    await emails.enqueueOrConvergeFirstImport("ann@example.com", "recording-1", "bob");
    await emails.erase(first);
    const converge = () => emails.enqueueOrConvergeFirstImport("ann@example.com", "r-2", "bob");
    expect(await thrownBy(converge)).toBeInstanceOf(JobErasedError);
    for (const onPayloadMismatch of ["return", "conflict"] as const) {
      const enqueue = () => emails.enqueue(first, FIRST_VIEW, "pending", { onPayloadMismatch });
      expect(await thrownBy(enqueue)).toMatchObject({ code: "erased" });
    }
    const results = await emails.enqueueBatch([
      { logicalKey: first, payload: FIRST_VIEW },
      { logicalKey: "other", payload: FIRST_VIEW },
    ]);
    expect(results).toEqual([
      { error: expect.any(JobErasedError) },
      expect.objectContaining({ created: true }),
    ]);
  });

  it("what is told of it names neither its key nor its recipient", async () => {
    const { emails } = bench();
    await ready(emails, "ann@example.com");
    await emails.erase("ann@example.com");
    const error = await thrownBy(() => emails.enqueue("ann@example.com", FIRST_VIEW));
    expect(String(error)).not.toContain("ann");
  });
}

function describeCallsAfterwards(bench: CurrentBench): void {
  it.each(ERASABLE)(
    "no method does anything with one that was %s, by its key or by a job from before",
    async (state) => {
      const { emails, contents } = bench();
      const job = await jobIn(emails, state);
      await emails.erase(KEY);
      const before = await contents();
      const person = "ann@example.com";
      const soon = new Date(Date.now() + 86_400_000).toISOString();
      for (const ref of [job, KEY, `sha256:${ID}`]) {
        const answers = [
          await emails.readJob(ref),
          await emails.transition(ref, STATES, "ready"),
          await emails.transition(ref, STATES, "failed"),
          await emails.claimAwaitingAi(ref, person),
          await emails.reclaimStaleAiDispatch(ref, person, soon),
          await emails.completeClaimedAi(ref, person, "A text."),
          await emails.releaseClaimedAi(ref, person),
          await emails.acquireSendingLease(ref, 1_000),
          await emails.requeue(ref),
        ];
        expect(answers.filter((answer) => answer !== null)).toEqual([]);
      }
      expect(await contents()).toEqual(before);
    },
  );

  it("a repeated settlement of it is not answered any more, and counts as no lost lease", async () => {
    const { emails, observed } = bench();
    await ready(emails);
    const { leaseToken } = await lease(emails);
    const sent = present(await emails.transitionSending(KEY, leaseToken, "sent"));
    await emails.erase(KEY);
    for (const ref of [KEY, sent]) {
      expect(await emails.transitionSending(ref, leaseToken, "sent")).toBeNull();
      expect(await emails.extendSendingLease(ref, leaseToken, 1_000)).toBeNull();
    }
    expect(observed.get("email.lease_lost")).toBeUndefined();
  });

  it.each(ERASABLE)(
    "one that was %s is out of the due index and never comes up again, however much time passes",
    async (state) => {
      const { clock, another, dueKeys } = bench();
      const { emails } = await another({ limits: { emailRetentionMs: 86_400_000 } });
      await jobIn(emails, state);
      expect(await dueKeys()).toEqual([`emails/jobs/${ID}`]);
      await emails.erase(KEY);
      expect(await dueKeys()).toEqual([]);
      clock.advance(400 * 86_400_000);
      expect(await emails.acquireDueLeases({ durationMs: 1_000, limit: 10 })).toEqual([]);
      expect(await emails.claimNextAwaitingAi("ann@example.com")).toBeNull();
      expect(await emails.retireExpired(10)).toBe(0);
    },
  );
}
