/** What each problem code means and what its reader does about it: for the documents only. */
import type { ProblemCode } from "./problem.ts";
import { QUERY_PROBLEM_TEXTS } from "./query-problem-texts.ts";

export interface ProblemText {
  readonly meaning: string;
  readonly remedy: string;
}

const NOTHING_DONE = "Nothing was done.";
const REPEAT = "Repeat the same request after the time in Retry-After.";

export const PROBLEM_TEXTS: Readonly<Record<ProblemCode, ProblemText>> = {
  malformed_json: {
    meaning: `The body is not UTF-8, not JSON, or names a property twice in one object. ${NOTHING_DONE}`,
    remedy: "Send one JSON value in UTF-8.",
  },
  bad_request: {
    meaning: `The request ended early or is not valid HTTP. ${NOTHING_DONE}`,
    remedy: "Send it again, whole.",
  },
  unauthorized: {
    meaning: `There is no key in the request, or none that this service knows. ${NOTHING_DONE}`,
    remedy: "Send Authorization: Bearer with a key of this service.",
  },
  forbidden: {
    meaning:
      "The key lacks the scope that the operation needs; or, on a service without keys, the request " +
      `came through another host name or from a page of another site. ${NOTHING_DONE}`,
    remedy: "Use a key with the scope that the operation names.",
  },
  not_found: {
    meaning: "There is no such route. A key that is empty or a dot segment makes none either.",
    remedy: "Check the path; address such a key by sha256: and its 64 digits.",
  },
  job_not_found: {
    meaning: "No job has that key, as far as this key's tenant is concerned.",
    remedy: "Check the key and its URL-encoding. Keys are not trimmed in paths.",
  },
  receipt_not_found: {
    meaning: "No receipt has that id, as far as this key's tenant is concerned.",
    remedy: "Check the id; prepare the operation first.",
  },
  config_not_found: {
    meaning: "The email configuration was not made yet.",
    remedy: "PUT /v1/email-config makes it.",
  },
  cursor_not_found: {
    meaning: "There is no cursor of that name that can be set.",
    remedy: "Use one of the names that the operation lists.",
  },
  method_not_allowed: {
    meaning: `The route has no such method. ${NOTHING_DONE}`,
    remedy: "Use one of the methods in Allow.",
  },
  state_mismatch: {
    meaning:
      "The job is in none of the states that were named, or is leased and moves by its token only. " +
      "`state` and `updatedAt` tell how it was found. Nothing was written.",
    remedy: "If `state` is where it was to go, an earlier try has succeeded. Else read the job.",
  },
  invalid_transition: {
    meaning: "The job is in a named state, but there is no move from it to that one.",
    remedy: "Take a move that there is; `sending` is reached by a lease only.",
  },
  not_claimable: {
    meaning: "The job does not wait for a text, or its claim is not older than `staleBefore`.",
    remedy: "Read `state`; claim another job, or reclaim this one later.",
  },
  claim_lost: {
    meaning: "The job is not claimed by this claimant with this token (any more).",
    remedy: "Stop working on it. If `state` is `ready`, an earlier try has succeeded.",
  },
  not_leasable: {
    meaning: "The job is not ready, or another's lease on it stands.",
    remedy: "Try after that lease, or lease what is due.",
  },
  lease_lost: {
    meaning: "Another lease or another settlement came after this token. Nothing was written.",
    remedy: "Stop working on the job; do not repeat the request.",
  },
  invalid_receipt_state: {
    meaning:
      "The receipt is in no state that this starts from. `state` and `updatedAt` tell how it was found. " +
      "Nothing was written.",
    remedy:
      "If `state` is where it was to go, an earlier try has succeeded. Else read the receipt.",
  },
  dispatch_lost: {
    meaning: "The dispatch belongs to another caller, or to nobody any more. Nothing was written.",
    remedy:
      "Before the side effect: do not run it, and wait for the outcome of whoever dispatched it. To report one that ran: " +
      "send the `dispatchToken` that its dispatch answered.",
  },
  dispatch_live: {
    meaning: "The dispatch has time left, its lease and the margin. Nothing was written.",
    remedy: "Wait until it is over, recover it, then resolve it.",
  },
  already_resolved: {
    meaning:
      "A person said what came of the operation, and the first answer stands for ever: `outcome`. A late " +
      "report of the caller was kept as a note.",
    remedy: "Go by `outcome`; to run the operation after all, take a new operation id.",
  },
  in_use: {
    meaning: "The record is being worked on. Nothing was written.",
    remedy: "Wait until it is settled or its lease is over, then repeat the request.",
  },
  job_expired: {
    meaning: "The job is past its retention. Its key is never used again.",
    remedy: "Take another key for another email.",
  },
  operation_expired: {
    meaning:
      "The operation is past its retention, or was erased, as `erased` tells. `outcome` is what was kept. It " +
      "never runs again.",
    remedy: "Take another operation id for other work.",
  },
  erased: {
    meaning: "The record's content was erased. It never runs again.",
    remedy: "Take another identity for other work.",
  },
  body_too_large: {
    meaning: `The body has more bytes than the operation takes. ${NOTHING_DONE}`,
    remedy: "Send less, or several batches.",
  },
  unsupported_media_type: {
    meaning: `The body is not declared as JSON in UTF-8. ${NOTHING_DONE}`,
    remedy: "Send Content-Type: application/json.",
  },
  invalid_request: {
    meaning:
      "The path, the query or the body is not what the operation takes. `errors` names the places. " +
      NOTHING_DONE,
    remedy: "Mend what `errors` names; unknown properties and parameters are refused too.",
  },
  invalid_cursor: {
    meaning: "The cursor is not one that this listing gave to this tenant.",
    remedy: "Start without a cursor.",
  },
  record_too_large: {
    meaning: "The record would be larger than a storage takes. Nothing was written.",
    remedy: "Shorten what was sent; keep large content elsewhere and send its address.",
  },
  job_payload_conflict: {
    meaning: "The key belongs to a job with another payload, and `conflict` was asked for.",
    remedy: "Take another key for another email; one key is one email.",
  },
  operation_receipt_conflict: {
    meaning:
      "The operation id belongs to another payload, or the receipt has another result. Nothing was written.",
    remedy: "Take another operation id for other content; one id is one payload and one result.",
  },
  operation_receipt_capacity: {
    meaning: "The workspace has as many receipts as it may have. Nothing was written.",
    remedy: "Repeat it when receipts were retired, erase some, or allow the workspace more.",
  },
  ...QUERY_PROBLEM_TEXTS,
  throttled: {
    meaning: "The storage refused for load. Nothing was written.",
    remedy: REPEAT,
  },
  internal_error: {
    meaning: "A fault that the service did not expect. What it was stands in its log.",
    remedy: "Repeat the request, which does no harm; then report it with its X-Request-Id.",
  },
  record_corrupt: {
    meaning: "The stored record cannot be read. It is left exactly as it is.",
    remedy:
      "`detail` names the record and the reason. A kind that is not registered: start the service with " +
      "the module that defines it. A newer release wrote it: run that one. Else restore the record from a copy, or move it away.",
  },
  unavailable: {
    meaning:
      "The storage does not answer as it should. `detail` tells whether something was written.",
    remedy: REPEAT,
  },
  outcome_unknown: {
    meaning: "It may have been done or not, now or later.",
    remedy: `${REPEAT} It is answered as before or refused with the current state.`,
  },
  contended: {
    meaning: "Others kept changing the same record until the time was up. Nothing was written.",
    remedy: REPEAT,
  },
  misconfigured: {
    meaning: "The service or its storage cannot be used as it is configured.",
    remedy: "A person has to change the configuration; `detail` and the log tell what.",
  },
};
