/** Joins the deltas of a run into chunks: few calls, and nobody waits long for one (semantics C6). */
import type { ClientDeps } from "./time.ts";

/** Characters after which a chunk is sent at once, and how long fewer of them wait for more. */
const CHUNK_CHARS = 1_024;
const CHUNK_MS = 50;

/** Characters of one chunk: the service takes no more. */
const CHUNK_CHARS_MAX = 16_000;

export interface Deltas {
  /** Resolves when more may come. Rejects with what sending rejected with. */
  add(delta: string): Promise<void>;
  /** Sends what waits but half a surrogate pair, whose other half the next delta may bring. */
  flush(): Promise<void>;
  /** Sends all that waits: no delta follows. */
  end(): Promise<void>;
}

/**
 * `send` is called at once when it is time, in the order of the deltas, with what is never empty and
 * always well-formed. It settles one call after the other, and after a failure fails all that follow.
 */
export function joinedDeltas(deps: ClientDeps, send: (text: string) => Promise<void>): Deltas {
  let waiting = "";
  let timer: AbortController | null = null;
  let sent: Promise<void> = Promise.resolve();

  function sendUntil(end: number): Promise<void> {
    timer?.abort();
    timer = null;
    const text = waiting.slice(0, end);
    waiting = waiting.slice(end);
    for (const piece of pieces(text)) {
      sent = send(piece);
      // Whoever comes next is told what went wrong.
      sent.catch(() => {});
    }
    return sent;
  }

  const flush = () => sendUntil(waiting.length - (isHalf(waiting, waiting.length) ? 1 : 0));

  async function flushLater(): Promise<void> {
    const own = new AbortController();
    timer = own;
    // While a chunk is under way more of them join: a slow service gets few large ones.
    await Promise.allSettled([deps.sleep(CHUNK_MS, own.signal), sent]);
    if (!own.signal.aborted) void flush();
  }

  return {
    async add(delta) {
      waiting += delta;
      if (waiting.length >= CHUNK_CHARS) return flush();
      if (timer === null && waiting !== "") void flushLater();
    },
    flush,
    end: () => sendUntil(waiting.length),
  };
}

/** Whether a cut of `text` at `end` would part a surrogate pair, or might. */
function isHalf(text: string, end: number): boolean {
  return /^[\ud800-\udbff]$/.test(text.charAt(end - 1));
}

/** In pieces that one chunk may have. A half that has no other half is replaced, as the service would. */
function pieces(text: string): readonly string[] {
  const found: string[] = [];
  for (let start = 0; start < text.length; ) {
    const end = start + CHUNK_CHARS_MAX - (isHalf(text, start + CHUNK_CHARS_MAX) ? 1 : 0);
    found.push(text.slice(start, end).replace(/\p{Surrogate}/gu, "\ufffd"));
    start = end;
  }
  return found;
}
