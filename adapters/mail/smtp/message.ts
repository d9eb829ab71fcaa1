/** A mail as the bytes of an SMTP message. */
import MailComposer from "nodemailer/lib/mail-composer";
import { assert } from "../../../src/core/assert.ts";
import { sha256Hex } from "../../../src/core/hash.ts";
import { type Mailbox, parseMailbox } from "../../../src/core/mailbox.ts";
import type { Mail } from "../../../src/ports/mailer.ts";

export interface Message {
  readonly from: string;
  readonly to: string;
  readonly bytes: Buffer;
  /** With its angle brackets. */
  readonly messageId: string;
}

/**
 * `mail` is one without a problem. The Message-ID is made of the key's hash, which tells nobody what the
 * key says, and is no other for a later try: a mailbox that gets both shows one.
 */
export async function composed(mail: Mail, idempotencyKey: string): Promise<Message> {
  const from = mailbox(mail.from);
  const to = mailbox(mail.to);
  const domain = from.address.slice(from.address.lastIndexOf("@") + 1);
  const messageId = `<${sha256Hex(idempotencyKey).slice(0, 40)}@${domain}>`;
  const composer = new MailComposer({
    from: addressed(from),
    to: addressed(to),
    subject: mail.subject.replace(/\p{Cc}/gu, " "),
    text: mail.text,
    ...(mail.html === null ? {} : { html: mail.html }),
    ...(mail.replyTo === null ? {} : { replyTo: addressed(mailbox(mail.replyTo)) }),
    headers: { ...mail.headers },
    messageId,
    // Whatever the text is: long lines come out as they went in, and no server has to convert anything.
    encoding: "quoted-printable",
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return { from: from.address, to: to.address, bytes: await composer.compile().build(), messageId };
}

function mailbox(text: string): Mailbox {
  const found = parseMailbox(text);
  assert(found !== null, "a mail with a problem is not composed");
  return found;
}

// As an object, so that nodemailer does not read the text again and find more than one in it.
function addressed({ name, address }: Mailbox): { name: string; address: string } {
  return { name: name ?? "", address };
}
