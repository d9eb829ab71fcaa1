/** A mail as SES takes it. */
import type { SendEmailCommandInput } from "@aws-sdk/client-sesv2";
import { assert } from "../../../src/core/assert.ts";
import { sha256Hex } from "../../../src/core/hash.ts";
import { mailboxText, parseMailbox } from "../../../src/core/mailbox.ts";
import type { Mail } from "../../../src/ports/mailer.ts";

/** In the events of a configuration set. */
export const KEY_TAG = "holdfast-key";

/** What fits as Base64 into an encoded word, which has 75 characters at most (RFC 2047, 2). */
const WORD_BYTES_MAX = 45;

/** `mail` is one without a problem. `configurationSet`: null for none. */
export function messageOf(
  mail: Mail,
  idempotencyKey: string,
  configurationSet: string | null,
): SendEmailCommandInput {
  const headers = Object.entries(mail.headers);
  return {
    FromEmailAddress: mailboxOf(mail.from),
    Destination: { ToAddresses: [mailboxOf(mail.to)] },
    ...(mail.replyTo === null ? {} : { ReplyToAddresses: [mailboxOf(mail.replyTo)] }),
    Content: {
      Simple: {
        Subject: utf8(mail.subject.replace(/\p{Cc}/gu, " ")),
        Body: { Text: utf8(mail.text), ...(mail.html === null ? {} : { Html: utf8(mail.html) }) },
        ...(headers.length === 0
          ? {}
          : { Headers: headers.map(([Name, value]) => ({ Name, Value: asciiOf(value) })) }),
      },
    },
    // What a tag may say is ASCII; of the key's hash nobody reads an address.
    EmailTags: [{ Name: KEY_TAG, Value: sha256Hex(idempotencyKey) }],
    ...(configurationSet === null ? {} : { ConfigurationSetName: configurationSet }),
  };
}

function utf8(text: string): { Data: string; Charset: string } {
  return { Data: text.toWellFormed(), Charset: "UTF-8" };
}

/** SES takes names beyond ASCII as encoded words only. */
function mailboxOf(text: string): string {
  const mailbox = parseMailbox(text);
  assert(mailbox !== null, "a mail with a problem is not sent");
  const { name, address } = mailbox;
  return name === null || isAscii(name) ? mailboxText(mailbox) : `${asciiOf(name)} <${address}>`;
}

function isAscii(text: string): boolean {
  return /^[\x20-\x7e]*$/.test(text);
}

/** `text` itself, or as encoded words (RFC 2047), none of which cuts a character. */
function asciiOf(text: string): string {
  if (isAscii(text)) return text;
  const words: string[] = [];
  let word = "";
  for (const character of text.toWellFormed()) {
    if (Buffer.byteLength(word + character) > WORD_BYTES_MAX) {
      words.push(word);
      word = "";
    }
    word += character;
  }
  return [...words, word]
    .map((one) => `=?UTF-8?B?${Buffer.from(one).toString("base64")}?=`)
    .join(" ");
}
