/** Who writes the text of a job: claims, take-overs, completions (EMAIL-28 to 38). */
import { describe, expect, it } from "vitest";
import type { CurrentBench } from "./bench.ts";
import {
  awaiting,
  claimed,
  countOfJobs,
  expectRefused,
  FIRST_VIEW,
  jobIn,
  KEY,
  present,
  STATES,
  TWO_CLIPS,
  times,
} from "./given.ts";

export function describeAiClaims(bench: CurrentBench): void {
  describe("AI claims", () => {
    describeClaims(bench);
    describeCompletions(bench);
    describeReclaims(bench);
    describeClaimNext(bench);
    describeReleases(bench);
  });
}

function describeClaims(bench: CurrentBench): void {
  it("EMAIL-28 a waiting job of two clips goes to its claimant, in lower case", async () => {
    const { emails, clock, at } = bench();
    await awaiting(emails);
    clock.advance(1_000);
    const { claimToken, ...job } = present(await emails.claimAwaitingAi(KEY, " Ann@Example.com "));
    expect(job).toMatchObject({
      state: "ai_dispatched",
      aiClaimedBy: "ann@example.com",
      aiDispatchedAt: at(1_000),
      updatedAt: at(1_000),
    });
    expect(claimToken).toMatch(/^[0-9a-f-]{36}$/);
  });

  it("a claim token is told to the claimant and to nobody who reads", async () => {
    const { emails } = bench();
    const { claimToken } = await claimed(emails);
    expect(JSON.stringify(await emails.readJob(KEY))).not.toContain(claimToken);
    expect(JSON.stringify(await emails.listJobs())).not.toContain(claimToken);
    expect(JSON.stringify(await emails.enqueue(KEY, TWO_CLIPS))).not.toContain(claimToken);
  });

  it("EMAIL-29 a job of a kind that waits for no text is not claimed", async () => {
    const { emails } = bench();
    await emails.enqueue(KEY, FIRST_VIEW, "awaiting_ai");
    expect(await emails.claimAwaitingAi(KEY, "ann@example.com")).toBeNull();
    expect((await emails.readJob(KEY))?.state).toBe("awaiting_ai");
  });

  it.each(STATES.filter((state) => state !== "awaiting_ai"))(
    "EMAIL-29 a job that is %s is not claimed",
    async (state) => {
      const { emails } = bench();
      await jobIn(emails, state);
      expect(await emails.claimAwaitingAi(KEY, "bob@example.com")).toBeNull();
    },
  );

  it.each(["ann", "", " ", "ann@", "ann@example.com, bob@example.com"])(
    "EMAIL-30 the claimant %j is refused by every call",
    async (person) => {
      const { emails } = bench();
      await claimed(emails);
      const past = "2026-01-01T00:00:00Z";
      const refused = (call: () => Promise<unknown>) => expectRefused(bench(), call, "claimant");
      await refused(() => emails.claimAwaitingAi(KEY, person));
      await refused(() => emails.reclaimStaleAiDispatch(KEY, person, past));
      await refused(() => emails.completeClaimedAi(KEY, person, "Text."));
      await refused(() => emails.releaseClaimedAi(KEY, person));
      await refused(() => emails.claimNextAwaitingAi(person));
    },
  );

  it("EMAIL-31 of eight claims at once exactly one wins", async () => {
    const { emails } = bench();
    await awaiting(emails);
    const answers = await Promise.all(
      times(8, (index) => emails.claimAwaitingAi(KEY, `person-${index}@example.com`)),
    );
    const winners = answers.filter((answer) => answer !== null);
    expect(winners).toHaveLength(1);
    expect((await emails.readJob(KEY))?.aiClaimedBy).toBe(winners[0]?.aiClaimedBy);
  });
}

function describeCompletions(bench: CurrentBench): void {
  it("EMAIL-32 the claimant in any letter case makes the job ready", async () => {
    const { emails, clock, at } = bench();
    await claimed(emails);
    clock.advance(2_000);
    const job = await emails.completeClaimedAi(KEY, " ANN@example.com", "Two clips.");
    expect(job).toMatchObject({
      state: "ready",
      generatedSummary: "Two clips.",
      readyAt: at(2_000),
      updatedAt: at(2_000),
    });
  });

  it("EMAIL-32 another claimant completes nothing", async () => {
    const { emails, contents } = bench();
    await claimed(emails);
    const before = await contents();
    expect(await emails.completeClaimedAi(KEY, "bob@example.com", "Two clips.")).toBeNull();
    expect(await contents()).toEqual(before);
  });

  it("EMAIL-33 a second completion is null", async () => {
    const { emails } = bench();
    await claimed(emails);
    await emails.completeClaimedAi(KEY, "ann@example.com", "Two clips.");
    expect(await emails.completeClaimedAi(KEY, "ann@example.com", "Other text.")).toBeNull();
    expect((await emails.readJob(KEY))?.generatedSummary).toBe("Two clips.");
  });

  it("a summary of 20,001 characters is refused", async () => {
    const { emails } = bench();
    await claimed(emails);
    const complete = () => emails.completeClaimedAi(KEY, "ann@example.com", "s".repeat(20_001));
    await expectRefused(bench(), complete, "summary");
  });

  it("the claim token completes, a wrong one does not", async () => {
    const { emails } = bench();
    const { claimToken } = await claimed(emails);
    const complete = (token: string) =>
      emails.completeClaimedAi(KEY, "ann@example.com", "Two clips.", token);
    expect(await complete("11111111-1111-4111-8111-111111111111")).toBeNull();
    expect((await complete(claimToken))?.state).toBe("ready");
  });

  it("a job that was dispatched by a plain transition is nobody's to complete", async () => {
    const { emails } = bench();
    await awaiting(emails);
    await emails.transition(KEY, ["awaiting_ai"], "ai_dispatched");
    expect(await emails.completeClaimedAi(KEY, "ann@example.com", "Two clips.")).toBeNull();
  });
}

function describeReclaims(bench: CurrentBench): void {
  it("EMAIL-34 a dispatch later than the bound is left alone", async () => {
    const { emails, clock, at } = bench();
    await awaiting(emails);
    clock.advance(1_000);
    await emails.claimAwaitingAi(KEY, "ann@example.com");
    expect(await emails.reclaimStaleAiDispatch(KEY, "bob@example.com", at(999))).toBeNull();
    expect((await emails.readJob(KEY))?.aiClaimedBy).toBe("ann@example.com");
  });

  it.each([0, 1])("EMAIL-34 a dispatch %d ms before the bound is taken over", async (age) => {
    const { emails, clock, at } = bench();
    await claimed(emails);
    clock.advance(60_000);
    const job = await emails.reclaimStaleAiDispatch(KEY, "Bob@example.com", at(age));
    expect(job).toMatchObject({
      state: "ai_dispatched",
      aiClaimedBy: "bob@example.com",
      aiDispatchedAt: at(60_000),
    });
  });

  it("EMAIL-34 a claimant may take over from itself", async () => {
    const { emails, at } = bench();
    const first = await claimed(emails);
    const again = present(await emails.reclaimStaleAiDispatch(KEY, "ann@example.com", at(0)));
    expect(again.claimToken).not.toBe(first.claimToken);
  });

  it.each(STATES.filter((state) => state !== "ai_dispatched"))(
    "EMAIL-34 a job that is %s is not taken over",
    async (state) => {
      const { emails, at } = bench();
      await jobIn(emails, state);
      expect(await emails.reclaimStaleAiDispatch(KEY, "bob@example.com", at(1))).toBeNull();
    },
  );

  it("EMAIL-35 the former claimant completes nothing", async () => {
    const { emails, at } = bench();
    const { claimToken } = await claimed(emails);
    await emails.reclaimStaleAiDispatch(KEY, "bob@example.com", at(0));
    const complete = (token?: string) =>
      emails.completeClaimedAi(KEY, "ann@example.com", "Two clips.", token);
    expect(await complete()).toBeNull();
    expect(await complete(claimToken)).toBeNull();
    const byBob = await emails.completeClaimedAi(KEY, "bob@example.com", "Two clips.");
    expect(byBob?.state).toBe("ready");
  });

  it("EMAIL-36 after A, B and A again the token of A's first claim completes nothing", async () => {
    const { emails, at } = bench();
    const first = await claimed(emails);
    await emails.reclaimStaleAiDispatch(KEY, "bob@example.com", at(0));
    const last = present(await emails.reclaimStaleAiDispatch(KEY, "ann@example.com", at(0)));
    const complete = (token: string) =>
      emails.completeClaimedAi(KEY, "ann@example.com", "Two clips.", token);
    expect(await complete(first.claimToken)).toBeNull();
    expect((await complete(last.claimToken))?.state).toBe("ready");
  });
}

function describeClaimNext(bench: CurrentBench): void {
  it("EMAIL-37 the longest waiting job of any kind is next", async () => {
    const { emails, clock } = bench();
    await emails.enqueue("pending", TWO_CLIPS);
    clock.advance(1);
    await emails.enqueue("oldest", FIRST_VIEW, "awaiting_ai");
    clock.advance(1);
    await emails.enqueue("newer", TWO_CLIPS, "awaiting_ai");
    clock.advance(1);
    const keys = [];
    for (let calls = 0; calls < 3; calls += 1) {
      keys.push((await emails.claimNextAwaitingAi())?.logicalKey ?? null);
    }
    expect(keys).toEqual(["oldest", "newer", null]);
  });

  it("EMAIL-37 the oldest is next, also when it began to wait last", async () => {
    const { emails, clock } = bench();
    await emails.enqueue("oldest", TWO_CLIPS);
    clock.advance(1);
    await awaiting(emails, "newer");
    clock.advance(1);
    await emails.transition("oldest", ["pending"], "awaiting_ai");
    expect((await emails.claimNextAwaitingAi())?.logicalKey).toBe("oldest");
  });

  it("EMAIL-37 without a claimant nobody can complete it", async () => {
    const { emails } = bench();
    await awaiting(emails);
    const job = present(await emails.claimNextAwaitingAi());
    expect([job.state, job.aiClaimedBy]).toEqual(["ai_dispatched", undefined]);
    const done = await emails.completeClaimedAi(KEY, "ann@example.com", "Two.", job.claimToken);
    expect(done).toBeNull();
  });

  it("EMAIL-37 with a claimant it can be completed by that one, whatever its kind", async () => {
    const { emails } = bench();
    await emails.enqueue(KEY, FIRST_VIEW, "awaiting_ai");
    const { claimToken } = present(await emails.claimNextAwaitingAi("Ann@example.com"));
    const job = await emails.completeClaimedAi(KEY, "ann@example.com", "One clip.", claimToken);
    expect([job?.state, job?.aiClaimedBy]).toEqual(["ready", "ann@example.com"]);
  });

  it("EMAIL-37 of eight calls at once over one job exactly one gets it", async () => {
    const { emails } = bench();
    await awaiting(emails);
    expect(countOfJobs(await Promise.all(times(8, () => emails.claimNextAwaitingAi())))).toBe(1);
  });

  it("EMAIL-37 calls at once over three jobs get each job once", async () => {
    const { emails } = bench();
    for (const key of ["a", "b", "c"]) await awaiting(emails, key);
    const answers = await Promise.all(times(5, () => emails.claimNextAwaitingAi()));
    const keys = answers.map((answer) => answer?.logicalKey ?? "-");
    expect(keys.sort()).toEqual(["-", "-", "a", "b", "c"]);
  });

  it("EMAIL-37 a job that was released is next again", async () => {
    const { emails } = bench();
    await claimed(emails);
    expect(await emails.claimNextAwaitingAi()).toBeNull();
    await emails.releaseClaimedAi(KEY, "ann@example.com");
    expect((await emails.claimNextAwaitingAi())?.logicalKey).toBe(KEY);
  });
}

function describeReleases(bench: CurrentBench): void {
  it("EMAIL-38 the claimant gives the job back as if it had never been claimed", async () => {
    const { emails, clock, at } = bench();
    const before = await awaiting(emails);
    const { claimToken } = present(await emails.claimAwaitingAi(KEY, "ann@example.com"));
    clock.advance(1_000);
    const job = await emails.releaseClaimedAi(KEY, "ANN@example.com", claimToken);
    expect(job).toEqual({ ...before, updatedAt: at(1_000) });
  });

  it("EMAIL-38 another claimant, or another token, gives nothing back", async () => {
    const { emails } = bench();
    await claimed(emails);
    expect(await emails.releaseClaimedAi(KEY, "bob@example.com")).toBeNull();
    expect(await emails.releaseClaimedAi(KEY, "ann@example.com", "token-x")).toBeNull();
    expect((await emails.readJob(KEY))?.state).toBe("ai_dispatched");
  });
}
