/** Schemas of what callers pass beside keys and payloads; none of them changes a value's type. */
import * as z from "zod/mini";
import { jsonProblem } from "../../core/json.ts";
import { ADDRESS_CHARS_MAX } from "../../core/mailbox.ts";
import {
  EMAIL_STATES,
  GENERATED_SUMMARY_CHARS_MAX,
  LAST_ERROR_CHARS_MAX,
  SETTLED_STATES,
  timestamp,
} from "./fields.ts";

/** The longest lease: one day. */
export const LEASE_MS_MAX = 86_400_000;

/** Jobs that one call lists, leases or enqueues. */
export const LIMIT_MAX = 100;

export const REQUEST_ID_CHARS_MAX = 128;
export const TOKEN_CHARS_MAX = 256;

/** Characters of an identifier of the caller's own. */
const ID_CHARS_MAX = 1_024;

/** The cursors that a caller may set; the legacy one can only be read (EMAIL-58). */
export const EMAIL_CURSOR_NAMES = [
  "shareDiscoveryCursor",
  "reminderCursor",
  "firstViewCursor",
  "firstImportCursor",
] as const;

export type EmailCursorName = (typeof EMAIL_CURSOR_NAMES)[number];

const normalAddress = z.pipe(
  z.string().check(z.trim(), z.toLowerCase()),
  z.email().check(z.maxLength(ADDRESS_CHARS_MAX)),
);

const identifier = z.string().check(
  z.trim(),
  z.minLength(1),
  z.maxLength(ID_CHARS_MAX),
  z.refine(
    (text) => jsonProblem(text) === null,
    "must not contain a NUL character or half a surrogate pair",
  ),
);

/** By parameter; a route or a method composes its own from them. */
export const emailInputs = {
  initialState: z.enum(["pending", "awaiting_ai"]),
  /** ISO 8601 with `Z` or an offset. */
  notBefore: timestamp,
  onPayloadMismatch: z.enum(["return", "conflict"]),

  /** Trimmed and lower-case, as the key of a first import has it. */
  firstImportRecipient: normalAddress,
  recordingId: identifier,
  requestedBy: identifier,

  state: z.enum(EMAIL_STATES),
  from: z.array(z.enum(EMAIL_STATES)).check(z.minLength(1), z.maxLength(EMAIL_STATES.length)),
  generatedSummary: z.string().check(z.maxLength(GENERATED_SUMMARY_CHARS_MAX)),
  lastError: z.nullable(z.string().check(z.maxLength(LAST_ERROR_CHARS_MAX))),

  /** Trimmed and lower-cased, then checked (EMAIL-28, EMAIL-30). */
  claimant: normalAddress,
  /** ISO 8601 with `Z` or an offset. */
  staleBefore: timestamp,
  /** A lease or claim token: trimmed, not empty (EMAIL-48). */
  token: z.string().check(z.trim(), z.minLength(1), z.maxLength(TOKEN_CHARS_MAX)),

  /** Milliseconds, whole, from 1 to a day (EMAIL-40). */
  leaseMs: z.int().check(z.minimum(1), z.maximum(LEASE_MS_MAX)),
  /** Visible ASCII. */
  requestId: z
    .string()
    .check(
      z.minLength(1),
      z.maxLength(REQUEST_ID_CHARS_MAX),
      z.regex(/^[\x21-\x7e]*$/, "must be visible ASCII characters"),
    ),
  settleTo: z.enum(SETTLED_STATES),
  limit: z.int().check(z.minimum(1), z.maximum(LIMIT_MAX)),

  cursorName: z.enum(EMAIL_CURSOR_NAMES),
  cursor: z.nullable(
    z.strictObject({
      createdAt: timestamp,
      id: z.string().check(z.minLength(1), z.maxLength(ID_CHARS_MAX)),
    }),
  ),
};
