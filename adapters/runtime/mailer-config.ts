/** What HOLDFAST_MAILER and its like mean. Nothing of nodemailer, an SDK or Node, which need not be there. */
import * as z from "zod/mini";
import { assert } from "../../src/core/assert.ts";
import { parseMailbox } from "../../src/core/mailbox.ts";
import { safeParse } from "../../src/core/safe-parse.ts";
import type { Mailer } from "../../src/ports/mailer.ts";
import { type BodyTemplate, templateProblem } from "../mail/http/template.ts";
import { areHeaders, parseMailUrl } from "../mail/http/url.ts";
import { parseSmtpUrl } from "../mail/smtp/url.ts";
import { meaning, type TextSchema } from "./config-values.ts";
import type { Fault } from "./storage-config.ts";

/** `from`: an address or `Name <address>`. */
export type MailerConfig =
  | { readonly kind: "none" }
  | {
      readonly kind: "capture";
      readonly from: string;
      /** The data folder that mail is put into; null: in memory. */
      readonly directory: string | null;
    }
  | {
      readonly kind: "smtp";
      readonly from: string;
      /** A secret: never to be shown. */
      readonly url: string;
    }
  | {
      readonly kind: "ses";
      readonly from: string;
      /** Null: none. */
      readonly configurationSet: string | null;
    }
  | {
      readonly kind: "http";
      readonly from: string;
      /** A secret, as the headers: never to be shown but for its host. */
      readonly url: string;
      readonly headers: Readonly<Record<string, string>>;
      readonly body: BodyTemplate;
    };

/** What a configuration comes to. */
export interface OpenMailer {
  readonly mailer: Mailer;
  /** Whom every mail is from: an address or `Name <address>`. */
  readonly from: string;
}

type Setting = "none" | "capture" | "ses" | "http" | { readonly url: string };

const WORDS = ["none", "capture", "ses", "http"] as const;

/** No message repeats any of the text: it may have a password. */
export const mailer: TextSchema<Setting> = meaning(
  "none, capture, ses, http, or smtp[s]://[user:password@]host[:port], reserved characters percent-encoded",
  (text) => {
    const word = WORDS.find((one) => one === text);
    if (word !== undefined) return word;
    return parseSmtpUrl(text) === null ? null : { url: text };
  },
);

export const mailFrom: TextSchema<string> = meaning("an address or Name <address>", (text) =>
  parseMailbox(text) === null ? null : text,
);

export const configurationSet: TextSchema<string> = meaning(
  "a configuration set's name, 1 to 64 letters, digits, _ and -",
  (text) => (/^[A-Za-z0-9_-]{1,64}$/.test(text) ? text : null),
);

/** No message repeats any of the text, of this and of the next: there may be keys in it. */
export const mailUrl: TextSchema<string> = meaning(
  "an https URL, or an http URL of a loopback host, without user and fragment",
  (text) => (parseMailUrl(text) === null ? null : text),
);

export const mailHeaders: TextSchema<Readonly<Record<string, string>>> = meaning(
  "a JSON object of at most 20 headers, printable ASCII, none that the mailer sets itself",
  (text) => {
    const value = parsed(text);
    return areHeaders(value) ? value : null;
  },
);

export const mailBody: TextSchema<BodyTemplate> = z.pipe(
  z.string(),
  z.transform((text, context) => {
    const value = parsed(text);
    const problem = templateProblem(value);
    if (problem === null) return value as BodyTemplate;
    context.issues.push({
      code: "custom",
      message: `must be a JSON template: it ${problem}`,
      input: text,
    });
    return z.NEVER;
  }),
);

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The variables of one mailer alone, and which of them it cannot do without. */
const NEEDS: readonly (readonly [string, "ses" | "http", "needed" | "may"])[] = [
  ["HOLDFAST_SES_CONFIGURATION_SET", "ses", "may"],
  ["HOLDFAST_MAIL_HTTP_URL", "http", "needed"],
  ["HOLDFAST_MAIL_HTTP_HEADERS", "http", "may"],
  ["HOLDFAST_MAIL_HTTP_BODY", "http", "needed"],
];

/** What is set and does not go together, or is missing. */
export function mailerFaults(texts: Partial<Record<string, string>>): readonly Fault[] {
  const kind = safeParse(mailer, texts["HOLDFAST_MAILER"] ?? "none").data;
  if (kind === undefined) return [];
  const faults: Fault[] = [];
  if (kind !== "none" && texts["HOLDFAST_MAIL_FROM"] === undefined) {
    faults.push({ name: "HOLDFAST_MAIL_FROM", message: "must be set with HOLDFAST_MAILER" });
  }
  for (const [name, itsKind, need] of NEEDS) {
    const isGiven = texts[name] !== undefined;
    if (isGiven && kind !== itsKind) {
      faults.push({ name, message: `must go with HOLDFAST_MAILER=${itsKind}` });
    }
    if (!isGiven && kind === itsKind && need === "needed") {
      faults.push({ name, message: `must be set with HOLDFAST_MAILER=${itsKind}` });
    }
  }
  return faults;
}

export interface MailerSettings {
  readonly mailer: Setting;
  readonly from: string | null;
  readonly configurationSet: string | null;
  readonly url: string | null;
  readonly headers: Readonly<Record<string, string>> | null;
  readonly body: BodyTemplate | null;
  /** Null where nothing outlives the process. */
  readonly dataDirectory: string | null;
}

/** Of settings that mailerFaults has seen to. */
export function mailerConfig(settings: MailerSettings): MailerConfig {
  const { mailer: setting, from, dataDirectory } = settings;
  if (setting === "none" || from === null) return { kind: "none" };
  if (setting === "ses") return { kind: "ses", from, configurationSet: settings.configurationSet };
  if (setting === "http") {
    const { url, headers, body } = settings;
    assert(url !== null && body !== null, "a mailer without what it needs");
    return { kind: "http", from, url, headers: headers ?? {}, body };
  }
  if (setting !== "capture") return { kind: "smtp", from, url: setting.url };
  return { kind: "capture", from, directory: dataDirectory };
}
