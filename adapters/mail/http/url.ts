/** Where a mail is posted to, and the headers it is posted with. */
import { fieldOf } from "../../../src/core/foreign.ts";

const URL_CHARS_MAX = 2_048;
const HEADERS_MAX = 20;
const HEADER_CHARS_MAX = 4_096;

const HEADER_NAME = /^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$/;

/** What cannot be sent in a header, `fetch` would repeat in its message. */
const HEADER_VALUE = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/;

/** What the mailer or `fetch` sets, lower-case. */
const OWN_HEADERS: ReadonlySet<string> = new Set([
  "idempotency-key",
  "content-type",
  "content-length",
  "transfer-encoding",
  "connection",
  "host",
]);

/**
 * `https:`, or `http:` to a loopback host, where nobody is on the line; null for anything else, and for a
 * URL with a user or a fragment.
 */
export function parseMailUrl(text: string): URL | null {
  if (text.length > URL_CHARS_MAX || /[\s\\#]/.test(text) || !URL.canParse(text)) return null;
  const url = new URL(text);
  if (url.username + url.password !== "") return null;
  if (url.protocol === "https:") return url;
  return url.protocol === "http:" && isLoopback(url.hostname) ? url : null;
}

function isLoopback(host: string): boolean {
  return host === "localhost" || host === "[::1]" || /^127(?:\.\d{1,3}){3}$/.test(host);
}

/** Whether `value` is an object of headers that can be sent beside the mailer's own. */
export function areHeaders(value: unknown): value is Readonly<Record<string, string>> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  const names = Object.keys(value);
  return names.length <= HEADERS_MAX && names.every((name) => isHeader(name, fieldOf(value, name)));
}

function isHeader(name: string, value: unknown): boolean {
  if (!HEADER_NAME.test(name) || OWN_HEADERS.has(name.toLowerCase())) return false;
  return typeof value === "string" && value.length <= HEADER_CHARS_MAX && HEADER_VALUE.test(value);
}

/** What must not come back in a message: the headers' values, also without their scheme, and the query's. */
export function secretsOf(url: URL, headers: Readonly<Record<string, string>>): readonly string[] {
  const given = Object.values(headers);
  const words = given.flatMap((value) => value.split(" "));
  return [...given, ...words, ...words.flatMap(decoded), ...url.searchParams.values()];
}

/** `user:password` of Basic, and the password; nothing of what is no Base64. */
function decoded(word: string): readonly string[] {
  try {
    const text = atob(word);
    return [text, text.slice(text.indexOf(":") + 1)];
  } catch {
    return [];
  }
}
