/** The mailer that a configuration names. */
import { join } from "node:path";
import { assert, unreachable } from "../../src/core/assert.ts";
import type { Mailer } from "../../src/ports/mailer.ts";
import { captureMailer } from "../mail/capture.ts";
import { httpTrouble } from "../mail/http/check.ts";
import { httpMailer } from "../mail/http/index.ts";
import type { SesState } from "../mail/ses/check.ts";
import { parseSmtpUrl } from "../mail/smtp/url.ts";
import type { MailerConfig, OpenMailer } from "./mailer-config.ts";
import { withoutPackage } from "./optional-package.ts";

/**
 * Null where no mailer is configured. Connects to nothing yet. Throws MisconfiguredError when the package
 * that the mailer needs is not installed.
 */
export async function openMailer(config: MailerConfig): Promise<OpenMailer | null> {
  return config.kind === "none" ? null : { from: config.from, mailer: await mailerOf(config) };
}

// What needs a package is loaded here, so that whoever sends otherwise need not have it.
async function mailerOf(config: Exclude<MailerConfig, { readonly kind: "none" }>): Promise<Mailer> {
  switch (config.kind) {
    case "capture": {
      const { directory } = config;
      return captureMailer(directory === null ? {} : { directory: join(directory, "mail") });
    }
    case "smtp": {
      const { smtpMailer } = await import("../mail/smtp/index.ts").catch(withoutNodemailer);
      return smtpMailer({ url: config.url });
    }
    case "ses": {
      const { sesMailer } = await import("../mail/ses/index.ts").catch(withoutSes);
      const { configurationSet } = config;
      return sesMailer(configurationSet === null ? {} : { configurationSet });
    }
    case "http": {
      const { url, headers, body } = config;
      return httpMailer({ url, headers, body });
    }
    default:
      return unreachable(config);
  }
}

const CHECK_MS = 5_000;

/** What keeps the server from taking mail now, null when nothing does; known in five seconds. */
export async function smtpServerTrouble(url: string): Promise<string | null> {
  const server = parseSmtpUrl(url);
  assert(server !== null, "a mailer without its server");
  const { smtpTrouble } = await import("../mail/smtp/check.ts").catch(withoutNodemailer);
  return smtpTrouble(server, CHECK_MS);
}

/** The same of whoever mails are posted to, as far as it is known without posting one. */
export function httpProviderTrouble(url: string): Promise<string | null> {
  return httpTrouble(url, CHECK_MS);
}

/** Whether SES takes mail now; known in five seconds. */
export async function sesAccountState(): Promise<SesState> {
  const { sesState } = await import("../mail/ses/check.ts").catch(withoutSes);
  return sesState({}, CHECK_MS);
}

const withoutNodemailer = withoutPackage(
  "HOLDFAST_MAILER: mail over SMTP needs the package nodemailer",
  "nodemailer@10",
);

const withoutSes = withoutPackage(
  "HOLDFAST_MAILER: ses needs the package @aws-sdk/client-sesv2",
  "@aws-sdk/client-sesv2@3",
);
