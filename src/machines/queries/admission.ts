/**
 * Whether a request becomes a job (protocols 4.2): judged on the root first, since a repeat needs no more
 * than that, then on what the service read after it, in this order.
 */
import { assert } from "../../core/assert.ts";
import { reject } from "../../core/machine.ts";
import { after, type EpochMs } from "../../core/time.ts";
import type { QueryRules } from "./commands.ts";
import type { Accepted } from "./events.ts";
import { fenceIdOf, type HeldSession, heldSession } from "./fence.ts";
import { fingerprintOf } from "./fingerprint.ts";
import { advanceHead } from "./head.ts";
import { HISTORY_MAX } from "./limits.ts";
import type { QueryRequest } from "./request.ts";
import { isGone } from "./retention.ts";
import { jobOfGeneration, type LiveRoot, latestOf, type PastJob, type QueryRoot } from "./root.ts";

/** What becomes of a request whose session is held: it is refused, or admitted and started later. */
export const HELD_QUERIES = ["refuse", "admit"] as const;

export type HeldQueries = (typeof HELD_QUERIES)[number];

/** `erased`: nothing is ever admitted under that client job id again. */
export type AdmissionRejection =
  | {
      readonly kind:
        | "job_identity_conflict"
        | "job_generation_active"
        | "job_generation_out_of_order"
        | "job_history_full"
        | "erased";
    }
  | ({ readonly kind: "provider_orphan_fence" } & HeldSession);

/** What the root alone tells: the request is a repeat, or refused, or needs the rest of the reads. */
export type Recognition =
  | { readonly kind: "existing"; readonly jobId: string }
  | { readonly kind: "reject"; readonly rejection: AdmissionRejection }
  | { readonly kind: "unknown" };

/** Tells nothing of what is stored under another fingerprint (G5). */
export function recognise(
  root: QueryRoot | null,
  { generation, fingerprint }: { readonly generation: number; readonly fingerprint: string },
  now: EpochMs,
): Recognition {
  if (root === null || root.kind === "void") return { kind: "unknown" };
  if (root.clientJobId === null) return reject<AdmissionRejection>({ kind: "erased" });
  const job = jobOfGeneration(root, generation);
  if (job === null) return { kind: "unknown" };
  if (job.fingerprint !== fingerprint) {
    return reject<AdmissionRejection>({ kind: "job_identity_conflict" });
  }
  return job.isRetired || isGone(root, job, now)
    ? reject<AdmissionRejection>({ kind: "job_generation_out_of_order" })
    : { kind: "existing", jobId: job.jobId };
}

/** The first event of a job. `base` is the version of the root that its admission expects; null: none. */
export function acceptedEvent(
  request: QueryRequest,
  ids: { readonly turnId: string; readonly base: string | null },
  now: EpochMs,
  { retentionMs }: QueryRules,
): Accepted {
  return {
    type: "accepted",
    at: now,
    request,
    fingerprint: fingerprintOf(request),
    ...ids,
    retentionUntil: after(now, retentionMs),
  };
}

/** What was read after the root, in this order (protocols 4.2, steps 3 and 4). */
export interface AdmissionFacts {
  /** Whether the latest generation has ended: by its log, or because it is retired. True: there is none. */
  readonly isLatestOver: boolean;
  /** Until when the session is held; null: it is not, or does not count. Read after the former. */
  readonly heldUntil: EpochMs | null;
}

/** Why a request that is no repeat is refused; null: it may become a job. */
export function refusalOf(
  root: QueryRoot | null,
  generation: number,
  { isLatestOver, heldUntil }: AdmissionFacts,
  now: EpochMs,
): AdmissionRejection | null {
  if (!isLatestOver) return { kind: "job_generation_active" };
  if (heldUntil !== null && heldUntil > now) {
    return { kind: "provider_orphan_fence", ...heldSession(heldUntil, now) };
  }
  if (root === null || root.kind === "void") return null;
  if (generation <= root.gen) return { kind: "job_generation_out_of_order" };
  return historyAfter(root).length > HISTORY_MAX ? { kind: "job_history_full" } : null;
}

/** The root that makes `job` live: putting it over the version that `event` names is the commit. */
export function admitted(root: QueryRoot | null, jobId: string, event: Accepted): LiveRoot {
  const { request, fingerprint, retentionUntil, at: acceptedAt } = event;
  const head = advanceHead(null, event);
  assert(head.ok, "the first event begins a log");
  return {
    kind: "live",
    clientJobId: request.clientJobId,
    gen: request.generation,
    ...{ jobId, fingerprint, acceptedAt, retentionUntil },
    fenceId: fenceIdOf(request.sessionId),
    hint: head.state,
    leaseUntil: null,
    retirement: null,
    history: root === null || root.kind === "void" ? [] : historyAfter(root),
  };
}

/** With the latest generation, unless nothing is left of its log. */
function historyAfter(root: LiveRoot): readonly PastJob[] {
  return root.retirement === "removed" ? root.history : [latestOf(root), ...root.history];
}
