/** Where the client's time and chance come from; tests bring their own. */

export interface ClientDeps {
  /** Milliseconds of a clock that never steps back; only differences count. */
  now(): number;
  /** Resolves after `ms`, or as soon as `signal` is aborted. Never rejects. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** Uniform in [0, 1): jitter only. */
  random(): number;
}

/** A longer timer would end at once. */
const TIMER_MS_MAX = 2 ** 31 - 1;

export const systemDeps: ClientDeps = {
  now: () => performance.now(),
  random: () => Math.random(),
  sleep: (ms, signal) =>
    new Promise((resolve) => {
      if (signal?.aborted) return resolve();
      const finish = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener("abort", finish);
        resolve();
      };
      const timer = setTimeout(finish, Math.min(ms, TIMER_MS_MAX));
      signal?.addEventListener("abort", finish, { once: true });
    }),
};

/** Doubles from `baseMs` to `capMs` with every attempt (from 1), and keeps callers apart: half of it is chance. */
export function backoffMs(attempt: number, random: number, baseMs: number, capMs: number): number {
  const ceiling = Math.min(capMs, baseMs * 2 ** Math.min(attempt - 1, 20));
  return ceiling * (0.5 + random / 2);
}

/**
 * `task` with a signal that is aborted when `signal` is, or after `ms`. Ends as soon as that happens, also
 * where `task` does not listen: throws the signal's reason, or LATE.
 */
export async function within<T>(
  deps: ClientDeps,
  ms: number,
  signal: AbortSignal | undefined,
  task: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  signal?.throwIfAborted();
  const inner = new AbortController();
  const stop = (): void => inner.abort(signal?.reason);
  const ended = new Promise<never>((_, reject) => {
    inner.signal.addEventListener("abort", () => reject(inner.signal.reason), { once: true });
  });
  const timer = new AbortController();
  signal?.addEventListener("abort", stop, { once: true });
  void deps.sleep(ms, timer.signal).then(() => {
    if (!timer.signal.aborted) inner.abort(LATE);
  });
  try {
    return await Promise.race([task(inner.signal), ended]);
  } finally {
    timer.abort();
    signal?.removeEventListener("abort", stop);
  }
}

/** The reason of a signal that was aborted because the time was over. */
export const LATE = new Error("out of time");
