/**
 * What is known of jobs: where each is, and how far its log was read. Logs only grow and job ids are never
 * used twice, so nothing kept here is ever wrong; it may be behind, and whoever answers reads on.
 */
import { type Key, key as recordKey } from "../core/key.ts";
import { isUuid } from "../machines/queries/fields.ts";
import { foldHead, foldJob, type QueryJob } from "../machines/queries/fold.ts";
import type { QueryHead } from "../machines/queries/head.ts";
import { admissionOf, parsePart, type QueryPart } from "../machines/queries/part.ts";
import { RecordCorruptError } from "../ports/faults.ts";
import type { Log, LogPart } from "../store/log.ts";
import { logRoot, partKey } from "../store/log-keys.ts";
import { QueryJobNotFoundError } from "./query-errors.ts";
import { type QueryDeps, rootKey } from "./query-records.ts";

/** Where a job is. */
export interface QueryPlace {
  readonly jobId: string;
  readonly clientJobId: string;
  readonly generation: number;
  /** Of its root. */
  readonly root: Key;
  readonly log: Log;
}

/** A job by its id in lower case; where it is, too, saves the look for it. */
export type JobRef = QueryPlace | { readonly jobId: string };

/** Throws QueryJobNotFoundError for what can be nobody's id: it may be anybody's text. */
export function jobRef(jobId: string): JobRef {
  const id = typeof jobId === "string" ? jobId.toLowerCase() : "";
  if (!isUuid(id)) throw new QueryJobNotFoundError();
  return { jobId: id };
}

/** By which callers of one job wait for each other. */
export function queueOf(jobId: string): Key {
  return recordKey(`queries/log/${jobId}`);
}

/** A part by the numbers of its first and last event. */
export interface PartPlace {
  readonly first: number;
  readonly last: number;
}

/** A job up to the end of a part. */
export interface KnownJob {
  readonly head: QueryHead;
  /** Null: it was folded from a hint, so its text is not known. */
  readonly job: QueryJob | null;
  /** The part that the head ends; null: the hint does not tell. */
  readonly part: PartPlace | null;
}

/** Whose job it is, as its admission says. */
export interface QueryOwner {
  readonly clientJobId: string;
  readonly generation: number;
}

export interface KnownJobs {
  /** Throws QueryJobNotFoundError where no log says whose job it is; RecordCorruptError. */
  place(jobId: string): Promise<QueryPlace>;
  /** The same of a job whose owner is known. */
  placeOf(jobId: string, owner: QueryOwner): QueryPlace;
  known(jobId: string): KnownJob | null;
  /** Keeps what was read or written, unless more is known already. */
  keep(place: QueryPlace, known: KnownJob): void;
  /** For a job that is gone. */
  forget(jobId: string): void;
  /** The job after `part`, which is the next after `known` (null: the first). Throws RecordCorruptError. */
  after(place: QueryPlace, known: KnownJob | null, part: LogPart): KnownJob;
  /** The events of a part. Throws RecordCorruptError. */
  read(place: QueryPlace, part: LogPart): QueryPart;
}

/** Jobs that one service keeps in memory, and the characters of their answers together. */
const KEPT_MAX = 1_024;
const KEPT_CHARS_MAX = 16_000_000;

interface Kept {
  readonly place: QueryPlace;
  readonly known: KnownJob | null;
}

export function knownJobs({ logs, tenant }: QueryDeps): KnownJobs {
  /** The longest unused first. */
  const kept = new Map<string, Kept>();
  let chars = 0;

  function drop(jobId: string): void {
    chars -= charsOf(kept.get(jobId)?.known ?? null);
    kept.delete(jobId);
  }

  function put(place: QueryPlace, known: KnownJob | null): void {
    drop(place.jobId);
    kept.set(place.jobId, { place, known });
    chars += charsOf(known);
    for (const jobId of kept.keys()) {
      if (kept.size <= KEPT_MAX && chars <= KEPT_CHARS_MAX) return;
      if (jobId !== place.jobId) drop(jobId);
    }
  }

  function placeOf(jobId: string, { clientJobId, generation }: QueryOwner): QueryPlace {
    const found = kept.get(jobId);
    if (found !== undefined) return found.place;
    return {
      ...{ jobId, clientJobId, generation },
      root: rootKey(clientJobId),
      log: logs.open(jobId),
    };
  }

  function read({ jobId }: QueryPlace, part: LogPart): QueryPart {
    if (part.kind === "incomplete") throw part.fault;
    const parsed = parsePart(part);
    if (!parsed.ok) throw corrupt(jobId, part.first, parsed.reason);
    return parsed.part;
  }

  function corrupt(jobId: string, first: number, reason: string): RecordCorruptError {
    return new RecordCorruptError(partKey(`${logRoot(tenant)}/${jobId}`, first), reason);
  }

  return {
    async place(given) {
      const { jobId } = jobRef(given);
      const found = kept.get(jobId);
      if (found !== undefined) return found.place;
      const part = await logs.open(jobId).get(1);
      if (part === null) throw new QueryJobNotFoundError();
      const owner = admissionOf(part.about);
      if (owner === null) throw corrupt(jobId, 1, "it does not say whose job it is");
      return placeOf(jobId, owner);
    },
    placeOf,
    known: (jobId) => kept.get(jobId)?.known ?? null,
    keep(place, known) {
      const before = kept.get(place.jobId)?.known ?? null;
      const isBehind =
        before !== null &&
        (before.head.seq > known.head.seq ||
          (before.head.seq === known.head.seq && before.job !== null));
      put(place, isBehind ? before : known);
    },
    forget: drop,
    read,
    after(place, known, part) {
      const { jobId } = place;
      const { first, last } = part;
      const run = { first, events: read(place, part).events };
      if (known === null || known.job !== null) {
        const folded = foldJob(known?.job ?? null, jobId, run);
        if (!folded.ok) throw corrupt(jobId, first, folded.reason);
        return { head: folded.state.head, job: folded.state, part: { first, last } };
      }
      const folded = foldHead(known.head, run);
      if (!folded.ok) throw corrupt(jobId, first, folded.reason);
      return { head: folded.state, job: null, part: { first, last } };
    },
  };
}

function charsOf(known: KnownJob | null): number {
  return known?.job?.text.length ?? 0;
}
