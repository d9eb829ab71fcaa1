/** How the SMTP mailer connects: encryption, log-in, connections used again, and what it never tells. */
import { afterEach, describe, expect, it } from "vitest";
import { type SmtpMailerOptions, smtpMailer } from "../../../adapters/mail/smtp/index.ts";
import type { Mail, MailResult } from "../../../src/ports/mailer.ts";
import { selfSigned } from "./certificate.ts";
import { type Sink, type SinkOptions, startSink } from "./sink.ts";

const MAIL: Mail = {
  from: "jobs@example.com",
  to: "ann@example.net",
  subject: "Hello",
  text: "Good to have you here.",
  html: null,
  replyTo: null,
  headers: {},
};

const LIMITS = { connectMs: 9_000, greetingMs: 9_000, socketMs: 9_000, sendMs: 20_000 };

const certificate = selfSigned();

const opened: { close(): Promise<void> }[] = [];

afterEach(async () => {
  for (const one of opened.splice(0).reverse()) await one.close();
});

async function sinkWith(options: SinkOptions = {}): Promise<Sink> {
  const sink = await startSink(options);
  opened.push(sink);
  return sink;
}

function mailerTo(url: string, options: Partial<SmtpMailerOptions> = {}) {
  const mailer = smtpMailer({ url, limits: LIMITS, ...options });
  opened.push(mailer);
  const send = (key = "key"): Promise<MailResult> =>
    mailer.send(MAIL, { idempotencyKey: key, signal: new AbortController().signal });
  return { mailer, send };
}

describe("encryption", () => {
  const ca = certificate.cert;

  it("is there from the first byte with smtps", async () => {
    const sink = await sinkWith({ certificate, implicit: true, auth: true });
    const { send } = mailerTo(`smtps://ann:S3cret@localhost:${sink.port}`, { ca });
    expect(await send()).toMatchObject({ kind: "sent" });
    expect(sink.received).toMatchObject([{ isSecure: true }]);
  });

  it("comes by STARTTLS before the credentials where it is required", async () => {
    const sink = await sinkWith({ certificate, auth: true });
    const url = `smtp://ann:S3cret@localhost:${sink.port}?tls=required`;
    expect(await mailerTo(url, { ca }).send()).toMatchObject({ kind: "sent" });
    expect(sink.received).toMatchObject([{ isSecure: true }]);
    expect(sink.commands.map((line) => line.split(" ")[0])).toEqual(
      "EHLO STARTTLS EHLO AUTH MAIL RCPT DATA".split(" "),
    );
  });

  it("that is required and not offered is a retry, and nothing was said in the clear", async () => {
    for (const options of [{ certificate, hidesTls: true }, {}]) {
      const sink = await sinkWith({ ...options, auth: true });
      if (!("certificate" in options)) {
        sink.fault("starttls", { kind: "reply", text: "502 5.5.1 what" });
      } else sink.fault("starttls", { kind: "reply", text: "454 4.7.0 not now" });
      const url = `smtp://ann:S3cret@localhost:${sink.port}?tls=required`;
      expect(await mailerTo(url).send()).toMatchObject({ kind: "retry" });
      expect(sink.commands.filter((line) => /^(AUTH|MAIL|RCPT)/.test(line))).toEqual([]);
    }
  });

  it("by a certificate that nobody vouches for is a retry", async () => {
    const sink = await sinkWith({ certificate, auth: true });
    const url = `smtp://ann:S3cret@localhost:${sink.port}?tls=required`;
    expect(await mailerTo(url).send()).toMatchObject({
      kind: "retry",
      error: expect.stringContaining("certificate"),
    });
    const implicit = await sinkWith({ certificate, implicit: true });
    expect(await mailerTo(`smtps://localhost:${implicit.port}`).send()).toMatchObject({
      kind: "retry",
    });
    expect([...sink.commands, ...implicit.commands].filter((line) => /^AUTH/.test(line))).toEqual(
      [],
    );
  });

  it("is taken where it is optional and offered, and done without where not", async () => {
    for (const hidesTls of [false, true]) {
      const sink = await sinkWith({ certificate, auth: true, hidesTls });
      const url = `smtp://ann:S3cret@localhost:${sink.port}?tls=optional`;
      expect(await mailerTo(url, { ca }).send()).toMatchObject({ kind: "sent" });
      expect(sink.received).toMatchObject([{ isSecure: !hidesTls }]);
    }
  });

  it("is not asked for on this very host", async () => {
    const sink = await sinkWith({ certificate, auth: true });
    const url = `smtp://ann:S3cret@localhost:${sink.port}`;
    expect(await mailerTo(url).send()).toMatchObject({ kind: "sent" });
    expect(sink.received).toMatchObject([{ isSecure: false }]);
  });

  it("never lets a word from before it count after it", async () => {
    const sink = await sinkWith({ certificate, auth: true });
    const limits = { ...LIMITS, greetingMs: 400 };
    const injected = "220 go\r\n250-sink\r\n250 AUTH PLAIN";
    sink.fault("starttls", { kind: "reply", text: injected });
    const url = `smtp://ann:S3cret@localhost:${sink.port}?tls=required`;
    expect(await mailerTo(url, { ca, limits }).send()).toMatchObject({ kind: "retry" });
    expect(sink.commands.filter((line) => /^AUTH/.test(line))).toEqual([]);
  });
});

describe("the password", () => {
  const password = "S3cret/p@ss ü";
  const encoded = encodeURIComponent(password);
  const forms = [
    password,
    encoded,
    Buffer.from(password).toString("base64"),
    Buffer.from(`\0ann\0${password}`).toString("base64"),
  ];

  it("is presented, and is in no result even when the server repeats it", async () => {
    for (const said of forms) {
      const sink = await sinkWith({ auth: true });
      sink.fault("auth", { kind: "reply", text: `535 5.7.8 wrong: ${said} for ann` });
      const { send } = mailerTo(`smtp://ann:${encoded}@127.0.0.1:${sink.port}`);
      const result = await send();
      expect(result).toMatchObject({ kind: "retry", error: expect.stringContaining("535 5.7.8") });
      for (const form of forms) expect(JSON.stringify(result)).not.toContain(form);
      expect(sink.commands.find((line) => line.startsWith("AUTH"))).toBe(`AUTH PLAIN ${forms[3]}`);
    }
  });

  it("is not kept back in silence where the server takes none: nothing is sent", async () => {
    const sink = await sinkWith({ auth: false });
    const { send } = mailerTo(`smtp://ann:${encoded}@127.0.0.1:${sink.port}`);
    expect(await send()).toMatchObject({ kind: "retry" });
    expect(sink.commands.filter((line) => line.startsWith("MAIL"))).toEqual([]);
  });
});

describe("what a server says", () => {
  it("is told in one line of bearable length", async () => {
    const sink = await sinkWith();
    sink.fault("rcpt", { kind: "reply", text: `550-a\r\n550 \u0007${"b".repeat(2_000)}\ufffe` });
    const result = await mailerTo(`smtp://127.0.0.1:${sink.port}`).send();
    expect(result.kind === "permanent" && result.error).toMatch(/^[^\p{Cc}]{50,500}$/u);
  });
});

describe("a connection", () => {
  it("is used again, and is left when the mailer is closed", async () => {
    const sink = await sinkWith({ auth: true });
    const { mailer, send } = mailerTo(`smtp://ann:S3cret@127.0.0.1:${sink.port}`);
    for (const key of ["a", "b", "c"]) expect(await send(key)).toMatchObject({ kind: "sent" });
    expect(sink.connections).toBe(1);
    expect(sink.commands.filter((line) => line.startsWith("AUTH"))).toHaveLength(1);
    await mailer.close();
    expect(sink.commands.at(-1)).toBe("QUIT");
    expect(await send()).toEqual({
      kind: "retry",
      error: "the mailer is closed",
      isUnavailable: true,
    });
  });

  it("is changed after a hundred mails", async () => {
    const sink = await sinkWith();
    const { send } = mailerTo(`smtp://127.0.0.1:${sink.port}`);
    for (let n = 0; n < 101; n += 1) expect(await send(String(n))).toMatchObject({ kind: "sent" });
    expect(sink.connections).toBe(2);
  });

  it("is not used again after a failure", async () => {
    const sink = await sinkWith();
    sink.fault("rcpt", { kind: "reply", text: "550 5.1.1 no" }, 1);
    const { send } = mailerTo(`smtp://127.0.0.1:${sink.port}`);
    expect(await send("a")).toMatchObject({ kind: "permanent" });
    expect(await send("b")).toMatchObject({ kind: "sent" });
    expect(sink.connections).toBe(2);
  });

  it.each([
    { kind: "drop" },
    { kind: "reset" },
    { kind: "last", text: "421 4.4.2 idle for too long" },
  ] as const)("that the server was done with (%j) is replaced without a word", async (fault) => {
    const sink = await sinkWith();
    const { send } = mailerTo(`smtp://127.0.0.1:${sink.port}`);
    expect(await send("a")).toMatchObject({ kind: "sent" });
    sink.fault("mail", fault, 1);
    expect(await send("b")).toMatchObject({ kind: "sent" });
    expect([sink.connections, sink.received.length]).toEqual([2, 2]);
  });

  it("that breaks after the recipient was told costs the mail its attempt, also when none follows", async () => {
    for (const [step, extensions] of [
      ["rcpt", []],
      // The recipient goes out together with the sender.
      ["mail", ["PIPELINING"]],
    ] as const) {
      const sink = await sinkWith({ extensions });
      const { send } = mailerTo(`smtp://127.0.0.1:${sink.port}`);
      expect(await send("a")).toMatchObject({ kind: "sent" });
      sink.fault(step, { kind: "drop" }, 1);
      sink.fault("greeting", { kind: "drop" });
      expect(await send("b")).toEqual({ kind: "retry", error: expect.any(String) });
      expect(sink.connections).toBe(2);
    }
  });

  it("that the server was done with costs no attempt when none follows", async () => {
    for (const fault of [
      { kind: "drop" },
      { kind: "last", text: "421 4.4.2 idle for too long" },
    ] as const) {
      const sink = await sinkWith();
      const { send } = mailerTo(`smtp://127.0.0.1:${sink.port}`);
      expect(await send("a")).toMatchObject({ kind: "sent" });
      sink.fault("mail", fault, 1);
      sink.fault("greeting", { kind: "drop" });
      expect(await send("b")).toMatchObject({ kind: "retry", isUnavailable: true });
    }
  });

  it("that is used again and breaks after the mail's end does not send it again", async () => {
    const sink = await sinkWith();
    const { send } = mailerTo(`smtp://127.0.0.1:${sink.port}`);
    expect(await send("a")).toMatchObject({ kind: "sent" });
    sink.fault("dot", { kind: "drop" }, 1);
    expect(await send("b")).toMatchObject({ kind: "unknown" });
    expect(sink.commands.filter((line) => line === "DATA")).toHaveLength(2);
  });

  it("is one of at most so many, and the other mails wait", async () => {
    const sink = await sinkWith();
    sink.fault("dot", { kind: "slow", ms: 30 });
    const { send } = mailerTo(`smtp://127.0.0.1:${sink.port}`, { connections: 2 });
    const keys = Array.from({ length: 8 }, (_, n) => String(n));
    const results = await Promise.all(keys.map((key) => send(key)));
    expect(results.map(({ kind }) => kind)).toEqual(keys.map(() => "sent"));
    expect(sink.connections).toBe(2);
  });

  it("that a mail waited for until it was told to stop is a retry, and is not connected for", async () => {
    const sink = await sinkWith();
    sink.fault("dot", { kind: "hang" });
    const limits = { ...LIMITS, sendMs: 1_000 };
    const { mailer, send } = mailerTo(`smtp://127.0.0.1:${sink.port}`, { connections: 1, limits });
    const first = send("a");
    await expect.poll(() => sink.commands).toContain("DATA");
    const signal = AbortSignal.timeout(50);
    expect(await mailer.send(MAIL, { idempotencyKey: "b", signal })).toEqual({
      kind: "retry",
      error: "stopped",
      isUnbegun: true,
    });
    expect(await first).toMatchObject({ kind: "unknown" });
    expect(sink.connections).toBe(1);
  });

  const NO_MORE = {
    kind: "retry",
    error: "no mail is to be begun any more",
    isUnbegun: true,
  };
  const { signal: open } = new AbortController();

  it("that a mail waits for begins none any more once that was said, and finishes the one it has", async () => {
    const sink = await sinkWith();
    sink.fault("dot", { kind: "slow", ms: 100 });
    const { mailer, send } = mailerTo(`smtp://127.0.0.1:${sink.port}`, { connections: 1 });
    const first = send("a");
    await expect.poll(() => sink.commands).toContain("DATA");
    const begin = new AbortController();
    const options = { idempotencyKey: "b", signal: open, beginSignal: begin.signal };
    const second = mailer.send(MAIL, options);
    begin.abort();
    expect(await second).toEqual(NO_MORE);
    // At once, and not when its turn came.
    expect(sink.received).toEqual([]);
    expect(await first).toMatchObject({ kind: "sent" });
    expect(await mailer.send(MAIL, options)).toEqual(NO_MORE);
    expect(sink.received).toHaveLength(1);
  });

  it("that stands too late begins no mail, and is kept for the next", async () => {
    const sink = await sinkWith();
    sink.fault("greeting", { kind: "slow", ms: 100 }, 1);
    const { mailer, send } = mailerTo(`smtp://127.0.0.1:${sink.port}`);
    const beginSignal = AbortSignal.timeout(20);
    const result = await mailer.send(MAIL, { idempotencyKey: "a", signal: open, beginSignal });
    expect(result).toEqual(NO_MORE);
    expect(sink.commands.some((line) => line.startsWith("MAIL"))).toBe(false);
    expect(await send("b")).toMatchObject({ kind: "sent" });
    expect(sink.connections).toBe(1);
  });

  it("is one of eight by default, as many as a pass sends at once", async () => {
    const sink = await sinkWith();
    sink.fault("dot", { kind: "slow", ms: 100 });
    const { send } = mailerTo(`smtp://127.0.0.1:${sink.port}`);
    await Promise.all(Array.from({ length: 12 }, (_, n) => send(String(n))));
    expect(sink.connections).toBe(8);
  });

  it("is there until the mail in flight is done, also when the mailer is closed", async () => {
    const sink = await sinkWith();
    sink.fault("dot", { kind: "slow", ms: 100 });
    const { mailer, send } = mailerTo(`smtp://127.0.0.1:${sink.port}`);
    const sending = send();
    await mailer.close();
    expect(await sending).toMatchObject({ kind: "sent" });
    expect(sink.commands.at(-1)).toBe("QUIT");
  });
});
