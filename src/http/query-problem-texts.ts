/** What the problem codes of queries mean and what their reader does about them: for the documents only. */
import type { ProblemText } from "./problem-texts.ts";
import type { QUERY_PROBLEMS } from "./query-problems.ts";

const NOTHING_WRITTEN = "Nothing was written.";

const LABEL: ProblemText = {
  meaning: `The field is no text, is blank, or is too long. ${NOTHING_WRITTEN}`,
  remedy: "Shorten it, or leave it out: null and the empty text count as left out.",
};

const REFERENCE: ProblemText = {
  meaning: `The reference is no object of an earlier query and its response, both not blank. ${NOTHING_WRITTEN}`,
  remedy: "Send both, or leave the reference out.",
};

const TOO_LONG: ProblemText = {
  meaning: `The text has more characters (UTF-16 units) than it may have, as \`errors\` tells. ${NOTHING_WRITTEN}`,
  remedy: "Shorten it; it is measured before control characters are taken out.",
};

export const QUERY_PROBLEM_TEXTS: Readonly<Record<keyof typeof QUERY_PROBLEMS, ProblemText>> = {
  query_job_not_found: {
    meaning:
      "No query job has that id, as far as this key's tenant is concerned; or it is past its retention.",
    remedy:
      "Check the id. After a lost answer look the job up by its client job id and generation.",
  },
  query_job_generation_mismatch: {
    meaning: `The job is of another generation of its client job. ${NOTHING_WRITTEN}`,
    remedy: "Send the `generation` that stands in the job.",
  },
  query_job_answer_committing: {
    meaning: `The answer is committed, and the job can only complete. ${NOTHING_WRITTEN}`,
    remedy: "Wait for its end, or read it: `partialText` is the answer.",
  },
  query_job_not_terminal: {
    meaning: `The job has not ended; \`jobStatus\` tells where it is. ${NOTHING_WRITTEN}`,
    remedy: "Acknowledge it when it is completed, failed, canceled or interrupted.",
  },
  provider_orphan_fence: {
    meaning:
      "A run of this session was interrupted, and its provider may still be at work: until then nobody else " +
      `may use the session. ${NOTHING_WRITTEN}`,
    remedy: "Repeat the same request after `retryAfterMs`, or use another session.",
  },
  job_identity_conflict: {
    meaning: `The client job id and generation are bound to another request. ${NOTHING_WRITTEN}`,
    remedy: "Take a new client job id for another request; one identity is one request.",
  },
  job_generation_active: {
    meaning: `An earlier generation of the client job has not ended. ${NOTHING_WRITTEN}`,
    remedy: "Wait for its end, or cancel it; then submit the next generation.",
  },
  job_generation_out_of_order: {
    meaning: `The client job has had this generation or a later one. ${NOTHING_WRITTEN}`,
    remedy: "Take a higher generation; numbers may be skipped.",
  },
  job_history_full: {
    meaning: `64 earlier generations of the client job are still kept. ${NOTHING_WRITTEN}`,
    remedy: "Take a new client job id, or wait until some are past their retention.",
  },
  invalid_client_job_id: {
    meaning: `The client job id is no UUID of version 4. ${NOTHING_WRITTEN}`,
    remedy: "Make one with `crypto.randomUUID()`, and keep it for repeats of the same request.",
  },
  invalid_generation: {
    meaning: `The generation is missing, or no whole number from 1. ${NOTHING_WRITTEN}`,
    remedy: "Send the generation of the job that is meant; the first is 1.",
  },
  invalid_query: {
    meaning: `The query is no text, or has half a surrogate pair in it. ${NOTHING_WRITTEN}`,
    remedy: "Send a text.",
  },
  query_too_large: TOO_LONG,
  query_or_attachment_required: {
    meaning: `The query is blank, and there is no valid attachment. ${NOTHING_WRITTEN}`,
    remedy: "Ask something, or attach something.",
  },
  invalid_session_id: {
    meaning: `The session id is missing, or not of its form. ${NOTHING_WRITTEN}`,
    remedy: "Send 1 to 128 letters, digits and ._:@/-, the first a letter or digit.",
  },
  invalid_model: LABEL,
  invalid_effort: LABEL,
  invalid_message_era: LABEL,
  invalid_handoff_code: LABEL,
  invalid_client_queue_item_id: LABEL,
  invalid_global_msg_num: {
    meaning: `The message number is no whole number from 1. ${NOTHING_WRITTEN}`,
    remedy: "Send one, or leave it out.",
  },
  invalid_reference: REFERENCE,
  invalid_reference_query: REFERENCE,
  reference_query_too_large: TOO_LONG,
  invalid_reference_response: REFERENCE,
  reference_response_too_large: TOO_LONG,
  invalid_event_cursor: {
    meaning: `The position, or the number of an event, is not one that the service gave. ${NOTHING_WRITTEN}`,
    remedy: "Send the `position` of this run's last answer, or the number of an event or 0.",
  },
  delta_too_large: {
    meaning: `The delta has more than 16,000 characters (UTF-16 units). ${NOTHING_WRITTEN}`,
    remedy: "Send it as several chunks, one after the other.",
  },
};
