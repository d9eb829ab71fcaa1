/** Group commit for an exclusive owner (protocols 7.6, 4). */
import { type Batcher, createBatcher } from "./batcher.ts";
import type { BatchTask } from "./calls.ts";
import type { DueIndexFile } from "./due-index.ts";
import type { BatchVerdict } from "./folder-writes.ts";
import type { Pool } from "./pool.ts";

/** `index`: where the due time of the write was entered. */
export interface Commit {
  readonly task: BatchTask;
  readonly index: DueIndexFile;
}

/** One attempt. What the index has not yet in its file is appended before the write is published. */
export type Committer = Batcher<Commit, BatchVerdict>;

const BATCH_MAX = 64;

export function createCommitter(pool: Pool, folderU: string): Committer {
  return createBatcher<Commit, BatchVerdict>({
    parallel: pool.size,
    sizeMax: BATCH_MAX,
    async send(commits) {
      const failures = commits.map(({ index }) => flushFailure(index));
      const tasks = commits.filter((_, at) => failures[at] === null).map(({ task }) => task);
      const verdicts = tasks.length === 0 ? [] : await pool.run("batch", { folderU, tasks });
      let next = 0;
      return failures.map((failure) => {
        if (failure !== null) return failure;
        next += 1;
        return verdicts[next - 1] ?? { kind: "lost" };
      });
    },
  });
}

/** A write whose due time cannot be kept is not started. */
function flushFailure(index: DueIndexFile): BatchVerdict | null {
  try {
    index.flush();
    return null;
  } catch (error) {
    return { kind: "failed", error };
  }
}
