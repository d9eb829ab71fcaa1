/** The steps that all commands on a job share. */
import { type EpochMs, epochMs } from "../../core/time.ts";
import type { FoundQuery, QueryDecision, QueryRejection } from "./commands.ts";
import type { QueryEvent } from "./events.ts";
import { heldSession } from "./fence.ts";
import type { QueryHead } from "./head.ts";

/** What a decision is made on: the whole fold of a job, or its head alone. */
export interface KnownQuery {
  readonly generation: number;
  readonly head: QueryHead;
  /** The answer so far; null: the log was folded from a hint, without it. */
  readonly text: string | null;
}

/** The time that an event is stamped with: a clock that stepped back must not turn the log around. */
export function stampOf({ updatedAt }: QueryHead, now: EpochMs): EpochMs {
  return epochMs(Math.max(updatedAt, now));
}

export function append(event: QueryEvent): QueryDecision {
  return { kind: "append", event };
}

export function unchanged(isApplied: boolean): QueryDecision {
  return { kind: "unchanged", isApplied };
}

export function reject(rejection: QueryRejection): QueryDecision {
  return { kind: "reject", rejection };
}

export function refuse(
  query: KnownQuery,
  kind:
    | "query_job_generation_mismatch"
    | "query_job_answer_committing"
    | "query_job_not_terminal"
    | "lease_lost",
): QueryDecision {
  return reject({ kind, ...found(query) });
}

/** Not to be started while its session is held. */
export function refuseHeld(query: KnownQuery, until: EpochMs, now: EpochMs): QueryDecision {
  return reject({ kind: "provider_orphan_fence", ...heldSession(until, now), ...found(query) });
}

function found({ head }: KnownQuery): FoundQuery {
  return { status: head.status, updatedAt: head.updatedAt };
}
