/** The roots of jobs: what of a job is still kept, and what a root knows of its log. */
import { isOf } from "../core/foreign.ts";
import type { Decision } from "../core/machine.ts";
import type { EpochMs } from "../core/time.ts";
import type { QueryHead } from "../machines/queries/head.ts";
import { refreshed, renewed } from "../machines/queries/hint.ts";
import { isGone } from "../machines/queries/retention.ts";
import { jobOfId, type LiveRoot, type QueryRoot } from "../machines/queries/root.ts";
import { OutcomeUnknownError, RecordCorruptError } from "../ports/faults.ts";
import type { Stored } from "../store/store.ts";
import { isPassing } from "./passing.ts";
import { QueryJobNotFoundError } from "./query-errors.ts";
import type { QueryPlace } from "./query-known.ts";
import { type QueryDeps, rootCodec } from "./query-records.ts";
import { quietly } from "./quietly.ts";
import { transact } from "./transact.ts";

/** A root that keeps the job it was asked for. */
export interface FoundRoot {
  readonly stored: Stored;
  readonly root: LiveRoot;
  /** Whether the job is past its retention, so that nothing of it is shown any more. */
  readonly isOver: boolean;
}

export interface QueryRoots {
  /** The root of a job of which nothing is removed yet; null: it is, or never was admitted. */
  find(place: QueryPlace): Promise<FoundRoot | null>;
  /** The same of a job that is still shown. Throws QueryJobNotFoundError. */
  shown(place: QueryPlace): Promise<FoundRoot>;
  /**
   * What `work` reads of the job's log. A log that cannot be read is judged by its root: it may be on its
   * way out (protocols 5.3, 5.8). Throws RecordCorruptError, QueryJobNotFoundError.
   */
  judged<T>(place: QueryPlace, work: () => Promise<T>): Promise<T>;
  /** Tells the root what is known of the log, if it can be told: the pass does it where it was not. */
  refresh(place: QueryPlace, head: QueryHead, handle: Stored | null): Promise<void>;
  /** Moves the lease of the run in `head`; null: it is over, as far as the root knows. */
  renew(
    place: QueryPlace,
    head: QueryHead,
    lease: { readonly until: EpochMs; readonly handle: Stored | null },
  ): Promise<Stored | null>;
}

export function queryRoots(deps: QueryDeps): QueryRoots {
  const { store, clock, observe } = deps;

  async function find({ root: key, jobId }: QueryPlace): Promise<FoundRoot | null> {
    const stored = await store.get(key);
    const root = stored === null ? null : rootCodec.load(stored);
    if (stored === null || root?.kind !== "live") return null;
    const job = jobOfId(root, jobId);
    if (job === null || job.isRetired) return null;
    return { stored, root, isOver: isGone(root, job, clock.now()) };
  }

  async function shown(place: QueryPlace): Promise<FoundRoot> {
    const found = await find(place);
    if (found === null || found.isOver) throw new QueryJobNotFoundError();
    return found;
  }

  function change(
    { root: key }: QueryPlace,
    handle: Stored | null,
    decide: (root: LiveRoot) => Decision<LiveRoot, never>,
  ) {
    return transact<QueryRoot, "none">(deps, rootCodec, {
      key,
      handle,
      decide: (root) =>
        root?.kind === "live" ? decide(root) : { kind: "reject", rejection: "none" },
    });
  }

  return {
    find,
    shown,
    async judged(place, work) {
      try {
        return await work();
      } catch (fault) {
        if (!isOf(fault, RecordCorruptError)) throw fault;
        await shown(place);
        observe("store.record_corrupt", 1);
        throw fault;
      }
    },
    async refresh(place, head, handle) {
      const told = change(place, handle, (root) => refreshed(root, place.jobId, head));
      await quietly(deps, "query root not told of its log", told);
    },
    async renew(place, head, { until, handle }) {
      const result = await change(place, handle, (root) => renewed(root, place.jobId, head, until));
      return result.kind === "applied" ? result.stored : null;
    },
  };
}

/** Throws OutcomeUnknownError where `work`, which looks at what was just written, cannot. */
export async function afterWriting<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    if (!isPassing(cause)) throw cause;
    throw new OutcomeUnknownError("it is written, but whether it counts could not be read", {
      cause,
    });
  }
}
