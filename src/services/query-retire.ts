/** The end of jobs: marked in the root first, then removed to an empty listing (protocols 5.4). */
import { after } from "../core/time.ts";
import type { QueryHead } from "../machines/queries/head.ts";
import {
  eraseRoot,
  jobsToRemove,
  markRetired,
  noteRemoved,
} from "../machines/queries/retention.ts";
import type { LiveRoot, QueryRoot } from "../machines/queries/root.ts";
import type { Stored } from "../store/store.ts";
import { QueryJobNotFoundError, QueryJobStoreError } from "./query-errors.ts";
import { type LatestParts, latestHead } from "./query-latest.ts";
import { type QueryDeps, rootCodec, rootKey } from "./query-records.ts";
import { removeLog } from "./query-removal.ts";
import { type Transacted, transact } from "./transact.ts";

export interface QueryRetirement {
  /**
   * Marks the generations that are past their retention and removes what is left of those that are
   * marked; how many are gone for good now. May be cut off anywhere and called again.
   */
  retire(stored: Stored): Promise<number>;
  /**
   * Removes everything of a client job at once, for ever. Throws QueryJobNotFoundError, `in_use` while its
   * latest generation has not ended.
   */
  erase(clientJobId: string): Promise<ErasedQuery>;
}

/** How the latest generation of an erased client job ended, and when it last changed. */
export type ErasedQuery = Pick<QueryHead, "status" | "updatedAt">;

export interface RetirementParts extends LatestParts {
  readonly deps: QueryDeps;
}

interface RootRejection {
  readonly kind: "none" | "in_use";
}

export function queryRetirement(parts: RetirementParts): QueryRetirement {
  const { deps, jobs } = parts;
  const { store, clock, observe } = deps;

  function change(
    handle: Stored,
    decide: Parameters<typeof transact<QueryRoot, RootRejection>>[2]["decide"],
  ): Promise<Transacted<QueryRoot, RootRejection>> {
    return transact<QueryRoot, RootRejection>(deps, rootCodec, { key: handle.key, handle, decide });
  }

  async function removeMarked(stored: Stored, root: LiveRoot): Promise<number> {
    const jobIds = jobsToRemove(root);
    const deadlineAt = after(clock.now(), deps.deadlineMs);
    const removed: string[] = [];
    for (const jobId of jobIds) {
      jobs.forget(jobId);
      if (await removeLog(deps, jobId, deadlineAt)) removed.push(jobId);
    }
    if (removed.length === 0) return 0;
    await change(stored, (state) =>
      state?.kind === "live"
        ? noteRemoved(state, removed)
        : { kind: "reject", rejection: { kind: "none" } },
    );
    observe("query.retired", removed.length);
    return removed.length;
  }

  return {
    async retire(stored) {
      const result = await change(stored, (state, now) => {
        if (state?.kind !== "live") return { kind: "reject", rejection: { kind: "none" } };
        return markRetired(state, now);
      });
      if (result.kind === "rejected" || result.state.kind !== "live") return 0;
      return removeMarked(result.stored, result.state);
    },
    async erase(clientJobId) {
      const stored = await store.get(rootKey(clientJobId));
      const root = stored === null ? null : rootCodec.load(stored);
      if (stored === null || root?.kind !== "live") throw new QueryJobNotFoundError();
      const { jobId, hint } = root;
      const isErased = root.clientJobId === null;
      const latest = isErased ? hint : await latestHead(parts, root, clientJobId);
      let found = latest ?? hint;
      const result = await change(stored, (state) => {
        if (state?.kind !== "live") return { kind: "reject", rejection: { kind: "none" } };
        if (state.jobId === jobId) return eraseRoot(state, latest);
        // Another generation was admitted meanwhile.
        found = state.hint;
        return { kind: "reject", rejection: { kind: "in_use" } };
      });
      if (result.kind === "rejected") {
        throw new QueryJobStoreError("in_use", "the query job has not ended", found);
      }
      if (result.state.kind !== "live") throw new QueryJobNotFoundError();
      if (result.kind === "applied") observe("query.erased", 1);
      await removeMarked(result.stored, result.state);
      return result.state.hint;
    },
  };
}
