/**
 * A walk over what is due in one queue. Much of it may stay where it is, such as jobs that wait for a
 * text, so a walk that does not come to the end remembers its place, and the next one goes on there and
 * begins again after the end. Rounds of a long queue take many passes; for what was entered lately,
 * which is what there is something to do for, the end of the queue is looked at by every pass.
 */
import { isOf } from "../../core/foreign.ts";
import { durationMs, minutes } from "../../core/time.ts";
import {
  PLACE_CHARS_MAX,
  type QueuePlace,
  type SweptQueue,
} from "../../machines/emails/progress.ts";
import type { LiveEmail } from "../../machines/emails/record.ts";
import type { Cursor, DueEntry } from "../../ports/backend.ts";
import { RecordCorruptError } from "../../ports/faults.ts";
import type { Stored } from "../../store/store.ts";
import { EMAIL_MACHINE } from "../email-commands.ts";
import { isPassing } from "../passing.ts";
import { idOf, type PassContext, part, repeated } from "./context.ts";
import { type Deadline, within } from "./deadline.ts";
import { type ReadInTime, readsInTime } from "./reads.ts";
import { codeOf } from "./report.ts";

export interface Sweep {
  readonly queue: SweptQueue;
  /** Entries looked at together. */
  readonly atOnce: number;
  /** Nothing more is begun after it. */
  readonly until: Deadline;
  /** Whether nothing can be done now, however much is due, nor by another pass at once. */
  readonly isVain: () => boolean;
  /** Visits are waited for until then. */
  readonly end: Deadline;
  /** Storing the place is waited for until then. */
  readonly placed: Deadline;
  /** Whether the job stays where it is, so that the next walk meets it again. */
  readonly visit: (email: LiveEmail, stored: Stored) => Promise<boolean>;
}

/**
 * Entries that may turn out to stay before a walk stops: each cost a read and came to nothing. What
 * leaves the queue is not counted, since it is got through by time alone.
 */
export const EXAMINED_MAX = 1_000;

/** Entries of one page of the index: few enough that repeating a page costs little. */
const PAGE = 100;

/** Younger entries may get company before them, of writers that are slow or whose clock is behind. */
const SETTLED_MS = minutes(1);

/** Between two pages. */
const PAUSE_MS = durationMs(0);

const BEGINNING: QueuePlace = { sweep: null, tail: null };

/** Walks the queue as far as time allows, and stores where to go on where that must be known. */
export async function sweepQueue(
  context: PassContext,
  stored: QueuePlace | null,
  sweep: Sweep,
): Promise<void> {
  const from = stored ?? BEGINNING;
  const recent = from.tail === null ? null : await walk(context, sweep, from.tail as Cursor);
  const main = await walk(context, sweep, from.sweep as Cursor | null);
  const isLeft = !main.isEnd || recent?.isEnd === false;
  if (isLeft && !sweep.isVain()) context.report.more();
  const place = placeAfter(from, recent, main);
  if (place.sweep === from.sweep && place.tail === from.tail) return;
  const { queue, placed } = sweep;
  const isBeginning = place.sweep === null && place.tail === null;
  const command = { kind: "setPlace", queue, place: isBeginning ? null : place } as const;
  await part(context, queue, placed, () => context.service.config.setProgress(command));
}

/** How a walk ended. */
export interface Walked {
  readonly isEnd: boolean;
  /** Where to go on; null: at the beginning. */
  readonly next: Cursor | null;
  /** The last place before which nothing will be entered any more; null: none was met. */
  readonly settled: Cursor | null;
  readonly stayed: number;
  /** Whether a page could not be had, and would not be had another time. */
  readonly isBroken: boolean;
}

/** What to remember. Nothing is to be written while every walk of a queue reaches its end. */
export function placeAfter(from: QueuePlace, recent: Walked | null, main: Walked): QueuePlace {
  // A place that a storage does not know (records may have come from another one) must not stay.
  if (main.isBroken || recent?.isBroken === true) return BEGINNING;
  if (main.isEnd && from.sweep === null) return BEGINNING;
  const behind = recent === null ? from.tail : recent.isEnd ? recent.settled : recent.next;
  if (main.isEnd) {
    return { sweep: null, tail: kept(main.settled) ?? kept(behind) ?? from.tail };
  }
  const tail = kept(behind) ?? from.tail;
  // Stopped by time alone: what was done has left the queue, so the same place is further on now.
  return { sweep: main.stayed === 0 ? from.sweep : kept(main.next), tail };
}

function kept(cursor: string | null): string | null {
  return cursor === null || cursor.length > PLACE_CHARS_MAX ? null : cursor;
}

async function walk(context: PassContext, sweep: Sweep, from: Cursor | null): Promise<Walked> {
  const progress: Progress = {
    isEnd: false,
    next: from,
    settled: null,
    stayed: 0,
    isBroken: false,
  };
  const entries = entriesOf(context, sweep, from, progress);
  const read = readsInTime(context);
  // Each takes the next one as soon as it is free, so that a slow one keeps nobody waiting.
  const runner = async (): Promise<void> => {
    try {
      for (let step = await entries.next(); step.done !== true; step = await entries.next()) {
        if (await visited(context, sweep, step.value, read)) progress.stayed += 1;
      }
    } catch (error) {
      // Of entries that are none; those in the hands of the others are gone on with.
      context.report.fail(sweep.queue, codeOf(error));
      progress.isBroken = true;
    }
  };
  await Promise.all(Array.from({ length: sweep.atOnce }, runner));
  return progress;
}

type Progress = { -readonly [Name in keyof Walked]: Walked[Name] };

async function* entriesOf(
  context: PassContext,
  { queue, until, isVain }: Sweep,
  from: Cursor | null,
  progress: Progress,
): AsyncGenerator<DueEntry, void> {
  const { report, time } = context;
  const { store, clock } = context.deps;
  const now = clock.now();
  const isOver = (): boolean => until.isOver() || isVain() || progress.stayed >= EXAMINED_MAX;
  for (let cursor = from; ; ) {
    if (until.isOver()) return;
    const request = { until: now, cursor, limit: PAGE };
    const page = await within(time, until, () =>
      repeated(context, until, () => store.due(EMAIL_MACHINE, queue, request)),
    );
    if (page.kind === "late") {
      report.fail(queue, "store_timeout");
      return;
    }
    if (page.kind === "thrown") {
      report.fail(queue, codeOf(page.error));
      progress.isBroken = !isPassing(page.error);
      return;
    }
    for (const entry of page.value.entries) {
      if (isOver()) return;
      yield entry;
    }
    cursor = page.value.cursor;
    progress.next = cursor;
    progress.isEnd = cursor === null;
    if (cursor === null) return;
    const last = page.value.entries.at(-1);
    if (last !== undefined && last.at <= now - SETTLED_MS) progress.settled = cursor;
    if (isOver()) return;
    // Where every answer is at hand already, no timer would ever get its turn.
    await clock.sleep(PAUSE_MS);
  }
}

/** Whether the entry stays. Nothing that happens to one stops the others. */
async function visited(
  context: PassContext,
  sweep: Sweep,
  entry: DueEntry,
  readInTime: ReadInTime,
): Promise<boolean> {
  const { service, report } = context;
  const id = idOf(entry);
  const stays = await part(context, id, sweep.end, async () => {
    try {
      const read = await readInTime(entry, id);
      // One that did not come in time stays.
      if (read.kind === "late") return true;
      const stored = read.value;
      if (stored === null) return false;
      const state = service.commands.stateOf(stored);
      return state.kind === "live" && (await sweep.visit(state, stored));
    } catch (error) {
      if (isOf(error, RecordCorruptError)) report.met("store.record_corrupt");
      throw error;
    }
  });
  return stays ?? true;
}
