/**
 * Ends that are measured by timers. A wall clock may jump by an hour between two readings, so what must
 * be over in time is never judged by comparing them.
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
  /** Lets go of its timer and of what it waits for; to be called in any case. It is not over by that. */
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

/** Over `duration` from now, or as soon as one of `others` is. */
export function deadline(
  clock: Clock,
  duration: DurationMs,
  others: readonly Deadline[] = [],
): Deadline {
  const end = openEnd();
  const timer = new AbortController();
  const forget = others.map((other) => other.onOver(end.end));
  void clock.sleep(duration, timer.signal).then(() => {
    if (!timer.signal.aborted) end.end();
  });
  return {
    ...end,
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

/** How long an answer is still waited for after its signal was aborted: many can be had at once then. */
const GRACE_MS = durationMs(1_000);

/** The end of `work`, which is told through its signal that it must be over. Never rejects. */
export async function within<T>(
  clock: Clock,
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
      void clock.sleep(GRACE_MS, answered.signal).then(() => resolve({ kind: "late" }));
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
