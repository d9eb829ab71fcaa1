/**
 * A walk over what is due in one queue. Much of it may stay where it is, such as jobs that wait for a
 * text, so a walk that does not come to the end remembers its place, and the next one goes on there and
 * begins again after the end. Rounds of a long queue take many passes; for what was entered lately,
 * which is what there is something to do for, the end of the queue is looked at by every pass.
 */
import { machineOf } from "../../core/key.ts";
import { durationMs, minutes } from "../../core/time.ts";
import {
  PLACE_CHARS_MAX,
  type QueuePlace,
  type SweptQueue,
} from "../../machines/emails/progress.ts";
import type { Cursor, DueEntry, DuePage } from "../../ports/backend.ts";
import { PAGE_MAX } from "../../store/limits.ts";
import type { DueOptions } from "../../store/store.ts";
import { isPassing } from "../passing.ts";
import { type FailureReport, type PassContext, part, repeated, reportOfAll } from "./context.ts";
import { type Deadline, within } from "./deadline.ts";
import { type Lane, type Losses, lane, type SweptMachine } from "./lanes.ts";
import { codeOf } from "./report.ts";

export interface Sweep {
  readonly queue: SweptQueue;
  /** Whose entries are visited; those of others are passed over. */
  readonly machines: readonly SweptMachine[];
  /** Entries looked at together. */
  readonly atOnce: number;
  /** Nothing more is begun after it. */
  readonly until: Deadline;
  /** Whether nothing can be done now, however much is due, nor by another pass at once. */
  readonly isVain: () => boolean;
  /** Visits are waited for until then. */
  readonly end: Deadline;
  /** How many milliseconds it is until `until`; null: visits have ends of their own. */
  readonly windowMs: number | null;
  /** Storing the place is waited for until then. */
  readonly placed: Deadline;
}

/** Entries of one page of the index: few enough that repeating a page costs little. */
const PAGE = 100;

/** Entries of machines that had enough, passed over unread by one walk for the sake of the others. */
const PASSED_OVER_MAX = 10_000;

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
  const losses: Losses = new Map();
  const recent =
    from.tail === null ? null : await walk(context, sweep, losses, from.tail as Cursor);
  const main = await walk(context, sweep, losses, from.sweep as Cursor | null);
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
  /** Whether all was visited, to the end of the queue. */
  readonly isEnd: boolean;
  /** Where to go on; null: at the beginning. */
  readonly next: Cursor | null;
  /** Entries that were passed over unread: of machines that had enough, for the sake of the others. */
  readonly passedOver: number;
  /**
   * Where the walk stopped; of one that saw the end of the queue, the last place before which nothing
   * will be entered any more. Null: none was met.
   */
  readonly tail: Cursor | null;
  readonly stayed: number;
  /** Whether a page could not be had, and would not be had another time. */
  readonly isBroken: boolean;
}

/** What to remember. Nothing is to be written while every walk of a queue reaches its end. */
export function placeAfter(from: QueuePlace, recent: Walked | null, main: Walked): QueuePlace {
  // A place that a storage does not know (records may have come from another one) must not stay.
  if (main.isBroken || recent?.isBroken === true) return BEGINNING;
  if (main.isEnd && from.sweep === null) return BEGINNING;
  const behind = recent === null ? (main.passedOver > 0 ? main.tail : null) : recent.tail;
  if (main.isEnd) return { sweep: null, tail: kept(main.tail) ?? kept(behind) ?? from.tail };
  const tail = kept(behind) ?? from.tail;
  // Stopped by time alone: what was done has left the queue, so the same place is further on now.
  return { sweep: main.stayed === 0 ? from.sweep : kept(main.next), tail };
}

function kept(cursor: string | null): string | null {
  return cursor === null || cursor.length > PLACE_CHARS_MAX ? null : cursor;
}

async function walk(
  context: PassContext,
  sweep: Sweep,
  losses: Losses,
  from: Cursor | null,
): Promise<Walked> {
  const progress: Progress = {
    isEnd: false,
    next: from,
    passedOver: 0,
    tail: from,
    stayed: 0,
    isBroken: false,
  };
  const lanes = new Map(
    sweep.machines.map((machine) => [machine.name, lane(context, machine, { ...sweep, losses })]),
  );
  // What goes wrong with the queue itself is told of every machine that is in it.
  const report = reportOfAll(sweep.machines);
  const visits = visitsOf({ ...context, report }, { ...sweep, lanes, from }, progress);
  // Each takes the next one as soon as it is free, so that a slow one keeps nobody waiting.
  const runner = async (): Promise<void> => {
    try {
      for (let step = await visits.next(); step.done !== true; step = await visits.next()) {
        const { lane, entry } = step.value;
        if (await lane.visit(entry)) progress.stayed += 1;
      }
    } catch (error) {
      // Of a page that is none; what is in the hands of the others is gone on with.
      report.fail(sweep.queue, codeOf(error), error);
      progress.isBroken = true;
    }
  };
  await Promise.all(Array.from({ length: sweep.atOnce }, runner));
  return progress;
}

type Progress = { -readonly [Name in keyof Walked]: Walked[Name] };

type Told = Omit<PassContext, "report"> & { readonly report: FailureReport };

interface Visit {
  readonly lane: Lane;
  readonly entry: DueEntry;
}

interface Walk extends Sweep {
  /** By machine. */
  readonly lanes: ReadonlyMap<string, Lane>;
  readonly from: Cursor | null;
}

async function* visitsOf(
  context: Told,
  walk: Walk,
  progress: Progress,
): AsyncGenerator<Visit, void> {
  const { clock } = context.deps;
  const now = clock.now();
  let settled: Cursor | null = null;
  for (let cursor = walk.from; !walk.until.isOver(); ) {
    const limit = progress.passedOver > 0 ? PAGE_MAX : PAGE;
    const page = await pageOf(context, walk, { until: now, cursor, limit });
    if (page.kind === "none") {
      progress.isBroken = page.isBroken;
      return;
    }
    const isWhole = yield* visitsIn(page.entries, context.report, walk, progress);
    if (!isWhole) return;
    cursor = page.cursor;
    // Where the first of them was passed over the next walk goes on; but never where this one began.
    if (progress.passedOver === 0 || progress.next === walk.from) progress.next = cursor;
    progress.tail = cursor ?? settled;
    if (cursor === null) {
      progress.isEnd = progress.passedOver === 0;
      return;
    }
    const last = page.entries.at(-1);
    if (last !== undefined && last.at <= now - SETTLED_MS) settled = cursor;
    if (isOver(walk, progress)) return;
    // Where every answer is at hand already, no timer would ever get its turn.
    await clock.sleep(PAUSE_MS);
  }
}

/** Whether it came to the end of the page. */
function* visitsIn(
  entries: readonly DueEntry[],
  report: FailureReport,
  walk: Walk,
  progress: Progress,
): Generator<Visit, boolean, void> {
  for (const entry of entries) {
    if (isOver(walk, progress)) return false;
    const lane = laneOf(report, walk, entry);
    if (lane?.isClosed() === true) progress.passedOver += 1;
    else if (lane !== null) yield { lane, entry };
  }
  return true;
}

function isOver({ until, isVain, lanes }: Walk, { passedOver }: Progress): boolean {
  if (until.isOver() || isVain() || passedOver >= PASSED_OVER_MAX) return true;
  return [...lanes.values()].every((lane) => lane.isClosed());
}

/** Null: of no machine that is in this queue, or no entry at all, which is reported. */
function laneOf(report: FailureReport, { queue, lanes }: Walk, entry: DueEntry): Lane | null {
  try {
    return lanes.get(machineOf(entry.key)) ?? null;
  } catch (error) {
    report.fail(queue, codeOf(error), error);
    return null;
  }
}

type Page =
  | ({ readonly kind: "page" } & DuePage)
  /** Why is reported. */
  | { readonly kind: "none"; readonly isBroken: boolean };

async function pageOf(context: Told, { queue, until }: Walk, request: DueOptions): Promise<Page> {
  const { report, time, deps } = context;
  const page = await within(time, until, () =>
    repeated(context, until, () => deps.store.due(queue, request)),
  );
  if (page.kind === "answer") return { kind: "page", ...page.value };
  if (page.kind === "late") {
    report.fail(queue, "store_timeout");
    return { kind: "none", isBroken: false };
  }
  report.fail(queue, codeOf(page.error), page.error);
  return { kind: "none", isBroken: !isPassing(page.error) };
}
