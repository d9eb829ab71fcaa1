/** What SES's answers and errors mean for the mail. */
import { fieldOf } from "../../../src/core/foreign.ts";
import type { MailResult } from "../../../src/ports/mailer.ts";
import type { Reply } from "./client.ts";

type Failure = Extract<Reply<unknown>, { readonly kind: "failed" }>;

const names = (text: string): ReadonlySet<string> => new Set(text.split(" "));

/** About the account, its limits, its sender and its configuration: the same for every mail. */
const UNAVAILABLE = names(
  "AccountSuspendedException SendingPausedException MailFromDomainNotVerifiedException " +
    "NotFoundException TooManyRequestsException LimitExceededException ThrottlingException " +
    "Throttling RequestThrottled RequestLimitExceeded ServiceUnavailable " +
    "ServiceUnavailableException AccessDeniedException AccessDenied NotAuthorized OptInRequired " +
    "UnrecognizedClientException InvalidClientTokenId InvalidSignatureException " +
    "SignatureDoesNotMatch IncompleteSignature IncompleteSignatureException ExpiredToken " +
    "ExpiredTokenException MissingAuthenticationToken MissingAuthenticationTokenException " +
    "RequestExpired RequestTimeTooSkewed",
);

/** About this mail: its addresses, its headers, its content. */
const PERMANENT = names("MessageRejected BadRequestException ValidationException");

/** Nothing was sent. A time-out is not among them: it is the same for a connection that was made. */
const NOT_CONNECTED =
  /^(?:ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL|[A-Z_]*CERT[A-Z_]*|UNABLE_TO_VERIFY_LEAF_SIGNATURE)$/;

/** The same in the SDK's words, which has one name for both of its time-outs. */
const NOT_CONNECTED_IN_TIME = /did not establish a connection/;

const MAY_BE_SENT = "SES may have taken the mail over: ";

const ERROR_CHARS_MAX = 500;

/** `from`: the address that the mail is from. */
export function failureResult(failure: Failure, from: string): MailResult {
  const { error, ended, isSent } = failure;
  if (!isSent) {
    if (ended === "stopped") return { kind: "retry", error: "stopped", isUnbegun: true };
    return unavailable(ended === "late" ? "there were no credentials in time" : toldOf(error));
  }
  if (ended !== null) return unknown(ended === "late" ? "no answer in time" : "stopped");
  const status = statusOf(error);
  if (status === null) {
    return isNotConnected(error)
      ? unavailable(`SES is not reached: ${toldOf(error)}`)
      : unknown(toldOf(error));
  }
  return refusalResult(error, status, from);
}

export function unknown(what: string): MailResult {
  return { kind: "unknown", error: MAY_BE_SENT + what };
}

function refusalResult(error: unknown, status: number, from: string): MailResult {
  const name = nameOf(error);
  const told = toldOf(error);
  if (UNAVAILABLE.has(name)) return unavailable(told);
  if (PERMANENT.has(name)) {
    return isOfSender(error, from)
      ? unavailable(`SES refuses the sender (mail.from, HOLDFAST_MAIL_FROM): ${told}`)
      : { kind: "permanent", error: told };
  }
  // A gateway that got no answer either; and a success that cannot be read is none of SES's.
  if (status < 400 || status === 502 || status === 504) return unknown(told);
  if (status === 503 || status === 429) return unavailable(told);
  if (status >= 500 || status === 408) return { kind: "retry", error: told };
  // By its name it is no error of SES's: something else turned the request away.
  return unavailable(`SES did not take the request (status ${status}): ${told}`);
}

function unavailable(error: string): MailResult {
  return { kind: "retry", error, isUnavailable: true };
}

/**
 * Identities that are not verified are told by name: the sender or its domain, and where the account may
 * write to nobody else yet (the sandbox), recipients, of whom another may do.
 */
function isOfSender(error: unknown, from: string): boolean {
  const message = String(fieldOf(error, "message")).toLowerCase();
  const identities = /not verified[^:]*:\s*(.*)$/s.exec(message)?.[1]?.split(/[\s,]+/) ?? [];
  const address = from.toLowerCase();
  return identities.includes(address) || identities.includes(address.replace(/^.*@/, ""));
}

function isNotConnected(error: unknown): boolean {
  const all = fieldOf(error, "errors");
  if (Array.isArray(all)) return all.length > 0 && all.every(isNotConnected);
  return (
    fieldOf(error, "syscall") === "connect" ||
    NOT_CONNECTED.test(String(fieldOf(error, "code"))) ||
    NOT_CONNECTED_IN_TIME.test(String(fieldOf(error, "message")))
  );
}

/** Null: no answer came. */
function statusOf(error: unknown): number | null {
  const status = fieldOf(fieldOf(error, "$metadata"), "httpStatusCode");
  return typeof status === "number" ? status : null;
}

function nameOf(error: unknown): string {
  return String(fieldOf(error, "name"));
}

/** One line: the error's name and what it says. The SDK tells no credentials. */
export function toldOf(error: unknown): string {
  // Several addresses were tried in vain: the error of all has a code and no message.
  const message = fieldOf(error, "message") || fieldOf(error, "code") || "no message";
  return `${nameOf(error)}: ${message}`
    .toWellFormed()
    .replace(/[\p{Cc}\s]+/gu, " ")
    .trim()
    .slice(0, ERROR_CHARS_MAX)
    .toWellFormed();
}
