/** The payload of an email: the check when it comes in, and the comparison with a stored one. */
import * as z from "zod/mini";
import { assert } from "../../core/assert.ts";
import { type Issue, issuesOf } from "../../core/issues.ts";
import { isJsonObject, type JsonArray, type JsonObject, jsonProblem } from "../../core/json.ts";
import { ADDRESS_CHARS_MAX } from "../../core/mailbox.ts";
import { safeParse } from "../../core/safe-parse.ts";
import { address } from "./fields.ts";
import type { EmailKind, EmailKinds } from "./kinds.ts";
import { type EmailJob, payloadFields, type StoredEmailJob } from "./record.ts";
import { originalPayload } from "./stored.ts";

/** A checked payload, as it is stored: `type`, `recipient` and the fields of its kind, flat. */
export type EmailPayload = Pick<
  EmailJob,
  "type" | "recipient" | "recordingIds" | "shareId" | "requestedBy"
> &
  JsonObject;

export type ParsedPayload =
  | { readonly ok: true; readonly payload: EmailPayload }
  | { readonly ok: false; readonly issues: readonly Issue[] };

/** Of the fields that all original kinds have, those that a payload brings; the others are dropped. */
const sharedFields = z.object(originalPayload);

const SHARED = Object.keys(originalPayload);

const recipientInput = address.check(z.maxLength(ADDRESS_CHARS_MAX));

/**
 * Checks a payload from outside against its kind, unknown properties refused (EMAIL-6, EMAIL-7). The
 * recipient is stored as given: one with spaces around it is refused, not trimmed (EMAIL-8).
 */
export function parsePayload(payload: unknown, kinds: EmailKinds): ParsedPayload {
  const problem = jsonProblem(payload);
  if (problem !== null) return refused([problem]);
  if (!isJsonObject(payload)) return refused([{ path: "", message: "must be an object" }]);
  const { type, recipient, ...own } = payload;
  const kind = typeof type === "string" ? kinds.get(type) : undefined;
  if (kind === undefined) {
    const names = [...kinds.keys()].join(", ");
    return refused([{ path: "type", message: `must be one of ${names}` }]);
  }
  const to = safeParse(recipientInput, recipient);
  const fields = safeParse(kind.payload, own);
  if (!to.success || !fields.success) {
    return refused([
      ...(to.success
        ? []
        : issuesOf(to.error).map(({ message }) => ({ path: "recipient", message }))),
      ...(fields.success ? [] : issuesOf(fields.error)),
    ]);
  }
  return { ok: true, payload: payloadOf(kind, to.data, storable(kind, own, fields.data)) };
}

function refused(issues: readonly Issue[]): ParsedPayload {
  return { ok: false, issues };
}

/**
 * What a kind's schema made of a payload, as it will be read back. A schema may change values (trim
 * them, fill in defaults), so the result is held to what storing it needs; failing that is the kind's
 * bug, not the sender's.
 */
function storable(kind: EmailKind, given: JsonObject, made: unknown): JsonObject {
  assert(jsonProblem(made) === null, `email kind ${kind.name}: its schema makes what is not JSON`);
  const fields: unknown = JSON.parse(JSON.stringify(made));
  assert(isJsonObject(fields), `email kind ${kind.name}: its schema makes no object`);
  // What it left as it was fits again without being tried.
  assert(
    sameJson(given, fields) || safeParse(kind.payload, fields).success,
    `email kind ${kind.name}: its schema refuses what it made itself`,
  );
  return fields;
}

function payloadOf(kind: EmailKind, recipient: string, fields: JsonObject): EmailPayload {
  const hasShared = SHARED.some((name) => name in fields);
  const shared = hasShared ? z.parse(sharedFields, fields) : {};
  return { ...fields, ...shared, type: kind.name, recipient };
}

/** Whether a stored job was made from this payload; the order of properties does not matter. */
export function samePayload(job: StoredEmailJob, payload: EmailPayload): boolean {
  return (
    job.type === payload.type &&
    job.recipient === payload.recipient &&
    sameJson(payloadFields(job), payloadFields(payload))
  );
}

function sameJson(one: unknown, other: unknown): boolean {
  if (isJsonArray(one) && isJsonArray(other)) {
    return one.length === other.length && one.every((item, index) => sameJson(item, other[index]));
  }
  if (isJsonObject(one) && isJsonObject(other)) {
    const names = Object.keys(one);
    return (
      names.length === Object.keys(other).length &&
      names.every((name) => sameJson(one[name], other[name]))
    );
  }
  return one === other;
}

function isJsonArray(value: unknown): value is JsonArray {
  return Array.isArray(value);
}
