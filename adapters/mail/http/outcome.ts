/** What a provider's answer means for the mail, and what it means that there is none. */
import { fieldOf } from "../../../src/core/foreign.ts";
import type { MailResult } from "../../../src/ports/mailer.ts";
import { toldOnOneLine } from "../../../src/ports/runner-failures.ts";

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  /** As much of the body as there is. */
  readonly text: string;
}

/**
 * About us and not about the mail: no money left (402), a key that is not known or may not do this (401,
 * 403), nothing there that takes mails (404, 405, 410), a format that is not taken (406, 415), too many
 * from us (429), down (503). A redirect is not followed: mails and keys are for the one address alone.
 */
const UNAVAILABLE: ReadonlySet<number> = new Set([
  ...[301, 302, 307, 308],
  ...[401, 402, 403, 404, 405, 406, 410, 415, 429, 503],
]);

/** The mail is still on its way from an earlier try (409), or it came too slowly or too early (408, 425). */
const LATER: ReadonlySet<number> = new Set([408, 409, 425]);

/**
 * Said by whoever stands before the provider and got no answer from it either (502, 504; 520 and 524 of
 * Cloudflare); or by one that has done what was asked and says where to look (303).
 */
const UNANSWERED: ReadonlySet<number> = new Set([303, 502, 504, 520, 524]);

/**
 * Postmark's words for a sender that is not known or not confirmed, credits that are spent and an account
 * that is closed, all of status 422.
 */
const UNAVAILABLE_CODES: ReadonlySet<unknown> = new Set([400, 401, 405, 413]);

const MAY_BE_SENT = "the provider may have taken the mail over: ";

const TOLD_CHARS_MAX = 400;
const ID_CHARS_MAX = 200;

/** `secrets` do not come back in what is told. */
export function resultOf(answer: Answer, secrets: readonly string[]): MailResult {
  const { status, text } = answer;
  const body = jsonOrNull(text);
  if (status >= 200 && status < 300) {
    if (/^\s*<(?:!doctype|html)\b/i.test(text)) {
      // Of a proxy, or of a URL that is none of an API: with a mail it has nothing to do.
      return { kind: "unknown", error: `${MAY_BE_SENT}it answered with a web page (${status})` };
    }
    return { kind: "sent", id: idIn(answer, body) };
  }
  const error = `the provider answered with status ${status}${saidIn(body, secrets)}`;
  if (UNAVAILABLE.has(status) || (status === 422 && isOfAccount(body))) {
    return { kind: "retry", error, isUnavailable: true };
  }
  if (UNANSWERED.has(status)) return { kind: "unknown", error: MAY_BE_SENT + error };
  const isForGood = status >= 400 && status < 500 && !LATER.has(status);
  return { kind: isForGood ? "permanent" : "retry", error };
}

function isOfAccount(body: unknown): boolean {
  return UNAVAILABLE_CODES.has(fieldOf(body, "ErrorCode"));
}

/** Nothing was sent: there was no connection to send it over. */
const NOT_CONNECTED =
  /^(?:ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL|UND_ERR_CONNECT_TIMEOUT|ERR_SSL_WRONG_VERSION_NUMBER|[A-Z_]*CERT[A-Z_]*|UNABLE_TO_VERIFY_LEAF_SIGNATURE)$/;

/**
 * Of a request that failed with `error`, or was ended because of `ended`. Only Node says why a request
 * failed; elsewhere nobody knows how far it got.
 */
export function unansweredResult(error: unknown, ended: string | null): MailResult {
  if (ended !== null) return { kind: "unknown", error: MAY_BE_SENT + ended };
  const code = codeOf(error);
  if (isNotConnected(fieldOf(error, "cause"))) {
    return { kind: "retry", error: `the provider is not reached${code}`, isUnavailable: true };
  }
  return { kind: "unknown", error: `${MAY_BE_SENT}the connection broke${code}` };
}

function isNotConnected(cause: unknown): boolean {
  // Several addresses were tried in vain.
  const all = fieldOf(cause, "errors");
  if (Array.isArray(all)) return all.length > 0 && all.every(isNotConnected);
  return (
    fieldOf(cause, "syscall") === "connect" || NOT_CONNECTED.test(String(fieldOf(cause, "code")))
  );
}

/** The system's code: whatever else `fetch` says may repeat the address, which may have a key. */
export function codeOf(error: unknown): string {
  const code = fieldOf(fieldOf(error, "cause"), "code");
  return typeof code === "string" && /^[A-Z_]{2,40}$/.test(code) ? `: ${code}` : "";
}

/** As common providers tell it: Resend, Mailgun; Postmark; Brevo; SendGrid. */
function idIn({ headers }: Answer, body: unknown): string | null {
  const ids = [fieldOf(body, "id"), fieldOf(body, "MessageID"), fieldOf(body, "messageId")];
  const id = [...ids, headers.get("x-message-id")].find(
    (one) => typeof one === "string" && one !== "" && one.length <= ID_CHARS_MAX,
  );
  return typeof id === "string" ? id : null;
}

/** What the provider says of it, behind a colon; nothing of a body that is not as theirs are. */
function saidIn(body: unknown, secrets: readonly string[]): string {
  const error = fieldOf(body, "error");
  const [first] = [fieldOf(body, "errors")].flat();
  const texts = [
    ...[fieldOf(body, "message"), fieldOf(body, "Message"), fieldOf(error, "message"), error],
    ...[fieldOf(first, "message"), fieldOf(body, "detail")],
  ];
  const text = texts.find((one) => typeof one === "string");
  if (typeof text !== "string") return "";
  const told = toldOnOneLine(text, secrets).slice(0, TOLD_CHARS_MAX).toWellFormed();
  return told === "" ? "" : `: ${told}`;
}

function jsonOrNull(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
