/** What can be asked of a job, and how it can be refused. */
import type { DurationMs, EpochMs } from "../../core/time.ts";
import type { ActivityKind, QueryEvent } from "./events.ts";
import type { HeldSession } from "./fence.ts";
import type { QueryStatus } from "./statuses.ts";

/** Takes the run: accepted → starting, once (semantics C3, markStarting). */
export interface Start {
  readonly kind: "start";
  /** Null: whichever the job has. */
  readonly generation: number | null;
  /** Minted for this call, or the caller's own: its repeat gets the same run. */
  readonly token: string;
  readonly leaseMs: DurationMs;
  /** Of the exclusive folder whose process drives the run itself; null: anybody else. */
  readonly owner: string | null;
  /** Until when the job's session is held (fence.ts); null: it is not. */
  readonly heldUntil: EpochMs | null;
}

/** By whoever holds the run. */
interface ByHolder {
  /** Null: the caller knows of none, as in the original; fits a job without a run only. */
  readonly token: string | null;
}

/** Says that the holder lives; writes no event, the service moves the lease on. */
export interface Heartbeat extends ByHolder {
  readonly kind: "heartbeat";
}

/** starting → running (markRunning). What does not fit in `linkage` is left out. */
export interface MarkRunning extends ByHolder {
  readonly kind: "running";
  readonly linkage: unknown;
}

/** Confirms that the provider is ours, before it gets the prompt (updateLinkage). */
export interface UpdateLinkage extends ByHolder {
  readonly kind: "linkage";
  readonly linkage: unknown;
}

/** More of the answer (appendPartial). */
export interface AppendChunk extends ByHolder {
  readonly kind: "chunk";
  readonly delta: string;
  /** The caller cut the answer here, and will append no more of it. */
  readonly isTruncated: boolean;
}

export interface AppendActivity extends ByHolder {
  readonly kind: "activity";
  readonly activity: ActivityKind;
  readonly text: string;
}

/** Commits the answer: from now on the job can only complete (markAnswerReady). */
export interface MarkAnswerReady extends ByHolder {
  readonly kind: "answer_ready";
  readonly text: string;
  readonly linkage: unknown;
}

export interface Complete extends ByHolder {
  readonly kind: "complete";
  readonly text: string;
  readonly attachments: unknown;
  readonly outputImageStats: unknown;
  readonly linkage: unknown;
}

/** Ends it with an error; completes it after `answer_ready`. */
export interface Fail extends ByHolder {
  readonly kind: "fail";
  readonly error: unknown;
}

export interface Cancel {
  readonly kind: "cancel";
  readonly generation: number;
}

/** Ends it, to be asked for again; completes it after `answer_ready`. */
export interface Interrupt extends ByHolder {
  readonly kind: "interrupt";
  /** Null: no other than that. */
  readonly reason: string | null;
  /** Until when the session has been held for this job; null: it has not. */
  readonly fencedUntil: EpochMs | null;
}

/** The same by nobody in particular, once the run has lapsed (protocols 4.3). */
export interface Recover {
  readonly kind: "recover";
  /** As the root says. */
  readonly leaseUntil: EpochMs | null;
  /** Of the exclusive folder whose process recovers; null: anybody else. */
  readonly owner: string | null;
  readonly fencedUntil: EpochMs | null;
}

/** Notes that the reader has the end. */
export interface Acknowledge {
  readonly kind: "acknowledge";
  readonly generation: number;
}

export type HolderCommand =
  | Heartbeat
  | MarkRunning
  | UpdateLinkage
  | AppendChunk
  | AppendActivity
  | MarkAnswerReady
  | Complete
  | Fail
  | Interrupt;

export type QueryCommand = Start | HolderCommand | Cancel | Recover | Acknowledge;

/** What a deployment decided. */
export interface QueryRules {
  /** From the admission on. */
  readonly retentionMs: DurationMs;
  /** After which an accepted job that nobody started is interrupted; null: never. */
  readonly admissionTimeoutMs: DurationMs | null;
}

/** The job as it was found, so that a caller whose reply was lost can tell what happened. */
export interface FoundQuery {
  readonly status: QueryStatus;
  readonly updatedAt: EpochMs;
}

/**
 * Why a command was refused. `lease_lost`: the caller does not, or no longer, hold the run. The last two
 * are no refusals of the caller: `text_needed`, the job was folded without its text, which this command
 * needs; `fence_needed`, the session must be held until then before this may be written.
 */
export type QueryRejection =
  | (FoundQuery & {
      readonly kind:
        | "query_job_generation_mismatch"
        | "query_job_answer_committing"
        | "query_job_not_terminal"
        | "lease_lost";
    })
  | (FoundQuery & HeldSession & { readonly kind: "provider_orphan_fence" })
  | { readonly kind: "text_needed" }
  | { readonly kind: "fence_needed"; readonly until: EpochMs };

/**
 * `append`: `event` is the next of the log. `unchanged`: nothing is to be written; `isApplied` tells
 * whether what was asked for is so all the same. `reject`: nothing is to be written, and why.
 */
export type QueryDecision =
  | { readonly kind: "append"; readonly event: QueryEvent }
  | { readonly kind: "unchanged"; readonly isApplied: boolean }
  | { readonly kind: "reject"; readonly rejection: QueryRejection };
