/** Reading a job's log up to its head, from whatever is known of it (protocols 5.2, steps 1 and 2). */
import { assert } from "../core/assert.ts";
import { shownEvent } from "../machines/queries/public-event.ts";
import type { QueryStatus } from "../machines/queries/statuses.ts";
import { RecordCorruptError } from "../ports/faults.ts";
import type { LogPart } from "../store/log.ts";
import { positionError, QueryJobNotFoundError } from "./query-errors.ts";
import {
  type KnownJob,
  type KnownJobs,
  type PartPlace,
  type QueryPlace,
  queueOf,
} from "./query-known.ts";
import { isSamePart } from "./query-positions.ts";

/** A call's mark, and where its caller was before it. */
export interface Marked {
  readonly requestId: string | null;
  readonly position: PartPlace | null;
}

export const UNMARKED: Marked = { requestId: null, position: null };

/** The part that an earlier try of the same call wrote. */
export interface EarlierTry {
  readonly part: PartPlace;
  /** After it. */
  readonly status: QueryStatus;
}

export interface Scanned {
  /** At the head, as it was. */
  readonly known: KnownJob;
  /** Null: the call is new. */
  readonly earlier: EarlierTry | null;
  /** How many parts were read. */
  readonly parts: number;
}

/** Throws RecordCorruptError for a log that is unreadable, which its root judges. */
export interface QueryScans {
  /**
   * From `base` on (null: from the beginning, with the text), looking for `mark`'s earlier try. Throws
   * QueryJobValidationError for a position that is none.
   */
  toHead(place: QueryPlace, base: KnownJob | null, mark: Marked): Promise<Scanned>;
  /** The same from `known` on, where the call's earlier try can only be behind it. */
  onward(place: QueryPlace, known: KnownJob, mark: Marked): Promise<Scanned>;
  /** The same from the beginning. */
  whole(place: QueryPlace, mark: Marked): Promise<Scanned>;
  /** With the part that its head ends. */
  placed(place: QueryPlace, known: KnownJob): Promise<KnownJob & { readonly part: PartPlace }>;
}

export function queryScans(jobs: KnownJobs): QueryScans {
  function earlierTry(place: QueryPlace, part: LogPart, { requestId }: Marked): EarlierTry | null {
    if (requestId === null || part.about["requestId"] !== requestId) return null;
    const event = jobs.read(place, part).events.at(-1);
    assert(event !== undefined, "a part has an event");
    const { status } = shownEvent(place, part.last, event);
    return { part: { first: part.first, last: part.last }, status };
  }

  async function fold(
    place: QueryPlace,
    parts: AsyncIterable<LogPart>,
    base: KnownJob | null,
    mark: Marked,
  ): Promise<Scanned> {
    let known = base;
    let earlier: EarlierTry | null = null;
    let count = 0;
    for await (const part of parts) {
      count += 1;
      earlier ??= earlierTry(place, part, mark);
      const end = known?.head.seq ?? 0;
      // Before the hint nothing is folded; it is the end of a part, so it is passed exactly.
      if (part.last > end) known = jobs.after(place, known, part);
      else if (part.last === end && known !== null && known.part === null) {
        known = { ...known, part: { first: part.first, last: part.last } };
      }
    }
    if (known === null) throw new QueryJobNotFoundError();
    return { known, earlier, parts: count };
  }

  async function whole(place: QueryPlace, mark: Marked): Promise<Scanned> {
    return fold(place, place.log.readFrom(0), null, mark);
  }

  async function startOf(place: QueryPlace, { position }: Marked): Promise<number> {
    if (position === null) return 0;
    const part = await place.log.get(position.first);
    if (part === null || !isSamePart(part, position)) throw positionError();
    return position.last;
  }

  return {
    whole,
    onward: (place, known, mark) => fold(place, place.log.readOn(known.head.seq), known, mark),
    async toHead(place, base, mark) {
      if (base === null) {
        if (mark.requestId !== null) await startOf(place, mark);
        return whole(place, mark);
      }
      const end = base.head.seq;
      const start = mark.requestId === null ? end : await startOf(place, mark);
      // Its state is known at the hint only, so the scan begins at whichever comes first.
      if (start === 0) return whole(place, mark);
      return fold(place, place.log.readOn(Math.min(start, end)), base, mark);
    },
    async placed(place, known) {
      if (known.part !== null) return { ...known, part: known.part };
      for await (const { first, last } of place.log.readFrom(known.head.seq - 1)) {
        if (last === known.head.seq) return { ...known, part: { first, last } };
        break;
      }
      throw new RecordCorruptError(
        queueOf(place.jobId),
        `no part of the log ends at ${known.head.seq}`,
      );
    },
  };
}
