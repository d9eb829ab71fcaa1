/** What callers pass beside keys and results, with its bounds. */
import * as z from "zod/mini";
import { jsonProblem } from "../../core/json.ts";
import { minutes, seconds } from "../../core/time.ts";
import {
  AUTHOR_CHARS_MAX,
  hexDigest,
  NOTE_CHARS_MAX,
  RECEIPT_STATES,
  RESOLUTIONS,
} from "./fields.ts";

/** Milliseconds of a lease, as everywhere. */
const LEASE_MS_MAX = 86_400_000;

/** Receipts of one page, and what a page has unless its caller says otherwise (semantics B6). */
export const RECEIPTS_PAGE_MAX = 128;
export const RECEIPTS_PAGE_DEFAULT = 64;

/** Receipts of one scope (semantics B6, RECEIPT-13). */
export const CAPACITY_MAX = 65_536;
export const CAPACITY_DEFAULT = 8_192;

/** A dispatch's lease unless its caller says otherwise (http-api). */
export const DISPATCH_LEASE_MS = 60_000;

/** How long receipts are kept unless a deployment says otherwise (http-api). */
export const RETENTION_MS = minutes(30 * 24 * 60);

/** After the lease of a dispatch, unless a deployment says otherwise (protocols 0). */
export const DISPATCH_MARGIN_MS = seconds(30);

/** What is told of a resolution whose result is missing, or has no place. */
export const NEEDED_WITH_HAPPENED =
  "is needed with outcome happened: what the operation resulted in";
export const ONLY_WITH_HAPPENED = "goes with outcome happened only; leave it out";

const TOKEN_CHARS_MAX = 256;

/** Room for a key's id and a slash. */
const KEY_ID_CHARS = 64;

const storable = (text: string): boolean => jsonProblem(text) === null;
const UNSTORABLE = "must not contain a NUL character or half a surrogate pair";

export const receiptInputs = {
  id: hexDigest,
  payloadHash: hexDigest,
  state: z.enum(RECEIPT_STATES),
  /** A dispatch token. */
  token: z.string().check(z.minLength(1), z.maxLength(TOKEN_CHARS_MAX)),
  leaseMs: z.int().check(z.minimum(1), z.maximum(LEASE_MS_MAX)),
  /** Of a dispatch that is renewed while its side effect runs: there must be time for that. */
  onceLeaseMs: z.int().check(z.minimum(1_000), z.maximum(LEASE_MS_MAX)),
  waitMs: z.int().check(z.minimum(0), z.maximum(LEASE_MS_MAX)),
  outcome: z.enum(RESOLUTIONS),
  resolvedBy: z
    .string()
    .check(z.minLength(1), z.maxLength(AUTHOR_CHARS_MAX), z.refine(storable, UNSTORABLE)),
  /** The same where it is written behind the id of a key. */
  by: z
    .string()
    .check(
      z.minLength(1),
      z.maxLength(AUTHOR_CHARS_MAX - KEY_ID_CHARS),
      z.refine(storable, UNSTORABLE),
    ),
  note: z.string().check(z.maxLength(NOTE_CHARS_MAX), z.refine(storable, UNSTORABLE)),
  limit: z.int().check(z.minimum(1), z.maximum(RECEIPTS_PAGE_MAX)),
  /** Receipts that one call retires. */
  retireLimit: z.int().check(z.minimum(1), z.maximum(1_000)),
  capacity: z.int().check(z.minimum(1), z.maximum(CAPACITY_MAX)),
};
