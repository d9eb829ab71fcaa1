/** The email job: its identity, what is stored of it, and how that is read and written. */
import { unreachable } from "../../core/assert.ts";
import { sha256Hex } from "../../core/hash.ts";
import { reasonOf } from "../../core/issues.ts";
import { hasLoneSurrogate, type JsonObject, type JsonValue, utf8Length } from "../../core/json.ts";
import { safeParse } from "../../core/safe-parse.ts";
import {
  EMAIL_STATES,
  type EmailStateName,
  FIELDS_AFTER_PAYLOAD,
  FIELDS_BEFORE_PAYLOAD,
  JOB_FIELDS,
  LOGICAL_KEY_BYTES_MAX,
  type SettledState,
} from "./fields.ts";
import type { EmailJob, EmailStamps, StoredEmailJob } from "./job.ts";
import type { EmailKinds } from "./kinds.ts";
import { storedErased, storedExpired, storedExtra, storedJob } from "./stored.ts";

export type { EmailJob, EmailStamps, StoredEmailJob } from "./job.ts";
export { EMAIL_STATES, type EmailStateName };

/** The settlement that ended the latest lease: what answers its repeat (protocols 2.1). */
export type EmailSettlement = {
  /** SHA-256 of the lease token, in hex: the token itself is spent and need not be kept. */
  readonly tokenHash: string;
  readonly to: SettledState;
};

/** What is kept beside the original's fields. A record of the original store has the defaults. */
export interface EmailExtra {
  /** Lease acquisitions ever; never reset, so that it names one holder. Default 0. */
  readonly epoch: number;
  /** The mark of the call that acquired the present lease; null without one. */
  readonly requestId: string | null;
  readonly lastSettlement: EmailSettlement | null;
  /** Minted for each AI claim; null outside of `ai_dispatched`. */
  readonly claimToken: string | null;
  /** Not delivered before; ISO 8601. */
  readonly notBefore: string | null;
  /** How often the job was turned to another mail after an attempt: another mail to a provider. Default 0. */
  readonly generation: number;
  /** When a sent or cancelled job is over; ISO 8601. Null: never. */
  readonly retentionUntil: string | null;
}

export const NO_EXTRA: EmailExtra = {
  epoch: 0,
  requestId: null,
  lastSettlement: null,
  claimToken: null,
  notBefore: null,
  generation: 0,
  retentionUntil: null,
};

export interface LiveEmail {
  readonly kind: "live";
  readonly job: StoredEmailJob;
  readonly extra: EmailExtra;
}

/** What stays of an erased job. Whose it was is told by its id alone, which is no part of the record. */
export interface ErasedEmailJob extends EmailStamps {
  readonly type: string;
  readonly state: EmailStateName;
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** What stays of a job past its retention; nothing personal but what the logical key says. */
export interface ExpiredEmailJob extends ErasedEmailJob {
  readonly logicalKey: string;
}

/** A tombstone: it keeps "absent" from coming back. Stored with `expired: true` among the extras. */
export interface ExpiredEmail {
  readonly kind: "expired";
  readonly job: ExpiredEmailJob;
}

/** A tombstone without its key, which is often an address. Stored with `erased: true`. */
export interface ErasedEmail {
  readonly kind: "erased";
  readonly job: ErasedEmailJob;
}

/** Told apart by `kind`, which is not stored: `expired` and `erased` among the extras say the same. */
export type EmailState = LiveEmail | ExpiredEmail | ErasedEmail;

export type ParsedEmail =
  | { readonly ok: true; readonly state: EmailState }
  | { readonly ok: false; readonly reason: string };

/**
 * Reads a stored record: `fields` are the original's, `extra` is ours (empty in an original record).
 * Strict as the original: an unknown field, a payload that does not fit its type, or lease fields that
 * contradict the state make it unreadable (EMAIL-12). `reason` names field paths and no values. The
 * payload is checked but served as stored.
 */
export function parseEmailRecord(
  fields: JsonObject,
  extra: JsonObject,
  kinds: EmailKinds,
): ParsedEmail {
  const isErased = extra["erased"] === true;
  if (!isErased && extra["expired"] !== true) return parseLive(fields, extra, kinds);
  if (Object.keys(extra).length > 1) return unreadable("holdfast: a tombstone keeps nothing else");
  return isErased ? parseErased(fields) : parseExpired(fields);
}

function parseLive(fields: JsonObject, extra: JsonObject, kinds: EmailKinds): ParsedEmail {
  const { own, shared } = partitioned(fields);
  const job = safeParse(storedJob, shared);
  if (!job.success) return unreadable(reasonOf(job.error));
  const kind = kinds.get(job.data.type);
  if (kind === undefined) return unreadable("type: this kind of email is not registered");
  const payload = safeParse(kind.payload, payloadFields(fields));
  if (!payload.success) return unreadable(reasonOf(payload.error));
  if (!leaseFits(job.data)) {
    return unreadable("leaseUntil, leaseToken: set exactly while sending");
  }
  const ours = safeParse(storedExtra, extra);
  if (!ours.success) return unreadable(`holdfast: ${reasonOf(ours.error)}`);
  return {
    ok: true,
    state: { kind: "live", job: { ...own, ...job.data }, extra: { ...NO_EXTRA, ...ours.data } },
  };
}

function leaseFits({ state, leaseUntil, leaseToken }: EmailJob): boolean {
  return state === "sending"
    ? leaseUntil !== null && leaseToken !== null
    : leaseUntil === null && leaseToken === null;
}

function parseExpired(fields: JsonObject): ParsedEmail {
  const job = safeParse(storedExpired, fields);
  if (!job.success) return unreadable(reasonOf(job.error));
  return { ok: true, state: { kind: "expired", job: job.data } };
}

function parseErased(fields: JsonObject): ParsedEmail {
  const job = safeParse(storedErased, fields);
  if (!job.success) return unreadable(reasonOf(job.error));
  return { ok: true, state: { kind: "erased", job: job.data } };
}

function unreadable(reason: string): ParsedEmail {
  return { ok: false, reason };
}

function partitioned(fields: JsonObject): { own: JsonObject; shared: JsonObject } {
  const entries = Object.entries(fields);
  return {
    own: Object.fromEntries(entries.filter(([name]) => !JOB_FIELDS.has(name))),
    shared: Object.fromEntries(entries.filter(([name]) => JOB_FIELDS.has(name))),
  };
}

/** The fields that a job's kind checks: those of its own, and the three shared by the original kinds. */
export function payloadFields(fields: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(fields).filter(([name]) => !JOB_FIELDS.has(name) || ORIGINAL_PAYLOAD.has(name)),
  );
}

const ORIGINAL_PAYLOAD: ReadonlySet<string> = new Set(["recordingIds", "shareId", "requestedBy"]);

/**
 * The inverse of `parseEmailRecord`. Fields stand in the order of semantics A1 with the payload's own
 * ones in their midst; of the extras only what is not at its default is written.
 */
export function emailRecord(state: EmailState): { fields: JsonObject; extra: JsonObject } {
  switch (state.kind) {
    case "live":
      return { fields: inOrder(state.job), extra: extraRecord(state.extra) };
    case "expired":
      return { fields: inOrder({ ...state.job }), extra: { expired: true } };
    case "erased":
      return { fields: inOrder({ ...state.job }), extra: { erased: true } };
    default:
      return unreachable(state);
  }
}

function extraRecord(extra: EmailExtra): JsonObject {
  const { epoch, requestId, lastSettlement, claimToken, notBefore, generation, retentionUntil } =
    extra;
  return {
    ...(epoch === 0 ? {} : { epoch }),
    ...(requestId === null ? {} : { requestId }),
    ...(lastSettlement === null ? {} : { lastSettlement }),
    ...(claimToken === null ? {} : { claimToken }),
    ...(notBefore === null ? {} : { notBefore }),
    ...(generation === 0 ? {} : { generation }),
    ...(retentionUntil === null ? {} : { retentionUntil }),
  };
}

function inOrder(job: JsonObject): JsonObject {
  const ordered: Record<string, JsonValue> = {};
  const place = (name: string): void => {
    const value = job[name];
    if (value !== undefined) ordered[name] = value;
  };
  FIELDS_BEFORE_PAYLOAD.forEach(place);
  // No field of a payload is named `__proto__`: that is refused wherever one comes in.
  for (const name of Object.keys(job)) if (!JOB_FIELDS.has(name)) place(name);
  FIELDS_AFTER_PAYLOAD.forEach(place);
  return ordered;
}

export type ValidatedKey =
  | { readonly ok: true; readonly key: string }
  | { readonly ok: false; readonly message: string };

const ADDRESSED_ID = /^sha256:([0-9a-f]{64})$/;

/**
 * A caller's logical key, trimmed (EMAIL-5): 1 to 1,024 UTF-8 bytes, without NUL and half surrogate
 * pairs, and not of the form that addresses an id.
 */
export function validLogicalKey(text: unknown): ValidatedKey {
  if (typeof text !== "string") return { ok: false, message: "must be a string" };
  const key = text.trim();
  const message = logicalKeyProblem(key);
  return message === null ? { ok: true, key } : { ok: false, message };
}

function logicalKeyProblem(key: string): string | null {
  if (key === "") return "must not be empty or blank";
  if (utf8Length(key) > LOGICAL_KEY_BYTES_MAX) {
    return `must be at most ${LOGICAL_KEY_BYTES_MAX} bytes in UTF-8`;
  }
  if (key.includes("\u0000")) return "must not contain a NUL character";
  if (hasLoneSurrogate(key)) return "must not contain half a surrogate pair";
  return ADDRESSED_ID.test(key) ? "must not have the form of an id, sha256: and 64 digits" : null;
}

/**
 * The id of the job that `text` names: lower-case hex SHA-256 of the key exactly as passed, not trimmed
 * (semantics A1), or the id itself in `sha256:` and its 64 digits.
 */
export function jobIdOf(text: string): string {
  return ADDRESSED_ID.exec(text)?.[1] ?? sha256Hex(text);
}
