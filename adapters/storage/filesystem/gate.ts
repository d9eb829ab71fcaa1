/** The way into an opened folder: counts who is inside, and shuts for good. */
import { StoreUnavailableError } from "../../../src/ports/faults.ts";
import { storeFault } from "./trouble.ts";

export interface Gate {
  /**
   * Runs `work`. Throws StoreUnavailableError when the gate is shut, and turns what the system throws
   * into faults; `what` names the object for their text.
   */
  enter<T>(what: string, work: () => Promise<T>): Promise<T>;
  /** Every later call throws StoreUnavailableError with this message. The first one stays. */
  shut(message: string): void;
  isShut(): boolean;
  /** Resolves when nobody is inside. */
  empty(): Promise<void>;
}

export function createGate(): Gate {
  const inside = new Set<Promise<unknown>>();
  let shutBy: string | null = null;

  async function run<T>(what: string, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw storeFault(what, error);
    }
  }

  return {
    async enter(what, work) {
      if (shutBy !== null) throw new StoreUnavailableError(shutBy, { isNotWritten: true });
      const running = run(what, work);
      inside.add(running);
      try {
        return await running;
      } finally {
        inside.delete(running);
      }
    },
    shut(message) {
      shutBy ??= message;
    },
    isShut: () => shutBy !== null,
    async empty() {
      while (inside.size > 0) await Promise.allSettled(inside);
    },
  };
}
