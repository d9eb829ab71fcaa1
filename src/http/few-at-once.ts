/** A few at once, the others in their order, and no more than can be kept waiting; or one for each. */
import type { Answer } from "./route.ts";

/** Carries out `work`, which `who` asks for until `gone` is aborted, or refuses. */
export type Gate = (
  work: () => Promise<Answer>,
  asking: { readonly who: string | null; readonly gone: AbortSignal },
) => Promise<Answer>;

const TOO_MANY = throttled("too many requests with large answers at once; nothing was done");

const ONE_RUNS = throttled(
  "one such request of this tenant is being carried out; nothing was done",
);

/** Runs `work` when fewer than `most` others run; answers `throttled` when `waitingMax` wait already. */
export function fewAtOnce(most: number, waitingMax: number): Gate {
  const waiting = new Set<(isMine: boolean) => void>();
  let running = 0;

  /** False: who asked has gone before its turn came. */
  function turn(gone: AbortSignal): Promise<boolean> {
    return new Promise((resolve) => {
      const settle = (isMine: boolean): void => {
        waiting.delete(settle);
        gone.removeEventListener("abort", left);
        resolve(isMine);
      };
      const left = (): void => settle(false);
      waiting.add(settle);
      gone.addEventListener("abort", left);
      if (gone.aborted) left();
    });
  }

  return async (work, { gone }) => {
    if (running >= most) {
      // Who has gone reads no answer.
      if (waiting.size >= waitingMax || !(await turn(gone))) return TOO_MANY;
    } else running += 1;
    try {
      return await work();
    } finally {
      const [next] = waiting;
      // Who waits takes over the place of who leaves.
      if (next === undefined) running -= 1;
      else next(true);
    }
  };
}

/** Runs `work` when none of the same `who` runs, else answers `throttled`. Nobody waits for another. */
export function oneForEach(): Gate {
  const running = new Set<string | null>();
  return async (work, { who }) => {
    if (running.has(who)) return ONE_RUNS;
    running.add(who);
    try {
      return await work();
    } finally {
      running.delete(who);
    }
  };
}

function throttled(detail: string): Answer {
  return { problem: { code: "throttled", detail, retryAfterMs: 1_000 } };
}
