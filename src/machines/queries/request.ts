/** What a phone asks for (semantics C1, Request): every rule of its fields, each with its code. */
import { fieldOf } from "../../core/foreign.ts";
import { hasLoneSurrogate, isJsonObject } from "../../core/json.ts";
import { type AttachmentRef, attachmentIdsOf, attachmentRefsOf } from "./attachments.ts";
import { isUuid } from "./fields.ts";
import { ANSWER_CHARS_MAX, QUERY_CHARS_MAX, SESSION_ID_CHARS_MAX } from "./limits.ts";
import {
  missingProblem,
  type RequestCode,
  type RequestProblem,
  requestProblem,
} from "./request-problems.ts";

/** Names by which other systems know a request: their codes, and the most characters of each. */
const LABELS = [
  ["model", "invalid_model", 64],
  ["effort", "invalid_effort", 32],
  ["messageEra", "invalid_message_era", 80],
  ["handoffCode", "invalid_handoff_code", 128],
  ["clientQueueItemId", "invalid_client_queue_item_id", 120],
] as const;

type Labels = { [Name in (typeof LABELS)[number][0]]?: string };

/** An earlier prompt and its answer. */
export type QueryReference = {
  readonly query: string;
  readonly response: string;
};

/** As it was parsed: immutable, and what its fingerprint is of. */
export type QueryRequest = Readonly<Labels> & {
  /** A UUID of version 4 in lower case (QUERY-15). */
  readonly clientJobId: string;
  readonly generation: number;
  readonly query: string;
  readonly sessionId: string;
  readonly globalMsgNum?: number;
  readonly reference?: QueryReference;
  readonly handoffLatest?: true;
  readonly attachmentIds: readonly string[];
  readonly attachmentRefs: readonly AttachmentRef[];
  readonly activityToolMode: ActivityToolMode;
};

export const ACTIVITY_TOOL_MODES = ["off", "preview", "status"] as const;

export type ActivityToolMode = (typeof ACTIVITY_TOOL_MODES)[number];

export type ParsedRequest =
  | { readonly ok: true; readonly request: QueryRequest }
  | { readonly ok: false; readonly problem: RequestProblem };

type Refuse = (code: RequestCode, path: string) => void;

/**
 * Reads a request. Properties that are not known are dropped; of several problems the first in the order
 * of semantics C1 is told. Half a surrogate pair is refused: it could only be stored as something else,
 * and then the prompt that is answered would not be the one that was asked. (What a provider writes is
 * mended instead, since refusing it would lose an answer that is paid for.)
 */
export function parseQueryRequest(raw: unknown): ParsedRequest {
  if (!isJsonObject(raw)) return { ok: false, problem: requestProblem("invalid_request", "") };
  const problems: RequestProblem[] = [];
  const refuse: Refuse = (code, path) => {
    const isMissing = path.split(".").reduce<unknown>(fieldOf, raw) === undefined;
    problems.push(isMissing ? missingProblem(code, path) : requestProblem(code, path));
  };
  const clientJobId = clientJobIdOf(raw, refuse);
  const generation = countOf(raw, "generation", "invalid_generation", refuse);
  const attachmentIds = attachmentIdsOf(fieldOf(raw, "attachmentIds"));
  const attachmentRefs = refsOf(raw);
  const query = queryOf(raw, attachmentIds.length + attachmentRefs.length > 0, refuse);
  const request = {
    ...{ clientJobId, generation, query },
    sessionId: sessionIdOf(raw, refuse),
    ...labelsOf(raw, refuse),
    ...(isAbsent(fieldOf(raw, "globalMsgNum"))
      ? {}
      : { globalMsgNum: countOf(raw, "globalMsgNum", "invalid_global_msg_num", refuse) }),
    ...referenceOf(fieldOf(raw, "reference"), refuse),
    ...(fieldOf(raw, "handoffLatest") === true ? { handoffLatest: true as const } : {}),
    ...{ attachmentIds, attachmentRefs },
    activityToolMode: modeOf(fieldOf(raw, "activityToolMode")),
  };
  const [first] = problems;
  return first === undefined ? { ok: true, request } : { ok: false, problem: first };
}

function clientJobIdOf(raw: unknown, refuse: Refuse): string {
  const id = cleaned(fieldOf(raw, "clientJobId")).toLowerCase();
  if (!isUuid(id)) refuse("invalid_client_job_id", "clientJobId");
  return id;
}

/** A whole number from 1; `"3"` and `true` count as numbers, as in the original. */
function countOf(raw: unknown, name: string, code: RequestCode, refuse: Refuse): number {
  const value = fieldOf(raw, name);
  const isPlain = typeof value === "string" || typeof value === "boolean";
  const count = isPlain || typeof value === "number" ? Number(value) : 0;
  if (!Number.isSafeInteger(count) || count < 1) refuse(code, name);
  return count;
}

function queryOf(raw: unknown, hasAttachment: boolean, refuse: Refuse): string {
  const query = promptOf(fieldOf(raw, "query"), QUERY_CHARS_MAX);
  if (query === null) refuse("invalid_query", "query");
  else if (query === TOO_LARGE) refuse("query_too_large", "query");
  else if (query.trim() === "" && !hasAttachment) refuse("query_or_attachment_required", "query");
  else return query;
  return "";
}

const SESSION_ID = /^[A-Za-z0-9][A-Za-z0-9._:@/-]*$/;

function sessionIdOf(raw: unknown, refuse: Refuse): string {
  const id = cleaned(fieldOf(raw, "sessionId"));
  const isFit = id.length <= SESSION_ID_CHARS_MAX && SESSION_ID.test(id);
  if (!isFit) refuse("invalid_session_id", "sessionId");
  return id;
}

/** Null and the empty text count as absent. */
function labelsOf(raw: unknown, refuse: Refuse): Labels {
  const labels: Labels = {};
  for (const [name, code, charsMax] of LABELS) {
    const value = fieldOf(raw, name);
    if (isAbsent(value) || value === "") continue;
    const label = cleaned(value);
    labels[name] = label;
    if (label === "" || label.length > charsMax || hasLoneSurrogate(label)) refuse(code, name);
  }
  return labels;
}

function referenceOf(value: unknown, refuse: Refuse): { reference?: QueryReference } {
  if (isAbsent(value)) return {};
  if (!isJsonObject(value)) {
    refuse("invalid_reference", "reference");
    return {};
  }
  const query = promptOf(fieldOf(value, "query"), QUERY_CHARS_MAX);
  if (query === TOO_LARGE) refuse("reference_query_too_large", "reference.query");
  else if (isBlank(query)) refuse("invalid_reference_query", "reference.query");
  const response = promptOf(fieldOf(value, "response"), ANSWER_CHARS_MAX);
  if (response === TOO_LARGE) refuse("reference_response_too_large", "reference.response");
  else if (isBlank(response)) refuse("invalid_reference_response", "reference.response");
  return typeof query === "string" && typeof response === "string"
    ? { reference: { query, response } }
    : {};
}

function isBlank(text: string | null): boolean {
  return text === null || text.trim() === "";
}

const TOO_LARGE = Symbol("longer than it may be");

/** Cleaned, not trimmed, but measured before; null when it is no text that can be stored. */
function promptOf(value: unknown, charsMax: number): string | typeof TOO_LARGE | null {
  if (typeof value !== "string") return null;
  if (value.length > charsMax) return TOO_LARGE;
  const text = withoutControls(value);
  return hasLoneSurrogate(text) ? null : text;
}

/** From `attachmentRefs`, or else `attachments`. */
function refsOf(raw: unknown): readonly AttachmentRef[] {
  const refs = fieldOf(raw, "attachmentRefs");
  return attachmentRefsOf(isAbsent(refs) ? fieldOf(raw, "attachments") : refs);
}

function modeOf(value: unknown): ActivityToolMode {
  return value === "off" || value === "preview" ? value : "status";
}

function isAbsent(value: unknown): value is null | undefined {
  return value === undefined || value === null;
}

/** Without controls and the spaces around; "" for what is no text. */
function cleaned(value: unknown): string {
  return typeof value === "string" ? withoutControls(value).trim() : "";
}

// All of C0 but tabs and line ends, and DEL.
// biome-ignore lint/suspicious/noControlCharactersInRegex: -- these are what is taken out.
const CONTROLS = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/g;

function withoutControls(text: string): string {
  return text.replace(CONTROLS, "");
}
