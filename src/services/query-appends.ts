/** Adding to jobs' logs: calls in turn, those that wait behind one in flight together. */
import { after, type EpochMs } from "../core/time.ts";
import type { QueryCommand } from "../machines/queries/commands.ts";
import { decideQuery } from "../machines/queries/decide.ts";
import type { QueryEvent } from "../machines/queries/events.ts";
import { isTerminal } from "../machines/queries/statuses.ts";
import { type AppendOptions, type AppendOutcome, attempt } from "./query-attempt.ts";
import { callDraft } from "./query-drafts.ts";
import { type JobRef, type KnownJob, type QueryPlace, queueOf } from "./query-known.ts";
import { type Call, shares } from "./query-shares.ts";
import {
  type AppendAnswer,
  type AppendParts,
  answerOf,
  confirm,
  type Seen,
  stateAfter,
} from "./query-written.ts";

export interface QueryAppends {
  /**
   * Behind all calls on the same job that were made before. Throws QueryJobNotFoundError,
   * QueryJobValidationError for a position that is none, ContendedError (nothing written),
   * OutcomeUnknownError (the event may be in the log), and the storage's faults.
   */
  run(job: JobRef, command: QueryCommand, options: AppendOptions): Promise<AppendOutcome>;
}

/** Parts that a call may have to read before it tells the root about them, so that the next need not. */
const LAG_MAX = 16;

export function queryAppends(parts: AppendParts): QueryAppends {
  const { deps, jobs, roots } = parts;
  const lanes = shares<AppendOptions, Ended>({
    mayShare: ({ mark }) => mark.requestId === null,
    inTurn: (jobId, deadlineAt, work) => deps.store.queue.run(queueOf(jobId), deadlineAt, work),
    async work(job, calls, deadlineAt) {
      const place = "log" in job ? job : await jobs.place(job.jobId);
      const shared = calls.length > 1 ? await tryShared(parts, place, calls, deadlineAt) : null;
      return shared ?? (await oneByOne(parts, place, calls, deadlineAt));
    },
  });
  return {
    async run(job, command, options) {
      const deadlineAt = after(deps.clock.now(), deps.deadlineMs);
      const { outcome, fault, seen } = await lanes.run(job, { command, options }, deadlineAt);
      if (outcome === null) throw fault;
      if (outcome.kind !== "rejected" && (isUntold(outcome, seen) || seen.parts > LAG_MAX)) {
        await roots.refresh(outcome.place, outcome.known.head, seen.root?.stored ?? null);
      }
      return outcome;
    },
  };
}

/** How one of several calls ended; without an outcome by `fault`, which is no concern of the others. */
interface Ended {
  readonly outcome: AppendOutcome | null;
  readonly fault: unknown;
  readonly seen: Seen;
}

async function oneByOne(
  parts: AppendParts,
  place: QueryPlace,
  calls: readonly Call<AppendOptions>[],
  deadlineAt: EpochMs,
): Promise<readonly Ended[]> {
  const ended: Ended[] = [];
  for (const call of calls) {
    const seen: Seen = { root: null, earlier: null, parts: 0 };
    try {
      const asked = { place, ...call, deadlineAt };
      const outcome = await parts.roots.judged(place, () => attempt(parts, asked, seen));
      ended.push({ outcome, fault: null, seen });
    } catch (fault) {
      ended.push({ outcome: null, fault, seen });
    }
  }
  return ended;
}

/** All of them as one part; null: they are to be judged one by one, and nothing is written. */
async function tryShared(
  parts: AppendParts,
  place: QueryPlace,
  calls: readonly Call<AppendOptions>[],
  deadlineAt: EpochMs,
): Promise<readonly Ended[] | null> {
  const { deps, jobs } = parts;
  const kept = jobs.known(place.jobId);
  if (kept === null || (kept.job === null && calls.some(({ options }) => options.isWhole))) {
    return null;
  }
  const events: QueryEvent[] = [];
  const states: KnownJob[] = [];
  for (const { command } of calls) {
    const known = states.at(-1) ?? kept;
    const { head, job } = known;
    const query = { generation: place.generation, head, text: job?.text ?? null };
    const decision = decideQuery(query, command, deps.clock.now(), deps);
    if (decision.kind !== "append") return null;
    events.push(decision.event);
    states.push(stateAfter(parts, place, known, [decision.event]));
  }
  const seen: Seen = { root: null, earlier: null, parts: 0 };
  const draft = callDraft(place);
  const { seq } = kept.head;
  const part = { first: seq + 1, last: seq + events.length };
  const known = { ...(states.at(-1) ?? kept), part };
  const isCreated = await parts.roots.judged(place, async () => {
    if ((await draft.create(events, seq, null, deadlineAt)) === "taken") return false;
    await confirm(parts, place, { known, draft, seen });
    return true;
  });
  if (!isCreated) {
    await draft.discard();
    return null;
  }
  return states.map((state) => ({
    outcome: answerOf(place, seen, {
      ...{ kind: "appended", isApplied: true, known: { ...state, part }, part },
    }),
    fault: null,
    seen,
  }));
}

/**
 * Whether the job has ended and its root, as it was last read, does not know: by this very call, or by an
 * earlier one that could not tell it. Heartbeats and passes look at the root first.
 */
function isUntold({ place, known }: AppendAnswer, { root }: Seen): boolean {
  if (root?.root.jobId !== place.jobId) return false;
  return isTerminal(known.head.status) && !isTerminal(root.root.hint.status);
}
