/** What validity checks and mailers may do, and what comes of it (EMAIL-82, EMAIL-85). */
import { describe, expect, it } from "vitest";
import type { CurrentBench } from "../emails/bench.ts";
import { MESSAGE } from "../emails/given.ts";
import { codes, counted, LETTER, letter, mailing, outbox, readyMessage } from "./given.ts";

const CONTENT = { subject: "A letter", text: "Dear Ann" };

export function describeOutcomes(bench: CurrentBench): void {
  describe("outcomes", () => {
    describeValidity(bench);
    describeMailers(bench);
    describeUnknown(bench);
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

  it("a promise is no answer to whether an address is suppressed, and cancels nothing", async () => {
    const app = { suppress: (async () => false) as never };
    const { emails, holdfast, box } = await mailing(bench(), app);
    await readyMessage(emails, "hello");
    const report = await holdfast.reconcile();
    expect([counted(report), codes(report)]).toEqual([{ retried: 1 }, ["prepare_failed"]]);
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
