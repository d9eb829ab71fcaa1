/** The calls of `once` that a service has begun, of all its tenants: a close waits for them. */
import { seconds } from "../core/time.ts";
import type { Clock } from "../ports/clock.ts";
import { StoreUnavailableError } from "../ports/faults.ts";

export interface OnceCalls {
  /** Throws StoreUnavailableError once `close` was called. */
  checkOpen(): void;
  /** `work`, from the dispatch to the outcome that is stored. Throws as `checkOpen`, before it is begun. */
  awaited<T>(work: () => Promise<T>): Promise<T>;
  /** Lets nothing more begin, and waits for what runs, CLOSE_MS at most. Never rejects. */
  close(): Promise<void>;
}

/** How long a side effect has to come to its end; the storage is let go of then, whatever runs. */
export const CLOSE_MS = seconds(10);

export function onceCalls(clock: Clock): OnceCalls {
  const running = new Set<Promise<unknown>>();
  let isClosed = false;

  function checkOpen(): void {
    if (!isClosed) return;
    throw new StoreUnavailableError("closing; nothing was done by this call", {
      isNotWritten: true,
    });
  }

  return {
    checkOpen,
    async awaited(work) {
      checkOpen();
      const own = work();
      const end = own.catch(() => {});
      running.add(end);
      try {
        return await own;
      } finally {
        running.delete(end);
      }
    },
    async close() {
      isClosed = true;
      const ended = new AbortController();
      const time = clock.sleep(CLOSE_MS, ended.signal);
      await Promise.race([Promise.all(running), time]);
      ended.abort();
    },
  };
}
