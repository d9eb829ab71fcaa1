/** Mail over SES, the SDK before a server in this process that speaks its wire. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { sesState } from "../../../adapters/mail/ses/check.ts";
import { type SesMailerOptions, sesMailer } from "../../../adapters/mail/ses/index.ts";
import { failureResult } from "../../../adapters/mail/ses/outcome.ts";
import { type Clock, systemClock } from "../../../src/ports/clock.ts";
import { MisconfiguredError } from "../../../src/ports/faults.ts";
import type { Mail, Mailer, MailResult, SendOptions } from "../../../src/ports/mailer.ts";
import { type Api, type ApiAnswer, startApi } from "./api.ts";

const credentials = { accessKeyId: "AKIAEXAMPLE", secretAccessKey: "S3cretS3cretS3cret" };

const MAIL: Mail = {
  from: "Example, Inc. <jobs@example.com>",
  to: "Zoë <ann@example.net>",
  subject: "Schöne\tGrüße",
  text: "Hello\n",
  html: "<p>Hello</p>",
  replyTo: "help@example.com",
  headers: { "X-A": "b", "X-B": "grüße ".repeat(20) },
};

const { signal } = new AbortController();

let api: Api;
const mailers: Mailer[] = [];
beforeEach(async () => {
  api = await startApi({ status: 200, body: '{"MessageId":"0100-1"}' });
});
afterEach(async () => {
  for (const mailer of mailers.splice(0)) await mailer.close();
  await api.close();
});

function mailerTo(options: SesMailerOptions = {}): Mailer {
  const mailer = sesMailer({
    region: "eu-central-1",
    endpoint: api.url,
    credentials,
    ...options,
  });
  mailers.push(mailer);
  return mailer;
}

const sent = (
  options: SesMailerOptions = {},
  sending: Partial<SendOptions> = {},
): Promise<MailResult> =>
  mailerTo(options).send(MAIL, { idempotencyKey: "welcome:ann", signal, ...sending });

/** As SES refuses a request. */
const refusal = (status: number, name: string, message = "no"): ApiAnswer => ({
  status,
  headers: { "x-amzn-errortype": name },
  body: JSON.stringify({ message }),
});

/** Whose time is up when `event` is. */
const upWith = (event: () => Promise<void>): Clock => ({ ...systemClock(), sleep: event });

const unavailable = { kind: "retry", isUnavailable: true };

describe("a mail", () => {
  it("is one request with its content, and the hash of its key as a tag", async () => {
    expect(await sent({ configurationSet: "jobs" })).toEqual({ kind: "sent", id: "0100-1" });
    expect(api.requests).toMatchObject([{ method: "POST", path: "/v2/email/outbound-emails" }]);
    const body = JSON.parse(api.requests[0]?.body ?? "");
    expect(body).toMatchObject({
      FromEmailAddress: '"Example, Inc." <jobs@example.com>',
      Destination: { ToAddresses: [`=?UTF-8?B?${btoa("Zo\u00c3\u00ab")}?= <ann@example.net>`] },
      ReplyToAddresses: ["help@example.com"],
      Content: {
        Simple: {
          Subject: { Data: "Schöne Grüße", Charset: "UTF-8" },
          Body: {
            Text: { Data: "Hello\n", Charset: "UTF-8" },
            Html: { Data: "<p>Hello</p>", Charset: "UTF-8" },
          },
        },
      },
      EmailTags: [{ Name: "holdfast-key", Value: expect.stringMatching(/^[0-9a-f]{64}$/) }],
      ConfigurationSetName: "jobs",
    });
    const [plain, encoded] = body.Content.Simple.Headers;
    expect(plain).toEqual({ Name: "X-A", Value: "b" });
    const words: string[] = encoded.Value.split(" ");
    const texts = words.map((word) => {
      expect(word).toMatch(/^=\?UTF-8\?B\?[A-Za-z0-9+/=]+\?=$/);
      expect(word.length).toBeLessThanOrEqual(75);
      return Buffer.from(word.slice(10, -2), "base64").toString();
    });
    expect(texts.join("")).toBe(MAIL.headers["X-B"]);
  });

  it("says nothing of what it does not have", async () => {
    const mail = { ...MAIL, html: null, replyTo: null, headers: {} };
    await mailerTo().send(mail, { idempotencyKey: "k", signal });
    const body = JSON.parse(api.requests[0]?.body ?? "");
    expect(Object.keys(body).sort()).toEqual([
      "Content",
      "Destination",
      "EmailTags",
      "FromEmailAddress",
    ]);
    expect(Object.keys(body.Content.Simple).sort()).toEqual(["Body", "Subject"]);
    expect(Object.keys(body.Content.Simple.Body)).toEqual(["Text"]);
  });

  it("has the same tag at every try, and no other mail has it", async () => {
    const mailer = mailerTo();
    for (const idempotencyKey of ["a", "a", "b"])
      await mailer.send(MAIL, { idempotencyKey, signal });
    const [first, second, other] = api.requests.map(
      ({ body }) => JSON.parse(body).EmailTags[0].Value,
    );
    expect(second).toBe(first);
    expect(other).not.toBe(first);
  });

  it("with a problem is refused before anything is asked", async () => {
    const mail = { ...MAIL, from: "a@example.com, b@example.com" };
    expect(await mailerTo().send(mail, { idempotencyKey: "k", signal })).toEqual({
      kind: "permanent",
      error: "from: not one address",
    });
    expect(api.requests).toEqual([]);
  });
});

describe("an answer", () => {
  it.each([
    [400, "AccountSuspendedException"],
    [400, "SendingPausedException"],
    [400, "MailFromDomainNotVerifiedException"],
    [404, "NotFoundException"],
    [429, "TooManyRequestsException"],
    [400, "LimitExceededException"],
    [400, "ThrottlingException"],
    [403, "AccessDeniedException"],
    [403, "UnrecognizedClientException"],
    [403, "InvalidSignatureException"],
    [403, "SignatureDoesNotMatch"],
    [403, "ExpiredTokenException"],
    [503, "ServiceUnavailable"],
    [503, "Whatever"],
    [429, "Whatever"],
  ])("%i %s is about the account and not about the mail", async (status, name) => {
    api.answer = refusal(status, name);
    expect(await sent()).toMatchObject({ ...unavailable, error: `${name}: no` });
    expect(api.requests).toHaveLength(1);
  });

  it.each<[number, string, MailResult["kind"]]>([
    [400, "MessageRejected", "permanent"],
    [400, "BadRequestException", "permanent"],
    [500, "InternalServiceErrorException", "retry"],
    [500, "InternalFailure", "retry"],
    [408, "Whatever", "retry"],
    [502, "Whatever", "unknown"],
    [504, "Whatever", "unknown"],
  ])("%i %s is %s, and is not asked for again", async (status, name, kind) => {
    api.answer = refusal(status, name);
    const result = await sent();
    expect(result.kind).toBe(kind);
    expect(result).not.toHaveProperty("isUnavailable");
    expect(api.requests).toHaveLength(1);
  });

  const NOT_VERIFIED =
    "Email address is not verified. The following identities failed the check in region EU-CENTRAL-1: ";

  it.each([
    ["jobs@example.com", true],
    ["ann@example.net, JOBS@example.com", true],
    ["example.com", true],
    ["ann@example.net", false],
    ["other-jobs@example.com", false],
  ])("that %s is not verified is the sender's fault: %s", async (identities, isSenders) => {
    api.answer = refusal(400, "MessageRejected", NOT_VERIFIED + identities);
    const expected = isSenders
      ? { ...unavailable, error: expect.stringMatching(/^SES refuses the sender \(mail\.from/) }
      : { kind: "permanent" };
    expect(await sent()).toMatchObject(expected);
  });

  it.each<[string, ApiAnswer]>([
    ["without an id", { status: 200, body: "{}" }],
    ["without a body", { status: 200 }],
    ["with an empty id", { status: 200, body: '{"MessageId":""}' }],
    ["that is a page", { status: 200, headers: { "content-type": "text/html" }, body: "<html>" }],
    ["that is no JSON", { status: 200, body: '{"Message' }],
    ["that breaks off", { status: 200, body: '{"Message', ending: "reset" }],
  ])("of success %s is not known to be SES's", async (_, answer) => {
    api.answer = answer;
    expect(await sent()).toMatchObject({
      kind: "unknown",
      error: expect.stringMatching(/^SES may have taken the mail over: /),
    });
  });

  it("of somebody else's, such as a proxy's page, is no verdict on the mail", async () => {
    const headers = { "content-type": "text/html" };
    api.answer = { status: 400, headers, body: "<html>who are you?</html>" };
    expect(await sent()).toMatchObject(unavailable);
  });
});

describe("no answer", () => {
  it("in time leaves open whether the mail was sent", async () => {
    api.answer = "hang";
    expect(await sent({ clock: upWith(() => api.asked(1)) })).toEqual({
      kind: "unknown",
      error: "SES may have taken the mail over: no answer in time",
    });
    expect(api.requests).toHaveLength(1);
  });

  it("before the try is ended leaves open whether the mail was sent", async () => {
    api.answer = "hang";
    const stop = new AbortController();
    const result = sent({}, { signal: stop.signal });
    await api.asked(1);
    stop.abort();
    expect(await result).toMatchObject({ kind: "unknown" });
  });

  it("but a connection that breaks is unknown, and nothing is sent again", async () => {
    api.answer = "reset";
    expect(await sent()).toMatchObject({ kind: "unknown" });
    expect(api.requests).toHaveLength(1);
  });

  it.each([
    ["at a port that nobody has", "http://127.0.0.1:9"],
    ["of a host that is not there", "https://nobody.invalid"],
  ])("%s is an outage", async (_, endpoint) => {
    expect(await sent({ endpoint })).toMatchObject(unavailable);
  });

  it("for want of a connection to any of its addresses in time is an outage", () => {
    const failed = (syscall: string): Error =>
      Object.assign(new Error(`${syscall} ETIMEDOUT`), { code: "ETIMEDOUT", syscall });
    const resultOf = (...errors: readonly Error[]): MailResult => {
      const error = Object.assign(new AggregateError(errors), { code: "ETIMEDOUT" });
      return failureResult({ kind: "failed", error, ended: null, isSent: true }, "a@example.com");
    };
    expect(resultOf(failed("connect"), failed("connect"))).toEqual({
      ...unavailable,
      error: "SES is not reached: AggregateError: ETIMEDOUT",
    });
    expect(resultOf(failed("connect"), failed("read"))).toMatchObject({ kind: "unknown" });
  });

  it("to credentials that are not there is an outage, and nothing is sent", async () => {
    const nobody = async (): Promise<never> => {
      throw new Error("no credentials here");
    };
    expect(await sent({ credentials: nobody })).toMatchObject({
      ...unavailable,
      error: expect.stringContaining("no credentials here"),
    });
    expect(api.requests).toEqual([]);
  });

  it("is given to a mail whose credentials come too late, and nothing is sent then", async () => {
    let give = (_: typeof credentials): void => {};
    let tell = (): void => {};
    const wanted = new Promise<void>((resolve) => {
      tell = resolve;
    });
    const late = () =>
      new Promise<typeof credentials>((resolve) => {
        give = resolve;
        tell();
      });
    expect(await sent({ credentials: late, clock: upWith(() => wanted) })).toEqual({
      ...unavailable,
      error: "there were no credentials in time",
    });
    give(credentials);
    // Of a request that is sent all the same, the server hears within these turns.
    for (let turn = 0; turn < 200; turn += 1) await new Promise(setImmediate);
    expect(api.requests).toEqual([]);
  });

  it("begins nothing when it is stopped, when no mail is to be begun, or when it is closed", async () => {
    const aborted = AbortSignal.abort();
    const unbegun = { kind: "retry", isUnbegun: true };
    expect(await sent({}, { signal: aborted })).toMatchObject(unbegun);
    expect(await sent({}, { beginSignal: aborted })).toMatchObject(unbegun);
    const mailer = mailerTo();
    await mailer.close();
    expect(await mailer.send(MAIL, { idempotencyKey: "k", signal })).toEqual({
      ...unavailable,
      error: "the mailer is closed",
    });
    expect(api.requests).toEqual([]);
  });
});

it.each<[SesMailerOptions]>([
  [{ configurationSet: "" }],
  [{ configurationSet: "a b" }],
  [{ timeoutMs: 0 }],
  [{ timeoutMs: 2 ** 31 }],
])("is not made with %j", (options) => {
  expect(() => sesMailer(options)).toThrow(MisconfiguredError);
});

describe("a look at the account", () => {
  const place = () => ({ region: "eu-central-1", endpoint: api.url, credentials });

  it.each<[ApiAnswer, string, RegExp]>([
    [
      { status: 200, body: '{"SendingEnabled":true,"ProductionAccessEnabled":true}' },
      "ready",
      /takes mail$/,
    ],
    [
      { status: 200, body: '{"SendingEnabled":true,"ProductionAccessEnabled":false}' },
      "limited",
      /sandbox/,
    ],
    [
      { status: 200, body: '{"SendingEnabled":false,"ProductionAccessEnabled":true}' },
      "failing",
      /paused/,
    ],
    [refusal(403, "AccessDeniedException"), "limited", /ses:GetAccount/],
    [refusal(403, "InvalidSignatureException"), "failing", /^InvalidSignatureException: no$/],
    ["reset", "failing", /ECONNRESET|socket hang up/],
  ])("after %j is %s", async (answer, kind, detail) => {
    api.answer = answer;
    expect(await sesState(place(), 60_000)).toEqual({
      kind,
      detail: expect.stringMatching(detail),
    });
    expect(api.requests).toMatchObject([{ method: "GET", path: "/v2/email/account" }]);
  });

  it("that gets no answer ends in its time", async () => {
    api.answer = "hang";
    expect(await sesState(place(), 20)).toEqual({
      kind: "failing",
      detail: "no answer within 20 ms",
    });
  });
});
