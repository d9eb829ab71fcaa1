/**
 * What becomes of jobs in this process, told to whoever runs them here: a hint that saves waiting. What is
 * so is in the records.
 */

/** Neither may throw. */
export interface QueryWatcher {
  /** Told of a job that was admitted here, once it is durable. */
  accepted(jobId: string, sessionId: string): void;
  /** Told of a job that ended here, whoever ended it and however, once that is durable. */
  ended(jobId: string): void;
}

export interface QueryWatch {
  readonly told: QueryWatcher;
  /** Answers what takes it back. */
  add(watcher: QueryWatcher): () => void;
}

export function queryWatch(): QueryWatch {
  const watchers = new Set<QueryWatcher>();
  return {
    told: {
      accepted(jobId, sessionId) {
        for (const watcher of watchers) watcher.accepted(jobId, sessionId);
      },
      ended(jobId) {
        for (const watcher of watchers) watcher.ended(jobId);
      },
    },
    add(watcher) {
      watchers.add(watcher);
      return () => void watchers.delete(watcher);
    },
  };
}
