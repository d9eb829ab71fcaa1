/** A few at once, the others in their order, and no more than can be kept waiting. */
import type { Answer } from "./route.ts";

const TOO_MANY: Answer = {
  problem: {
    code: "throttled",
    detail: "too many requests with large answers at once; nothing was done",
    retryAfterMs: 1_000,
  },
};

/** Runs `work` when fewer than `most` others run; answers `throttled` when `waitingMax` wait already. */
export function fewAtOnce(
  most: number,
  waitingMax: number,
): (work: () => Promise<Answer>) => Promise<Answer> {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async (work) => {
    if (running >= most) {
      if (waiting.length >= waitingMax) return TOO_MANY;
      await new Promise<void>((resolve) => waiting.push(resolve));
    } else running += 1;
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      // Who waits takes over the place of who leaves.
      if (next === undefined) running -= 1;
      else next();
    }
  };
}
