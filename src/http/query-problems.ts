/** Refusals of queries as problems: their codes, and the original's error beside them (semantics C7). */
import {
  type QueryErrorCode,
  QueryJobFencedError,
  type QueryJobStoreError,
  QueryJobValidationError,
} from "../services/query-errors.ts";
import type { Problem, ProblemType } from "./problem.ts";

/** What only queries are refused with. */
export const QUERY_PROBLEMS = {
  query_job_not_found: { status: 404, title: "No such query job" },
  query_job_generation_mismatch: { status: 409, title: "The query job is of another generation" },
  query_job_answer_committing: { status: 409, title: "The answer is committed" },
  query_job_not_terminal: { status: 409, title: "The query job has not ended" },
  provider_orphan_fence: { status: 409, title: "The session is held" },
  job_identity_conflict: { status: 409, title: "The id belongs to another request" },
  job_generation_active: { status: 409, title: "An earlier generation has not ended" },
  job_generation_out_of_order: { status: 409, title: "The generation is not a later one" },
  invalid_client_job_id: { status: 422, title: "The client job id is not valid" },
  invalid_generation: { status: 422, title: "The generation is not valid" },
  invalid_query: { status: 422, title: "The query is not valid" },
  query_too_large: { status: 422, title: "The query is too long" },
  query_or_attachment_required: { status: 422, title: "Nothing is asked" },
  invalid_session_id: { status: 422, title: "The session id is not valid" },
  invalid_model: { status: 422, title: "The model is not valid" },
  invalid_effort: { status: 422, title: "The effort is not valid" },
  invalid_message_era: { status: 422, title: "The message era is not valid" },
  invalid_handoff_code: { status: 422, title: "The handoff code is not valid" },
  invalid_client_queue_item_id: { status: 422, title: "The queue item id is not valid" },
  invalid_global_msg_num: { status: 422, title: "The message number is not valid" },
  invalid_reference: { status: 422, title: "The reference is not valid" },
  invalid_reference_query: { status: 422, title: "The reference's query is not valid" },
  reference_query_too_large: { status: 422, title: "The reference's query is too long" },
  invalid_reference_response: { status: 422, title: "The reference's response is not valid" },
  reference_response_too_large: { status: 422, title: "The reference's response is too long" },
  invalid_event_cursor: { status: 422, title: "The place in the events is not valid" },
  delta_too_large: { status: 422, title: "The delta is too long" },
  job_history_full: {
    status: 429,
    title: "Too many earlier generations",
    retryAfterMs: 60_000,
  },
} as const satisfies Readonly<Record<string, ProblemType>>;

/** What each refusal says, and what to do; nothing of the job but its status. */
const DETAILS: Readonly<Record<Exclude<QueryErrorCode, "provider_orphan_fence">, string>> = {
  query_job_not_found:
    "there is no such query job: check its id; a job that is past its retention is gone",
  query_job_generation_mismatch:
    "the query job is of another generation: send the one that its admission answered",
  query_job_answer_committing:
    "the answer is committed, so the query job can only complete: wait for it, or read it",
  query_job_not_terminal: "the query job has not ended: acknowledge it when it has",
  lease_lost: "this caller does not hold the run of the query job: stop working on it",
  job_identity_conflict:
    "the client job id and generation belong to another request: for another one take a new client job id",
  job_generation_active:
    "an earlier generation of the client job has not ended: wait for its end, or cancel it",
  job_generation_out_of_order:
    "the client job has had this generation or a later one: take a higher one",
  job_history_full:
    "too many earlier generations of the client job are still kept: take a new client job id",
  erased: "the client job was erased; its id is never used again",
  in_use: "the query job has not ended: cancel it, or wait for its end",
  invalid_cursor: "the cursor is not one that this listing gave: start without a cursor",
};

/** A refusal of the query service. */
export function queryProblem(error: QueryJobStoreError | QueryJobValidationError): Problem {
  if (error instanceof QueryJobValidationError) {
    const { code, errors } = error;
    return { code, errors, detail: `something in the request is not valid: ${error.message}` };
  }
  const { code, jobStatus, updatedAt, retryAfterMs } = error;
  return {
    code,
    detail: code === "provider_orphan_fence" ? heldDetail(error) : DETAILS[code],
    ...(jobStatus === null ? {} : { jobStatus }),
    ...(updatedAt === null ? {} : { updatedAt }),
    ...(retryAfterMs === null ? {} : { retryAfterMs }),
  };
}

function heldDetail(error: QueryJobStoreError): string {
  const until = error instanceof QueryJobFencedError ? ` until ${error.heldUntil}` : "";
  return `the session is held${until}, since a provider may still be at work in it: wait, or ask in another session`;
}

/** Of a record that cannot be read; of a part of a log, its job's. */
export function recordIdOf(key: string): string {
  return /(?:^|\/)queries\/log\/([^/]+)/.exec(key)?.[1] ?? key.slice(key.lastIndexOf("/") + 1);
}

/** Whether what is answered at this path is read by the original's clients, too. */
export function isQueryPath(path: string): boolean {
  return /\/v1\/query-jobs(?:\/|$)/.test(path);
}

/** The original's error, which stands beside the problem's fields on every query route. */
export function originalError({ code, detail: message }: Problem, retryAfterMs: number | null) {
  // What tells when to come again is all that may end otherwise then.
  return { code, message, ...(retryAfterMs === null ? {} : { retryable: true, retryAfterMs }) };
}
