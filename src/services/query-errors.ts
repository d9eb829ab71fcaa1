/** How the query service refuses; match on `code`, never on `message`. */
import { unreachable } from "../core/assert.ts";
import { type EpochMs, isoTime } from "../core/time.ts";
import type { AdmissionRejection } from "../machines/queries/admission.ts";
import type { QueryRejection } from "../machines/queries/commands.ts";
import type { HeldSession } from "../machines/queries/fence.ts";
import type { RequestCode, RequestProblem } from "../machines/queries/request-problems.ts";
import type { QueryStatus } from "../machines/queries/statuses.ts";
import type { InputIssue } from "./errors.ts";

export type QueryErrorCode =
  | "query_job_not_found"
  | "query_job_generation_mismatch"
  | "query_job_answer_committing"
  | "query_job_not_terminal"
  | "lease_lost"
  | "provider_orphan_fence"
  | "job_identity_conflict"
  | "job_generation_active"
  | "job_generation_out_of_order"
  | "job_history_full"
  | "erased"
  | "in_use"
  | "invalid_cursor";

export interface QueryErrorDetails {
  readonly status?: QueryStatus;
  readonly updatedAt?: EpochMs;
  readonly retryAfterMs?: number;
}

/** Every refusal of the query service, but for what is wrong in what was passed in. */
export class QueryJobStoreError extends Error {
  override readonly name: string = "QueryJobStoreError";
  readonly code: QueryErrorCode;
  /** The status in which the job was found; null where there was none, or none is told. */
  readonly jobStatus: QueryStatus | null;
  /** When the job last changed, ISO 8601. */
  readonly updatedAt: string | null;
  /** After how long the same may be asked again; null: nothing is to be waited for. */
  readonly retryAfterMs: number | null;

  constructor(code: QueryErrorCode, message: string, details: QueryErrorDetails = {}) {
    super(message);
    this.code = code;
    this.jobStatus = details.status ?? null;
    this.updatedAt = details.updatedAt === undefined ? null : isoTime(details.updatedAt);
    this.retryAfterMs = details.retryAfterMs ?? null;
  }
}

/** There is no such job, or it is not kept any more. */
export class QueryJobNotFoundError extends QueryJobStoreError {
  override readonly name = "QueryJobNotFoundError";

  constructor() {
    super("query_job_not_found", "there is no such query job");
  }
}

/** The request cannot become a job, because of the jobs that there are. Nothing of them is told. */
export class QueryJobConflictError extends QueryJobStoreError {
  override readonly name = "QueryJobConflictError";
}

/** The caller does not, or no longer, hold the run: it must stop. */
export class QueryJobLeaseLostError extends QueryJobStoreError {
  override readonly name = "QueryJobLeaseLostError";
}

/** The job's session is held, since a provider may still be at work in it; see `retryAfterMs`. */
export class QueryJobFencedError extends QueryJobStoreError {
  override readonly name = "QueryJobFencedError";
  /** ISO 8601: until when, as far as it is known. */
  readonly heldUntil: string;

  constructor({ heldUntil, ...details }: QueryErrorDetails & HeldSession) {
    const until = isoTime(heldUntil);
    const message = `the session is held until ${until}: a provider may still be at work in it`;
    super("provider_orphan_fence", message, details);
    this.heldUntil = until;
  }
}

/** Something passed in is not what it must be; nothing was written. */
export class QueryJobValidationError extends Error {
  override readonly name = "QueryJobValidationError";
  readonly code: RequestCode | "invalid_event_cursor";
  readonly errors: readonly InputIssue[];

  constructor(code: RequestCode | "invalid_event_cursor", issue: InputIssue) {
    super(issue.path === "" ? issue.message : `${issue.path}: ${issue.message}`);
    this.code = code;
    this.errors = [issue];
  }
}

export function requestError({ code, path, message }: RequestProblem): QueryJobValidationError {
  return new QueryJobValidationError(code, { path, message });
}

/** The position is of no part of the job's log. */
export function positionError(): QueryJobValidationError {
  return new QueryJobValidationError("invalid_event_cursor", {
    path: "position",
    message: "must be the position of the answer before",
  });
}

/** What the library throws when a request is refused. */
export function admissionError(rejection: AdmissionRejection): QueryJobStoreError {
  switch (rejection.kind) {
    case "job_identity_conflict":
      return new QueryJobConflictError(
        rejection.kind,
        "the client job id and generation are bound to another request",
      );
    case "job_generation_active":
      return new QueryJobConflictError(
        rejection.kind,
        "an earlier generation of the client job has not ended",
      );
    case "job_generation_out_of_order":
      return new QueryJobConflictError(
        rejection.kind,
        "the client job has had this generation or a later one",
      );
    case "job_history_full":
      return new QueryJobConflictError(
        rejection.kind,
        "too many earlier generations of the client job are still kept",
      );
    case "provider_orphan_fence":
      return new QueryJobFencedError(rejection);
    case "erased":
      return new QueryJobStoreError(rejection.kind, "the client job was erased");
    default:
      return unreachable(rejection);
  }
}

/** What the library throws when a command is refused. */
export function queryError(rejection: QueryRejection): QueryJobStoreError {
  switch (rejection.kind) {
    case "query_job_generation_mismatch":
      return new QueryJobStoreError(
        rejection.kind,
        "the query job is of another generation",
        rejection,
      );
    case "query_job_answer_committing":
      return new QueryJobStoreError(
        rejection.kind,
        "the answer is committed: the query job can only complete",
        rejection,
      );
    case "query_job_not_terminal":
      return new QueryJobStoreError(rejection.kind, "the query job has not ended", rejection);
    case "lease_lost":
      return new QueryJobLeaseLostError(
        rejection.kind,
        "this caller does not hold the run of the query job",
        rejection,
      );
    case "provider_orphan_fence":
      return new QueryJobFencedError(rejection);
    case "text_needed":
    case "fence_needed":
      throw new TypeError("what a decision needed was not given to it");
    default:
      return unreachable(rejection);
  }
}
