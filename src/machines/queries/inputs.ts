/** What callers pass beside requests, with its bounds. */
import * as z from "zod/mini";
import { ACTIVITY_KINDS } from "./events.ts";
import { uuidText } from "./fields.ts";
import { DELTA_CHARS_MAX } from "./limits.ts";
import { QUERY_STATUSES } from "./statuses.ts";

/** Milliseconds of a lease, as everywhere. */
const LEASE_MS_MAX = 86_400_000;

const TOKEN_CHARS_MAX = 256;
const REQUEST_ID_CHARS_MAX = 128;

/** Events of one page, and what a page has unless its caller says otherwise (http-api). */
export const EVENTS_PAGE_MAX = 256;

/** Jobs of one page. */
export const JOBS_PAGE_MAX = 100;

const GC_PAGE_MAX = 1_000;

/** Of texts that are cut to what is kept: no more than this comes in. */
const TEXT_CHARS_MAX = 1_048_576;

export const queryInputs = {
  /** A job id or a client job id: a UUID of version 4 in any case, lower-cased (QUERY-15). */
  id: z.pipe(z.string().check(z.trim(), z.toLowerCase()), uuidText),
  generation: z.int().check(z.minimum(1)),
  status: z.enum(QUERY_STATUSES),
  /** A run's token. */
  token: z.string().check(z.minLength(1), z.maxLength(TOKEN_CHARS_MAX)),
  leaseMs: z.int().check(z.minimum(1), z.maximum(LEASE_MS_MAX)),
  /** Visible ASCII. */
  requestId: z
    .string()
    .check(
      z.minLength(1),
      z.maxLength(REQUEST_ID_CHARS_MAX),
      z.regex(/^[\x21-\x7e]*$/, "must be visible ASCII characters"),
    ),
  delta: z.string().check(z.maxLength(DELTA_CHARS_MAX)),
  activityKind: z.enum(ACTIVITY_KINDS),
  text: z.string().check(z.maxLength(TEXT_CHARS_MAX)),
  /** The number of the last event that a reader has; 0: none. */
  after: z.int().check(z.minimum(0)),
  eventsLimit: z.int().check(z.minimum(1), z.maximum(EVENTS_PAGE_MAX)),
  limit: z.int().check(z.minimum(1), z.maximum(JOBS_PAGE_MAX)),
  /** Names that one step of a walk over logs goes through. */
  gcLimit: z.int().check(z.minimum(1), z.maximum(GC_PAGE_MAX)),
};
