/** The mailer that a configuration names. */
import { assert } from "../../src/core/assert.ts";
import type { Mailer } from "../../src/ports/mailer.ts";
import { captureMailer } from "../mail/capture.ts";
import { parseSmtpUrl } from "../mail/smtp/url.ts";
import type { MailerConfig } from "./mailer-config.ts";
import { withoutPackage } from "./optional-package.ts";

type SmtpConfig = Extract<MailerConfig, { readonly kind: "smtp" }>;

export interface OpenMailer {
  readonly mailer: Mailer;
  /** Whom every mail is from: an address or `Name <address>`. */
  readonly from: string;
}

/**
 * Null where no mailer is configured. Connects to nothing yet. Throws MisconfiguredError when the package
 * that the mailer needs is not installed.
 */
export async function openMailer(config: MailerConfig): Promise<OpenMailer | null> {
  if (config.kind === "none") return null;
  const { from } = config;
  if (config.kind === "capture") {
    const { directory } = config;
    return { from, mailer: captureMailer(directory === null ? {} : { directory }) };
  }
  // Loaded here, so that whoever sends no mail needs no nodemailer.
  const { smtpMailer } = await import("../mail/smtp/index.ts").catch(withoutNodemailer);
  return { from, mailer: smtpMailer({ url: config.url }) };
}

const CHECK_MS = 5_000;

/** What keeps the server from taking mail now, null when nothing does; known in five seconds. */
export async function mailTrouble({ url }: SmtpConfig): Promise<string | null> {
  const server = parseSmtpUrl(url);
  assert(server !== null, "a mailer without its server");
  const { smtpTrouble } = await import("../mail/smtp/check.ts").catch(withoutNodemailer);
  return smtpTrouble(server, CHECK_MS);
}

const withoutNodemailer = withoutPackage(
  "HOLDFAST_MAILER: mail over SMTP needs the package nodemailer",
  "nodemailer@10",
);
