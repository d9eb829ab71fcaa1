/** Delivering what is due (EMAIL-77, EMAIL-79 to 85). */
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
import { codes, counted, FROM, LETTER, letter, mailing, outbox, readyMessage } from "./given.ts";

const CONTENT = { subject: "A letter", text: "Dear Ann" };

export function describeDelivery(bench: CurrentBench): void {
  describe("delivery", () => {
    describeSent(bench);
    describeRetries(bench);
    describeValidity(bench);
    describeMailers(bench);
    describeUnknown(bench);
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
    const box = outbox(async () => {
      atOnce += 1;
      most = Math.max(most, atOnce);
      await new Promise((resolve) => setTimeout(resolve, 2));
      atOnce -= 1;
      return { kind: "sent", id: null };
    });
    const { emails, holdfast } = await mailing(bench(), {}, { box, atOnce: 5 });
    await Promise.all(times(130, (n) => readyMessage(emails, `job-${n}`)));
    expect(counted(await holdfast.reconcile())).toEqual({ sent: 130 });
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

function describeValidity(bench: CurrentBench): void {
  it("EMAIL-82 a job that is not valid any more is cancelled without a send", async () => {
    const { emails, holdfast, box } = await mailing(bench(), { kinds: [letter(() => null)] });
    await emails.enqueue("a", LETTER);
    expect(counted(await holdfast.reconcile())).toEqual({ promoted: 1, cancelled: 1 });
    expect(box.delivered).toEqual([]);
    expect((await emails.readJob("a"))?.state).toBe("cancelled");
  });

  it("EMAIL-82 so is one whose recipient is suppressed by now", async () => {
    const app = { suppress: (address: string) => address === "ann@example.com" };
    const { emails, holdfast, box } = await mailing(bench(), app);
    await emails.enqueue("hello", { ...MESSAGE, recipient: "Ann@Example.com" });
    expect(counted(await holdfast.reconcile())).toEqual({ promoted: 1, cancelled: 1 });
    expect(box.delivered).toEqual([]);
  });

  it("validity is asked with the job as it is, leased, and with the time", async () => {
    const asked: unknown[] = [];
    const kinds = [
      letter((job, { now, tenant }) => {
        asked.push([job.state, job["text"], now, tenant]);
        return { subject: "Letter", text: String(job["text"]) };
      }),
    ];
    const { holdfast } = await mailing(bench(), { kinds });
    const acme = holdfast.tenant("acme");
    await acme.emails.enqueue("a", LETTER);
    await acme.reconcile();
    expect(asked).toEqual([["sending", "Dear Ann", bench().at(0), "acme"]]);
  });

  it.each<[string, () => unknown, string, string]>([
    ["throws", () => Promise.reject(new Error("no data")), "prepare_failed", "no data"],
    ["throws nothing", () => Promise.reject(undefined), "prepare_failed", "undefined"],
    ["answers nothing", () => undefined, "invalid_content", "expected object"],
    ["answers two lines", () => ({ ...CONTENT, subject: "a\nb" }), "invalid_content", "one line"],
  ])(
    "EMAIL-85 one that %s is reported, tried again, and stops no other",
    async (_, answer, code, error) => {
      const prepare = async () => answer() as never;
      const { emails, holdfast, box } = await mailing(bench(), { kinds: [letter(prepare)] });
      await emails.enqueue("a", LETTER);
      await emails.enqueue("hello", MESSAGE);
      const report = await holdfast.reconcile();
      expect(counted(report)).toEqual({ promoted: 2, retried: 1, sent: 1 });
      expect(report.failures).toMatchObject([{ id: expect.stringMatching(/^sha256:/), code }]);
      expect(box.keys()).toEqual(["hello"]);
      const job = await emails.readJob("a");
      expect(job).toMatchObject({ state: "ready", lastError: expect.stringContaining(error) });
    },
  );

  it("EMAIL-85 one that throws on every attempt is failed in the end", async () => {
    const prepare = () => {
      throw new Error("no data");
    };
    const { emails, holdfast } = await mailing(bench(), { kinds: [letter(prepare)] });
    await emails.enqueue("a", LETTER);
    for (const wait of [0, 60_000, 120_000]) {
      bench().clock.advance(wait);
      await holdfast.reconcile();
    }
    expect(await emails.readJob("a")).toMatchObject({ state: "failed", lastError: "no data" });
  });
}

function describeMailers(bench: CurrentBench): void {
  it("what will never be sent is failed at once", async () => {
    const box = outbox(() => ({ kind: "permanent", error: "no such mailbox" }));
    const { emails, holdfast } = await mailing(bench(), {}, { box });
    await readyMessage(emails, "hello");
    expect(counted(await holdfast.reconcile())).toEqual({ failed: 1 });
    const job = await emails.readJob("hello");
    expect(job).toMatchObject({ state: "failed", attempts: 1, lastError: "no such mailbox" });
  });

  const hostile = {
    toString() {
      throw new Error("no text");
    },
  };

  it.each<[string, () => unknown]>([
    ["throws an error", () => Promise.reject(new Error("reset"))],
    ["throws a string", () => Promise.reject("reset")],
    ["throws undefined", () => Promise.reject(undefined)],
    ["throws what cannot be shown", () => Promise.reject(hostile)],
    ["answers nothing", () => undefined],
    ["answers a word", () => "sent"],
    ["answers what it must not", () => ({ kind: "maybe" })],
    [
      "answers what cannot be read",
      () =>
        Object.defineProperty({}, "kind", {
          get() {
            throw hostile;
          },
        }),
    ],
  ])(
    "a mailer that %s may have sent it: it is tried again, and others are sent",
    async (_, answer) => {
      const box = outbox((mail) =>
        mail.subject === "bad" ? answer() : { kind: "sent", id: null },
      );
      const { emails, holdfast } = await mailing(bench(), {}, { box });
      await emails.enqueue("bad", { ...MESSAGE, subject: "bad" });
      await emails.enqueue("good", MESSAGE);
      const report = await holdfast.reconcile();
      expect(counted(report)).toEqual({ promoted: 2, retried: 1, sent: 1 });
      expect(codes(report)).toEqual(["mailer_failed"]);
      const job = await emails.readJob("bad");
      expect(job).toMatchObject({ lastError: expect.stringMatching(/^outcome unknown: ./) });
    },
  );

  it("an error without a text is settled all the same", async () => {
    const box = outbox(() => ({ kind: "retry" }));
    const { emails, holdfast } = await mailing(bench(), {}, { box });
    await readyMessage(emails, "hello");
    expect(counted(await holdfast.reconcile())).toEqual({ retried: 1 });
  });
}

function describeUnknown(bench: CurrentBench): void {
  const unknown = () => outbox(() => ({ kind: "unknown", error: "reset" }));

  it("an unknown outcome is tried again with the same idempotency key", async () => {
    const { emails, holdfast, box } = await mailing(bench(), {}, { box: unknown() });
    await readyMessage(emails, "hello");
    expect(counted(await holdfast.reconcile())).toEqual({ retried: 1 });
    bench().clock.advance(60_000);
    await holdfast.reconcile();
    expect(box.keys()).toEqual(["hello", "hello"]);
    expect((await emails.readJob("hello"))?.attempts).toBe(2);
  });

  it("a kind may rather fail, and its last error says what is not known", async () => {
    const kinds = [letter(() => CONTENT, { unknown: "fail" })];
    const { emails, holdfast } = await mailing(bench(), { kinds }, { box: unknown() });
    await emails.enqueue("a", LETTER);
    expect(counted(await holdfast.reconcile())).toEqual({ promoted: 1, failed: 1 });
    const job = await emails.readJob("a");
    expect(job).toMatchObject({ state: "failed", lastError: "outcome unknown: reset" });
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
    expect(report.failures).toEqual([
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

  it.each([3_600_000, -3_600_000])(
    "a clock that jumps by %d ms sends no job of this pass a second time",
    async (jump) => {
      const { emails, holdfast, box } = await mailing(bench(), {}, { atOnce: 2 });
      await Promise.all(times(20, (n) => readyMessage(emails, `job-${n}`)));
      box.answer = () => {
        if (box.delivered.length === 5) bench().clock.advance(jump);
        return { kind: "retry", error: "busy" };
      };
      await holdfast.reconcile();
      expect(new Set(box.keys()).size).toBe(box.delivered.length);
    },
  );
}
