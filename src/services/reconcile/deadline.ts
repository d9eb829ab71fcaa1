/**
 * Ends that are measured by a clock that never steps back, and told by timers. A wall clock may jump by
 * an hour between two readings, so it takes no part in this.
 */
import { type DurationMs, durationMs } from "../../core/time.ts";
import type { Clock } from "../../ports/clock.ts";

/** A moment that comes once; afterwards it is over for ever. */
export interface Deadline {
  isOver(): boolean;
  /** Calls `listener` once when it is over, at once if it is. Returns how to forget the listener. */
  onOver(listener: () => void): () => void;
  /** Makes it over now. */
  end(): void;
  /** Lets go of its timer and of what it listens to; to be called in any case. It is not over by that. */
  stop(): void;
}

/** Over when nothing but `end` makes it so. */
export function openEnd(): Deadline {
  const listeners = new Set<() => void>();
  let over = false;
  return {
    isOver: () => over,
    onOver(listener) {
      if (over) listener();
      else listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    end() {
      if (over) return;
      over = true;
      for (const listener of listeners) listener();
      listeners.clear();
    },
    stop: () => {},
  };
}

/**
 * Over `duration` from now, or as soon as one of `others` is. Whoever asks is told in time, whoever
 * listens as soon as timers run.
 */
export function deadline(
  clock: Clock,
  duration: DurationMs,
  others: readonly Deadline[] = [],
): Deadline {
  const end = openEnd();
  const until = clock.elapsed() + duration;
  const timer = new AbortController();
  const forget = others.map((other) => other.onOver(end.end));
  void clock.sleep(duration, timer.signal).then(() => {
    if (!timer.signal.aborted) end.end();
  });
  return {
    ...end,
    isOver() {
      // A process that stood still goes on where it was, before any timer of it has its turn.
      if (clock.elapsed() >= until || others.some((other) => other.isOver())) end.end();
      return end.isOver();
    },
    stop() {
      timer.abort();
      for (const one of forget) one();
    },
  };
}

/** Over when `signal` is aborted. */
export function endOf(signal: AbortSignal | undefined): Deadline {
  const end = openEnd();
  if (signal === undefined) return end;
  if (signal.aborted) end.end();
  signal.addEventListener("abort", end.end);
  return { ...end, stop: () => signal.removeEventListener("abort", end.end) };
}

export type Within<T> =
  | { readonly kind: "answer"; readonly value: T }
  | { readonly kind: "thrown"; readonly error: unknown }
  /** Nobody waits for the answer any more; it may still come, and is then dropped. */
  | { readonly kind: "late" };

export interface Patience {
  readonly clock: Clock;
  /** How long an answer is still waited for after its signal was aborted: many can be had at once then. */
  readonly graceMs: DurationMs;
}

/** For what does not listen to a signal. */
export const NO_GRACE = durationMs(0);

/** The end of `work`, which is told through its signal that it must be over. Never rejects. */
export async function within<T>(
  { clock, graceMs }: Patience,
  limit: Deadline,
  work: (signal: AbortSignal) => Promise<T> | T,
): Promise<Within<T>> {
  if (limit.isOver()) return { kind: "late" };
  const controller = new AbortController();
  const answered = new AbortController();
  let forget = (): void => {};
  const late = new Promise<Within<T>>((resolve) => {
    forget = limit.onOver(() => {
      controller.abort();
      void clock.sleep(graceMs, answered.signal).then(() => resolve({ kind: "late" }));
    });
  });
  const end = await Promise.race([ended(work, controller.signal), late]);
  forget();
  answered.abort();
  return end;
}

async function ended<T>(
  work: (signal: AbortSignal) => Promise<T> | T,
  signal: AbortSignal,
): Promise<Within<T>> {
  try {
    return { kind: "answer", value: await work(signal) };
  } catch (error) {
    // What is thrown for the signal's sake says no more than the signal did.
    return signal.aborted ? { kind: "late" } : { kind: "thrown", error };
  }
}
