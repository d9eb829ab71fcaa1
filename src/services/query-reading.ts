/** Reading jobs: parts first, then the root, and only then is anything shown (protocols 5.3). */
import { isOf } from "../core/foreign.ts";
import type { QueryJob } from "../machines/queries/fold.ts";
import { type ShownEvent, shownEvent } from "../machines/queries/public-event.ts";
import { isGone, isOver } from "../machines/queries/retention.ts";
import { jobOfGeneration } from "../machines/queries/root.ts";
import { type QuerySnapshot, snapshotOf } from "../machines/queries/snapshot.ts";
import type { LogPart } from "../store/log.ts";
import { QueryJobNotFoundError, QueryJobStoreError } from "./query-errors.ts";
import type { KnownJob, KnownJobs, QueryPlace } from "./query-known.ts";
import { type QueryDeps, rootCodec, rootKey } from "./query-records.ts";
import type { QueryRoots } from "./query-roots.ts";

export type ReplayGap = { readonly reason: "cursor_ahead" };

/** A page of a job's events (http-api). */
export interface Replay {
  /** Those behind the cursor, in order; none beside a gap. */
  readonly events: readonly ShownEvent[];
  readonly gap: ReplayGap | null;
  readonly oldestEventSeq: number;
  readonly latestEventSeq: number;
  readonly job: QuerySnapshot;
  /** Whether there are more events than the page has. */
  readonly hasMore: boolean;
}

export interface ReplayOptions {
  /** The number of the last event that the reader has; 0: none. */
  readonly after: number;
  /** 1 to 256. */
  readonly limit: number;
}

export interface WholeJob {
  readonly place: QueryPlace;
  readonly job: QueryJob;
}

/** Each throws QueryJobNotFoundError, RecordCorruptError, and the storage's faults. */
export interface QueryReading {
  /** The job at its head. */
  whole(place: QueryPlace): Promise<WholeJob>;
  /** Null: whichever generation it is of. Throws `query_job_generation_mismatch`. */
  job(jobId: string, generation: number | null): Promise<WholeJob>;
  /** Null: there is no such generation, or it is over. Throws `erased`. */
  find(clientJobId: string, generation: number): Promise<WholeJob | null>;
  replay(jobId: string, generation: number, options: ReplayOptions): Promise<Replay>;
}

export interface ReadingParts {
  readonly deps: QueryDeps;
  readonly jobs: KnownJobs;
  readonly roots: QueryRoots;
}

export function queryReading({ deps, jobs, roots }: ReadingParts): QueryReading {
  const { store, clock } = deps;

  /** What is kept of the job with its text; null: nothing. */
  function keptWhole({ jobId }: QueryPlace): KnownJob | null {
    const kept = jobs.known(jobId);
    return kept === null || kept.job === null ? null : kept;
  }

  /** The job at its head, from `base` on; `meet` is shown every part that is read. */
  async function fold(
    place: QueryPlace,
    base: KnownJob | null,
    meet: (part: LogPart) => void,
  ): Promise<KnownJob> {
    const { log } = place;
    let known = base;
    for await (const part of base === null ? log.readFrom(0) : log.readOn(base.head.seq)) {
      known = jobs.after(place, known, part);
      meet(part);
    }
    if (known === null) throw new QueryJobNotFoundError();
    return known;
  }

  /** The job, if its root says after the reading that it is still shown. */
  async function confirmed(place: QueryPlace, known: KnownJob): Promise<WholeJob> {
    await roots.shown(place);
    jobs.keep(place, known);
    const { job } = known;
    if (job === null || isOver(job, clock.now())) throw new QueryJobNotFoundError();
    return { place, job };
  }

  async function whole(place: QueryPlace): Promise<WholeJob> {
    const known = await roots.judged(place, () => fold(place, keptWhole(place), () => {}));
    return confirmed(place, known);
  }

  return {
    whole,
    async job(jobId, generation) {
      const found = await whole(await jobs.place(jobId));
      if (generation !== null) requireGeneration(found.job, generation);
      return found;
    },
    async find(clientJobId, generation) {
      const stored = await store.get(rootKey(clientJobId));
      const root = stored === null ? null : rootCodec.load(stored);
      if (root?.kind !== "live") return null;
      if (root.clientJobId === null) {
        throw new QueryJobStoreError("erased", "the client job was erased");
      }
      const found = jobOfGeneration(root, generation);
      if (found === null || found.isRetired || isGone(root, found, clock.now())) return null;
      try {
        return await whole(jobs.placeOf(found.jobId, { clientJobId, generation }));
      } catch (error) {
        if (isOf(error, QueryJobNotFoundError)) return null;
        throw error;
      }
    },
    async replay(jobId, generation, options) {
      const place = await jobs.place(jobId);
      const { after, limit } = options;
      const base = keptWhole(place);
      const events: ShownEvent[] = [];
      let until = Number.POSITIVE_INFINITY;
      const meet = (part: LogPart): void => {
        for (const event of shownEvents(place, part, jobs)) {
          const isWanted = event.eventSeq > after && event.eventSeq <= until;
          if (isWanted && events.length < limit) events.push(event);
        }
      };
      // What lies before the head that is kept is not met on the way to the head now.
      const isBehind = base !== null && after < base.head.seq;
      const known = await roots.judged(place, async () => {
        const head = await fold(place, base, isBehind ? () => {} : meet);
        if (!isBehind) return head;
        // The job as it is answered knows of no more.
        until = head.head.seq;
        for await (const part of place.log.readFrom(after)) {
          meet(part);
          if (events.length === limit) break;
        }
        return head;
      });
      const { job } = await confirmed(place, known);
      requireGeneration(job, generation);
      const { seq } = job.head;
      return {
        events,
        gap: after > seq ? { reason: "cursor_ahead" } : null,
        oldestEventSeq: 1,
        latestEventSeq: seq,
        job: snapshotOf(job),
        hasMore: (events.at(-1)?.eventSeq ?? after) < seq,
      };
    },
  };
}

/** Throws RecordCorruptError. */
export function shownEvents(
  place: QueryPlace,
  part: LogPart,
  jobs: KnownJobs,
): readonly ShownEvent[] {
  const { events } = jobs.read(place, part);
  return events.map((event, index) => shownEvent(place, part.first + index, event));
}

function requireGeneration({ head, generation }: QueryJob, asked: number): void {
  if (generation === asked) return;
  throw new QueryJobStoreError(
    "query_job_generation_mismatch",
    "the query job is of another generation",
    head,
  );
}
