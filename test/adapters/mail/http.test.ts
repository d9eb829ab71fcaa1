/** Mail over an HTTP API, against one in this process: what is posted, and what each answer means. */
import { once } from "node:events";
import { createServer } from "node:net";
import { createServer as createTlsServer } from "node:tls";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type HttpMailerOptions, httpMailer } from "../../../adapters/mail/http/index.ts";
import { type Clock, systemClock } from "../../../src/ports/clock.ts";
import { MisconfiguredError } from "../../../src/ports/faults.ts";
import type { Mail, MailResult, SendOptions } from "../../../src/ports/mailer.ts";
import { type Api, type ApiAnswer, startApi } from "./api.ts";
import { selfSigned } from "./certificate.ts";

const KEY = "re_S3cretS3cretS3cret";

const MAIL: Mail = {
  from: "Example <jobs@example.com>",
  to: "ann@example.net",
  subject: "Schöne Grüße",
  text: "Hello\n",
  html: "<p>Hello</p>",
  replyTo: "help@example.com",
  headers: { "X-A": "b" },
};

const BODY = { to: ["{{to}}"], text: "{{text}}" };

const { signal } = new AbortController();

let api: Api;
beforeEach(async () => {
  api = await startApi({ status: 200, body: '{"id":"msg-1"}' });
});
afterEach(() => api.close());

const mailerTo = (options: Partial<HttpMailerOptions> = {}) =>
  httpMailer({
    url: `${api.url}/emails`,
    headers: { authorization: `Bearer ${KEY}` },
    body: BODY,
    ...options,
  });

const sent = (
  options: Partial<HttpMailerOptions> = {},
  sending: Partial<SendOptions> = {},
): Promise<MailResult> =>
  mailerTo(options).send(MAIL, { idempotencyKey: "welcome:ann", signal, ...sending });

/** Whose time is up when `event` is. */
const upWith = (event: Promise<void>): Clock => ({ ...systemClock(), sleep: () => event });

describe("a mail", () => {
  it("is one POST of JSON, with the headers and the key that names the mail", async () => {
    expect(await sent()).toEqual({ kind: "sent", id: "msg-1" });
    expect(api.requests).toHaveLength(1);
    expect(api.requests[0]).toMatchObject({
      method: "POST",
      path: "/emails",
      headers: {
        authorization: `Bearer ${KEY}`,
        "content-type": "application/json",
        "idempotency-key": "welcome:ann",
      },
    });
    expect(JSON.parse(api.requests[0]?.body ?? "")).toEqual({
      to: ["ann@example.net"],
      text: "Hello\n",
    });
  });

  it.each([["grüße:ann"], ["two words"], ["k".repeat(257)], [""]])(
    "whose key %j does not fit in a header has its hash there",
    async (idempotencyKey) => {
      for (let n = 0; n < 2; n += 1) await sent({}, { idempotencyKey });
      const [first, second] = api.requests.map(({ headers }) => headers["idempotency-key"]);
      expect(first).toMatch(/^sha256:[0-9a-f]{64}$/);
      expect(second).toBe(first);
    },
  );

  it("is what a function makes of it and its key, as JSON or as a form", async () => {
    await sent({ body: ({ subject }, key) => ({ subject, key }) });
    await sent({ body: ({ to, text }) => new URLSearchParams({ to, text }) });
    const [json, form] = api.requests;
    expect(JSON.parse(json?.body ?? "")).toEqual({ subject: MAIL.subject, key: "welcome:ann" });
    expect(form?.headers["content-type"]).toMatch(/^application\/x-www-form-urlencoded/);
    expect(form?.body).toBe("to=ann%40example.net&text=Hello%0A");
  });

  it("of which a function makes nothing is surely not sent", async () => {
    const body = (): object => {
      throw new Error(`no body: ${KEY}`);
    };
    const error = "the body of the request could not be made: no body:[redacted]";
    expect(await sent({ body })).toEqual({ kind: "retry", error });
    const nothing = (() => undefined) as unknown as () => object;
    expect(await sent({ body: nothing })).toMatchObject({ kind: "retry" });
    expect(api.requests).toEqual([]);
  });

  it("with a problem is refused before anything is asked", async () => {
    const mail = { ...MAIL, to: "ann@example.net, ben@example.net" };
    expect(await mailerTo().send(mail, { idempotencyKey: "k", signal })).toEqual({
      kind: "permanent",
      error: "to: not one address",
    });
    expect(api.requests).toEqual([]);
  });
});

describe("an answer", () => {
  it.each<[number, string, MailResult["kind"]]>([
    [200, "", "sent"],
    [201, "{}", "sent"],
    [202, "not JSON", "sent"],
    [204, "", "sent"],
    [303, "", "unknown"],
    [400, "", "permanent"],
    [408, "", "retry"],
    [409, "", "retry"],
    [413, "", "permanent"],
    [422, '{"ErrorCode":300,"Message":"no"}', "permanent"],
    [425, "", "retry"],
    [500, "", "retry"],
    [501, "", "retry"],
    [502, "", "unknown"],
    [504, "", "unknown"],
    [524, "", "unknown"],
  ])("of status %i with %j is %s", async (status, body, kind) => {
    api.answer = { status, body };
    const result = await sent();
    expect(result.kind).toBe(kind);
    expect(result).not.toHaveProperty("isUnavailable");
  });

  it.each([301, 302, 307, 308, 401, 402, 403, 404, 405, 406, 410, 415, 429, 503])(
    "of status %i is about us and not about the mail",
    async (status) => {
      api.answer = { status };
      expect(await sent()).toMatchObject({ kind: "retry", isUnavailable: true });
    },
  );

  it.each([400, 401, 405, 413])(
    "with Postmark's code %i is about the account or the sender",
    async (code) => {
      const body = JSON.stringify({ ErrorCode: code, Message: "The sender is not confirmed." });
      api.answer = { status: 422, body };
      expect(await sent()).toEqual({
        kind: "retry",
        error: "the provider answered with status 422: The sender is not confirmed.",
        isUnavailable: true,
      });
    },
  );

  it.each<[string, ApiAnswer, string | null]>([
    ["id", { status: 200, body: '{"id":"a"}' }, "a"],
    ["MessageID", { status: 200, body: '{"ErrorCode":0,"MessageID":"b"}' }, "b"],
    ["messageId", { status: 201, body: '{"messageId":"c"}' }, "c"],
    ["x-message-id", { status: 202, headers: { "x-message-id": "d" } }, "d"],
    ["no text", { status: 200, body: '{"id":7}' }, null],
    ["too long", { status: 200, body: JSON.stringify({ id: "i".repeat(201) }) }, null],
    ["of no object", { status: 200, body: "null" }, null],
  ])("names the mail by its %s", async (_, answer, id) => {
    api.answer = answer;
    expect(await sent()).toEqual({ kind: "sent", id });
  });

  it.each([
    ['{"message":"no"}', ": no"],
    ['{"Message":"no"}', ": no"],
    ['{"error":"no"}', ": no"],
    ['{"error":{"message":"no\\nway"}}', ": no way"],
    ['{"errors":[{"message":"no"}]}', ": no"],
    ['{"detail":"no"}', ": no"],
    ['{"errors":[]}', ""],
    ['{"message":{"a":1}}', ""],
    ["<h1>no</h1>", ""],
    ["", ""],
  ])("%s says %j", async (body, said) => {
    api.answer = { status: 400, body };
    const error = `the provider answered with status 400${said}`;
    expect(await sent()).toEqual({ kind: "permanent", error });
  });

  it("never repeats a header, a part of it, or what the query has", async () => {
    const basic = btoa("user:Passw0rdPassw0rd");
    const headers = { authorization: `Basic ${basic}`, "x-key": KEY };
    const url = `${api.url}/send?token=tok_0123456789`;
    const message = `not ${KEY}, ${basic}, Passw0rdPassw0rd, tok_0123456789`;
    api.answer = { status: 401, body: JSON.stringify({ message }) };
    const result = await sent({ url, headers });
    expect(result).toMatchObject({ kind: "retry", isUnavailable: true });
    const told = JSON.stringify(result);
    for (const secret of [KEY, basic, "Passw0rd", "tok_"]) expect(told).not.toContain(secret);
  });

  it("that is a web page tells nothing of the mail", async () => {
    api.answer = { status: 200, body: "\n<!DOCTYPE html><p>Log in</p>" };
    expect(await sent()).toEqual({
      kind: "unknown",
      error: "the provider may have taken the mail over: it answered with a web page (200)",
    });
  });

  it("of any length counts by its status, and is not read to its end", async () => {
    api.answer = { status: 400, body: `{"message":"${"no ".repeat(1_000_000)}"}` };
    const error = "the provider answered with status 400";
    expect(await sent()).toEqual({ kind: "permanent", error });
  });

  it("that leads elsewhere is not followed: mail and key are for one address", async () => {
    const other = await startApi({ status: 200 });
    api.answer = { status: 307, headers: { location: `${other.url}/emails` } };
    expect(await sent()).toMatchObject({ kind: "retry", isUnavailable: true });
    expect(other.requests).toEqual([]);
    await other.close();
  });

  it.each<["hang" | "reset"]>([["hang"], ["reset"]])(
    "whose body ends in a %s counts by its status",
    async (ending) => {
      api.answer = { status: 200, body: '{"id":', ending };
      let up = (): void => {};
      const clock = upWith(
        new Promise((resolve) => {
          up = resolve;
        }),
      );
      const headed: typeof fetch = async (...request) => {
        const response = await fetch(...request);
        up();
        return response;
      };
      expect(await sent({ clock, fetch: headed })).toEqual({ kind: "sent", id: null });
    },
  );
});

describe("no answer", () => {
  const unknown = (text: string): MailResult => ({
    kind: "unknown",
    error: `the provider may have taken the mail over: ${text}`,
  });

  it("in time leaves open whether the mail was sent", async () => {
    api.answer = "hang";
    const result = sent({ clock: upWith(api.asked(1)), timeoutMs: 7 });
    expect(await result).toEqual(unknown("no answer within 7 ms"));
  });

  it("before the try is ended leaves open whether the mail was sent", async () => {
    api.answer = "hang";
    const stop = new AbortController();
    const result = sent({}, { signal: stop.signal });
    await api.asked(1);
    stop.abort();
    expect(await result).toEqual(unknown("stopped"));
  });

  it("but a connection that breaks leaves open whether the mail was sent", async () => {
    api.answer = "reset";
    expect(await sent()).toMatchObject({
      kind: "unknown",
      error: expect.stringMatching(/^the provider may have taken the mail over: the connection/),
    });
  });

  it("of HTTP leaves open whether the mail was sent", async () => {
    const server = createServer((socket) => {
      socket.once("data", () => socket.end("220 mail.example.com ESMTP\r\n"));
    });
    const url = await listening(server, "http");
    expect(await sent({ url })).toMatchObject({ kind: "unknown" });
    server.close();
  });

  it("at a port that nobody has is an outage", async () => {
    const { url } = api;
    await api.close();
    expect(await sent({ url })).toEqual({
      kind: "retry",
      error: "the provider is not reached: ECONNREFUSED",
      isUnavailable: true,
    });
    api = await startApi({ status: 200 });
  });

  it.each<[string, Error]>([
    ["connection", failed("ETIMEDOUT", "connect")],
    [
      "connection to any of its addresses",
      Object.assign(
        new AggregateError([failed("ETIMEDOUT", "connect"), failed("ENETUNREACH", "connect")]),
        { code: "ETIMEDOUT" },
      ),
    ],
  ])("for want of a %s in time is an outage", async (_, cause) => {
    const unreached = async (): Promise<never> => {
      throw new TypeError("fetch failed", { cause });
    };
    expect(await sent({ fetch: unreached })).toEqual({
      kind: "retry",
      error: "the provider is not reached: ETIMEDOUT",
      isUnavailable: true,
    });
    const broken = async (): Promise<never> => {
      throw new TypeError("fetch failed", { cause: failed("ETIMEDOUT", "read") });
    };
    expect(await sent({ fetch: broken })).toEqual(unknown("the connection broke: ETIMEDOUT"));
  });

  it("of a host that is not there is an outage", async () => {
    expect(await sent({ url: "https://nobody.invalid/emails" })).toMatchObject({
      kind: "retry",
      isUnavailable: true,
    });
  });

  it("over TLS to whom it should be is an outage", async () => {
    const server = createTlsServer(selfSigned(), (socket) => socket.resume());
    server.on("tlsClientError", () => {});
    const url = await listening(server, "https");
    expect(await sent({ url })).toEqual({
      kind: "retry",
      error: expect.stringMatching(/^the provider is not reached: [A-Z_]*CERT/),
      isUnavailable: true,
    });
    server.close();
  });

  it("is waited for by close, after which nothing is sent", async () => {
    api.answer = "hang";
    const stop = new AbortController();
    const mailer = mailerTo();
    const sending = mailer.send(MAIL, { idempotencyKey: "k", signal: stop.signal });
    await api.asked(1);
    const order: string[] = [];
    const closed = mailer.close().then(() => order.push("closed"));
    stop.abort();
    await sending.then(() => order.push("sent"));
    await closed;
    expect(order).toEqual(["sent", "closed"]);
    expect(await mailer.send(MAIL, { idempotencyKey: "k", signal })).toEqual({
      kind: "retry",
      error: "the mailer is closed",
      isUnavailable: true,
    });
    expect(api.requests).toHaveLength(1);
  });
});

it("begins nothing when it is stopped, or when no mail is to be begun", async () => {
  const aborted = AbortSignal.abort();
  expect(await sent({}, { signal: aborted })).toMatchObject({ kind: "retry", isUnbegun: true });
  const late = await sent({}, { beginSignal: aborted });
  expect(late).toMatchObject({ kind: "retry", isUnbegun: true });
  expect(api.requests).toEqual([]);
});

it.each<[Partial<HttpMailerOptions>, RegExp]>([
  [{ url: "http://api.example.com/emails" }, /url must be https/],
  [{ url: `https://user:${KEY}@api.example.com` }, /url must be https/],
  [{ url: "https://api.example.com/#a" }, /url must be https/],
  [{ url: `ftp://${KEY}` }, /url must be https/],
  [{ url: "http://127.0.0.1.example.com/" }, /url must be https/],
  [{ headers: { authorization: `Bearer ${KEY}\r\nx: y` } }, /headers must be/],
  [{ headers: { "Idempotency-Key": KEY } }, /headers must be/],
  [{ headers: { "a b": KEY } }, /headers must be/],
  [{ headers: { a: `é${KEY}` } }, /headers must be/],
  [{ body: [KEY] as unknown as HttpMailerOptions["body"] }, /body must be a JSON object/],
  [{ timeoutMs: 0 }, /timeoutMs must be/],
  [{ timeoutMs: 1.5 }, /timeoutMs must be/],
])("is not made with %j, and says none of it", (options, message) => {
  let thrown: unknown;
  try {
    mailerTo(options);
  } catch (error) {
    thrown = error;
  }
  expect(thrown).toBeInstanceOf(MisconfiguredError);
  expect(String(thrown)).toMatch(message);
  expect(String(thrown)).not.toContain(KEY);
});

/** As the system tells it. */
function failed(code: string, syscall: string): Error {
  return Object.assign(new Error(`${syscall} ${code} 192.0.2.1:443`), { code, syscall });
}

async function listening(
  server: ReturnType<typeof createServer>,
  scheme: "http" | "https",
): Promise<string> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  return `${scheme}://127.0.0.1:${typeof address === "object" ? address?.port : ""}/`;
}
