/** How a request can be refused: its code, the field, and a text that repeats nothing of it. */
import { MISSING } from "../../core/issues.ts";
import { ANSWER_CHARS_MAX, QUERY_CHARS_MAX, SESSION_ID_CHARS_MAX } from "./limits.ts";

const LABEL = "must be a text that is not blank and not too long";
const COUNT = "must be a whole number from 1";
const TEXT = "must be a text without half surrogate pairs";
const NOT_BLANK = `${TEXT}, and not blank`;

const MESSAGES = {
  invalid_request: "must be an object",
  invalid_client_job_id: "must be a UUID of version 4",
  invalid_generation: COUNT,
  query_too_large: `must be at most ${QUERY_CHARS_MAX} characters`,
  invalid_query: TEXT,
  query_or_attachment_required: "must not be blank without an attachment",
  invalid_session_id: `must be 1 to ${SESSION_ID_CHARS_MAX} letters, digits and ._:@/-, the first a letter or digit`,
  invalid_model: LABEL,
  invalid_effort: LABEL,
  invalid_message_era: LABEL,
  invalid_handoff_code: LABEL,
  invalid_client_queue_item_id: LABEL,
  invalid_global_msg_num: COUNT,
  invalid_reference: "must be an object",
  invalid_reference_query: NOT_BLANK,
  reference_query_too_large: `must be at most ${QUERY_CHARS_MAX} characters`,
  invalid_reference_response: NOT_BLANK,
  reference_response_too_large: `must be at most ${ANSWER_CHARS_MAX} characters`,
} as const;

export type RequestCode = keyof typeof MESSAGES;

export interface RequestProblem {
  readonly code: RequestCode;
  /** The field, as `reference.query`; empty for the whole. */
  readonly path: string;
  readonly message: string;
}

export function requestProblem(code: RequestCode, path: string): RequestProblem {
  return { code, path, message: MESSAGES[code] };
}

/** The same where there is no such field. */
export function missingProblem(code: RequestCode, path: string): RequestProblem {
  return { code, path, message: MISSING };
}
