/** Delivering what is due, when and how often (EMAIL-77, EMAIL-79 to 81, EMAIL-83, EMAIL-84). */
import { describe, expect, it } from "vitest";
import type { CurrentBench } from "../emails/bench.ts";
import {
  asLeased,
  FIRST_VIEW,
  ID,
  KEY,
  lease,
  MESSAGE,
  present,
  ready,
  times,
} from "../emails/given.ts";
import {
  codes,
  counted,
  FROM,
  LETTER,
  letter,
  mailing,
  outbox,
  readyMessage,
  UNHURRIED,
} from "./given.ts";

const CONTENT = { subject: "A letter", text: "Dear Ann" };

export function describeDelivery(bench: CurrentBench): void {
  describe("delivery", () => {
    describeSent(bench);
    describeRetries(bench);
    describeLostLeases(bench);
  });
}

function describeSent(bench: CurrentBench): void {
  it("a message is enqueued, promoted, sent and settled by one pass", async () => {
    const { emails, holdfast, box } = await mailing(bench());
    const headers = { "X-Order": "7" };
    await emails.enqueue("hello", { ...MESSAGE, html: "<p>Hi</p>", headers });
    const report = await holdfast.reconcile();
    expect(counted(report)).toEqual({ promoted: 1, sent: 1 });
    expect(box.delivered).toEqual([
      {
        key: "hello",
        mail: {
          from: FROM,
          to: "ann@example.com",
          subject: "Welcome",
          text: "Hello Ann",
          html: "<p>Hi</p>",
          replyTo: null,
          headers,
        },
      },
    ]);
    expect(await emails.readJob("hello")).toMatchObject({ state: "sent", attempts: 1 });
    expect(counted(await holdfast.reconcile())).toEqual({});
    expect(box.delivered).toHaveLength(1);
  });

  it("EMAIL-77 without a mailer nothing is leased", async () => {
    const { emails, holdfast } = bench();
    const job = await readyMessage(emails, "hello");
    expect(counted(await holdfast.reconcile())).toEqual({});
    expect(await emails.readJob("hello")).toEqual(job);
  });

  it("a kind that cannot be prepared is left to other workers, and counted", async () => {
    const { emails, holdfast, box } = await mailing(bench());
    const job = await ready(emails);
    await readyMessage(emails, "hello");
    expect(counted(await holdfast.reconcile())).toEqual({ skipped: 1, sent: 1 });
    expect(box.keys()).toEqual(["hello"]);
    expect(await emails.readJob(KEY)).toEqual(job);
  });

  it("an application tells how built-in kinds are prepared", async () => {
    const app = { prepare: { "first-view": () => CONTENT } };
    const { emails, holdfast, box } = await mailing(bench(), app);
    await emails.enqueue(KEY, FIRST_VIEW);
    expect(counted(await holdfast.reconcile())).toEqual({ promoted: 1, sent: 1 });
    expect(box.delivered[0]?.mail).toMatchObject({ ...CONTENT, to: "ann@example.com" });
  });

  it("EMAIL-84 the oldest due are sent first, whatever their time of creation", async () => {
    const { emails, holdfast, box } = await mailing(bench(), {}, { atOnce: 1 });
    for (const key of ["c", "a", "b"]) await emails.enqueue(key, MESSAGE);
    for (const key of ["b", "c", "a"]) {
      bench().clock.advance(1);
      await emails.transition(key, ["pending"], "ready");
    }
    await holdfast.reconcile();
    expect(box.keys()).toEqual(["b", "c", "a"]);
  });

  it("EMAIL-84 more than a page is sent by one pass, a few at a time", async () => {
    let atOnce = 0;
    let most = 0;
    let fill = (): void => {};
    const full = new Promise<void>((resolve) => {
      fill = resolve;
    });
    const box = outbox(async () => {
      atOnce += 1;
      most = Math.max(most, atOnce);
      // The first ones wait for each other, however slow a storage is.
      if (atOnce === 5) fill();
      await full;
      await new Promise((resolve) => setTimeout(resolve, 2));
      atOnce -= 1;
      return { kind: "sent", id: null };
    });
    const { emails, holdfast } = await mailing(bench(), {}, { box, atOnce: 5 });
    await Promise.all(times(130, (n) => readyMessage(emails, `job-${n}`)));
    expect(counted(await holdfast.reconcile(UNHURRIED))).toEqual({ sent: 130 });
    expect(most).toBe(5);
  });
}

function describeRetries(bench: CurrentBench): void {
  const failing = () =>
    mailing(bench(), {}, { box: outbox(() => ({ kind: "retry", error: "busy" })) });

  it("EMAIL-79 a send that failed is tried again after 60,000 ms, then after 120,000 ms", async () => {
    const { emails, holdfast, box } = await failing();
    const { clock } = bench();
    await readyMessage(emails, "hello");
    expect(counted(await holdfast.reconcile())).toEqual({ retried: 1 });
    expect(await emails.readJob("hello")).toMatchObject({ state: "ready", lastError: "busy" });
    for (const wait of [60_000, 120_000]) {
      const before = box.delivered.length;
      clock.advance(wait - 1);
      expect(counted(await holdfast.reconcile())).toEqual({});
      clock.advance(1);
      await holdfast.reconcile();
      expect(box.delivered).toHaveLength(before + 1);
    }
    expect(box.keys()).toEqual(["hello", "hello", "hello"]);
  });

  it("EMAIL-80 the third attempt that fails is the last, with its error cut to 4,000", async () => {
    const { emails, holdfast, box } = await failing();
    box.answer = () => ({ kind: "retry", error: "x".repeat(5_000) });
    await readyMessage(emails, "hello");
    const reports = [];
    for (const wait of [0, 60_000, 120_000]) {
      bench().clock.advance(wait);
      reports.push(counted(await holdfast.reconcile()));
    }
    expect(reports).toEqual([{ retried: 1 }, { retried: 1 }, { failed: 1 }]);
    const job = await emails.readJob("hello");
    expect(job).toMatchObject({ state: "failed", attempts: 3, lastError: "x".repeat(4_000) });
  });

  it("EMAIL-81 a lease that ran out with all attempts used fails the job without a send", async () => {
    const { emails, holdfast, box } = await failing();
    await readyMessage(emails, "hello");
    for (const _ of times(3, String)) {
      await lease(emails, "hello", 1_000);
      bench().clock.advance(1_000);
    }
    expect(counted(await holdfast.reconcile())).toEqual({ failed: 1 });
    expect(box.delivered).toEqual([]);
    expect((await emails.readJob("hello"))?.state).toBe("failed");
  });

  it("a kind's own number of attempts counts", async () => {
    const kinds = [letter(() => CONTENT, { maxAttempts: 1 })];
    const box = outbox(() => ({ kind: "retry", error: "busy" }));
    const { emails, holdfast } = await mailing(bench(), { kinds }, { box });
    await emails.enqueue("a", LETTER);
    expect(counted(await holdfast.reconcile())).toEqual({ promoted: 1, failed: 1 });
  });
}

function describeLostLeases(bench: CurrentBench): void {
  it("EMAIL-83 a lease taken over during the send: not counted, reported, and the other's stays", async () => {
    const { emails, holdfast, box } = await mailing(bench(), {
      prepare: { "first-view": () => CONTENT },
    });
    await ready(emails);
    box.answer = async () => {
      bench().clock.advance(120_000);
      await lease(bench().emails);
      return { kind: "sent", id: null };
    };
    const report = await holdfast.reconcile();
    expect(counted(report)).toEqual({});
    expect(report.failures).toMatchObject([
      { machine: "emails", tenant: null, id: `sha256:${ID}`, code: "lease_lost" },
    ]);
    const job = asLeased(await bench().emails.readJob(KEY));
    expect(job).toMatchObject({ state: "sending", attempts: 2 });
    const settled = await bench().emails.transitionSending(KEY, job.leaseToken, "sent");
    expect(present(settled).state).toBe("sent");
  });

  it("a lease that is over by the clock, and that nobody took, is settled", async () => {
    const { emails, holdfast, box } = await mailing(bench());
    await readyMessage(emails, "hello");
    box.answer = () => {
      bench().clock.advance(3_600_000);
      return { kind: "sent", id: null };
    };
    expect(counted(await holdfast.reconcile())).toEqual({ sent: 1 });
  });

  it.each([
    ["forward by an hour", [3_600_000, 0]],
    ["back by an hour, and forward by ten minutes", [-3_600_000, 600_000]],
  ])("a clock that jumps %s sends no job of this pass a second time", async (_, [jump, other]) => {
    const { emails, holdfast, box } = await mailing(bench(), {}, { atOnce: 2 });
    await Promise.all(times(120, (n) => readyMessage(emails, `job-${n}`)));
    // Of jobs that are due for long: what is retried under the other time is due behind them.
    bench().clock.advance(7_200_000);
    box.answer = () => {
      if (box.delivered.length === 5) bench().clock.advance(jump ?? 0);
      if (box.delivered.length === 60) bench().clock.advance(other ?? 0);
      return { kind: "retry", error: "busy" };
    };
    const report = await holdfast.reconcile();
    expect(new Set(box.keys()).size).toBe(box.delivered.length);
    // One that had its lease already may have lost it, as far as such a clock tells.
    const left = codes(report).filter((code) => code === "lease_over").length;
    expect(left).toBeLessThanOrEqual(1);
    expect(box.delivered.length + left).toBe(120);
  });
}
