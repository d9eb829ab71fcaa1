/** Moving jobs without a credential: transitions and requeue (EMAIL-18 to 27). */
import { describe, expect, it } from "vitest";
import { InvalidTransitionError } from "../../../src/services/errors.ts";
import type { CurrentBench } from "./bench.ts";
import {
  claimed,
  countOfJobs,
  expectRefused,
  FIRST_VIEW,
  jobIn,
  KEY,
  lease,
  present,
  ready,
  STATES,
  settled,
  thrownBy,
  times,
} from "./given.ts";

/** The rows of semantics A2 that belong to a plain transition, and the stamp that each sets. */
const MOVES = [
  ["pending", "awaiting_ai", null],
  ["pending", "ready", "readyAt"],
  ["pending", "cancelled", "cancelledAt"],
  ["pending", "failed", "failedAt"],
  ["awaiting_ai", "ai_dispatched", "aiDispatchedAt"],
  ["awaiting_ai", "cancelled", "cancelledAt"],
  ["awaiting_ai", "failed", "failedAt"],
  ["ai_dispatched", "ready", "readyAt"],
  ["ai_dispatched", "cancelled", "cancelledAt"],
  ["ai_dispatched", "failed", "failedAt"],
  ["ready", "cancelled", "cancelledAt"],
  ["ready", "failed", "failedAt"],
] as const;

const STAMPS = ["aiDispatchedAt", "readyAt", "sendingAt", "sentAt", "cancelledAt", "failedAt"];

export function describeTransitions(bench: CurrentBench): void {
  describe("transition", () => {
    describeMoves(bench);
    describeRefusals(bench);
    describeTexts(bench);
  });
  describe("requeue", () => describeRequeue(bench));
}

function describeMoves(bench: CurrentBench): void {
  it.each(MOVES)("EMAIL-18, EMAIL-25 %s becomes %s and sets %s", async (from, to, stamp) => {
    const { emails, clock, at } = bench();
    const before = await jobIn(emails, from);
    clock.advance(5_000);
    const job = present(await emails.transition(KEY, [from], to));
    expect([job.state, job.updatedAt, job.createdAt]).toEqual([to, at(5_000), at(0)]);
    for (const name of STAMPS) {
      expect([name, job[name]]).toEqual([name, name === stamp ? at(5_000) : before[name]]);
    }
    expect(await emails.readJob(KEY)).toEqual(job);
  });

  it("one of several expected states is enough", async () => {
    const { emails } = bench();
    await ready(emails);
    const job = await emails.transition(KEY, ["pending", "ready"], "cancelled");
    expect(job?.state).toBe("cancelled");
  });

  it("EMAIL-27 of eight that move a job at once exactly one is answered with it", async () => {
    const { emails } = bench();
    await emails.enqueue(KEY, FIRST_VIEW);
    const answers = await Promise.all(times(8, () => emails.transition(KEY, ["pending"], "ready")));
    expect(countOfJobs(answers)).toBe(1);
  });
}

function describeRefusals(bench: CurrentBench): void {
  it.each(STATES.filter((state) => state !== "sending"))(
    "EMAIL-19, EMAIL-22, EMAIL-23 from %s every other move throws and changes nothing",
    async (from) => {
      const { emails, contents } = bench();
      await jobIn(emails, from);
      const before = await contents();
      const allowed = MOVES.filter((move) => move[0] === from).map((move): string => move[1]);
      for (const to of STATES.filter((state) => !allowed.includes(state))) {
        const error = await thrownBy(() => emails.transition(KEY, STATES, to));
        expect(error).toBeInstanceOf(InvalidTransitionError);
        expect(error).toMatchObject({ code: "invalid_transition", state: from });
        expect(String(error)).toContain(`from ${from} to ${to}`);
      }
      expect(await contents()).toEqual(before);
    },
  );

  it.each(STATES)(
    "EMAIL-20 a job that is %s, but was not expected to be, is null",
    async (state) => {
      const { emails, contents } = bench();
      await jobIn(emails, state);
      const before = await contents();
      const others = STATES.filter((other) => other !== state);
      for (const to of STATES) expect(await emails.transition(KEY, others, to)).toBeNull();
      expect(await contents()).toEqual(before);
    },
  );

  it("EMAIL-20 a job that is not there is null", async () => {
    expect(await bench().emails.transition("nobody", ["pending"], "ready")).toBeNull();
  });

  it("EMAIL-21 a leased job is null, whatever is expected and wanted", async () => {
    const { emails } = bench();
    const job = await jobIn(emails, "sending");
    for (const to of STATES) expect(await emails.transition(KEY, STATES, to)).toBeNull();
    expect(await emails.readJob(KEY)).toEqual(job);
  });

  it("EMAIL-21 a job whose lease ran out is null as well", async () => {
    const { emails, clock } = bench();
    await jobIn(emails, "sending");
    clock.advance(3_600_000);
    expect(await emails.transition(KEY, ["sending"], "failed")).toBeNull();
  });
}

function describeTexts(bench: CurrentBench): void {
  it("EMAIL-24 a summary of 20,001 characters is refused, one of 20,000 stored", async () => {
    const { emails } = bench();
    await claimed(emails);
    const move = (length: number) =>
      emails.transition(KEY, ["ai_dispatched"], "ready", { generatedSummary: "s".repeat(length) });
    await expectRefused(bench(), () => move(20_001), "generatedSummary");
    expect((await move(20_000))?.generatedSummary).toHaveLength(20_000);
  });

  it("EMAIL-24 an error of 4,001 characters is refused, one of 4,000 stored", async () => {
    const { emails } = bench();
    await ready(emails);
    const move = (length: number) =>
      emails.transition(KEY, ["ready"], "failed", { lastError: "e".repeat(length) });
    await expectRefused(bench(), () => move(4_001), "lastError");
    expect((await move(4_000))?.lastError).toHaveLength(4_000);
  });

  it("EMAIL-26 the last error is kept by a move that does not mention it", async () => {
    const { emails } = bench();
    await settled(emails, "ready", { lastError: "timeout" });
    expect((await emails.transition(KEY, ["ready"], "cancelled"))?.lastError).toBe("timeout");
  });

  it("EMAIL-26 null takes the last error away", async () => {
    const { emails } = bench();
    await settled(emails, "ready", { lastError: "timeout" });
    const job = await emails.transition(KEY, ["ready"], "failed", { lastError: null });
    expect(job?.lastError).toBeNull();
  });
}

function describeRequeue(bench: CurrentBench): void {
  it("a failed job begins a new life with all its attempts and none of its stamps", async () => {
    const { emails, clock, at } = bench();
    await settled(emails, "failed", { lastError: "no such mailbox" });
    clock.advance(60_000);
    expect(await emails.requeue(KEY)).toEqual({
      logicalKey: "first-view:share-1",
      type: "first-view",
      state: "pending",
      recipient: "ann@example.com",
      recordingIds: ["recording-1"],
      attempts: 0,
      createdAt: at(0),
      updatedAt: at(60_000),
      lastError: "no such mailbox",
      leaseUntil: null,
      leaseToken: null,
    });
  });

  it("only a failed job is requeued", async () => {
    const { emails, contents } = bench();
    for (const state of STATES.filter((other) => other !== "failed")) {
      await jobIn(emails, state, `key-${state}`);
    }
    const before = await contents();
    for (const state of STATES.filter((other) => other !== "failed")) {
      expect([state, await emails.requeue(`key-${state}`)]).toEqual([state, null]);
    }
    expect(await emails.requeue("nobody")).toBeNull();
    expect(await contents()).toEqual(before);
  });

  it("of eight that requeue a job at once exactly one is answered with it", async () => {
    const { emails } = bench();
    await settled(emails, "failed");
    const answers = await Promise.all(times(8, () => emails.requeue(KEY)));
    expect(countOfJobs(answers)).toBe(1);
  });

  it("a settlement of the earlier life is not answered in the new one", async () => {
    const { emails } = bench();
    await ready(emails);
    const { leaseToken } = await lease(emails);
    await emails.transitionSending(KEY, leaseToken, "failed");
    await emails.requeue(KEY);
    await emails.transition(KEY, ["pending"], "failed");
    expect(await emails.transitionSending(KEY, leaseToken, "failed")).toBeNull();
  });
}
