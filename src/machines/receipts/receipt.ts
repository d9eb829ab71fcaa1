/** What a receipt is to those who read it. */
import type { JsonValue } from "../../core/json.ts";
import type { ReceiptStateName, ResolutionOutcome } from "./fields.ts";
import type { OperationKey } from "./key.ts";

/** A person's answer where nobody else could tell. It stands for ever. */
export type Resolution = {
  readonly outcome: ResolutionOutcome;
  /** With `happened`, and only then. */
  readonly result?: JsonValue;
  /** Milliseconds since 1970, as all times of a receipt. */
  readonly resolvedAt: number;
  readonly resolvedBy: string;
  readonly note?: string;
};

/** The fields of the original store's receipt (semantics B1), in its order. */
export interface StoredReceipt extends OperationKey {
  readonly version: 1;
  /** The hash of its key. */
  readonly id: string;
  readonly payloadHash: string;
  readonly state: ReceiptStateName;
  readonly createdAt: number;
  readonly updatedAt: number;
  /** The same as createdAt. */
  readonly preparedAt: number;
  /** In every state but `prepared`. */
  readonly dispatchingAt?: number;
  /** Both in `accepted` and `terminal`. */
  readonly acceptedAt?: number;
  readonly result?: JsonValue;
  /** In `terminal`. */
  readonly terminalAt?: number;
  /** In `outcome-unknown`, and after it when the truth came late. */
  readonly outcomeUnknownAt?: number;
}

/** The original's fields, and beside them what a person said of an unknown outcome. */
export interface Receipt extends StoredReceipt {
  readonly resolution?: Resolution;
}
