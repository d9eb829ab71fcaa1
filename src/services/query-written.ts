/**
 * What was created as the next part of a log counts only when the job's root still has the job then
 * (protocols 5.2, step 6).
 */
import type { QueryEvent } from "../machines/queries/events.ts";
import { partBody } from "../machines/queries/part.ts";
import type { QueryStatus } from "../machines/queries/statuses.ts";
import type { Stored } from "../store/store.ts";
import type { CallDraft } from "./query-drafts.ts";
import { QueryJobNotFoundError } from "./query-errors.ts";
import type { SessionFences } from "./query-fences.ts";
import type { KnownJob, KnownJobs, PartPlace, QueryPlace } from "./query-known.ts";
import type { QueryDeps } from "./query-records.ts";
import { afterWriting, type FoundRoot, type QueryRoots } from "./query-roots.ts";
import type { EarlierTry, QueryScans } from "./query-scan.ts";

export interface AppendAnswer {
  /** `repeated`: an earlier try of the same call wrote its part already. */
  readonly kind: "appended" | "unchanged" | "repeated";
  readonly isApplied: boolean;
  readonly place: QueryPlace;
  /** At the head; of a repeat possibly further on than what it wrote. */
  readonly known: KnownJob;
  readonly eventSeq: number;
  readonly status: QueryStatus;
  readonly part: PartPlace;
  /** Its root as it was last read, which saves the next read; null: it was not. */
  readonly root: Stored | null;
}

export interface AppendParts {
  readonly deps: QueryDeps;
  readonly jobs: KnownJobs;
  readonly roots: QueryRoots;
  readonly fences: SessionFences;
  readonly scans: QueryScans;
  /** Told of every job whose log has grown. */
  readonly onGrown: (jobId: string) => void;
}

/** What one call came across. */
export interface Seen {
  root: FoundRoot | null;
  earlier: EarlierTry | null;
  /** How many parts it read. */
  parts: number;
}

/** The job after events that are, or are to be, the next part of its log. */
export function stateAfter(
  { jobs }: AppendParts,
  place: QueryPlace,
  known: KnownJob,
  events: readonly QueryEvent[],
): KnownJob {
  const first = known.head.seq + 1;
  const last = known.head.seq + events.length;
  const body = partBody({ events, requestId: null });
  return jobs.after(place, known, { kind: "whole", first, last, ...body });
}

export interface Confirmed {
  /** After what was created. */
  readonly known: KnownJob;
  readonly draft: CallDraft;
  readonly seen: Seen;
}

/** Sees that the job still was there when the part was created; then, and only then, it counts. */
export async function confirm(
  { jobs, roots, onGrown }: AppendParts,
  place: QueryPlace,
  { known, draft, seen }: Confirmed,
): Promise<void> {
  const found = await afterWriting(() => roots.find(place));
  if (found === null) {
    // Retired meanwhile: what was created is no part of any log (protocols 5.5, ghost commit).
    await draft.remove();
    jobs.forget(place.jobId);
    throw new QueryJobNotFoundError();
  }
  if (found.isOver) throw new QueryJobNotFoundError();
  seen.root = found;
  jobs.keep(place, known);
  onGrown(place.jobId);
}

export function answerOf(
  place: QueryPlace,
  { root }: Seen,
  answer: Pick<AppendAnswer, "kind" | "isApplied" | "known" | "part">,
): AppendAnswer {
  const { seq: eventSeq, status } = answer.known.head;
  return { ...answer, place, eventSeq, status, root: root?.stored ?? null };
}
