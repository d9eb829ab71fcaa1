/** What has to end when the process is to end. */

export interface Endings {
  /** Registers what ends something, and calls it at once where the end has begun; the result takes it back. */
  add(end: () => void): () => void;
}

/** One listener on `stopping`, however many are registered: runtimes warn of more than a few. */
export function endings(stopping: AbortSignal): Endings {
  const registered = new Set<() => void>();
  stopping.addEventListener("abort", () => {
    for (const end of [...registered]) end();
  });
  return {
    add(end) {
      registered.add(end);
      if (stopping.aborted) end();
      return () => void registered.delete(end);
    },
  };
}
