/** The rules for the headers of an email, the same where they come in and where they are sent. */

/** Characters of a subject and of a header's value: what one line of a message may hold. */
export const LINE_CHARS_MAX = 998;

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
  "return-path",
  "content-type",
  "content-transfer-encoding",
  "mime-version",
]);

const HEADER_NAME = /^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/;

const CONTROL_CHARACTER = /\p{Cc}/u;

/** Why an application may not set a header of this name, or null. */
export function headerNameProblem(name: string): string | null {
  if (name.length > HEADER_NAME_CHARS_MAX) return `longer than ${HEADER_NAME_CHARS_MAX} characters`;
  if (!HEADER_NAME.test(name)) return "not a header name";
  return MAILER_HEADERS.has(name.toLowerCase()) ? "a header that the mailer sets itself" : null;
}

/** Whether a header may say this; length apart. */
export function isHeaderValue(value: string): boolean {
  return !CONTROL_CHARACTER.test(value);
}
