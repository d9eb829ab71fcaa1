/** What the documents of several routes have in common: texts, patterns, refusals. */
import * as z from "zod";
import { ADDRESS_CHARS_MAX } from "../core/mailbox.ts";
import type { ProblemCode } from "./problem.ts";
import type { Meta } from "./route-document.ts";

/** A logical key for the document only: the service counts bytes, and looks closer. */
export const KEY_TEXT = {
  minLength: 1,
  maxLength: 1_024,
  pattern: "^[^\\u0000]*[^\\s\\u0000][^\\u0000]*$",
};

/** What no schema of zod's says once it trims and lower-cases. */
export const ADDRESS = { pattern: z.regexes.email.source, maxLength: ADDRESS_CHARS_MAX };

/** Of a move's or a settlement's `lastError`. */
export const LAST_ERROR = "Why; null removes the one before, leaving it out keeps it.";

/** A UUID of version 4 in any case. */
export const UUID_TEXT =
  "^[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-4[0-9A-Fa-f]{3}-[89ABab][0-9A-Fa-f]{3}-[0-9A-Fa-f]{12}$";

/** Of a list's `cursor`. */
export const CURSOR: Meta = {
  description: "The `nextCursor` of the page before; none for the first.",
  pattern: "^[A-Za-z0-9_-]+$",
};

/** Of a job's `generation`. */
export const GENERATION = "Of the job that is meant.";

/** A credential, where an example needs one. */
export const TOKEN = "0b6bd0c1-58a9-4b0e-a6b1-3f9f4b0f7c55";

/** Refusals of every route on one email job. */
export const OF_A_JOB = [
  "job_not_found",
  "job_expired",
  "erased",
  "record_corrupt",
] as const satisfies ProblemCode[];

/** Of every route on one query job. */
export const OF_A_QUERY = [
  "query_job_not_found",
  "record_corrupt",
] as const satisfies ProblemCode[];

/** The same on one job of a known generation. */
export const OF_A_GENERATION = [
  ...OF_A_QUERY,
  "invalid_generation",
  "query_job_generation_mismatch",
] as const satisfies ProblemCode[];
