/**
 * What the environment can do to us, as thrown errors. A fault is never returned as a conflict. Match
 * on `code`, never on `message`.
 */
import type { DurationMs, EpochMs } from "../core/time.ts";

/** The storage did not do what was asked, as far as is known. Retryable. */
export class StoreUnavailableError extends Error {
  override readonly name = "StoreUnavailableError";
  readonly code = "unavailable";
  /** Of a write: it was turned away before anything happened, so it cannot take effect later either. */
  readonly isNotWritten: boolean;

  constructor(message: string, options: ErrorOptions & { isNotWritten?: boolean } = {}) {
    super(message, options);
    this.isNotWritten = options.isNotWritten ?? false;
  }
}

/** The storage refused for load, before doing anything. Retry after `retryAfterMs`. */
export class StoreThrottledError extends Error {
  override readonly name = "StoreThrottledError";
  readonly code = "throttled";
  readonly retryAfterMs: DurationMs;

  constructor(message: string, retryAfterMs: DurationMs, options?: ErrorOptions) {
    super(message, options);
    this.retryAfterMs = retryAfterMs;
  }
}

/** A write may or may not have happened, now or later. Repeating the same request does no harm. */
export class OutcomeUnknownError extends Error {
  override readonly name = "OutcomeUnknownError";
  readonly code = "outcome_unknown";
}

/** Others kept writing the same record until the time was up; this write definitely did not happen. */
export class ContendedError extends Error {
  override readonly name = "ContendedError";
  readonly code = "contended";
}

/** A body over the limit of its kind; nothing was written. */
export class RecordTooLargeError extends Error {
  override readonly name = "RecordTooLargeError";
  readonly code = "record_too_large";
}

/** A stored record that cannot be read as what it should be. It is left exactly as it is. */
export class RecordCorruptError extends Error {
  override readonly name = "RecordCorruptError";
  readonly code = "record_corrupt";
  /** The key of the record. */
  readonly key: string;
  /** What is wrong, without the record's content. */
  readonly reason: string;

  constructor(key: string, reason: string, options?: ErrorOptions) {
    super(`record ${key} cannot be read: ${reason}`, options);
    this.key = key;
    this.reason = reason;
  }
}

/** The storage or the configuration cannot be used as it is; a person has to change something. */
export class MisconfiguredError extends Error {
  override readonly name = "MisconfiguredError";
  readonly code = "misconfigured";
}

/** The folder belongs to another running process. */
export class FolderInUseError extends Error {
  override readonly name = "FolderInUseError";
  readonly code = "folder_in_use";
  readonly pid: number | null;
  /** Where the owner serves HTTP, when it does. */
  readonly address: string | null;
  readonly since: EpochMs | null;

  constructor(
    message: string,
    owner: { pid: number | null; address: string | null; since: EpochMs | null },
  ) {
    super(message);
    this.pid = owner.pid;
    this.address = owner.address;
    this.since = owner.since;
  }
}
