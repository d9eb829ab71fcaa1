/** So many at a time; the others wait in the order in which they came. */

export interface Slots {
  /** True: one is the caller's until it gives it back. False: `stop` came first. */
  take(stop: AbortSignal): Promise<boolean>;
  give(): void;
}

export function createSlots(count: number): Slots {
  let free = count;
  const waiting = new Set<() => void>();
  return {
    async take(stop) {
      if (stop.aborted) return false;
      if (free > 0) {
        free -= 1;
        return true;
      }
      return new Promise((resolve) => {
        const settle = (isMine: boolean): void => {
          waiting.delete(mine);
          stop.removeEventListener("abort", stopped);
          resolve(isMine);
        };
        const mine = (): void => settle(true);
        const stopped = (): void => settle(false);
        waiting.add(mine);
        stop.addEventListener("abort", stopped);
      });
    },

    give() {
      // Handed on, not put down: who comes just now must not overtake who waits.
      const [next] = waiting;
      if (next === undefined) free += 1;
      else next();
    },
  };
}
