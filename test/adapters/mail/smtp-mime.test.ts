/** What arrives over SMTP is what was sent, whatever it says, and nothing else. */
import fc from "fast-check";
import { type ParsedMail, simpleParser } from "mailparser";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { smtpMailer } from "../../../adapters/mail/smtp/index.ts";
import type { Mail, Mailer, MailResult } from "../../../src/ports/mailer.ts";
import { type Received, type Sink, startSink } from "./sink.ts";

const MAIL: Mail = {
  from: "Holdfast <jobs@example.com>",
  to: "ann@example.net",
  subject: "Hello",
  text: "Good to have you here.",
  html: null,
  replyTo: null,
  headers: {},
};

let sink: Sink;
let mailer: Mailer;

beforeAll(async () => {
  sink = await startSink();
  mailer = smtpMailer({ url: `smtp://127.0.0.1:${sink.port}` });
});

afterAll(async () => {
  await mailer.close();
  await sink.close();
});

const send = (mail: Mail, idempotencyKey = "key"): Promise<MailResult> =>
  mailer.send(mail, { idempotencyKey, signal: new AbortController().signal });

/** The one mail that came of it. */
async function arrived(mail: Mail, key?: string): Promise<{ one: Received; parsed: ParsedMail }> {
  const before = sink.received.length;
  expect(await send(mail, key)).toMatchObject({ kind: "sent" });
  expect(sink.received).toHaveLength(before + 1);
  const one = sink.received.at(-1);
  if (one === undefined) throw new Error("nothing arrived");
  return { one, parsed: await simpleParser(one.raw) };
}

/** As lines of a mail end, which is the only thing about a text that may change. */
const lines = (text: string | undefined): string =>
  (text ?? "").replace(/\r\n|\r|\n/g, "\n").replace(/\n+$/, "");

describe("a mail", () => {
  it("has its addresses, subject, texts and headers", async () => {
    const { one, parsed } = await arrived({
      from: '"Grüße, Inc." <jobs@example.com>',
      to: "Ann Müller <ann@example.net>",
      subject:
        "Schöne Grüße aus Köln 🎉 — with a subject that is rather long, so it has to be folded",
      text: "Grüße\n\n.\n..dots\n日本語 🎉",
      html: "<p>Grüße <b>日本語</b></p>",
      replyTo: "Help <help@example.com>",
      headers: { "X-Campaign": "wïnter", "List-Unsubscribe": "<https://example.com/u?a=1&b=2>" },
    });
    expect(one).toMatchObject({ from: "jobs@example.com", to: ["ann@example.net"] });
    expect(parsed.from?.value).toEqual([{ name: "Grüße, Inc.", address: "jobs@example.com" }]);
    expect(parsed.to).toMatchObject({
      value: [{ name: "Ann Müller", address: "ann@example.net" }],
    });
    expect(parsed.replyTo?.value).toEqual([{ name: "Help", address: "help@example.com" }]);
    expect(parsed.subject).toBe(
      "Schöne Grüße aus Köln 🎉 — with a subject that is rather long, so it has to be folded",
    );
    expect(lines(parsed.text)).toBe("Grüße\n\n.\n..dots\n日本語 🎉");
    expect(lines(String(parsed.html))).toBe("<p>Grüße <b>日本語</b></p>");
    expect(one.raw.toString()).toContain("X-Campaign: =?UTF-8?Q?w=C3=AFnter?=");
    expect(one.raw.toString()).toContain("List-Unsubscribe: <https://example.com/u?a=1&b=2>");
    expect(one.raw.toString()).toContain("Content-Type: multipart/alternative");
  });

  it("is 7-bit text in lines of bearable length, which say the same", async () => {
    const text = `${"long ".repeat(2_000)}\n${"x".repeat(5_000)} \n${"ü".repeat(3_000)}`;
    const { one, parsed } = await arrived({ ...MAIL, text, html: `<p>${text}</p>` });
    const raw = one.raw.toString("latin1");
    expect(raw).toMatch(/^[\x20-\x7e\r\n\t]*$/);
    expect(Math.max(...raw.split("\r\n").map((line) => line.length))).toBeLessThanOrEqual(200);
    expect(lines(parsed.text)).toBe(text);
    expect(lines(String(parsed.html))).toBe(`<p>${text}</p>`);
  });

  it("without html is plain text alone", async () => {
    const { one, parsed } = await arrived(MAIL);
    expect(one.raw.toString()).toContain("Content-Type: text/plain");
    expect(parsed.html).toBe(false);
    expect(parsed.date).toBeInstanceOf(Date);
  });

  it("has a Message-ID that its key makes, and that does not tell the key", async () => {
    const key = "welcome:ann@example.net";
    const [first, second, other] = [
      await arrived(MAIL, key),
      await arrived({ ...MAIL, subject: "Again" }, key),
      await arrived(MAIL, "another"),
    ];
    expect(first.parsed.messageId).toMatch(/^<[0-9a-f]{40}@example\.com>$/);
    expect(second.parsed.messageId).toBe(first.parsed.messageId);
    expect(other.parsed.messageId).not.toBe(first.parsed.messageId);
    expect(await send(MAIL, key)).toEqual({ kind: "sent", id: first.parsed.messageId });
    expect(first.one.raw.toString()).not.toContain("welcome");
  });
});

describe("what would break out of its place", () => {
  const evil = "x\r\nBcc: eve@example.org";
  it.each([
    ["from", { from: `Ann${evil} <a@example.com>` }],
    ["from", { from: "a@example.com, b@example.com" }],
    ["to", { to: "ann@example.net, eve@example.org" }],
    ["to", { to: "ann@example.net\r\nRCPT TO:<eve@example.org>" }],
    ["to", { to: "<ann@example.net> <eve@example.org>" }],
    ["to", { to: "ann@example.net> SIZE=1" }],
    ["to", { to: "" }],
    ["replyTo", { replyTo: "a@example.com;b@example.com" }],
    ["subject", { subject: evil }],
    ["subject", { subject: "a\nb" }],
    ["subject", { subject: "a\rb" }],
    ["subject", { subject: "a\0b" }],
    ["headers", { headers: { "X-A": evil } }],
    ["headers", { headers: { "X-A": "a\u0085b" } }],
    ["headers", { headers: { "X-A\r\nBcc": "eve@example.org" } }],
    ["headers", { headers: { "X A": "b" } }],
    ["headers", { headers: { bCC: "eve@example.org" } }],
    ["headers", { headers: { "Message-ID": "<a@b>" } }],
    ["headers", { headers: { "Delivered-To": "eve@example.org" } }],
    ["headers", { headers: { "X-Original-To": "eve@example.org" } }],
    ["headers", { headers: { "Apparently-To": "eve@example.org" } }],
    ["headers", { headers: { "Authentication-Results": "eve; dkim=pass" } }],
    ["headers", { headers: { "ARC-Seal": "i=1" } }],
    ["headers", { headers: { "arc-authentication-results": "i=1; eve" } }],
    ["headers", { headers: { "Received-SPF": "pass" } }],
    ["headers", { headers: { "Resent-Sender": "eve@example.org" } }],
  ] satisfies [string, Partial<Mail>][])("in %s is refused: %j", async (field, change) => {
    const before = sink.received.length;
    const result = await send({ ...MAIL, ...change });
    expect(result).toEqual({ kind: "permanent", error: expect.stringMatching(`^${field}: `) });
    expect(JSON.stringify(result)).not.toContain("eve");
    expect(sink.received).toHaveLength(before);
  });

  it.each([
    "\r\n.\r\nMAIL FROM:<eve@example.org>\r\n",
    "\n.\nMAIL FROM:<eve@example.org>\n",
    "\r.\rMAIL FROM:<eve@example.org>\r",
    "\n.\r\nMAIL FROM:<eve@example.org>\r\n",
    ".",
    "\r\n.",
    ".\r\n",
  ])("in the text stays in the text: %j", async (text) => {
    for (const html of [null, text]) {
      const { one, parsed } = await arrived({ ...MAIL, text: `a${text}b`, html });
      expect(lines(parsed.text)).toBe(lines(`a${text}b`));
      expect(one.raw.toString("latin1").replaceAll("\r\n", "")).not.toMatch(/[\r\n]/);
    }
    expect(sink.commands.filter((line) => line.includes("eve"))).toEqual([]);
  });

  it("never adds a header or a recipient, whatever the fields say", async () => {
    const wild = fc.oneof(
      fc.string({ unit: "binary", maxLength: 60 }),
      fc.stringMatching(/^[ -~\r\n\t:<>@,"\\]{0,60}$/),
    );
    const tame = fc.stringMatching(/^[ !#-;=?-[\]-~äß語🎉]{0,60}$/u);
    // One wild field is enough for a refusal, so most are tame.
    const some = fc.oneof({ weight: 9, arbitrary: tame }, { weight: 1, arbitrary: wild });
    const mailbox = some.map((name) => `${name} <a@example.com>`);
    const box = fc.oneof({ weight: 19, arbitrary: mailbox }, { weight: 1, arbitrary: wild });
    const names = fc.constantFrom("X-A", "X-B", "List-Id", "References", "X-A", "Bcc");
    const arbitrary = fc.record({
      from: box,
      to: box,
      subject: some,
      text: wild,
      html: fc.option(wild),
      replyTo: fc.option(box),
      headers: fc.dictionary(names, some, { maxKeys: 2 }),
    });
    let taken = 0;
    await fc.assert(
      fc.asyncProperty(arbitrary, async (fields) => {
        const mail: Mail = { ...MAIL, ...fields };
        const before = sink.received.length;
        const result = await send(mail);
        expect(result.kind).toMatch(/^(sent|permanent)$/);
        expect(sink.received).toHaveLength(result.kind === "sent" ? before + 1 : before);
        if (result.kind !== "sent") return;
        taken += 1;
        const one = sink.received.at(-1);
        expect(one?.to).toHaveLength(1);
        const { headerLines } = await simpleParser(one?.raw ?? "");
        const expected = ["from", "to", "subject", "message-id", "date", "mime-version"];
        const own = Object.keys(mail.headers).map((name) => name.toLowerCase());
        const other = headerLines
          .map(({ key }) => key)
          .filter((key) => ![...expected, ...own].includes(key) && !key.startsWith("content-"));
        expect(other).toEqual(mail.replyTo === null ? [] : ["reply-to"]);
      }),
      { numRuns: 300 },
    );
    expect(taken).toBeGreaterThan(50);
  });
});
