/** What an SMTP failure means for the mail. */
import type { MailResult } from "../../../src/ports/mailer.ts";
import type { Delivery } from "./connection.ts";
import type { SmtpCredentials } from "./url.ts";

export type Failure = Extract<Delivery, { readonly kind: "failed" }>;

/** What nodemailer writes on its errors. */
interface Told {
  readonly message: string;
  /** The code of the reply that was the failure. */
  readonly responseCode?: unknown;
  readonly response?: unknown;
  /** What it was the reply to; `CONN` for none. */
  readonly command?: unknown;
  readonly code?: unknown;
}

/** Commands whose refusal is about the mail and not about us. */
const MAIL_COMMANDS: ReadonlySet<unknown> = new Set(["MAIL FROM", "RCPT TO", "DATA"]);

/**
 * Permanent by their first digit, and yet no judgement on a mail but on the session or its credentials:
 * command or order not known (502, 503), encryption or authentication needed or refused.
 */
const SESSION_CODES: ReadonlySet<number> = new Set([502, 503, 523, 525, 530, 534, 535, 538]);

/** At MAIL FROM about the mail all the same: over a limit (552), or its size or another parameter (555). */
const PARAMETER_CODES: ReadonlySet<number> = new Set([552, 555]);

/** The same by their enhanced codes (RFC 3463): too long, too big, or an argument that is not taken. */
const PARAMETER_REPLY = /^\d{3}[ -]5\.(?:2\.3|3\.4|5\.4)\b/;

/** The sender's address is not taken, whatever was asked: many servers say so only at RCPT TO. */
const SENDER_REPLY = /^\d{3}[ -]5\.1\.[78]\b/;

/** Where the sender comes from, for whoever reads why nothing leaves. */
const SENDER_REFUSED = "the server refuses the sender (mail.from, HOLDFAST_MAIL_FROM): ";

const ERROR_CHARS_MAX = 500;

/** `credentials` are taken out of what is told: a server may repeat what it was given. */
export function resultOf(failure: Failure, credentials: SmtpCredentials | null): MailResult {
  if (isOwnState(failure.error)) return unavailable(failure.error, credentials);
  const told = toldOf(failure.error, credentials);
  if (isOfSender(failure)) {
    return { kind: "retry", error: sendersFault(failure, told), isUnavailable: true };
  }
  const kind = kindOf(failure);
  return {
    kind,
    error: kind === "unknown" ? `the server may have taken the mail over: ${told}` : told,
  };
}

/** Of a mail that no server is ready to take, so that nothing of it was tried. */
export function unavailable(error: Error, credentials: SmtpCredentials | null): MailResult {
  return { kind: "retry", error: toldOf(error, credentials), isUnavailable: true };
}

/**
 * Whether the server puts off every mail for now, and not this one: asked who it is from, which is the same
 * for all, it is going down, out of space, in trouble (4.3.x), or has had too many of us (4.7.x).
 */
function isOwnState({ command, responseCode: code, response }: Told): boolean {
  if (command !== "MAIL FROM" || typeof code !== "number" || code < 400 || code > 499) return false;
  const enhanced = /^\d{3}[ -]4\.(\d{1,3})\.\d{1,3}\b/.exec(String(response));
  if (code === 421) return true;
  return enhanced === null ? code === 451 || code === 452 : /^[37]$/.test(enhanced[1] ?? "");
}

/** Whether the connection was at its end, so that another may do better. */
export function isStale({ error, isHandedOver }: Failure): boolean {
  const { command, responseCode }: Told = error;
  return !isHandedOver && (!MAIL_COMMANDS.has(command) || responseCode === 421);
}

/**
 * Whether it is for good and about the sender, who is the same for every mail: a fault of the
 * deployment. Taken for a verdict on the mail, it would fail all that are due.
 */
function isOfSender({ error }: Failure): boolean {
  const { command, responseCode, response }: Told = error;
  if (typeof responseCode !== "number" || responseCode < 500 || responseCode > 599) return false;
  const reply = String(response);
  if (command === "RCPT TO") return SENDER_REPLY.test(reply);
  if (command !== "MAIL FROM") return false;
  return !PARAMETER_CODES.has(responseCode) && !PARAMETER_REPLY.test(reply);
}

function sendersFault({ error }: Failure, told: string): string {
  const { responseCode }: Told = error;
  // Without a log-in nobody is let send: that is not for another sender to mend.
  const isOfSession = typeof responseCode === "number" && SESSION_CODES.has(responseCode);
  return isOfSession ? told : SENDER_REFUSED + told;
}

function kindOf({ error, isHandedOver }: Failure): "retry" | "permanent" | "unknown" {
  const { command, responseCode, response, code }: Told = error;
  const isVerdict =
    MAIL_COMMANDS.has(command) && typeof responseCode === "number" && responseCode >= 400;
  if (isVerdict && responseCode < 600) return kindOfReply(responseCode, String(response));
  if (isHandedOver) return "unknown";
  // Larger than the server said it takes: nodemailer does not even ask it.
  return code === "EMESSAGE" && command === "MAIL FROM" ? "permanent" : "retry";
}

function kindOfReply(code: number, reply: string): "retry" | "permanent" {
  if (code < 500 || SESSION_CODES.has(code)) return "retry";
  // An enhanced code that says "later" (RFC 3463) knows better than the first digit.
  return /^\d{3}[ -]4\.\d{1,3}\.\d{1,3}\b/.test(reply) ? "retry" : "permanent";
}

/** One line without the credentials, which a server may repeat. */
export function toldOf(error: Error, credentials: SmtpCredentials | null): string {
  let text = error.message;
  for (const secret of secretsOf(credentials)) text = text.replaceAll(secret, "***");
  return text
    .toWellFormed()
    .replace(/[\p{Cc}\s]+/gu, " ")
    .trim()
    .slice(0, ERROR_CHARS_MAX);
}

/** The password as it is, as it stood in the URL, and as AUTH PLAIN and AUTH LOGIN send it. */
function secretsOf(credentials: SmtpCredentials | null): readonly string[] {
  if (credentials === null) return [];
  const { user, password } = credentials;
  const base64 = (text: string): string => Buffer.from(text, "utf8").toString("base64");
  return [
    base64(`\0${user}\0${password}`),
    base64(password),
    encodeURIComponent(password),
    password,
  ];
}
