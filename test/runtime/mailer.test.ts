/** The mailer of a configuration, also where the package that it needs is missing. */
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { readConfig } from "../../adapters/runtime/config.ts";
import { openMailer } from "../../adapters/runtime/mailer.ts";
import type { Mail } from "../../src/ports/mailer.ts";
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

it("names the package that is missing, and needs none before it is used", async () => {
  const modules = ["config", "mailer"].map((name) =>
    fileURLToPath(new URL(`../../adapters/runtime/${name}.js`, import.meta.url)),
  );
  const hook = `export async function resolve(specifier, context, next) {
    if (!specifier.startsWith("nodemailer")) return next(specifier, context);
    throw Object.assign(new Error("Cannot find package"), { code: "ERR_MODULE_NOT_FOUND" });
  }`;
  const script = `
    import { register } from "node:module";
    register(${JSON.stringify(`data:text/javascript,${encodeURIComponent(hook)}`)});
    const { readConfig } = await import(${JSON.stringify(modules[0])});
    const { openMailer } = await import(${JSON.stringify(modules[1])});
    const env = { HOLDFAST_MAILER: "smtp://a:S3cret@localhost", HOLDFAST_MAIL_FROM: "a@b.example" };
    const captured = await openMailer({ kind: "capture", from: "a@b.example", directory: null });
    await openMailer(readConfig(env).mailer).catch(({ code, message }) =>
      console.log(JSON.stringify([captured !== null, code, message])));`;
  const { stdout } = await promisify(execFile)(process.execPath, [
    "--input-type=module",
    "--eval",
    script,
  ]);
  expect(JSON.parse(stdout)).toEqual([
    true,
    "misconfigured",
    "HOLDFAST_MAILER: mail over SMTP needs the package nodemailer: npm install nodemailer@10",
  ]);
});
