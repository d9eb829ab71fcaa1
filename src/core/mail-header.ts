/** The rules for the headers of an email, the same where they come in and where they are sent. */

/** Characters of a subject and of a header's value: what one line of a message may hold. */
export const LINE_CHARS_MAX = 998;

/**
 * What a subject may be; length apart. Control characters that neither end a line nor a text are taken,
 * as the original takes them, and sent as spaces.
 */
export const SUBJECT = /^[^\r\n\0]*$/;

export const HEADERS_MAX = 50;

const HEADER_NAME_CHARS_MAX = 100;

/** What a mailer sets itself, lower-case: a second one from outside could redirect or forge a message. */
const MAILER_HEADERS: ReadonlySet<string> = new Set([
  "from",
  "to",
  "cc",
  "bcc",
  "subject",
  "date",
  "message-id",
  "reply-to",
  "sender",
  "content-type",
  "content-transfer-encoding",
  "mime-version",
]);

/**
 * What mail servers and those who pass a mail on set, lower-case: from outside they would name other
 * senders and recipients, a way that the mail did not take, or a check that it did not pass.
 */
const CARRIER_HEADERS: ReadonlySet<string> = new Set([
  "return-path",
  "received",
  "delivered-to",
  "x-original-to",
  "envelope-to",
  "apparently-to",
  "authentication-results",
  "received-spf",
  "dkim-signature",
  "domainkey-signature",
]);

/** The rest of them: whole families. */
const CARRIER_PREFIX = /^(?:resent|arc)-/;

const HEADER_NAME = /^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/;

const CONTROL_CHARACTER = /\p{Cc}/u;

/** Why an application may not set a header of this name, or null. */
export function headerNameProblem(name: string): string | null {
  if (name.length > HEADER_NAME_CHARS_MAX) return `longer than ${HEADER_NAME_CHARS_MAX} characters`;
  if (!HEADER_NAME.test(name)) return "not a header name";
  const lower = name.toLowerCase();
  if (CARRIER_HEADERS.has(lower) || CARRIER_PREFIX.test(lower)) {
    return "a header that only those who carry a mail set";
  }
  return MAILER_HEADERS.has(lower) ? "a header that the mailer sets itself" : null;
}

/** Whether a header may say this; length apart. */
export function isHeaderValue(value: string): boolean {
  return !CONTROL_CHARACTER.test(value);
}
