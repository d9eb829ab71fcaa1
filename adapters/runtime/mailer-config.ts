/** What HOLDFAST_MAILER and HOLDFAST_MAIL_FROM mean. Nothing of nodemailer, which need not be there. */
import { join } from "node:path";
import { parseMailbox } from "../../src/core/mailbox.ts";
import { parseSmtpUrl } from "../mail/smtp/url.ts";
import { meaning, type TextSchema } from "./config-values.ts";

/** `from`: an address or `Name <address>`. */
export type MailerConfig =
  | { readonly kind: "none" }
  | {
      readonly kind: "capture";
      readonly from: string;
      /** Null: in memory. */
      readonly directory: string | null;
    }
  | {
      readonly kind: "smtp";
      readonly from: string;
      /** A secret: never to be shown. */
      readonly url: string;
    };

type Setting = "none" | "capture" | { readonly url: string };

/** No message repeats any of the text: it may have a password. */
export const mailer: TextSchema<Setting> = meaning(
  "none, capture, or smtp[s]://[user:password@]host[:port], reserved characters percent-encoded",
  (text) => {
    if (text === "none" || text === "capture") return text;
    return parseSmtpUrl(text) === null ? null : { url: text };
  },
);

export const mailFrom: TextSchema<string> = meaning("an address or Name <address>", (text) =>
  parseMailbox(text) === null ? null : text,
);

/** Whether a mailer is named, as it must be, that sends from somebody. */
export function needsFrom(text: string | undefined): boolean {
  const setting = mailer.safeParse(text);
  return setting.success && setting.data !== "none";
}

/** `dataDirectory` is null where nothing outlives the process. */
export function mailerConfig(
  setting: Setting,
  from: string | null,
  dataDirectory: string | null,
): MailerConfig {
  if (setting === "none" || from === null) return { kind: "none" };
  if (setting !== "capture") return { kind: "smtp", from, url: setting.url };
  const directory = dataDirectory === null ? null : join(dataDirectory, "mail");
  return { kind: "capture", from, directory };
}
