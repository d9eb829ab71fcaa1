/** What can be asked of a receipt, and how it can be refused. */
import type { JsonValue } from "../../core/json.ts";
import type { DurationMs } from "../../core/time.ts";
import type { ReceiptStateName, ResolutionOutcome } from "./fields.ts";
import type { OperationKey } from "./key.ts";
import type { Resolution } from "./receipt.ts";
import type { KeptOutcome } from "./record.ts";

/** Binds an operation to one payload, or answers what is stored of it (RECEIPT-1, RECEIPT-2). */
export interface Prepare {
  readonly kind: "prepare";
  readonly key: OperationKey;
  /** Hashes by which the payload may be stored; the first is what a new receipt gets. */
  readonly payloadHashes: readonly [string, ...string[]];
  /** The place of a new receipt in its scope; null: it is not counted. `needed`: there is none yet. */
  readonly reservation: Reservation | "needed" | null;
  /** Also dispatches a receipt that is new or only prepared, in the same write. */
  readonly dispatch: Acquisition | null;
}

/** A place in the scope, reserved for this very call (protocols 6.1). */
export interface Reservation {
  readonly nonce: string;
  /** The mark of the void receipt that was there before it was reserved; null: nothing was. */
  readonly over: string | null;
}

export interface Acquisition {
  readonly token: string;
  readonly leaseMs: DurationMs;
}

/** Takes the right to run the side effect, for whoever is first (RECEIPT-14 to 16). */
export interface Dispatch extends Acquisition {
  readonly kind: "dispatch";
}

/** Sets the end of the owner's lease to `leaseMs` from now. */
export interface Renew extends Acquisition {
  readonly kind: "renew";
}

/** Gives the dispatch back, by its owner, who has not begun the side effect. */
export interface Release {
  readonly kind: "release";
  readonly token: string;
}

/** Tells what came of the side effect (RECEIPT-17 to 19). */
export interface Accept {
  readonly kind: "accept";
  /** As `parseResult` gave it. */
  readonly result: JsonValue;
  /** Null: the caller knows of none, as in the original. */
  readonly token: string | null;
  /** Goes on to `terminal` in the same write. */
  readonly isFinal: boolean;
}

/** accepted → terminal, by anyone (RECEIPT-21). */
export interface Complete {
  readonly kind: "complete";
}

/** Says that nobody can tell what came of the side effect (RECEIPT-22). */
export interface MarkUnknown {
  readonly kind: "unknown";
  readonly token: string | null;
}

/** The same, by nobody in particular, once a dispatch has lapsed (RECEIPT-25 to 27). */
export interface Recover {
  readonly kind: "recover";
}

/** What is said of an outcome that is not known: only what happened has a result, which may be null. */
export type OutcomeAnswer =
  | { readonly outcome: "happened"; readonly result: JsonValue }
  | { readonly outcome: Exclude<ResolutionOutcome, "happened"> };

/** A person's answer to an outcome that is not known. */
export type Resolve = OutcomeAnswer & {
  readonly kind: "resolve";
  readonly by: string;
  readonly note: string | null;
};

/** Replaces a receipt past its retention by a tombstone. */
export interface Retire {
  readonly kind: "retire";
  /** The place of a receipt that an original wrote; fresh. */
  readonly slot: string;
}

/** The same at once, whatever its age, unless it is dispatching. */
export interface Erase {
  readonly kind: "erase";
  readonly slot: string;
}

/** Notes in a tombstone that its scope has the place back. */
export interface Free {
  readonly kind: "free";
}

/** Makes it impossible that a receipt is created with a reservation that was made before. */
export interface MakeVoid {
  readonly kind: "void";
  readonly id: string;
  /** Fresh for every command. */
  readonly mark: string;
  /** The mark of the void receipt that was found; null: nothing was. */
  readonly over: string | null;
}

export type ReceiptCommand =
  | Prepare
  | Dispatch
  | Renew
  | Release
  | Accept
  | Complete
  | MarkUnknown
  | Recover
  | Resolve
  | Retire
  | Erase
  | Free
  | MakeVoid;

/** Every command whose outcome is a live receipt. */
export type LiveReceiptCommand = Exclude<ReceiptCommand, Retire | Erase | Free | MakeVoid>;

/** What a deployment decided. */
export interface ReceiptRules {
  /** How long a receipt is kept after it was finished, or prepared and left; null: for ever. */
  readonly retentionMs: DurationMs | null;
  /** How long after its lease a dispatch counts as live (protocols 6.2). */
  readonly marginMs: DurationMs;
}

/** The record as it was found, so that a caller whose reply was lost can tell what happened. */
export interface FoundReceipt {
  readonly state: ReceiptStateName;
  readonly updatedAt: number;
}

export interface ReceiptConflict {
  readonly kind: "operation_receipt_conflict";
  readonly id: string;
  /** What of it is another. */
  readonly differs: "payload" | "result";
}

/**
 * Why a command was refused. `operation_receipt_conflict`: another payload or result; tells nothing of
 * what is stored but whose it is. `operation_expired`: over, never to run again. `invalid_receipt_state`: not in a state
 * that the command starts from. `dispatch_lost`: the caller is not, or no longer, the owner.
 * `dispatch_live`: the owner may still be at it. `already_resolved`: a person's answer stands.
 * `in_use`: dispatching, so not to be erased now. `place_needed`: to be created, once a place is reserved.
 */
export type ReceiptRejection =
  | { readonly kind: "receipt_not_found" }
  | ReceiptConflict
  | {
      readonly kind: "place_needed";
      /** What a reservation made from now on is over. */
      readonly over: string | null;
    }
  | (FoundReceipt & {
      readonly kind: "operation_expired";
      readonly outcome: KeptOutcome;
      /** Before its time: somebody had it erased. */
      readonly erased: boolean;
    })
  | (FoundReceipt & { readonly kind: "already_resolved"; readonly resolution: Resolution })
  | (FoundReceipt & {
      readonly kind: "invalid_receipt_state" | "dispatch_lost" | "dispatch_live" | "in_use";
    });
