/** A mail server or a provider that is away for ten passes, over real sockets: no mail is lost to it, nor any attempt. */
import { afterEach, expect, it } from "vitest";
import { httpMailer } from "../../../adapters/mail/http/index.ts";
import { smtpMailer } from "../../../adapters/mail/smtp/index.ts";
import { memoryStorage } from "../../../adapters/storage/memory.ts";
import { epochMs } from "../../../src/core/time.ts";
import { createHoldfast } from "../../../src/holdfast.ts";
import { type Clock, systemClock } from "../../../src/ports/clock.ts";
import { defineApp } from "../../../src/services/app.ts";
import { startApi } from "./api.ts";
import { type Fault, type Step, startSink } from "./sink.ts";

const opened: { close(): Promise<void> }[] = [];

afterEach(async () => {
  for (const one of opened.splice(0).reverse()) await one.close();
});

const JOBS = 12;

it.each<[string, Step, Fault]>([
  ["turns connections away", "greeting", { kind: "last", text: "421 4.3.2 down for maintenance" }],
  ["takes no mail at all", "greeting", { kind: "last", text: "554 5.3.2 no service here" }],
  ["drops connections", "greeting", { kind: "drop" }],
  ["does not know the password", "auth", { kind: "reply", text: "535 5.7.8 wrong credentials" }],
  ["does not know the sender", "mail", { kind: "reply", text: "550 5.7.1 not your address" }],
  ["is out of space", "mail", { kind: "reply", text: "452 4.3.1 insufficient system storage" }],
  ["is in trouble", "mail", { kind: "reply", text: "451 4.3.0 queue file write error" }],
  ["has had too many from us", "mail", { kind: "reply", text: "450 4.7.1 rate limited" }],
  ["cannot look the password up", "auth", { kind: "reply", text: "454 4.7.0 try again later" }],
])(
  "a server that %s keeps every job as it was, and gets it when it is back",
  async (_, step, fault) => {
    const sink = await startSink({ auth: true });
    opened.push(sink);
    sink.fault(step, fault);
    let passedMs = 0;
    const real = systemClock();
    const clock: Clock = { ...real, now: () => epochMs(real.now() + passedMs) };
    const mailer = smtpMailer({ url: `smtp://ann:S3cret@127.0.0.1:${sink.port}` });
    const mail = { mailer, from: "jobs@example.com" };
    const holdfast = await createHoldfast({ storage: memoryStorage(), clock, mail });
    opened.push(holdfast);
    const message = {
      type: "message",
      recipient: "ann@example.com",
      subject: "Hi",
      text: "Hello.",
    };
    for (let n = 0; n < JOBS; n += 1) await holdfast.emails.enqueue(`job-${n}`, message);

    for (let pass = 0; pass < 10; pass += 1) {
      const { emails, failures, hasMore } = await holdfast.reconcile();
      expect([emails.retried, emails.failed, hasMore]).toEqual([0, 0, false]);
      expect(failures).toMatchObject([{ id: "mailer", code: "mailer_unavailable" }]);
      passedMs += 60_000;
    }
    for (const job of await holdfast.emails.listJobs()) {
      expect(job).toMatchObject({ state: "ready", attempts: 0 });
    }
    expect(sink.commands.filter((line) => line.startsWith("RCPT"))).toEqual([]);

    sink.fault(step, fault, 0);
    expect((await holdfast.reconcile()).emails.sent).toBe(JOBS);
    expect(sink.received).toHaveLength(JOBS);
  },
);

it.each([401, 403, 429, 503])(
  "a provider over HTTP that answers %i keeps every job as it was, and gets it afterwards",
  async (status) => {
    const api = await startApi({ status });
    opened.push(api);
    let passedMs = 0;
    const real = systemClock();
    const clock: Clock = { ...real, now: () => epochMs(real.now() + passedMs) };
    const mailer = httpMailer({ url: api.url, body: { to: "{{to}}" } });
    const mail = { mailer, from: "jobs@example.com" };
    const holdfast = await createHoldfast({ storage: memoryStorage(), clock, mail });
    opened.push(holdfast);
    const message = {
      type: "message",
      recipient: "ann@example.com",
      subject: "Hi",
      text: "Hello.",
    };
    for (let n = 0; n < JOBS; n += 1) await holdfast.emails.enqueue(`job-${n}`, message);

    for (let pass = 0; pass < 10; pass += 1) {
      const { emails, failures } = await holdfast.reconcile();
      expect([emails.retried, emails.failed]).toEqual([0, 0]);
      expect(failures).toMatchObject([{ id: "mailer", code: "mailer_unavailable" }]);
      passedMs += 60_000;
    }
    for (const job of await holdfast.emails.listJobs()) {
      expect(job).toMatchObject({ state: "ready", attempts: 0 });
    }

    api.answer = { status: 200 };
    expect((await holdfast.reconcile()).emails.sent).toBe(JOBS);
    const sent = api.requests.slice(-JOBS).map(({ headers }) => headers["idempotency-key"]);
    expect(new Set(sent).size).toBe(JOBS);
  },
);

it("a server that puts a new sender off for ten minutes gets the mail where there are attempts for that", async () => {
  const sink = await startSink({});
  opened.push(sink);
  sink.fault("rcpt", { kind: "reply", text: "451 4.7.1 greylisted" });
  let passedMs = 0;
  const real = systemClock();
  const clock: Clock = { ...real, now: () => epochMs(real.now() + passedMs) };
  const mailer = smtpMailer({ url: `smtp://127.0.0.1:${sink.port}` });
  const mail = { mailer, from: "jobs@example.com" };
  const app = defineApp({ maxAttempts: { message: 8 } });
  const holdfast = await createHoldfast({ storage: memoryStorage(), clock, mail, app });
  opened.push(holdfast);
  const message = { type: "message", recipient: "ann@example.com", subject: "Hi", text: "Hello." };
  await holdfast.emails.enqueue("hello", message);
  for (const waitMs of [60_000, 120_000, 240_000]) {
    expect((await holdfast.reconcile()).emails.retried).toBe(1);
    passedMs += waitMs;
  }
  sink.fault("rcpt", { kind: "reply", text: "451 4.7.1 greylisted" }, 0);
  expect((await holdfast.reconcile()).emails.sent).toBe(1);
});
