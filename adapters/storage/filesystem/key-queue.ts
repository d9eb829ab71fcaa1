/** Writers of one key, one after another: within one process they need not fight over its lock. */

export interface WriteQueue {
  run<T>(key: string, work: () => Promise<T>): Promise<T>;
  /** Whether a writer of the key is at work, or waits. */
  isBusy(key: string): boolean;
}

export function createWriteQueue(): WriteQueue {
  const tails = new Map<string, Promise<unknown>>();

  return {
    run(key, work) {
      const before = tails.get(key);
      const running = before === undefined ? work() : before.then(work, work);
      tails.set(key, running);
      const leave = (): void => {
        if (tails.get(key) === running) tails.delete(key);
      };
      running.then(leave, leave);
      return running;
    },
    isBusy: (key) => tails.has(key),
  };
}
