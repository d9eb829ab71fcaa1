/** How the receipt service refuses; match on `code`, never on `message`. */
import { unreachable } from "../core/assert.ts";
import { type EpochMs, isoTime } from "../core/time.ts";
import type { ReceiptConflict, ReceiptRejection } from "../machines/receipts/commands.ts";
import type { Resolution } from "../machines/receipts/receipt.ts";
import type { KeptOutcome } from "../machines/receipts/record.ts";
import { InvalidInputError } from "./errors.ts";

export type ReceiptErrorCode =
  | "receipt_not_found"
  | "invalid_receipt_state"
  | "dispatch_live"
  | "dispatch_lost"
  | "in_use"
  | "already_resolved"
  | "operation_expired"
  | "operation_in_flight"
  | "operation_outcome_unknown"
  | "operation_receipt_capacity"
  | "operation_receipt_conflict"
  | "invalid_request"
  | "invalid_cursor";

/** Every refusal of the receipt service, but for what is wrong in a key, a payload or a result. */
export class OperationReceiptStoreError extends Error {
  override readonly name: string = "OperationReceiptStoreError";
  readonly code: ReceiptErrorCode;
  /** The state in which the receipt was found; null where there was none, or none is told. */
  readonly state: string | null;

  constructor(
    code: ReceiptErrorCode,
    message: string,
    options: ErrorOptions & { readonly state?: string } = {},
  ) {
    super(message, options);
    this.code = code;
    this.state = options.state ?? null;
  }
}

/** The operation is bound to another payload, or has another result. Nothing of either is told. */
export class OperationReceiptConflictError extends OperationReceiptStoreError {
  override readonly name = "OperationReceiptConflictError";
  readonly receiptId: string;
  /** What of it is another. */
  readonly differs: "payload" | "result";

  constructor(conflict: ReceiptConflict) {
    super(conflict.kind, conflictText(conflict));
    this.receiptId = conflict.id;
    this.differs = conflict.differs;
  }
}

/** The workspace has as many receipts as it may have; nothing was written. */
export class OperationReceiptCapacityError extends OperationReceiptStoreError {
  override readonly name = "OperationReceiptCapacityError";
}

/**
 * The caller does not own the dispatch. Before the side effect: it must not run it. When it reports what
 * came of it: what is missing is the token that `dispatch` answered.
 */
export class OperationReceiptNotOwnedError extends OperationReceiptStoreError {
  override readonly name = "OperationReceiptNotOwnedError";
}

/** The operation is over and forgotten but for its outcome; it never runs again. */
export class OperationReceiptExpiredError extends OperationReceiptStoreError {
  override readonly name = "OperationReceiptExpiredError";
  readonly outcome: KeptOutcome;
  /** Whether it was erased, rather than past its retention. */
  readonly erased: boolean;

  constructor(outcome: KeptOutcome, erased: boolean) {
    super("operation_expired", overText(erased));
    this.outcome = outcome;
    this.erased = erased;
  }
}

/** A person said what came of the operation, and that stands. */
export class OperationReceiptResolvedError extends OperationReceiptStoreError {
  override readonly name = "OperationReceiptResolvedError";
  readonly resolution: Resolution;

  constructor(resolution: Resolution) {
    super("already_resolved", `the operation was resolved as ${resolution.outcome}`, {
      state: "outcome-unknown",
    });
    this.resolution = resolution;
  }
}

export interface UnknownOutcomeOptions extends ErrorOptions {
  /** What is known about it; by default nothing. */
  readonly message?: string;
  readonly returned?: unknown;
}

const NOTHING_KNOWN = "the side effect was begun, and what came of it is not known";

/** The side effect was begun, and nothing that came of it is stored. It is not run again. */
export class OperationReceiptOutcomeUnknownError extends OperationReceiptStoreError {
  override readonly name = "OperationReceiptOutcomeUnknownError";
  /** What a person resolves. */
  readonly receiptId: string;
  // Private, so that nothing that prints, logs or serializes the error shows it.
  readonly #returned: unknown;

  constructor(
    receiptId: string,
    { message = NOTHING_KNOWN, returned, ...options }: UnknownOutcomeOptions = {},
  ) {
    super("operation_outcome_unknown", message, { ...options, state: "outcome-unknown" });
    this.receiptId = receiptId;
    this.#returned = returned;
  }

  /** What the side effect returned, in the call that ran it and could not store that; else undefined. */
  get returned(): unknown {
    return this.#returned;
  }
}

/** Another call has the dispatch of the same operation, or had it and died; nothing was done by this one. */
export class OperationReceiptInFlightError extends OperationReceiptStoreError {
  override readonly name = "OperationReceiptInFlightError";
  readonly receiptId: string;
  /** Until when that call counts as live, unless it renews its dispatch; milliseconds since 1970. */
  readonly liveUntil: EpochMs;

  constructor(receiptId: string, liveUntil: EpochMs) {
    super(
      "operation_in_flight",
      `another call has the operation, and counts as live until ${isoTime(liveUntil)}`,
      { state: "dispatching" },
    );
    this.receiptId = receiptId;
    this.liveUntil = liveUntil;
  }
}

/** A key, a payload or a result is not what it must be; nothing was read or written. */
export class OperationReceiptContractError extends InvalidInputError {
  override readonly name: string = "OperationReceiptContractError";
}

/** Told of a conflict in the library and over HTTP. */
export function conflictText({ id, differs }: ReceiptConflict): string {
  return differs === "payload"
    ? `the operation is bound to another payload; receipt ${id}`
    : `the operation has another result already; receipt ${id}`;
}

/** The same of what is over. */
export function overText(erased: boolean): string {
  return erased
    ? "the operation was erased; its id is never used again"
    : "the operation is past its retention; its id is never used again";
}

/** What the library throws for a refusal of the machine. */
export function receiptError(rejection: ReceiptRejection): OperationReceiptStoreError {
  switch (rejection.kind) {
    case "receipt_not_found":
      return new OperationReceiptStoreError(rejection.kind, "there is no such receipt");
    case "operation_receipt_conflict":
      return new OperationReceiptConflictError(rejection);
    case "operation_expired":
      return new OperationReceiptExpiredError(rejection.outcome, rejection.erased);
    case "already_resolved":
      return new OperationReceiptResolvedError(rejection.resolution);
    case "dispatch_lost":
      return new OperationReceiptNotOwnedError(
        rejection.kind,
        "the dispatchToken is not the receipt's: pass the one that dispatch answered to its owner",
        { state: rejection.state },
      );
    case "invalid_receipt_state":
    case "dispatch_live":
    case "in_use":
      return new OperationReceiptStoreError(
        rejection.kind,
        `the receipt is ${rejection.state}, and this cannot be done to it`,
        { state: rejection.state },
      );
    case "place_needed":
      throw new TypeError("a place is reserved, and that it is needed not told");
    default:
      return unreachable(rejection);
  }
}
