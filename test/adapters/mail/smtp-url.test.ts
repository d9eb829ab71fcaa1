/** What an SMTP URL means, when it asks for encryption, and that a wrong one is not repeated. */
import { describe, expect, it } from "vitest";
import { smtpMailer } from "../../../adapters/mail/smtp/index.ts";
import { parseSmtpUrl } from "../../../adapters/mail/smtp/url.ts";
import { MisconfiguredError } from "../../../src/ports/faults.ts";

describe("an SMTP URL", () => {
  const server = { host: "mx.example.com", port: 587, credentials: null };
  const credentials = { user: "ann", password: "p:/@ü" };
  it.each([
    ["smtp://mx.example.com", { ...server, tls: "optional" }],
    ["SMTP://MX.example.com/", { ...server, tls: "optional" }],
    ["smtps://mx.example.com", { ...server, port: 465, tls: "implicit" }],
    ["smtp://mx.example.com:25?tls=required", { ...server, port: 25, tls: "required" }],
    ["smtp://mx.example.com?tls=off", { ...server, tls: "off" }],
    ["smtp://ann:p%3A%2F%40%C3%BC@mx.example.com", { ...server, credentials, tls: "required" }],
    [
      "smtp://ann:p%3A%2F%40%C3%BC@mx.example.com?tls=optional",
      { ...server, credentials, tls: "optional" },
    ],
    ["smtp://ann:p%3A%2F%40%C3%BC@127.0.0.1:1025", { host: "127.0.0.1", port: 1025, tls: "off" }],
    ["smtp://ann:p%3A%2F%40%C3%BC@LOCALHOST", { host: "localhost", tls: "off" }],
    ["smtp://[::1]:25", { host: "::1", port: 25, tls: "off" }],
    ["smtp://[0:0::1]:25?tls=required", { host: "::1", port: 25, tls: "required" }],
    ["smtp://a:b@localhost.example.com", { host: "localhost.example.com", tls: "required" }],
    ["smtp://a:b@127.0.0.1.example.com", { tls: "required" }],
  ])("%s is understood", (url, expected) => {
    expect(parseSmtpUrl(url)).toMatchObject(expected);
  });

  it.each([
    "",
    "mx.example.com",
    "http://mx.example.com",
    "smtp:",
    "smtp:mx.example.com",
    "smtp://",
    "smtp://ann@mx.example.com",
    "smtp://:secret@mx.example.com",
    "smtp://ann:%E0%A4%A@mx.example.com",
    "smtp://ann:100%@mx.example.com",
    "smtp://mx.example.com/path",
    "smtp://mx.example.com#x",
    "smtp://mx.example.com:0",
    "smtp://mx.example.com:70000",
    "smtp://mx.example.com?tls=maybe",
    "smtp://mx.example.com?tls=off&tls=off",
    "smtp://mx.example.com?ssl=on",
    "smtps://mx.example.com?tls=optional",
    "smtp://mx example.com",
    "smtp://mx.exa%6Dple.com",
    " smtp://mx.example.com",
    "smtp://mx.example.com\n",
    `smtp://${"a".repeat(300)}.example.com`,
  ])("%j is refused, without being repeated", (url) => {
    expect(parseSmtpUrl(url)).toBeNull();
    const made = (): unknown => smtpMailer({ url });
    expect(made).toThrow(MisconfiguredError);
    expect(made).toThrow(/^smtpMailer: url must be smtp\[s\]:\/\/\[user:password@\]host\[:port\]$/);
  });

  it.each([
    { connections: 0 },
    { connections: 101 },
    { connections: 1.5 },
    { limits: { sendMs: 0 } },
    { limits: { connectMs: Number.NaN } },
    { limits: { socketMs: 2 ** 31 } },
  ])("beside %j is refused", (options) => {
    expect(() => smtpMailer({ url: "smtp://localhost", ...options })).toThrow(MisconfiguredError);
  });
});
