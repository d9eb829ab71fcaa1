/** Joins the deltas of a run into chunks: few parts, and nobody waits long for one (semantics C6). */
import { durationMs } from "../core/time.ts";
import type { Clock } from "../ports/clock.ts";

/** Characters after which a chunk is written at once, and how long fewer of them wait for more. */
const CHUNK_CHARS = 1_024;
const CHUNK_MS = durationMs(50);

export interface Deltas {
  /** Resolves when more may come. Rejects with what a write before rejected with. */
  add(delta: string): Promise<void>;
  /** Writes what waits. */
  flush(): Promise<void>;
}

/** `write` is called one after the other, in the order of the deltas. */
export function joinedDeltas(clock: Clock, write: (text: string) => Promise<void>): Deltas {
  let waiting = "";
  let timer: AbortController | null = null;
  let written: Promise<void> = Promise.resolve();

  function flush(): Promise<void> {
    timer?.abort();
    timer = null;
    const text = waiting;
    waiting = "";
    if (text !== "") written = written.then(() => write(text));
    return written;
  }

  async function flushLater(): Promise<void> {
    const own = new AbortController();
    timer = own;
    await clock.sleep(CHUNK_MS, own.signal);
    // Whoever comes next is told what went wrong.
    if (!own.signal.aborted) flush().catch(() => {});
  }

  return {
    async add(delta) {
      waiting += delta;
      if (waiting.length >= CHUNK_CHARS) return flush();
      if (timer === null) {
        await written;
        void flushLater();
      }
    },
    flush,
  };
}
