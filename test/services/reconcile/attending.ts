/** What waits for time: promotion, stale claims, retention (EMAIL-76, EMAIL-78). */
import { describe, expect, it } from "vitest";
import type { CurrentBench } from "../emails/bench.ts";
import {
  awaiting,
  claimed,
  FIRST_VIEW,
  ID,
  KEY,
  originalRecord,
  settled,
  TWO_CLIPS,
  times,
} from "../emails/given.ts";
import { codes, counted, mailing, UNHURRIED } from "./given.ts";

export function describeAttending(bench: CurrentBench): void {
  describe("attending", () => {
    describePromotion(bench);
    describeStale(bench);
    describeRetention(bench);
    describeQuiet(bench);
  });
}

function describePromotion(bench: CurrentBench): void {
  it("EMAIL-76 pending jobs become ready, those that wait for a text stay", async () => {
    const { emails, holdfast } = bench();
    for (const type of ["first-view", "unviewed-reminder", "first-import"]) {
      await emails.enqueue(type, { ...FIRST_VIEW, type });
    }
    await awaiting(emails, "waits");
    await emails.enqueue("stuck", TWO_CLIPS);
    expect(counted(await holdfast.reconcile())).toEqual({ promoted: 3 });
    const states = (await emails.listJobs()).map((job) => [job.logicalKey, job.state]);
    expect(new Map(states as [string, string][])).toEqual(
      new Map([
        ["first-view", "ready"],
        ["unviewed-reminder", "ready"],
        ["first-import", "ready"],
        ["waits", "awaiting_ai"],
        ["stuck", "pending"],
      ]),
    );
  });

  it("EMAIL-76 more than one page is promoted by one pass", async () => {
    const { emails, holdfast } = bench();
    await Promise.all(times(230, (n) => emails.enqueue(`job-${n}`, FIRST_VIEW)));
    expect(counted(await holdfast.reconcile(UNHURRIED))).toEqual({ promoted: 230 });
  });

  it("an unreadable record is reported, and stops no other", async () => {
    const { emails, holdfast, plant } = bench();
    await emails.enqueue(KEY, FIRST_VIEW);
    await emails.enqueue("other", FIRST_VIEW);
    await plant(`emails/jobs/${ID}`, JSON.stringify(originalRecord({ state: "lost" })));
    const report = await holdfast.reconcile();
    expect(report.emails.promoted).toBe(1);
    // A store that keeps markers finds by them what another program has written over.
    for (const code of codes(report)) expect(code).toBe("record_corrupt");
  });
}

function describeStale(bench: CurrentBench): void {
  it("EMAIL-78 a claim older than 30 minutes is a warning, and stays as it is", async () => {
    const { emails, holdfast, clock, contents } = bench();
    await claimed(emails);
    await holdfast.reconcile();
    clock.advance(30 * 60_000 - 1);
    expect(counted(await holdfast.reconcile())).toEqual({});
    const before = await contents();
    clock.advance(1);
    expect(counted(await holdfast.reconcile())).toEqual({ stale: 1 });
    expect(await contents()).toEqual(before);
  });
}

function describeRetention(bench: CurrentBench): void {
  it("what is past its retention is retired, once", async () => {
    const { clock } = bench();
    const { emails, holdfast } = await bench().another({ limits: { emailRetentionMs: 60_000 } });
    await settled(emails, "sent");
    clock.advance(59_999);
    expect(counted(await holdfast.reconcile())).toEqual({});
    clock.advance(1);
    expect(counted(await holdfast.reconcile())).toEqual({ retired: 1 });
    expect(counted(await holdfast.reconcile())).toEqual({});
    expect(await emails.listJobs()).toHaveLength(0);
  });
}

function describeQuiet(bench: CurrentBench): void {
  it("G8 with nothing due a pass costs three requests, whatever is stored, and writes nothing", async () => {
    const { emails, holdfast, traffic } = await mailing(bench());
    await settled(emails, "sent");
    // More than a page of the index has.
    const keys = Array.from({ length: 110 }, (_, n) => `over-${n}`);
    for (const key of keys) {
      const { job } = await emails.enqueue(key, { ...FIRST_VIEW, type: "first-view" });
      await emails.transition(job, ["pending"], "cancelled");
    }
    await holdfast.reconcile();
    const before = await bench().contents();
    Object.assign(traffic, { reads: 0, puts: 0, pages: 0 });
    const report = await holdfast.reconcile();
    expect(traffic).toEqual({ reads: 1, puts: 0, pages: 2 });
    expect(report).toMatchObject({ failures: [], failuresLeftOut: 0, hasMore: false });
    expect(counted(report)).toEqual({});
    expect(await bench().contents()).toEqual(before);
  });

  it("what happens is counted for who observes, as it is reported", async () => {
    const { emails, holdfast, observed } = await mailing(bench());
    await emails.enqueue("a", { ...FIRST_VIEW, type: "first-view" });
    await claimed(emails, "b");
    bench().clock.advance(30 * 60_000);
    await holdfast.reconcile();
    const names = [
      "pass.started",
      "pass.finished",
      "promoted",
      "skipped",
      "stale",
      "sent",
    ] as const;
    const told = names.map((name) => observed.get(`email.${name}`) ?? 0);
    expect(told).toEqual([1, 1, 1, 1, 1, 0]);
  });
}
