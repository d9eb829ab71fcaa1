/** Refusals that a library call throws; match on `code`, never on `message`. */

export interface InputIssue {
  /** Where, as `payload.recordingIds[1]`; empty for the whole input. */
  readonly path: string;
  readonly message: string;
}

/** Something passed in is not what it must be; nothing was read or written. */
export class InvalidInputError extends Error {
  override readonly name: string = "InvalidInputError";
  readonly code = "invalid_request";
  readonly errors: readonly InputIssue[];

  constructor(errors: readonly InputIssue[]) {
    super(
      errors.map(({ path, message }) => (path === "" ? message : `${path}: ${message}`)).join("; "),
    );
    this.errors = errors;
  }
}

/** The cursor was made by another listing, or by nobody. */
export class InvalidCursorError extends Error {
  override readonly name = "InvalidCursorError";
  readonly code = "invalid_cursor";
}

/** The job is past its retention; its key can never be used again. */
export class JobExpiredError extends Error {
  override readonly name = "JobExpiredError";
  readonly code = "job_expired";
}

/** The job was erased on request; its key can never be used again. */
export class JobErasedError extends Error {
  override readonly name = "JobErasedError";
  readonly code = "erased";
}

/** The key belongs to a job with another payload; asked for with `onPayloadMismatch: "conflict"`. */
export class JobPayloadConflictError extends Error {
  override readonly name = "JobPayloadConflictError";
  readonly code = "job_payload_conflict";
}

/** The job is in an expected state, but there is no such move from it (semantics A2). */
export class InvalidTransitionError extends Error {
  override readonly name = "InvalidTransitionError";
  readonly code = "invalid_transition";
  readonly state: string;
  readonly updatedAt: string;

  constructor(found: { from: string; to: string; updatedAt: string }) {
    super(`an email job cannot go from ${found.from} to ${found.to}`);
    this.state = found.from;
    this.updatedAt = found.updatedAt;
  }
}

/** There is no email config yet; `ensureEnabledAt` makes it. */
export class ConfigNotFoundError extends Error {
  override readonly name = "ConfigNotFoundError";
  readonly code = "config_not_found";
}

/** No cursor of that name can be set. */
export class CursorNotFoundError extends Error {
  override readonly name = "CursorNotFoundError";
  readonly code = "cursor_not_found";
}
