/** What can be asked of an email job, and how it can be refused. */
import type { DurationMs, EpochMs } from "../../core/time.ts";
import type { EmailStateName, SettledState } from "./fields.ts";
import type { EmailKinds } from "./kinds.ts";
import type { EmailPayload } from "./payload.ts";

/** Creates the job, or answers the stored one whatever it holds (EMAIL-1, EMAIL-4). */
export interface Enqueue {
  readonly kind: "enqueue";
  /** As `validLogicalKey` gave it. */
  readonly logicalKey: string;
  readonly payload: EmailPayload;
  readonly initialState: "pending" | "awaiting_ai";
  readonly notBefore: EpochMs | null;
  /** `conflict`: another stored payload is refused with `job_payload_conflict`. */
  readonly onPayloadMismatch: "return" | "conflict";
}

/** Creates the first-import job of `recipient`, or turns it to another recording (EMAIL-51 to 54). */
export interface Converge {
  readonly kind: "converge";
  /** Trimmed and lower-case. */
  readonly recipient: string;
  readonly recordingId: string;
  readonly requestedBy: string;
}

/** Moves the job by the table of semantics A2; needs no credential, so it never touches a lease. */
export interface Transition {
  readonly kind: "transition";
  readonly from: readonly EmailStateName[];
  readonly to: EmailStateName;
  readonly generatedSummary?: string;
  /** Left out: kept (EMAIL-26). */
  readonly lastError?: string | null;
}

/** Claims a job whose kind waits for AI. */
export interface Claim {
  readonly kind: "claim";
  /** Trimmed and lower-case, here and below. */
  readonly claimant: string;
  /** Fresh for this claim, here and below. */
  readonly claimToken: string;
}

/** Takes over a claim made at or before `staleBefore` (EMAIL-34). */
export interface Reclaim {
  readonly kind: "reclaim";
  readonly claimant: string;
  readonly staleBefore: EpochMs;
  readonly claimToken: string;
}

/** Hands in the text of a claimed job, which is then ready (EMAIL-32). */
export interface CompleteClaim {
  readonly kind: "completeClaim";
  readonly claimant: string;
  readonly summary: string;
  /** Null: the claimant alone decides, as in the original. */
  readonly claimToken: string | null;
}

/** Gives a claim back (EMAIL-38). */
export interface ReleaseClaim {
  readonly kind: "releaseClaim";
  readonly claimant: string;
  readonly claimToken: string | null;
}

/** Claims a waiting job of any kind; without a claimant nobody can complete it (EMAIL-37). */
export interface ClaimNext {
  readonly kind: "claimNext";
  readonly claimant: string | null;
  readonly claimToken: string;
}

/** Leases the job for `leaseMs`, whether it is due or not (EMAIL-39 to 43). */
export interface Acquire {
  readonly kind: "acquire";
  readonly leaseMs: DurationMs;
  /** The caller's mark of this call; its repeat gets the same lease while that stands. */
  readonly requestId: string | null;
  /** Fresh for this acquisition, here and below. */
  readonly leaseToken: string;
}

/** Leases the job if it is due for delivery, or fails it when its attempts are used up (EMAIL-81). */
export interface AcquireDue {
  readonly kind: "acquireDue";
  readonly leaseMs: DurationMs;
  readonly leaseToken: string;
}

/** Sets the end of the holder's lease to `leaseMs` from now, also when that is earlier. */
export interface Extend {
  readonly kind: "extend";
  readonly leaseToken: string;
  readonly leaseMs: DurationMs;
}

/** Ends the holder's lease (EMAIL-44 to 47). */
export interface Settle {
  readonly kind: "settle";
  readonly leaseToken: string;
  readonly to: SettledState;
  /** Left out: kept. */
  readonly lastError?: string | null;
}

/**
 * Gives the holder's lease back as if it had not been taken: the job is ready again, and the lease counts
 * as no attempt. For a send that nobody tried, since what sends was not there or the time was up.
 */
export interface GiveBack {
  readonly kind: "giveBack";
  readonly leaseToken: string;
  readonly lastError: string;
  /** Due as before the lease; without it a minute from now at the earliest. */
  readonly isAtOnce?: boolean;
}

/** Gives a failed job a new life; its epoch goes on. */
export interface Requeue {
  readonly kind: "requeue";
}

/** Replaces a job past its retention by a tombstone. */
export interface Retire {
  readonly kind: "retire";
}

/** Removes everything personal from a job, its key included; what is left is never used again. */
export interface Erase {
  readonly kind: "erase";
}

/** Every command whose outcome is a live job. */
export type LiveEmailCommand =
  | Enqueue
  | Converge
  | Transition
  | Claim
  | Reclaim
  | CompleteClaim
  | ReleaseClaim
  | ClaimNext
  | Acquire
  | AcquireDue
  | Extend
  | Settle
  | GiveBack
  | Requeue;

export type EmailCommand = LiveEmailCommand | Retire | Erase;

/** What a deployment decided. */
export interface EmailRules {
  readonly kinds: EmailKinds;
  /** How long a job is kept after it was sent or cancelled; null: for ever. */
  readonly retentionMs: DurationMs | null;
}

/** The record as it was found, so that a caller whose reply was lost can tell what happened. */
export interface FoundEmail {
  readonly state: EmailStateName;
  readonly updatedAt: string;
}

/**
 * Why a command was refused. A payload conflict tells nothing of what is stored. `job_expired`: past
 * its retention. `erased`: on request. `in_use`: leased, so not to be erased now. `state_mismatch`: not
 * in a state that the command starts from. `invalid_transition`: in such a state, but the table has no
 * such move. `not_claimable`, `not_leasable`: not now. `claim_lost`, `lease_lost`: the caller's
 * credential is not, or no longer, the current one.
 */
export type EmailRejection =
  | { readonly kind: "job_not_found" }
  | { readonly kind: "job_payload_conflict" }
  | (FoundEmail & {
      readonly kind:
        | "job_expired"
        | "erased"
        | "in_use"
        | "state_mismatch"
        | "not_claimable"
        | "claim_lost"
        | "not_leasable"
        | "lease_lost";
    })
  | (FoundEmail & {
      readonly kind: "invalid_transition";
      readonly from: EmailStateName;
      readonly to: EmailStateName;
    });
