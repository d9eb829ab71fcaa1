/** What the SMTP mailer makes of a server that goes wrong, at every step and in every way. */
import { afterEach, describe, expect, it } from "vitest";
import { type SmtpMailerOptions, smtpMailer } from "../../../adapters/mail/smtp/index.ts";
import type { Mail, MailResult } from "../../../src/ports/mailer.ts";
import { selfSigned } from "./certificate.ts";
import { type Fault, type Sink, type SinkOptions, type Step, startSink } from "./sink.ts";

const MAIL: Mail = {
  from: "Holdfast <jobs@example.com>",
  to: "ann@example.com",
  subject: "Hello",
  text: "Good to have you here.",
  html: null,
  replyTo: null,
  headers: {},
};

/** More than what sockets keep of a connection whose other end does not read. */
const LARGE: Mail = { ...MAIL, text: "a line of text\n".repeat(1_500_000) };

/** Enough for whatever answers, also on a busy machine. */
const PATIENT = { connectMs: 9_000, greetingMs: 9_000, socketMs: 9_000, sendMs: 20_000 };

/** For what never answers. */
const SHORT = { connectMs: 1_000, greetingMs: 300, socketMs: 300, sendMs: 5_000 };

const opened: { close(): Promise<void> }[] = [];

afterEach(async () => {
  for (const one of opened.splice(0).reverse()) await one.close();
});

interface Case {
  readonly sink?: SinkOptions;
  readonly mailer?: Partial<SmtpMailerOptions>;
  readonly credentials?: string;
  /** Of the URL. */
  readonly parameters?: string;
  readonly mail?: Mail;
  readonly signal?: (sink: Sink) => AbortSignal;
}

async function world(options: Case, prepare: (sink: Sink) => void) {
  const sink = await startSink(options.sink);
  opened.push(sink);
  prepare(sink);
  const user = options.credentials === undefined ? "" : `${options.credentials}@`;
  const url = `smtp://${user}127.0.0.1:${sink.port}${options.parameters ?? ""}`;
  const mailer = smtpMailer({ url, limits: PATIENT, ...options.mailer });
  opened.push(mailer);
  const send = (key = "key"): Promise<MailResult> =>
    mailer.send(options.mail ?? MAIL, {
      idempotencyKey: key,
      signal: options.signal?.(sink) ?? new AbortController().signal,
    });
  return { sink, mailer, send };
}

async function outcome(step: Step, fault: Fault, options: Case = {}): Promise<MailResult> {
  const limits = fault.kind === "hang" ? SHORT : PATIENT;
  const { send } = await world({ mailer: { limits }, ...options }, (sink) =>
    sink.fault(step, fault),
  );
  return send();
}

const AUTH: Case = { sink: { auth: true }, credentials: "ann:S3cret" };
const PIPELINED: Case = { sink: { extensions: ["PIPELINING", "8BITMIME"] } };

const BEFORE_ANY_MAIL = ["greeting", "ehlo", "auth"] as const;
const OF_THIS_MAIL = ["mail", "rcpt", "data"] as const;
const STEPS = [...BEFORE_ANY_MAIL, ...OF_THIS_MAIL] as const;
const ENDS = ["drop", "reset", "hang"] as const;

/** Nothing of the mail was tried, for no fault of its own. */
const OUTAGE = { kind: "retry", isUnavailable: true } as const;

describe("before the end of the mail was written", () => {
  it.each(BEFORE_ANY_MAIL.flatMap((step) => ENDS.map((kind) => [step, kind] as const)))(
    "at %s, %s is an outage",
    async (step, kind) => {
      expect(await outcome(step, { kind }, AUTH)).toMatchObject(OUTAGE);
    },
  );

  it.each(OF_THIS_MAIL.flatMap((step) => ENDS.map((kind) => [step, kind] as const)))(
    "at %s, %s is a retry that counts",
    async (step, kind) => {
      const result = await outcome(step, { kind }, AUTH);
      expect(result).toEqual({ kind: "retry", error: expect.any(String) });
    },
  );

  it.each(["mail", "rcpt", "data"] as const)(
    "at %s of commands that went out together, every end is a retry",
    async (step) => {
      for (const kind of ENDS) {
        const result = await outcome(step, { kind }, PIPELINED);
        expect(result).toEqual({ kind: "retry", error: expect.any(String) });
      }
    },
  );

  it.each(ENDS)("in the middle of the body, %s is a retry", async (kind) => {
    const options = { mail: LARGE, mailer: { limits: kind === "hang" ? SHORT : PATIENT } };
    const { send, sink } = await world(options, (to) => to.fault("body", { kind }));
    expect(await send()).toEqual({ kind: "retry", error: expect.any(String) });
    expect(sink.received).toEqual([]);
  });

  it("a server that is not there is an outage, and is told as such", async () => {
    const { send, sink } = await world({}, () => {});
    await sink.close();
    opened.shift();
    expect(await send()).toEqual({ ...OUTAGE, error: expect.stringContaining("ECONNREFUSED") });
  });

  it("a server that went away since the last mail is an outage", async () => {
    const { send, sink } = await world({}, () => {});
    expect(await send("a")).toMatchObject({ kind: "sent" });
    await sink.close();
    opened.shift();
    expect(await send("b")).toMatchObject(OUTAGE);
  });

  it("a server without encryption, or with none that works, is an outage", async () => {
    const sink = { auth: true, certificate: selfSigned() };
    const required = "?tls=required";
    const mailer = { limits: SHORT };
    for (const text of ["454 4.7.0 not now", "502 5.5.1 what", "220 go\r\nno TLS"]) {
      const options = { sink, credentials: "ann:S3cret", parameters: required, mailer };
      expect(await outcome("starttls", { kind: "reply", text }, options)).toMatchObject(OUTAGE);
    }
    const { send } = await world({ sink, parameters: required }, () => {});
    expect(await send()).toEqual({ ...OUTAGE, error: expect.stringContaining("certificate") });
  });

  it("a name that does not exist is an outage", async () => {
    const url = "smtp://nowhere.invalid:25?tls=optional";
    const mailer = smtpMailer({ url, limits: SHORT });
    const { signal } = new AbortController();
    expect(await mailer.send(MAIL, { idempotencyKey: "key", signal })).toMatchObject(OUTAGE);
  });
});

describe("after the end of the mail was written", () => {
  it.each(ENDS)("%s is unknown", async (kind) => {
    for (const options of [{}, PIPELINED, AUTH]) {
      expect(await outcome("dot", { kind }, options)).toEqual({
        kind: "unknown",
        error: expect.stringMatching(/^the server may have taken the mail over: ./),
      });
    }
  });

  it.each(["hello", "354 go on", "250 2.0.0 que", "199 what", "600 what", ""])(
    "%j, and then the connection's end, is unknown",
    async (text) => {
      const fault: Fault = text.startsWith("250") ? { kind: "raw", text } : { kind: "last", text };
      expect(await outcome("dot", fault)).toMatchObject({ kind: "unknown" });
    },
  );

  it("a refusal that is cut off is unknown", async () => {
    expect(await outcome("dot", { kind: "raw", text: "550 5.7.1 no" })).toMatchObject({
      kind: "unknown",
    });
  });
});

describe("a reply", () => {
  const CODES = [
    ["421 4.3.2 shutting down", "retry"],
    ["450 4.2.0 greylisted", "retry"],
    ["451 4.3.0 local error", "retry"],
    ["452 4.2.2 full", "retry"],
    ["530 5.7.0 must issue STARTTLS first", "retry"],
    ["535 5.7.8 credentials", "retry"],
    ["503 5.5.1 bad sequence", "retry"],
    ["550 4.7.1 come back later", "retry"],
    ["550 5.1.1 no such user", "permanent"],
    ["552 5.3.4 too large", "permanent"],
    ["553 5.1.3 bad address", "permanent"],
    ["554 5.7.1 spam", "permanent"],
    ["550-5.7.1 a long\r\n550 5.7.1 story", "permanent"],
    ["421 going down", "retry"],
    ["421 4.4.2 idle", "retry"],
    ["450 mailbox busy", "retry"],
    ["450 4.7.1 too many messages", "retry"],
    ["451 4.1.8 no such sender domain", "retry"],
    ["451 try later", "retry"],
    ["452 4.3.1 insufficient storage", "retry"],
    ["452 out of space", "retry"],
  ] as const;

  for (const step of ["rcpt", "data", "dot"] as const) {
    it.each(CODES)(`at ${step}, %s is %s`, async (text, kind) => {
      for (const options of [{}, PIPELINED]) {
        const result = await outcome(step, { kind: "reply", text }, options);
        expect(result).toMatchObject({ kind });
        expect(result).not.toHaveProperty("isUnavailable");
        expect(JSON.stringify(result)).toContain(text.slice(4, 9));
      }
    });
  }

  it.each([
    "421 going down",
    "421 4.4.2 idle",
    "450 4.7.1 too many messages",
    "451 4.3.0 local error",
    "451 try later",
    "452 4.3.1 insufficient storage",
    "452 out of space",
  ])("at mail, %s is about the server, which every mail would meet: an outage", async (text) => {
    for (const options of [{}, PIPELINED]) {
      expect(await outcome("mail", { kind: "reply", text }, options)).toMatchObject(OUTAGE);
    }
  });

  it.each(["450 mailbox busy", "450 4.2.0 greylisted", "451 4.1.8 no such sender domain"])(
    "at mail, %s puts this mail off, and is no outage",
    async (text) => {
      const result = await outcome("mail", { kind: "reply", text });
      expect(result).toMatchObject({ kind: "retry" });
      expect(result).not.toHaveProperty("isUnavailable");
    },
  );

  it.each([
    "530 5.7.0 must issue STARTTLS first",
    "550 5.7.1 not your address",
    "550 4.7.1 come back later",
    "550 who are you",
    "553-5.7.1 a long\r\n553 5.7.1 story",
    "501 5.1.7 bad address",
    "554 5.7.1 not from you",
  ])("at mail, %s is about the sender, the same for every mail: an outage", async (text) => {
    for (const options of [{}, PIPELINED]) {
      const result = await outcome("mail", { kind: "reply", text }, options);
      expect(result).toMatchObject(OUTAGE);
    }
  });

  it.each([
    "552 5.3.4 too large",
    "552 too large",
    "554 5.3.4 too large",
    "550 5.2.3 too long",
    "555 5.5.4 no such parameter",
    "501 5.5.4 no such parameter",
  ])("at mail, %s is about the mail, and permanent", async (text) => {
    for (const options of [{}, PIPELINED]) {
      const result = await outcome("mail", { kind: "reply", text }, options);
      expect(result).toEqual({ kind: "permanent", error: expect.stringContaining(text) });
    }
  });

  it("says what to set when the sender is refused, and does not when the log-in is", async () => {
    const refused = await outcome("mail", { kind: "reply", text: "550 5.7.1 not your address" });
    expect(refused).toMatchObject({
      error: expect.stringMatching(/mail\.from, HOLDFAST_MAIL_FROM.*550 5\.7\.1 not your address/),
    });
    const outside = await outcome("mail", { kind: "reply", text: "530 5.7.0 log in first" });
    expect(JSON.stringify(outside)).not.toContain("HOLDFAST_MAIL_FROM");
  });

  it.each(["550 5.1.8 unknown domain of the sender", "553 5.1.7 bad address of the sender"])(
    "at rcpt, %s names the sender, and is an outage, too",
    async (text) => {
      for (const options of [{}, PIPELINED]) {
        expect(await outcome("rcpt", { kind: "reply", text }, options)).toMatchObject(OUTAGE);
      }
    },
  );

  it.each(BEFORE_ANY_MAIL)("at %s is about us and never about the mail", async (step) => {
    for (const text of ["421 no", "454 later", "500 what", "535 5.7.8 no", "550 no", "554 no"]) {
      expect(await outcome(step, { kind: "reply", text }, AUTH)).toMatchObject(OUTAGE);
    }
  });

  it("that comes before the mail's end and refuses it counts", async () => {
    const text = "552 5.3.4 too large already";
    const { send } = await world({ mail: LARGE }, (sink) =>
      sink.fault("body", { kind: "reply", text }),
    );
    expect(await send()).toMatchObject({ kind: "permanent" });
  });

  it("that accepts the mail before it is there is not believed", async () => {
    const text = "250 2.0.0 queued";
    const { send } = await world({ mail: LARGE }, (sink) =>
      sink.fault("body", { kind: "reply", text }),
    );
    expect(await send()).toMatchObject({ kind: "unknown" });
  });

  it("for a mail over the announced size is not waited for", async () => {
    const { send, sink } = await world({ sink: { extensions: ["SIZE 100"] } }, () => {});
    expect(await send()).toMatchObject({ kind: "permanent", error: expect.stringMatching(/size/) });
    expect(sink.commands.filter((line) => line.startsWith("MAIL"))).toEqual([]);
  });
});

describe("being told to stop", () => {
  const soon = (): AbortSignal => AbortSignal.timeout(250);
  const patient = { limits: PATIENT };

  const UNBEGUN = { kind: "retry", error: "stopped", isUnbegun: true };

  it.each(BEFORE_ANY_MAIL)("at %s is no try at all, and no outage", async (step) => {
    const options = { ...AUTH, signal: soon, mailer: patient };
    const result = await outcome(step, { kind: "hang" }, options);
    expect(result).toEqual(UNBEGUN);
  });

  it.each(OF_THIS_MAIL)("at %s is a retry that counts", async (step) => {
    const options = { ...AUTH, signal: soon, mailer: patient };
    const result = await outcome(step, { kind: "hang" }, options);
    expect(result).toEqual({ kind: "retry", error: "stopped" });
  });

  it("in the middle of the body is a retry, and the rest is not sent later", async () => {
    const options = { mail: LARGE, signal: () => AbortSignal.timeout(1_500), mailer: patient };
    const { send, sink } = await world(options, (to) => to.fault("body", { kind: "hang" }));
    expect(await send()).toEqual({ kind: "retry", error: "stopped" });
    expect(sink.received).toEqual([]);
  });

  it("after the end of the mail was written is unknown", async () => {
    const options = { signal: soon, mailer: patient };
    expect(await outcome("dot", { kind: "hang" }, options)).toMatchObject({ kind: "unknown" });
  });

  it("before the beginning is no try at all, and nobody is connected to", async () => {
    const { send, sink } = await world({ signal: () => AbortSignal.abort() }, () => {});
    expect(await send()).toEqual(UNBEGUN);
    expect(sink.connections).toBe(0);
  });

  it("is the same when the time for the whole mail is over", async () => {
    const mailer = { limits: { ...PATIENT, sendMs: 300 } };
    expect(await outcome("rcpt", { kind: "hang" }, { mailer })).toEqual({
      kind: "retry",
      error: "not sent within 300 ms",
    });
    expect(await outcome("dot", { kind: "hang" }, { mailer })).toMatchObject({ kind: "unknown" });
  });
});

it("a server that is slow everywhere gets its time", async () => {
  const slow = { ...AUTH, sink: { auth: true, extensions: ["PIPELINING"] } };
  const { send, sink } = await world(slow, (to) => {
    for (const step of [...STEPS, "dot"] as const) to.fault(step, { kind: "slow", ms: 60 });
  });
  expect(await send()).toMatchObject({ kind: "sent" });
  expect(sink.received).toHaveLength(1);
});
