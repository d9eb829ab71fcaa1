/** Every refusal and fault as it is told over HTTP: RFC 9457 problems with a stable `code`. */
import { unreachable } from "../core/assert.ts";
import { epochMs, isoTime } from "../core/time.ts";
import type { EmailRejection } from "../machines/emails/commands.ts";
import type { FoundReceipt, ReceiptRejection } from "../machines/receipts/commands.ts";
import {
  ContendedError,
  FolderInUseError,
  MisconfiguredError,
  OutcomeUnknownError,
  RecordCorruptError,
  RecordTooLargeError,
  StoreThrottledError,
  StoreUnavailableError,
} from "../ports/faults.ts";
import {
  ConfigNotFoundError,
  CursorNotFoundError,
  type InputIssue,
  InvalidCursorError,
  InvalidInputError,
} from "../services/errors.ts";
import { QueryJobStoreError, QueryJobValidationError } from "../services/query-errors.ts";
import {
  conflictText,
  OperationReceiptExpiredError,
  OperationReceiptStoreError,
  overText,
} from "../services/receipt-errors.ts";
import {
  isQueryPath,
  originalError,
  QUERY_PROBLEMS,
  queryProblem,
  recordIdOf,
} from "./query-problems.ts";

export interface ProblemType {
  readonly status: number;
  readonly title: string;
  /** When to try again, in milliseconds, unless the fault itself tells. */
  readonly retryAfterMs?: number;
}

/** Statuses and titles by code: http-api's table. */
export const PROBLEMS = {
  malformed_json: { status: 400, title: "The body is not JSON" },
  bad_request: { status: 400, title: "The request is not valid HTTP" },
  unauthorized: { status: 401, title: "No valid key" },
  forbidden: { status: 403, title: "Not allowed" },
  not_found: { status: 404, title: "No such route" },
  job_not_found: { status: 404, title: "No such job" },
  receipt_not_found: { status: 404, title: "No such receipt" },
  config_not_found: { status: 404, title: "No configuration yet" },
  cursor_not_found: { status: 404, title: "No such cursor" },
  method_not_allowed: { status: 405, title: "Method not allowed" },
  state_mismatch: { status: 409, title: "The job is in another state" },
  invalid_transition: { status: 409, title: "There is no such move" },
  not_claimable: { status: 409, title: "The job cannot be claimed now" },
  claim_lost: { status: 409, title: "The claim is not the current one" },
  not_leasable: { status: 409, title: "The job cannot be leased now" },
  lease_lost: { status: 409, title: "The lease is not the current one" },
  invalid_receipt_state: { status: 409, title: "The receipt is in another state" },
  dispatch_lost: { status: 409, title: "The dispatch is not the caller's" },
  dispatch_live: { status: 409, title: "The dispatch may still be running" },
  already_resolved: { status: 409, title: "A person's answer stands" },
  in_use: { status: 409, title: "The record is in use" },
  job_expired: { status: 410, title: "The job is past its retention" },
  operation_expired: { status: 410, title: "The operation is over and forgotten" },
  erased: { status: 410, title: "The record was erased" },
  body_too_large: { status: 413, title: "The body is too large" },
  unsupported_media_type: { status: 415, title: "The body is not application/json" },
  invalid_request: { status: 422, title: "The request is not valid" },
  invalid_cursor: { status: 422, title: "The cursor is not valid" },
  record_too_large: { status: 422, title: "The record would be too large" },
  job_payload_conflict: { status: 422, title: "The key belongs to another payload" },
  operation_receipt_conflict: { status: 422, title: "The operation is bound to other content" },
  operation_receipt_capacity: {
    status: 429,
    title: "The workspace has no room for another receipt",
    retryAfterMs: 60_000,
  },
  ...QUERY_PROBLEMS,
  throttled: { status: 429, title: "Too much at once" },
  internal_error: { status: 500, title: "An unexpected fault" },
  record_corrupt: { status: 500, title: "The record cannot be read" },
  unavailable: { status: 503, title: "The storage is unavailable", retryAfterMs: 1_000 },
  outcome_unknown: { status: 503, title: "The outcome is not known", retryAfterMs: 1_000 },
  contended: { status: 503, title: "Too many writers of one record", retryAfterMs: 1_000 },
  misconfigured: { status: 503, title: "The service is misconfigured", retryAfterMs: 60_000 },
} as const satisfies Readonly<Record<string, ProblemType>>;

export type ProblemCode = keyof typeof PROBLEMS;

export interface Problem {
  readonly code: ProblemCode;
  readonly detail: string;
  readonly errors?: readonly InputIssue[];
  readonly retryAfterMs?: number;
  /** The record as it was found: a caller whose reply was lost can tell what happened. */
  readonly state?: string;
  /** The same of a query, whose own `status` would be taken for that of the answer. */
  readonly jobStatus?: string;
  readonly updatedAt?: string;
  /** What stands for good of an operation that is over, or was resolved. */
  readonly outcome?: string;
  /** Of an operation that is over: whether it was erased, rather than past its retention. */
  readonly erased?: boolean;
  /** Response headers that belong to it. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** The answer's body. `docs` is where the codes are explained. */
export function problemBody(problem: Problem, instance: string, docs: string) {
  const { code, detail, errors, state, jobStatus, updatedAt, outcome, erased } = problem;
  const { status, title } = PROBLEMS[code];
  const retryAfterMs = retryAfterOf(problem);
  return {
    type: `${docs}#${code}`,
    title,
    status,
    detail,
    instance,
    code,
    ...(errors === undefined ? {} : { errors }),
    ...(retryAfterMs === null ? {} : { retryAfterMs }),
    ...(state === undefined ? {} : { state }),
    ...(jobStatus === undefined ? {} : { jobStatus }),
    ...(updatedAt === undefined ? {} : { updatedAt }),
    ...(outcome === undefined ? {} : { outcome }),
    ...(erased === undefined ? {} : { erased }),
    ...(isQueryPath(instance) ? { error: originalError(problem, retryAfterMs) } : {}),
  };
}

/** Milliseconds, or null where trying again is no use. */
export function retryAfterOf({ code, retryAfterMs }: Problem): number | null {
  const type: ProblemType = PROBLEMS[code];
  return retryAfterMs ?? type.retryAfterMs ?? null;
}

/** A refusal of the email machine. */
export function emailProblem(rejection: EmailRejection): Problem {
  const { kind: code } = rejection;
  switch (code) {
    case "job_not_found":
      return { code, detail: "there is no job of that key" };
    case "job_payload_conflict":
      return { code, detail: "the key belongs to a job with another payload" };
    case "invalid_transition": {
      const { from, to } = rejection;
      return { ...found(rejection), code, detail: `a job cannot go from ${from} to ${to}` };
    }
    case "job_expired":
    case "erased":
    case "in_use":
    case "state_mismatch":
    case "not_claimable":
    case "claim_lost":
    case "not_leasable":
    case "lease_lost":
      return { ...found(rejection), code, detail: DETAILS[code] };
    default:
      return unreachable(code);
  }
}

function found({ state, updatedAt }: { readonly state: string; readonly updatedAt: string }) {
  return { state, updatedAt };
}

const DETAILS = {
  job_expired: "the job is past its retention; its key is never used again",
  erased: "the job was erased; its key is never used again",
  in_use: "the job is leased; settle it first, or wait until its lease has run out and is settled",
  state_mismatch: "the job is in none of the states that this starts from",
  not_claimable: "the job does not wait for a text, or its claim is not stale yet",
  claim_lost: "the job is not claimed by this claimant with this token",
  not_leasable: "the job is not ready, or another's lease stands",
  lease_lost: "another lease or settlement came after this one; stop working on the job",
} as const;

/** A refusal of the receipt machine. */
export function receiptProblem(rejection: ReceiptRejection): Problem {
  const { kind: code } = rejection;
  switch (code) {
    case "receipt_not_found":
      return { code, detail: "there is no such receipt" };
    case "operation_receipt_conflict":
      return { code, detail: conflictText(rejection) };
    case "operation_expired": {
      const { outcome, erased } = rejection;
      return { ...foundReceipt(rejection), code, outcome, erased, detail: overText(erased) };
    }
    case "already_resolved": {
      const { outcome } = rejection.resolution;
      return { ...foundReceipt(rejection), code, outcome, detail: `it was resolved as ${outcome}` };
    }
    case "invalid_receipt_state":
    case "dispatch_lost":
    case "dispatch_live":
    case "in_use":
      return { ...foundReceipt(rejection), code, detail: RECEIPT_DETAILS[code] };
    case "place_needed":
      throw new TypeError("a place is reserved, and that it is needed not told");
    default:
      return unreachable(code);
  }
}

/** Of a receipt in problems alone: everything else of it has its original's milliseconds. */
function foundReceipt({ state, updatedAt }: FoundReceipt) {
  return { state, updatedAt: isoTime(epochMs(updatedAt)) };
}

const RECEIPT_DETAILS = {
  invalid_receipt_state: "the receipt is in no state that this starts from",
  dispatch_lost:
    "the dispatch is not this caller's, or it is over: do not run the side effect; to report one that ran, send the dispatchToken that its dispatch answered",
  dispatch_live: "whoever dispatched it may still be running it; wait for its lease and the margin",
  in_use: "the receipt is dispatching; wait for its outcome, or recover it first",
} as const;

/** Whatever was thrown. Nothing of an unexpected fault is told but that it happened. */
export function problemOf(error: unknown): Problem {
  if (error instanceof InvalidInputError) {
    return {
      code: error.code,
      detail: "something in the request is not valid",
      errors: error.errors,
    };
  }
  if (
    error instanceof InvalidCursorError ||
    error instanceof ConfigNotFoundError ||
    error instanceof CursorNotFoundError
  ) {
    return { code: error.code, detail: error.message };
  }
  if (error instanceof OperationReceiptStoreError) return receiptErrorProblem(error);
  if (error instanceof QueryJobStoreError || error instanceof QueryJobValidationError) {
    return queryProblem(error);
  }
  return faultProblem(error);
}

/** Refusals of receipts that are thrown wherever they come from. */
function receiptErrorProblem(error: OperationReceiptStoreError): Problem {
  const { code, message: detail } = error;
  if (error instanceof OperationReceiptExpiredError) {
    return { code: "operation_expired", detail, outcome: error.outcome, erased: error.erased };
  }
  if (code in PROBLEMS) return { code: code as ProblemCode, detail };
  throw new TypeError(`no route answers ${code}`);
}

/** The storage's own words may name files or hosts, so they are logged and not told. */
function faultProblem(error: unknown): Problem {
  if (error instanceof RecordTooLargeError) {
    return { code: error.code, detail: "the record would be larger than a storage takes" };
  }
  if (error instanceof RecordCorruptError) {
    // A reason names fields and what is wrong with them, never what they hold.
    const id = recordIdOf(error.key);
    return { code: error.code, detail: `the record ${id} cannot be read: ${error.reason}` };
  }
  if (error instanceof StoreThrottledError) {
    const { code, retryAfterMs } = error;
    return { code, retryAfterMs, detail: "the storage refuses for load; nothing was written" };
  }
  if (error instanceof ContendedError) {
    return { code: error.code, detail: "others keep changing the record; nothing was written" };
  }
  if (error instanceof OutcomeUnknownError) {
    return { code: error.code, detail: "it may have been done or not; repeating it does no harm" };
  }
  if (error instanceof StoreUnavailableError) {
    const isSafe = error.isNotWritten ? "nothing was written" : "repeating it does no harm";
    return { code: error.code, detail: `the storage does not answer as it should; ${isSafe}` };
  }
  if (error instanceof MisconfiguredError || error instanceof FolderInUseError) {
    return { code: "misconfigured", detail: "the storage cannot be used as it is configured" };
  }
  return {
    code: "internal_error",
    detail: "an unexpected fault; the log knows it by the request id",
  };
}
