/** The end of a lease: settlements and their repeats (EMAIL-44 to 48). */
import { describe, expect, it } from "vitest";
import type { CurrentBench } from "./bench.ts";
import { countOfJobs, KEY, lease, leased, times } from "./given.ts";

const ENDS = [
  ["sent", "sentAt"],
  ["ready", "readyAt"],
  ["cancelled", "cancelledAt"],
  ["failed", "failedAt"],
] as const;

export function describeSettlements(bench: CurrentBench): void {
  describe("settlements", () => {
    describeEnds(bench);
    describeSuperseded(bench);
    describeRepeats(bench);
  });
}

function describeEnds(bench: CurrentBench): void {
  it.each(ENDS)("EMAIL-45 the holder ends its lease as %s, stamped %s", async (to, stamp) => {
    const { emails, clock, at } = bench();
    const job = await leased(emails);
    clock.advance(5_000);
    const settled = await emails.transitionSending(KEY, job.leaseToken, to);
    expect(settled).toEqual({
      ...job,
      state: to,
      [stamp]: at(5_000),
      updatedAt: at(5_000),
      leaseUntil: null,
      leaseToken: null,
    });
    expect(await emails.readJob(KEY)).toEqual(settled);
  });

  it("EMAIL-46 a lease that ran out and was taken by nobody is still settled", async () => {
    const { emails, clock } = bench();
    const { leaseToken } = await leased(emails);
    clock.advance(86_400_000);
    expect((await emails.transitionSending(KEY, leaseToken, "sent"))?.state).toBe("sent");
  });

  it("EMAIL-47 a failed attempt keeps its error and its count", async () => {
    const { emails, clock, at } = bench();
    const { leaseToken } = await leased(emails);
    clock.advance(5_000);
    const job = await emails.transitionSending(KEY, leaseToken, "ready", { lastError: "timeout" });
    expect(job).toMatchObject({ attempts: 1, readyAt: at(5_000), lastError: "timeout" });
  });

  it("EMAIL-48 spaces around a token do not matter", async () => {
    const { emails } = bench();
    const { leaseToken } = await leased(emails);
    expect((await emails.transitionSending(KEY, ` ${leaseToken} `, "sent"))?.state).toBe("sent");
  });

  it("of eight settlements at once one writes, and all are answered alike", async () => {
    const { emails, traffic } = bench();
    const { leaseToken } = await leased(emails);
    const before = traffic.puts;
    const answers = await Promise.all(
      times(8, () => emails.transitionSending(KEY, leaseToken, "sent")),
    );
    expect(countOfJobs(answers)).toBe(8);
    expect(traffic.puts - before).toBe(1);
  });

  it("of settlements to different ends at once exactly one counts", async () => {
    const { emails } = bench();
    const { leaseToken } = await leased(emails);
    const answers = await Promise.all(
      ENDS.map(([to]) => emails.transitionSending(KEY, leaseToken, to)),
    );
    expect(countOfJobs(answers)).toBe(1);
    expect(await emails.readJob(KEY)).toEqual(answers.find((answer) => answer !== null));
  });
}

function describeSuperseded(bench: CurrentBench): void {
  it.each(ENDS)("EMAIL-44, peer fault 1: a superseded token settles nothing to %s", async (to) => {
    const { emails, clock, contents } = bench();
    const { leaseToken } = await leased(emails);
    clock.advance(60_000);
    const second = await lease(emails);
    const before = await contents();
    expect(await emails.transitionSending(KEY, leaseToken, to)).toBeNull();
    expect(await contents()).toEqual(before);
    expect((await emails.readJob(KEY))?.leaseToken).toBe(second.leaseToken);
  });

  it("peer fault 17: a superseded holder does not replace its successor's report", async () => {
    const { emails, clock, contents } = bench();
    const { leaseToken } = await leased(emails);
    clock.advance(60_000);
    const second = await lease(emails);
    await emails.transitionSending(KEY, second.leaseToken, "failed", { lastError: "bounced" });
    const before = await contents();
    for (const [to] of ENDS) {
      expect(await emails.transitionSending(KEY, leaseToken, to)).toBeNull();
    }
    expect(await contents()).toEqual(before);
  });

  it("a token of another job, or of nobody, settles nothing", async () => {
    const { emails } = bench();
    const { leaseToken } = await leased(emails, "other");
    await leased(emails);
    expect(await emails.transitionSending(KEY, leaseToken, "sent")).toBeNull();
    expect(await emails.transitionSending(KEY, "made-up", "sent")).toBeNull();
    expect(await emails.transitionSending("nobody", leaseToken, "sent")).toBeNull();
    expect((await emails.readJob(KEY))?.state).toBe("sending");
  });
}

function describeRepeats(bench: CurrentBench): void {
  it.each(ENDS)("EMAIL-45 the same settlement to %s again writes nothing", async (to) => {
    const { emails, clock, contents } = bench();
    const { leaseToken } = await leased(emails);
    const settled = await emails.transitionSending(KEY, leaseToken, to, { lastError: "first" });
    const before = await contents();
    clock.advance(5_000);
    const again = await emails.transitionSending(KEY, leaseToken, to, { lastError: "second" });
    expect(again).toEqual(settled);
    expect(await contents()).toEqual(before);
  });

  it("a settlement to another end is refused", async () => {
    const { emails } = bench();
    const { leaseToken } = await leased(emails);
    await emails.transitionSending(KEY, leaseToken, "sent");
    for (const to of ["ready", "cancelled", "failed"] as const) {
      expect(await emails.transitionSending(KEY, leaseToken, to)).toBeNull();
    }
    expect((await emails.readJob(KEY))?.state).toBe("sent");
  });

  it("EMAIL-45 a repeat is answered, without the token, while another holds the job", async () => {
    const { emails, contents } = bench();
    const { leaseToken } = await leased(emails);
    await emails.transitionSending(KEY, leaseToken, "ready");
    const second = await lease(emails);
    const before = await contents();
    const again = await emails.transitionSending(KEY, leaseToken, "ready");
    expect(again).toEqual({ ...second, leaseToken: null });
    expect(await contents()).toEqual(before);
  });

  it("a repeat is answered after the job was moved on without a lease", async () => {
    const { emails } = bench();
    const { leaseToken } = await leased(emails);
    await emails.transitionSending(KEY, leaseToken, "ready");
    await emails.transition(KEY, ["ready"], "cancelled");
    const again = await emails.transitionSending(KEY, leaseToken, "ready");
    expect(again?.state).toBe("cancelled");
  });

  it("EMAIL-45 a repeat is refused once a later settlement happened", async () => {
    const { emails } = bench();
    const first = await leased(emails);
    await emails.transitionSending(KEY, first.leaseToken, "ready");
    const second = await lease(emails);
    await emails.transitionSending(KEY, second.leaseToken, "ready");
    expect(await emails.transitionSending(KEY, first.leaseToken, "ready")).toBeNull();
    expect((await emails.transitionSending(KEY, second.leaseToken, "ready"))?.state).toBe("ready");
  });
}
