/** What the texts of environment variables mean, and what is told of one that means nothing. */
import * as z from "zod/mini";
import { safeParse } from "../../src/core/safe-parse.ts";
import { isKey, type KeyEntry, keyEntries } from "../../src/http/keys.ts";
import { isTicketSecret, SECRET_MUST_BE } from "../../src/http/tickets.ts";
import { CAPACITY_MAX } from "../../src/machines/receipts/inputs.ts";

/** A text and what it was read as; every message of it says what the text must be. */
export type TextSchema<T> = z.core.$ZodType<T, string>;

/** Most file systems have no longer path. */
const PATH_CHARS_MAX = 4_096;
const URL_CHARS_MAX = 2_048;
const ORIGINS_MAX = 100;

/** Entries of HOLDFAST_KEYS that are wrong are told up to this many. */
const KEY_FAULTS_MAX = 5;

/** What `read` makes of a text; null: it means nothing. `read` must not throw. */
export function meaning<T>(mustBe: string, read: (text: string) => T | null): TextSchema<T> {
  return z.pipe(
    z.string(),
    z.transform((text, context) => {
      const value = read(text);
      if (value !== null) return value;
      context.issues.push({ code: "custom", message: `must be ${mustBe}`, input: text });
      return z.NEVER;
    }),
  );
}

export function wholeNumber(min: number, max: number): TextSchema<number> {
  return meaning(`a whole number from ${min} to ${max}`, (text) => numberOf(text, min, max));
}

/** The same, or 0, which turns off what the number is about. */
export function wholeNumberOrOff(min: number, max: number): TextSchema<number> {
  return meaning(`0 or a whole number from ${min} to ${max}`, (text) =>
    text === "0" ? 0 : numberOf(text, min, max),
  );
}

/** The same where 0 would say another thing than that there is none. */
function wholeNumberOrWord(min: number, max: number): TextSchema<number | "off"> {
  return meaning(`off or a whole number from ${min} to ${max}`, (text) =>
    text === "off" ? text : numberOf(text, min, max),
  );
}

/** How many receipts a workspace may have. */
export const capacity = wholeNumberOrWord(1, CAPACITY_MAX);

/** How long an accepted query may wait, in milliseconds. */
export const admissionTimeout = wholeNumberOrWord(1_000, 86_400_000);

function numberOf(text: string, min: number, max: number): number | null {
  // No signs, blanks, exponents and leading zeros: each of them is rather a slip than a number.
  if (!/^(?:0|[1-9]\d{0,8})$/.test(text)) return null;
  const number = Number(text);
  return number >= min && number <= max ? number : null;
}

export const path: TextSchema<string> = meaning("a path", (text) =>
  text.length <= PATH_CHARS_MAX && text.trim() !== "" && !text.includes("\0") ? text : null,
);

export const host: TextSchema<string> = meaning(
  "an IP address (IPv6 without brackets) or a host name, without a port",
  (text) => {
    // Resolvers read a name that ends in a number as some address, and not all as the same.
    const isNumeric = /(?:^|\.)\d+$/.test(text);
    const isName = !isNumeric && /^[a-z0-9](?:[a-z0-9._-]{0,251}[a-z0-9])?$/i.test(text);
    return isName || isIpv4(text) || isIpv6(text) ? text : null;
  },
);

/** Whether only this machine reaches a server on `address`: 127.0.0.0/8, ::1, localhost. */
export function isLoopback(address: string): boolean {
  if (isIpv4(address)) return address.startsWith("127.");
  if (isIpv6(address)) return new URL(`http://[${address}]`).hostname === "[::1]";
  return address.toLowerCase() === "localhost";
}

/** Where a service is, without a slash at the end. */
export const serviceUrl: TextSchema<string> = meaning(
  "an http or https URL without user, query and fragment",
  (text) => {
    const isPlain = /^https?:\/\/[^\s\\?#]+$/i.test(text) && text.length <= URL_CHARS_MAX;
    if (!isPlain || !URL.canParse(text)) return null;
    const { origin, pathname, username, password } = new URL(text);
    return username + password === "" ? origin + pathname.replace(/\/+$/, "") : null;
  },
);

/** Each once, in their order. */
export const origins: TextSchema<readonly string[]> = meaning(
  `at most ${ORIGINS_MAX} origins with commas between them, each exactly as browsers send it: scheme://host[:port], no path, no *`,
  (text) => {
    const all = [...new Set(text.split(",").map((origin) => origin.trim()))];
    return all.length <= ORIGINS_MAX && all.every(isOrigin) ? all : null;
  },
);

export const key: TextSchema<string> = meaning("a key as `holdfast key new` prints it", (text) =>
  isKey(text) ? text : null,
);

export const secret: TextSchema<string> = meaning(
  `${SECRET_MUST_BE}, random ones as \`openssl rand -hex 32\` prints them`,
  (text) => (isTicketSecret(text) ? text : null),
);

/** JSON. No message repeats any of the text: a key may have got into it by mistake. */
export const keys: TextSchema<readonly KeyEntry[]> = z.pipe(
  z.string(),
  z.transform((text, context) => {
    const fault = (message: string): never => {
      context.issues.push({ code: "custom", message, input: text });
      return z.NEVER;
    };
    const value = parsed(text);
    if (value === undefined) return fault("must be JSON, or @ and the path of a file with JSON");
    const found = safeParse(keyEntries, value);
    // Taking the last key away must not open the service to everybody.
    if (found.data?.length === 0)
      return fault("must hold a key; leave it out to serve this host only");
    if (found.success) return found.data;
    if (!Array.isArray(value)) {
      return fault("must be an array of {id, tenant?, scopes, sha256}: put [ ] around the entries");
    }
    const faults = found.error.issues.slice(0, KEY_FAULTS_MAX).map(keyFault);
    return fault(`must be an array of {id, tenant?, scopes, sha256}: ${faults.join("; ")}`);
  }),
);

function isIpv4(text: string): boolean {
  return safeParse(z.ipv4(), text).success;
}

function isIpv6(text: string): boolean {
  return safeParse(z.ipv6(), text).success;
}

function isOrigin(text: string): boolean {
  if (text.length > URL_CHARS_MAX || text.includes("*")) return false;
  if (/^https?:/.test(text)) return URL.canParse(text) && new URL(text).origin === text;
  // Of the web views of phones, and of browser extensions.
  return /^[a-z][a-z0-9+.-]*:\/\/[a-z0-9._-]+(?::\d{1,5})?$/.test(text);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Not with the names of unknown properties, which are part of the text. */
function keyFault(issue: z.core.$ZodIssue): string {
  const place = issue.path
    .map((part) => (typeof part === "number" ? `[${part}]` : `.${String(part)}`))
    .join("");
  const what = issue.code === "unrecognized_keys" ? "has an unknown property" : issue.message;
  return `${place} ${what}`.trim();
}
