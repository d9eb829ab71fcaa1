/**
 * Following logs as they grow: one poll loop for each job and process, however many follow it (protocols
 * 5.3). A wake-up from this process is a hint that saves waiting; what is shown is read from the log.
 */
import { type DurationMs, durationMs, seconds } from "../core/time.ts";
import type { ShownEvent } from "../machines/queries/public-event.ts";
import { isTerminal } from "../machines/queries/statuses.ts";
import { StoreUnavailableError } from "../ports/faults.ts";
import { isPassing } from "./passing.ts";
import type { KnownJobs, QueryPlace } from "./query-known.ts";
import { type QueryReading, shownEvents } from "./query-reading.ts";
import type { QueryDeps } from "./query-records.ts";
import type { QueryRoots } from "./query-roots.ts";

export interface QueryTails {
  /** Told that the job's log has grown, by whoever wrote to it. */
  wake(jobId: string): void;
  /**
   * The events behind `after` (at most the job's last), some at a time, each once and in order, until the
   * terminal one or until `signal` is aborted. Holds no more than a few in memory, however slowly they
   * are taken. Throws QueryJobNotFoundError when the job is gone, RecordCorruptError, and what the storage
   * goes on throwing.
   */
  follow(
    place: QueryPlace,
    after: number,
    signal: AbortSignal,
  ): AsyncGenerator<readonly ShownEvent[], void, void>;
  /** How many follow a job now. */
  followers(): number;
  /** Ends all loops, and so the waiting of those who follow, who are told that there is no storage. */
  close(): void;
}

export interface TailParts {
  readonly deps: QueryDeps;
  readonly jobs: KnownJobs;
  readonly roots: QueryRoots;
  readonly reading: QueryReading;
}

/** Between two looks at a log that does not grow: longer each time, up to the latter. */
const POLL_MS_MIN = durationMs(100);
const POLL_MS_MAX = seconds(1);

/** A reader of whom nothing comes reads the root at least so often: it may be over (protocols 5.3). */
const ROOT_CHECK_MS = seconds(30);

/** Looks in a row that may fail before those who follow are told. */
const FAILURES_MAX = 30;

/** What one loop keeps for those who are a little behind; who is further behind reads for himself. */
const KEPT_EVENTS_MAX = 256;
const KEPT_CHARS_MAX = 256 * 1_024;

/** Events of one page that a follower reads for himself. */
const PAGE = 256;

interface Loop {
  readonly place: QueryPlace;
  /** The last events, without a gap up to `end`. */
  kept: ShownEvent[];
  chars: number;
  /** The end of a part. */
  end: number;
  isEnded: boolean;
  /** What ended it otherwise. */
  fault: unknown;
  followers: number;
  /** When its root was last read, by the clock that never steps back. */
  checkedAt: number;
  isWoken: boolean;
  /** Ends the loop's sleep. */
  stir: () => void;
  /** Those who wait for more. */
  readonly waiting: Set<() => void>;
}

export function queryTails({ deps, jobs, roots, reading }: TailParts): QueryTails {
  const { clock } = deps;
  const loops = new Map<string, Loop>();

  /** A page of events behind `from`, or less where they are long, if the job is still shown after they were read. */
  async function read(
    place: QueryPlace,
    from: number,
    isEnd: boolean,
  ): Promise<{ readonly events: readonly ShownEvent[]; readonly end: number }> {
    const events: ShownEvent[] = [];
    let end = from;
    await roots.judged(place, async () => {
      for await (const part of isEnd ? place.log.readOn(from) : place.log.readFrom(from)) {
        events.push(...shownEvents(place, part, jobs).filter(({ eventSeq }) => eventSeq > from));
        end = Math.max(end, part.last);
        if (events.length >= PAGE || charsOf(events) >= KEPT_CHARS_MAX) break;
      }
    });
    if (events.length > 0) await roots.shown(place);
    return { events, end };
  }

  function publish(loop: Loop, events: readonly ShownEvent[], end: number): void {
    loop.end = end;
    loop.kept.push(...events);
    loop.chars += charsOf(events);
    let dropped = 0;
    while (loop.kept.length - dropped > KEPT_EVENTS_MAX || loop.chars > KEPT_CHARS_MAX) {
      loop.chars -= charsOf(loop.kept.slice(dropped, dropped + 1));
      dropped += 1;
    }
    loop.kept = loop.kept.slice(dropped);
    loop.isEnded = events.some(isEnding);
    tell(loop);
  }

  /** Whether there was something new. */
  async function look(loop: Loop): Promise<boolean> {
    loop.isWoken = false;
    const { events, end } = await read(loop.place, loop.end, true);
    const isGrown = events.length > 0;
    const isDue = clock.elapsed() - loop.checkedAt >= ROOT_CHECK_MS;
    if (!isGrown && isDue) await roots.shown(loop.place);
    if (isGrown || isDue) loop.checkedAt = clock.elapsed();
    if (isGrown) publish(loop, events, end);
    return isGrown;
  }

  async function run(loop: Loop): Promise<void> {
    let wait = POLL_MS_MIN;
    let failures = 0;
    while (loop.followers > 0 && !isOver(loop)) {
      try {
        wait = (await look(loop)) ? POLL_MS_MIN : durationMs(Math.min(2 * wait, POLL_MS_MAX));
        failures = 0;
      } catch (fault) {
        failures += 1;
        wait = POLL_MS_MAX;
        if (!isPassing(fault) || failures >= FAILURES_MAX) loop.fault = fault;
      }
      if (!isOver(loop) && !loop.isWoken) await sleep(loop, wait);
    }
    loops.delete(loop.place.jobId);
    tell(loop);
  }

  async function sleep(loop: Loop, duration: DurationMs): Promise<void> {
    const woken = new AbortController();
    loop.stir = () => woken.abort();
    await clock.sleep(duration, woken.signal);
    loop.stir = () => {};
  }

  async function join(place: QueryPlace): Promise<Loop> {
    // What is kept was read a moment ago by whoever follows.
    const head = jobs.known(place.jobId)?.head ?? (await reading.whole(place)).job.head;
    const running = loops.get(place.jobId);
    if (running !== undefined) {
      running.followers += 1;
      return running;
    }
    const loop: Loop = {
      ...{ place, kept: [], chars: 0, end: head.seq, isEnded: isTerminal(head.status) },
      ...{ fault: null, followers: 1, checkedAt: clock.elapsed(), waiting: new Set() },
      ...{ isWoken: false, stir: () => {} },
    };
    if (loop.isEnded) return loop;
    loops.set(place.jobId, loop);
    void run(loop);
    return loop;
  }

  /** From what the loop keeps, or for whoever is further behind from the log. */
  async function eventsBehind(loop: Loop, cursor: number): Promise<readonly ShownEvent[]> {
    const start = loop.end - loop.kept.length;
    if (cursor >= start) return loop.kept.slice(cursor - start);
    return (await read(loop.place, cursor, false)).events;
  }

  function leave(loop: Loop): void {
    loop.followers -= 1;
    if (loop.followers === 0) loop.stir();
  }

  return {
    wake(jobId) {
      const loop = loops.get(jobId);
      if (loop === undefined) return;
      loop.isWoken = true;
      loop.stir();
    },
    async *follow(place, after, signal) {
      const loop = await join(place);
      let cursor = after;
      try {
        while (!signal.aborted) {
          const events = upToEnd(await eventsBehind(loop, cursor));
          const last = events.at(-1);
          if (last !== undefined) {
            cursor = last.eventSeq;
            yield events;
            if (isEnding(last)) return;
          } else if (isOver(loop)) {
            if (loop.fault !== null) throw loop.fault;
            return;
          } else await more(loop, signal);
        }
      } finally {
        leave(loop);
      }
    },
    close() {
      for (const loop of loops.values()) {
        loop.fault = new StoreUnavailableError("the storage was closed");
        loop.isWoken = true;
        loop.stir();
      }
    },
    followers: () => [...loops.values()].reduce((sum, { followers }) => sum + followers, 0),
  };
}

function isOver({ isEnded, fault }: Loop): boolean {
  return isEnded || fault !== null;
}

/** Nothing is told behind the end. */
function upToEnd(events: readonly ShownEvent[]): readonly ShownEvent[] {
  const ending = events.findIndex(isEnding);
  return ending < 0 ? events : events.slice(0, ending + 1);
}

function isEnding({ type, status }: ShownEvent): boolean {
  return isTerminal(status) && type !== "acknowledged";
}

/** About what an event takes: its text, whatever else it has. */
function charsOf(events: readonly ShownEvent[]): number {
  return events.reduce((sum, { data }) => {
    const texts = Object.values(data).filter((value) => typeof value === "string");
    return sum + texts.reduce((chars, text) => chars + text.length, 0);
  }, 0);
}

function tell(loop: Loop): void {
  for (const wake of loop.waiting) wake();
  loop.waiting.clear();
}

/** Until the loop has more, or is over, or `signal` is aborted. */
function more(loop: Loop, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const wake = (): void => {
      signal.removeEventListener("abort", wake);
      loop.waiting.delete(wake);
      resolve();
    };
    signal.addEventListener("abort", wake);
    loop.waiting.add(wake);
    if (signal.aborted) wake();
  });
}
