/** Several instances on one storage, many callers at once: one winner, and everybody knows it. */
import { describe, expect, it } from "vitest";
import type { Emails, Job } from "../../../src/services/emails.ts";
import type { CurrentBench } from "./bench.ts";
import {
  awaiting,
  claimed,
  countOfJobs,
  FIRST_VIEW,
  KEY,
  leased,
  present,
  ready,
  times,
} from "./given.ts";

export function describeRaces(bench: CurrentBench): void {
  /** Eight callers, by turns of two instances. */
  async function race<T>(call: (emails: Emails, index: number) => Promise<T>): Promise<T[]> {
    const instances = [bench().emails, (await bench().another()).emails];
    return Promise.all(times(8, (index) => call(present(instances[index % 2]), index)));
  }

  /** The only job among the answers, which is what is stored. */
  async function expectOneWinner(answers: readonly (Job | null)[]): Promise<Job> {
    expect(countOfJobs(answers)).toBe(1);
    const winner = present(answers.find((answer) => answer !== null));
    expect(await bench().emails.readJob(KEY)).toMatchObject({
      state: winner.state,
      updatedAt: winner.updatedAt,
      leaseToken: winner.leaseToken,
    });
    return winner;
  }

  describe("races of two instances", () => {
    it("EMAIL-3 of eight enqueues one creates, and all answer the same job", async () => {
      const answers = await race((emails) => emails.enqueue(KEY, FIRST_VIEW));
      expect(answers.filter((answer) => answer.created)).toHaveLength(1);
      for (const { job } of answers) expect(job).toEqual(answers[0]?.job);
      expect(await bench().emails.listJobs()).toHaveLength(1);
    });

    it("EMAIL-3 of enqueues with different payloads one is stored, and all answer it", async () => {
      const answers = await race((emails, index) =>
        emails.enqueue(KEY, { ...FIRST_VIEW, recipient: `person-${index}@example.com` }),
      );
      const winner = answers.findIndex((answer) => answer.created);
      const recipients = answers.map((answer) => answer.job.recipient);
      expect(recipients).toEqual(times(8, () => `person-${winner}@example.com`));
    });

    it("EMAIL-27 of eight transitions one is answered with the job", async () => {
      await bench().emails.enqueue(KEY, FIRST_VIEW);
      await expectOneWinner(await race((emails) => emails.transition(KEY, ["pending"], "ready")));
    });

    it("EMAIL-31 of eight claims one wins, and its claimant can complete", async () => {
      await awaiting(bench().emails);
      const winner = await expectOneWinner(
        await race((emails, index) => emails.claimAwaitingAi(KEY, `p-${index}@example.com`)),
      );
      const claimant = present(winner.aiClaimedBy);
      const job = await bench().emails.completeClaimedAi(KEY, claimant, "Two clips.");
      expect(job?.state).toBe("ready");
    });

    it("EMAIL-33 of eight completions one is answered with the job", async () => {
      await claimed(bench().emails);
      await expectOneWinner(
        await race((emails, index) =>
          emails.completeClaimedAi(KEY, "ann@example.com", `Text ${index}.`),
        ),
      );
    });

    it("EMAIL-37 of eight that claim the next one job is got once", async () => {
      await awaiting(bench().emails);
      await expectOneWinner(await race((emails) => emails.claimNextAwaitingAi()));
    });

    it("EMAIL-50 of eight acquisitions one wins, and attempts rise by one", async () => {
      await ready(bench().emails);
      const winner = await expectOneWinner(
        await race((emails) => emails.acquireSendingLease(KEY, 60_000)),
      );
      expect(winner.attempts).toBe(1);
    });

    it("EMAIL-50 of eight that take over a lease that ran out one wins", async () => {
      const { leaseToken } = await leased(bench().emails);
      bench().clock.advance(60_000);
      const winner = await expectOneWinner(
        await race((emails) => emails.acquireSendingLease(KEY, 60_000)),
      );
      expect(winner.attempts).toBe(2);
      expect(winner.leaseToken).not.toBe(leaseToken);
    });

    it("of eight acquisitions with one request id all get the same lease", async () => {
      await ready(bench().emails);
      const answers = await race((emails) =>
        emails.acquireSendingLease(KEY, 60_000, { requestId: "request-1" }),
      );
      expect(countOfJobs(answers)).toBe(8);
      expect(new Set(answers.map((answer) => answer?.leaseToken)).size).toBe(1);
    });

    it("of a settlement and a take-over at once exactly one happens", async () => {
      const { leaseToken } = await leased(bench().emails);
      bench().clock.advance(60_000);
      const answers = await race((emails, index) =>
        index % 2 === 0
          ? emails.acquireSendingLease(KEY, 60_000)
          : emails.transitionSending(KEY, leaseToken, "sent"),
      );
      const job = present(await bench().emails.readJob(KEY));
      const taken = answers.filter((answer) => answer !== null && answer.leaseToken !== null);
      expect(taken).toHaveLength(job.state === "sending" ? 1 : 0);
    });

    it("due jobs are leased once, by whoever comes first", async () => {
      const keys = times(12, (index) => `job-${String(index).padStart(2, "0")}`);
      for (const key of keys) await ready(bench().emails, key);
      const batches = await race((emails) =>
        emails.acquireDueLeases({ durationMs: 60_000, limit: 3 }),
      );
      const leasedKeys = batches.flat().map((job) => job.logicalKey);
      expect(new Set(leasedKeys).size).toBe(leasedKeys.length);
      const rest = await bench().emails.acquireDueLeases({ durationMs: 60_000, limit: 100 });
      expect([...leasedKeys, ...rest.map((job) => job.logicalKey)].sort()).toEqual(keys);
    });

    it("work on different jobs at once is not in each other's way", async () => {
      const answers = await race(async (emails, index) => {
        const { leaseToken } = await leased(emails, `job-${index}`);
        return emails.transitionSending(`job-${index}`, leaseToken, "sent");
      });
      expect(answers.map((answer) => answer?.state)).toEqual(times(8, () => "sent"));
    });
  });
}
