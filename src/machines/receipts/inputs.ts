/** What callers pass beside keys and results, with its bounds. */
import * as z from "zod";
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
  token: z.string().min(1).max(TOKEN_CHARS_MAX),
  leaseMs: z.int().min(1).max(LEASE_MS_MAX),
  /** Of a dispatch that is renewed while its side effect runs: there must be time for that. */
  onceLeaseMs: z.int().min(1_000).max(LEASE_MS_MAX),
  waitMs: z.int().min(0).max(LEASE_MS_MAX),
  outcome: z.enum(RESOLUTIONS),
  resolvedBy: z.string().min(1).max(AUTHOR_CHARS_MAX).refine(storable, UNSTORABLE),
  /** The same where it is written behind the id of a key. */
  by: z
    .string()
    .min(1)
    .max(AUTHOR_CHARS_MAX - KEY_ID_CHARS)
    .refine(storable, UNSTORABLE),
  note: z.string().max(NOTE_CHARS_MAX).refine(storable, UNSTORABLE),
  limit: z.int().min(1).max(RECEIPTS_PAGE_MAX),
  /** Receipts that one call retires. */
  retireLimit: z.int().min(1).max(1_000),
  capacity: z.int().min(1).max(CAPACITY_MAX),
};
