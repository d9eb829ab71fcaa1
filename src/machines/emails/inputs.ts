/** Schemas of what callers pass beside keys and payloads; none of them changes a value's type. */
import * as z from "zod";
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

const normalAddress = z.string().trim().toLowerCase().pipe(z.email().max(ADDRESS_CHARS_MAX));

const identifier = z
  .string()
  .trim()
  .min(1)
  .max(ID_CHARS_MAX)
  .refine(
    (text) => jsonProblem(text) === null,
    "must not contain a NUL character or half a surrogate pair",
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
  from: z.array(z.enum(EMAIL_STATES)).min(1).max(EMAIL_STATES.length),
  generatedSummary: z.string().max(GENERATED_SUMMARY_CHARS_MAX),
  lastError: z.string().max(LAST_ERROR_CHARS_MAX).nullable(),

  /** Trimmed and lower-cased, then checked (EMAIL-28, EMAIL-30). */
  claimant: normalAddress,
  /** ISO 8601 with `Z` or an offset. */
  staleBefore: timestamp,
  /** A lease or claim token: trimmed, not empty (EMAIL-48). */
  token: z.string().trim().min(1).max(TOKEN_CHARS_MAX),

  /** Milliseconds, whole, from 1 to a day (EMAIL-40). */
  leaseMs: z.int().min(1).max(LEASE_MS_MAX),
  /** Visible ASCII. */
  requestId: z
    .string()
    .min(1)
    .max(REQUEST_ID_CHARS_MAX)
    .regex(/^[\x21-\x7e]*$/, "must be visible ASCII characters"),
  settleTo: z.enum(SETTLED_STATES),
  limit: z.int().min(1).max(LIMIT_MAX),

  cursorName: z.enum(EMAIL_CURSOR_NAMES),
  cursor: z
    .strictObject({ createdAt: timestamp, id: z.string().min(1).max(ID_CHARS_MAX) })
    .nullable(),
};
