/** What is told of a job's end beside its text: an error, and how its pictures fared. */
import * as z from "zod/mini";
import { fieldOf } from "../../core/foreign.ts";
import { safeParse } from "../../core/safe-parse.ts";
import { IMAGES_MAX, NOTICE_CHARS_MAX } from "./limits.ts";
import { redacted } from "./redaction.ts";

export type QueryError = {
  readonly code: string;
  readonly message: string;
  readonly retryable?: true;
  readonly retryAfterMs?: number;
};

const ERROR_CODE = /^[A-Za-z0-9_.-]{1,80}$/;

/** Of an error that has no code, and no text. */
const UNNAMED_CODE = "provider_failed";
const NO_TEXT = "The provider gave no reason.";

export const storedError: z.core.$ZodType<QueryError> = z.strictObject({
  code: z.string().check(z.regex(ERROR_CODE)),
  message: z.string(),
  retryable: z.exactOptional(z.literal(true)),
  retryAfterMs: z.exactOptional(z.int().check(z.minimum(0))),
});

/** Any error of a runner's as it is shown: its text redacted, what does not fit left out. */
export function queryErrorOf(value: unknown): QueryError {
  const code = fieldOf(value, "code");
  const message = fieldOf(value, "message");
  const retryAfterMs = fieldOf(value, "retryAfterMs");
  return {
    code: typeof code === "string" && ERROR_CODE.test(code) ? code : UNNAMED_CODE,
    message: noticeOf(typeof message === "string" ? message : "", NO_TEXT).text,
    ...(fieldOf(value, "retryable") === true ? { retryable: true } : {}),
    ...(typeof retryAfterMs === "number" && Number.isFinite(retryAfterMs)
      ? { retryAfterMs: Math.min(Math.max(0, Math.ceil(retryAfterMs)), Number.MAX_SAFE_INTEGER) }
      : {}),
  };
}

/** Of a job that its reader gave up. */
export function canceledError(message = "The query was canceled."): QueryError {
  return { code: "canceled", message };
}

/** Of a job that lost its run: the next generation may do better. */
export function interruptedError(message: string): QueryError {
  return { code: "interrupted", message, retryable: true };
}

/** A text about the run as it is shown; `placeholder` when nothing is left of it. */
export function noticeOf(text: string, placeholder: string): { text: string; isCut: boolean } {
  const shown = redacted(text, NOTICE_CHARS_MAX);
  return shown.text === "" ? { text: placeholder, isCut: false } : shown;
}

export type ImageStats = {
  readonly published: number;
  readonly attached: number;
  readonly rejected: number;
};

const images = z.int().check(z.minimum(0), z.maximum(IMAGES_MAX));

export const storedImageStats: z.core.$ZodType<ImageStats> = z
  .strictObject({ published: images, attached: images, rejected: images })
  .check(z.refine(({ published, attached, rejected }) => attached + rejected <= published));

/** Null unless its numbers fit each other. */
export function imageStatsOf(value: unknown): ImageStats | null {
  const parsed = safeParse(storedImageStats, {
    published: fieldOf(value, "published"),
    attached: fieldOf(value, "attached"),
    rejected: fieldOf(value, "rejected"),
  });
  return parsed.success ? parsed.data : null;
}
