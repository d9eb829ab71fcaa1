/** The end of a finished job: gone at its hour, whether or not anything has swept it away. */
import { describe, expect, it } from "vitest";
import type { Emails } from "../../../src/services/emails.ts";
import { InvalidInputError, JobExpiredError } from "../../../src/services/errors.ts";
import type { CurrentBench, Instance } from "./bench.ts";
import {
  FIRST_VIEW,
  ID,
  jobIn,
  KEY,
  leased,
  originalRecord,
  STATES,
  thrownBy,
  times,
} from "./given.ts";

const DAY = 86_400_000;

export function describeRetention(bench: CurrentBench): void {
  const keepingOneDay = (): Promise<Instance> =>
    bench().another({ limits: { emailRetentionMs: DAY } });

  describe("retention", () => {
    describeEnd(bench, keepingOneDay);
    describeSweep(bench, keepingOneDay);
    describeBounds(bench);
  });
}

type Keeping = () => Promise<Instance>;

async function sent(emails: Emails, key: string = KEY): Promise<string> {
  const { leaseToken } = await leased(emails, key);
  await emails.transitionSending(key, leaseToken, "sent");
  return leaseToken;
}

/** Nothing of the job can be seen, and nothing can be done with its key. */
async function expectGone(emails: Emails, leaseToken: string): Promise<void> {
  expect(await emails.readJob(KEY)).toBeNull();
  expect(await emails.listJobs()).toEqual(Object.assign([], { corrupt: [] }));
  expect(await emails.transition(KEY, STATES, "ready")).toBeNull();
  expect(await emails.acquireSendingLease(KEY, 1_000)).toBeNull();
  expect(await emails.extendSendingLease(KEY, leaseToken, 1_000)).toBeNull();
  expect(await emails.transitionSending(KEY, leaseToken, "sent")).toBeNull();
  expect(await emails.requeue(KEY)).toBeNull();
  for (const mode of ["return", "conflict"] as const) {
    const again = () => emails.enqueue(KEY, FIRST_VIEW, "pending", { onPayloadMismatch: mode });
    expect(await thrownBy(again)).toBeInstanceOf(JobExpiredError);
  }
}

function describeEnd(bench: CurrentBench, keepingOneDay: Keeping): void {
  it("a sent job is served until its hour", async () => {
    const { emails } = await keepingOneDay();
    await sent(emails);
    bench().clock.advance(DAY - 1);
    expect((await emails.readJob(KEY))?.state).toBe("sent");
    expect((await emails.enqueue(KEY, FIRST_VIEW)).created).toBe(false);
  });

  it("peer fault 9: at its hour it is gone, before anything swept it", async () => {
    const { emails } = await keepingOneDay();
    const leaseToken = await sent(emails);
    bench().clock.advance(DAY);
    await expectGone(emails, leaseToken);
  });

  it("it is gone just the same after the sweep", async () => {
    const { emails } = await keepingOneDay();
    const leaseToken = await sent(emails);
    bench().clock.advance(DAY);
    expect(await emails.retireExpired(100)).toBe(1);
    await expectGone(emails, leaseToken);
  });

  it("it is gone for an instance that keeps jobs for ever, too", async () => {
    const { emails } = await keepingOneDay();
    await sent(emails);
    bench().clock.advance(DAY);
    expect(await bench().emails.readJob(KEY)).toBeNull();
  });

  it("a cancelled first import that is gone cannot be turned to another recording", async () => {
    const { emails } = await keepingOneDay();
    const converge = (recording: string) =>
      emails.enqueueOrConvergeFirstImport("ann@example.com", recording, "bob");
    await converge("recording-1");
    await emails.transition("first-import:ann@example.com", ["pending"], "cancelled");
    bench().clock.advance(DAY);
    expect(await thrownBy(() => converge("recording-2"))).toBeInstanceOf(JobExpiredError);
  });

  it("a cancelled first import that was turned in time is kept", async () => {
    const { emails } = await keepingOneDay();
    const converge = (recording: string) =>
      emails.enqueueOrConvergeFirstImport("ann@example.com", recording, "bob");
    await converge("recording-1");
    await emails.transition("first-import:ann@example.com", ["pending"], "cancelled");
    bench().clock.advance(DAY - 1);
    await converge("recording-2");
    bench().clock.advance(DAY);
    expect(await emails.retireExpired(100)).toBe(0);
    expect((await emails.readJob("first-import:ann@example.com"))?.state).toBe("pending");
  });
}

function describeSweep(bench: CurrentBench, keepingOneDay: Keeping): void {
  it("a tombstone keeps key, kind, state and times, and nothing else", async () => {
    const { emails } = await keepingOneDay();
    await sent(emails);
    bench().clock.advance(DAY);
    await emails.retireExpired(100);
    const body = (await bench().contents()).get(`emails/jobs/${ID}`) ?? "";
    const { holdfast, ...fields }: Record<string, unknown> = JSON.parse(body);
    const { at } = bench();
    expect(fields).toEqual({
      logicalKey: "first-view:share-1",
      type: "first-view",
      state: "sent",
      createdAt: at(0),
      updatedAt: at(0),
      readyAt: at(0),
      sendingAt: at(0),
      sentAt: at(0),
    });
    expect(holdfast).toMatchObject({ expired: true, due: null });
    expect(body).not.toContain("ann@example.com");
  });

  it("only jobs that are over are swept, each once", async () => {
    const { emails, observed } = await keepingOneDay();
    for (const state of STATES) await jobIn(emails, state, state);
    bench().clock.advance(DAY - 1);
    expect(await emails.retireExpired(100)).toBe(0);
    bench().clock.advance(1);
    expect(await emails.retireExpired(100)).toBe(2);
    expect(await emails.retireExpired(100)).toBe(0);
    expect(observed.get("email.retired")).toBe(2);
    const left = (await emails.listJobs()).map((job) => job.logicalKey).sort();
    expect(left).toEqual(
      STATES.filter((state) => state !== "sent" && state !== "cancelled").sort(),
    );
  });

  it("a sweep takes no more than its limit", async () => {
    const { emails } = await keepingOneDay();
    for (const key of times(5, (index) => `job-${index}`)) await sent(emails, key);
    bench().clock.advance(DAY);
    expect(await emails.retireExpired(2)).toBe(2);
    expect(await emails.retireExpired(2)).toBe(2);
    expect(await emails.retireExpired(2)).toBe(1);
  });

  it("two sweeps at once retire every job once", async () => {
    const { emails } = await keepingOneDay();
    const other = await keepingOneDay();
    for (const key of times(6, (index) => `job-${index}`)) await sent(emails, key);
    bench().clock.advance(DAY);
    const counts = await Promise.all([emails.retireExpired(100), other.emails.retireExpired(100)]);
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(6);
  });

  it("a corrupt record stops no other", async () => {
    const { emails } = await keepingOneDay();
    await sent(emails);
    await sent(emails, "other");
    await bench().plant(`emails/jobs/${ID}`, "not json");
    bench().clock.advance(DAY);
    expect(await emails.retireExpired(100)).toBe(1);
    expect((await bench().contents()).get(`emails/jobs/${ID}`)).toBe("not json");
  });
}

function describeBounds(bench: CurrentBench): void {
  it("without a retention nothing is ever over", async () => {
    const { emails, clock } = bench();
    await sent(emails);
    clock.advance(100 * 365 * DAY);
    expect(await emails.retireExpired(100)).toBe(0);
    expect((await emails.readJob(KEY))?.state).toBe("sent");
  });

  it("a job that an original store finished is kept", async () => {
    const { plant, another } = bench();
    await plant(`emails/jobs/${ID}`, JSON.stringify(originalRecord({ state: "sent" })));
    const { emails } = await another({ limits: { emailRetentionMs: 1 } });
    expect(await emails.retireExpired(100)).toBe(0);
    expect((await emails.readJob(KEY))?.state).toBe("sent");
  });

  it.each([0, -1, 0.5, Number.NaN, Number.POSITIVE_INFINITY, "1" as unknown as number])(
    "a retention of %j milliseconds is refused",
    async (emailRetentionMs) => {
      const error = await thrownBy(() => bench().another({ limits: { emailRetentionMs } }));
      expect(error).toBeInstanceOf(InvalidInputError);
      expect(String(error)).toContain("limits.emailRetentionMs");
    },
  );
}
