/** Subscribing by a listener (semantics C5): the first page is answered, what follows is told. */
import type { ShownEvent } from "../machines/queries/public-event.ts";
import { isTerminal } from "../machines/queries/statuses.ts";
import type { KnownJobs } from "./query-known.ts";
import { cursorOf, generationOf } from "./query-methods.ts";
import type { QueryReading, Replay } from "./query-reading.ts";
import type { QueryTails } from "./query-tails.ts";

/** What it throws is its own business. The next event comes when it is done. */
export type EventListener = (event: ShownEvent) => unknown;

export interface Subscription extends Replay {
  /** May be called any number of times; no event is told after the first. */
  unsubscribe(): void;
  /**
   * When nothing more will be told: the job has ended, or the caller unsubscribed. Rejects, if anybody
   * looks, when the job is gone or cannot be read any more.
   */
  readonly ended: Promise<void>;
}

const PAGE = 256;

export function subscriber(jobs: KnownJobs, reading: QueryReading, tails: QueryTails) {
  return async (
    jobId: string,
    generation: number,
    after: number,
    listener: EventListener,
  ): Promise<Subscription> => {
    if (typeof listener !== "function") throw new TypeError("a listener is a function");
    const options = { after: cursorOf(after), limit: PAGE };
    const replay = await reading.replay(jobId, generationOf(generation), options);
    const place = await jobs.place(jobId);
    const stopped = new AbortController();
    const last = replay.events.at(-1);
    const isEnded = last !== undefined && isTerminal(last.status);
    const cursor = replay.gap === null ? (last?.eventSeq ?? after) : replay.latestEventSeq;

    async function tell(): Promise<void> {
      for await (const events of tails.follow(place, cursor, stopped.signal)) {
        for (const event of events) {
          if (stopped.signal.aborted) return;
          await toldTo(listener, event);
        }
      }
    }

    const ended = isEnded ? Promise.resolve() : tell();
    ended.catch(() => {});
    return { ...replay, unsubscribe: () => stopped.abort(), ended };
  };
}

async function toldTo(listener: EventListener, event: ShownEvent): Promise<void> {
  try {
    await listener(event);
  } catch {
    // One listener's fault is nobody else's.
  }
}
