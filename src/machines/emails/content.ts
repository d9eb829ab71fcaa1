/** What is sent of a job: rendered just before, by its kind, and held to what a message may hold. */
import * as z from "zod/mini";
import { issuesOf } from "../../core/issues.ts";
import {
  HEADERS_MAX,
  headerNameProblem,
  isHeaderValue,
  LINE_CHARS_MAX,
  SUBJECT,
} from "../../core/mail-header.ts";
import { ADDRESS_CHARS_MAX } from "../../core/mailbox.ts";
import { safeParse } from "../../core/safe-parse.ts";
import type { StoredEmailJob } from "./job.ts";

/** A message without its addresses. */
export interface EmailContent {
  /** One line of 1 to 998 characters, without NUL. */
  readonly subject: string;
  /** 1 to 500,000 characters, as `html`. */
  readonly text: string;
  readonly html?: string | null;
  readonly replyTo?: string | null;
  /** At most 50; not those that a mailer sets itself, such as From or Date. */
  readonly headers?: Readonly<Record<string, string>>;
}

export interface PrepareContext {
  /** Aborted when nobody waits for the answer any more. */
  readonly signal: AbortSignal;
  /** ISO 8601. */
  readonly now: string;
  /**
   * Since when emails are made, as sources are told it; ISO 8601. Null when the configuration could not
   * be read this time.
   */
  readonly since: string | null;
  /** Whose job it is; null: the default tenant's. */
  readonly tenant: string | null;
}

/**
 * Whether a job is still to be sent, asked just before, and what: null when it is not, and the job is
 * then cancelled. A throw is an attempt that failed. Called once for every attempt, so it must not
 * change anything.
 */
export type PrepareEmail = (
  job: StoredEmailJob,
  context: PrepareContext,
) => Promise<EmailContent | null> | EmailContent | null;

/** Characters of each body of a rendered message: five times what a stored `message` brings. */
export const CONTENT_CHARS_MAX = 500_000;

/** Schemas of the parts of a message whose bodies have at most `bodyCharsMax` characters each. */
export function messageParts(bodyCharsMax: number) {
  return {
    subject: z
      .string()
      .check(z.minLength(1), z.maxLength(LINE_CHARS_MAX), z.regex(SUBJECT, "must be one line")),
    body: z.string().check(z.minLength(1), z.maxLength(bodyCharsMax)),
    replyTo: z.email().check(z.maxLength(ADDRESS_CHARS_MAX)),
    headers: headers(),
  };
}

function headers(): z.core.$ZodType<Record<string, string>> {
  const value = z
    .string()
    .check(z.maxLength(LINE_CHARS_MAX), z.refine(isHeaderValue, "must have no control characters"));
  return z.record(z.string(), value).check(
    z.superRefine((record, context) => {
      const names = Object.keys(record);
      if (names.length > HEADERS_MAX) {
        context.addIssue({ code: "custom", message: `more than ${HEADERS_MAX} headers` });
        return;
      }
      for (const name of names) {
        const problem = headerNameProblem(name);
        if (problem !== null) context.addIssue({ code: "custom", path: [name], message: problem });
      }
    }),
  );
}

const parts = messageParts(CONTENT_CHARS_MAX);

const preparedContent = z.nullable(
  z.strictObject({
    subject: parts.subject,
    text: parts.body,
    html: z.nullish(parts.body),
    replyTo: z.nullish(parts.replyTo),
    headers: z.optional(parts.headers),
  }),
);

/** Everything of a message but its addresses. */
export type CheckedContent = Required<EmailContent>;

export type ParsedContent =
  | { readonly ok: true; readonly content: CheckedContent | null }
  | { readonly ok: false; readonly reason: string };

/** Stands before the reason for which a job's content was refused, in its last error. */
export const INVALID_CONTENT = "invalid content: ";

/** What a kind's `prepare` answered; `reason` names what is wrong without the content. */
export function parseContent(answer: unknown): ParsedContent {
  const parsed = safeParse(preparedContent, answer);
  if (!parsed.success) {
    const issues = issuesOf(parsed.error).map(({ path, message }) => `${path} ${message}`.trim());
    return { ok: false, reason: issues.join("; ") };
  }
  if (parsed.data === null) return { ok: true, content: null };
  const { subject, text, html = null, replyTo = null, headers = {} } = parsed.data;
  return { ok: true, content: { subject, text, html, replyTo, headers } };
}
