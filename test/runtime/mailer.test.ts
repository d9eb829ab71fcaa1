/** The mailer of a configuration, also where the package that it needs is missing. */
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, it, vi } from "vitest";
import { readConfig } from "../../adapters/runtime/config.ts";
import { openMailer } from "../../adapters/runtime/mailer.ts";
import type { Mail } from "../../src/ports/mailer.ts";
import { startApi } from "../adapters/mail/api.ts";
import { startSink } from "../adapters/mail/sink.ts";

const FROM = "Example <jobs@example.com>";

const opened = (env: Record<string, string>) =>
  openMailer(readConfig({ HOLDFAST_STORAGE: "memory", ...env }, () => "").mailer);

const mailFrom = (from: string): Mail => ({
  from,
  to: "ann@example.net",
  subject: "Hello",
  text: "Good to have you here.",
  html: null,
  replyTo: null,
  headers: {},
});

const options = { idempotencyKey: "key", signal: new AbortController().signal };

it("is none by default", async () => {
  expect(await opened({})).toBeNull();
  expect(await opened({ HOLDFAST_MAIL_FROM: FROM })).toBeNull();
});

it("captures, or sends over SMTP, from whom it is told to", async () => {
  const sink = await startSink({ auth: true });
  const urls = ["capture", `smtp://ann:S3cret@127.0.0.1:${sink.port}`];
  for (const HOLDFAST_MAILER of urls) {
    const found = await opened({ HOLDFAST_MAILER, HOLDFAST_MAIL_FROM: FROM });
    expect(found?.from).toBe(FROM);
    const result = await found?.mailer.send(mailFrom(FROM), options);
    expect(result).toMatchObject({ kind: "sent" });
    await found?.mailer.close();
  }
  expect(sink.received).toMatchObject([{ from: "jobs@example.com" }]);
  await sink.close();
});

it("posts to an HTTP API what the environment says", async () => {
  const api = await startApi({ status: 202 });
  const found = await opened({
    HOLDFAST_MAILER: "http",
    HOLDFAST_MAIL_FROM: FROM,
    HOLDFAST_MAIL_HTTP_URL: `${api.url}/send`,
    HOLDFAST_MAIL_HTTP_HEADERS: '{"authorization":"Bearer S3cret"}',
    HOLDFAST_MAIL_HTTP_BODY: '{"from":"{{from}}","to":"{{to}}","html":"{{html?}}"}',
  });
  expect(found?.from).toBe(FROM);
  expect(await found?.mailer.send(mailFrom(FROM), options)).toMatchObject({ kind: "sent" });
  expect(api.requests).toMatchObject([
    {
      path: "/send",
      headers: { authorization: "Bearer S3cret" },
      body: JSON.stringify({ from: FROM, to: "ann@example.net" }),
    },
  ]);
  await found?.mailer.close();
  await api.close();
});

it("sends over SES where the environment says that SES is", async () => {
  const api = await startApi({ status: 200, body: '{"MessageId":"0100-1"}' });
  vi.stubEnv("AWS_REGION", "eu-central-1");
  vi.stubEnv("AWS_ACCESS_KEY_ID", "AKIAEXAMPLE");
  vi.stubEnv("AWS_SECRET_ACCESS_KEY", "S3cret");
  vi.stubEnv("AWS_ENDPOINT_URL_SESV2", api.url);
  try {
    const found = await opened({
      HOLDFAST_MAILER: "ses",
      HOLDFAST_MAIL_FROM: FROM,
      HOLDFAST_SES_CONFIGURATION_SET: "jobs",
    });
    expect(await found?.mailer.send(mailFrom(FROM), options)).toEqual({
      kind: "sent",
      id: "0100-1",
    });
    expect(JSON.parse(api.requests[0]?.body ?? "")).toMatchObject({
      FromEmailAddress: FROM,
      ConfigurationSetName: "jobs",
    });
    await found?.mailer.close();
  } finally {
    vi.unstubAllEnvs();
    await api.close();
  }
});

it("names the package that is missing, and needs none before it is used", async () => {
  const modules = ["config", "mailer"].map((name) =>
    fileURLToPath(new URL(`../../adapters/runtime/${name}.js`, import.meta.url)),
  );
  const hook = `export async function resolve(specifier, context, next) {
    if (!/^(nodemailer|@aws-sdk)/.test(specifier)) return next(specifier, context);
    throw Object.assign(new Error("Cannot find package"), { code: "ERR_MODULE_NOT_FOUND" });
  }`;
  const script = `
    import { register } from "node:module";
    register(${JSON.stringify(`data:text/javascript,${encodeURIComponent(hook)}`)});
    const { readConfig } = await import(${JSON.stringify(modules[0])});
    const { openMailer } = await import(${JSON.stringify(modules[1])});
    const from = { HOLDFAST_MAIL_FROM: "a@b.example" };
    const http = { HOLDFAST_MAIL_HTTP_URL: "https://a.example", HOLDFAST_MAIL_HTTP_BODY: "{}" };
    const envs = [
      { HOLDFAST_MAILER: "capture", HOLDFAST_STORAGE: "memory" },
      { HOLDFAST_MAILER: "http", ...http },
      { HOLDFAST_MAILER: "smtp://a:S3cret@localhost" },
      { HOLDFAST_MAILER: "ses" },
    ];
    const told = envs.map((env) => openMailer(readConfig({ ...from, ...env }).mailer).then(
      () => "opened", ({ code, message }) => code + " " + message));
    console.log(JSON.stringify(await Promise.all(told)));`;
  const { stdout } = await promisify(execFile)(process.execPath, [
    "--input-type=module",
    "--eval",
    script,
  ]);
  expect(JSON.parse(stdout)).toEqual([
    "opened",
    "opened",
    "misconfigured HOLDFAST_MAILER: mail over SMTP needs the package nodemailer: npm install nodemailer@10",
    "misconfigured HOLDFAST_MAILER: ses needs the package @aws-sdk/client-sesv2: npm install @aws-sdk/client-sesv2@3",
  ]);
});
