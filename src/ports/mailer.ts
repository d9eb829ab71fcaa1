/** How emails leave: one mail to one recipient, and an honest answer about what became of it. */
import {
  HEADERS_MAX,
  headerNameProblem,
  isHeaderValue,
  LINE_CHARS_MAX,
  SUBJECT,
} from "../core/mail-header.ts";
import { parseMailbox } from "../core/mailbox.ts";

export interface Mail {
  /** An address or `Name <address>`, as in `to` and `replyTo`. */
  readonly from: string;
  /** One recipient. */
  readonly to: string;
  /** One line, without NUL. */
  readonly subject: string;
  readonly text: string;
  readonly html: string | null;
  readonly replyTo: string | null;
  /** Beside those that a mailer sets itself; such a name is refused. */
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * - `sent`: whoever the mailer talks to has taken the mail over, and answers for it from now on. `id` is
 *   its name there (for SMTP the Message-ID), null where it has none.
 * - `retry`: surely not sent, and a later try may fare better. With `isUnavailable` nothing of this mail was
 *   tried, for a fault of the deployment and not of the mail: a server that is not reached, a wrong
 *   password, a certificate, a sender that is not let send. Such a try costs the mail none of its attempts,
 *   however often it happens, so it must not be said of what the mail itself may be the cause of. With
 *   `isUnbegun` nothing of it was tried either, since its turn had not come when no mail was to be begun
 *   any more.
 * - `permanent`: surely not sent, and this mail never will be: the address or the content was refused.
 * - `unknown`: the whole mail was handed over, and no answer came that says what became of it. It may be
 *   sent, or still be.
 *
 * `error` is one line for a person, without any credential; it may have the address, as servers repeat it.
 */
export type MailResult =
  | { readonly kind: "sent"; readonly id: string | null }
  | {
      readonly kind: "retry";
      readonly error: string;
      readonly isUnavailable?: boolean;
      readonly isUnbegun?: boolean;
    }
  | { readonly kind: "permanent" | "unknown"; readonly error: string };

export interface SendOptions {
  /**
   * Names this mail: every try to send it has the same one, every other mail another. It is the job's
   * logical key, or `sha256:` and 64 digits where that alone would not tell two mails apart. A provider
   * that knows such keys sends once; over SMTP all tries have the same Message-ID.
   */
  readonly idempotencyKey: string;
  /** Ends the try soon: `retry` before the mail was handed over, `unknown` after. */
  readonly signal: AbortSignal;
  /**
   * Aborted when no mail is to be begun any more: what is begun after it would be cut off. A mailer in
   * which mails wait for their turn looks at it when the turn comes, and answers `isUnbegun`.
   */
  readonly beginSignal?: AbortSignal;
}

export interface Mailer {
  /**
   * One try, in bounded time, any number at once. Repeats inside only what surely was not sent. Never
   * rejects because of the world or of the mail: those are results. After `close` it answers `retry`, and
   * that it is unavailable.
   */
  send(mail: Mail, options: SendOptions): Promise<MailResult>;

  /** Waits for the tries in flight and lets go of all connections. */
  close(): Promise<void>;
}

/**
 * What keeps `mail` from being sent by any mailer, or null: an address that is none or several, a line
 * break where there is one line, a header that is not an application's to set. Names the field, and no
 * value. A mailer asks this first, and answers `permanent`.
 */
export function mailProblem(mail: Mail): string | null {
  if (parseMailbox(mail.from) === null) return "from: not one address";
  if (parseMailbox(mail.to) === null) return "to: not one address";
  if (mail.replyTo !== null && parseMailbox(mail.replyTo) === null) {
    return "replyTo: not one address";
  }
  if (!SUBJECT.test(mail.subject)) return "subject: not one line";
  if (mail.subject.length > LINE_CHARS_MAX) return `subject: over ${LINE_CHARS_MAX} characters`;
  return headersProblem(Object.entries(mail.headers));
}

function headersProblem(headers: readonly (readonly [string, string])[]): string | null {
  if (headers.length > HEADERS_MAX) return `headers: more than ${HEADERS_MAX}`;
  for (const [name, value] of headers) {
    const problem = headerNameProblem(name);
    if (problem !== null) return `headers: ${problem}`;
    if (!isHeaderValue(value)) return `headers: ${name} has control characters`;
    if (value.length > LINE_CHARS_MAX) return `headers: ${name} over ${LINE_CHARS_MAX} characters`;
  }
  return null;
}
