/**
 * Appends that wait behind one in flight share the next part, each as an event of its own: a runner that
 * tells faster than the storage writes costs fewer parts, not more.
 */
import type { EpochMs } from "../core/time.ts";
import type { QueryCommand } from "../machines/queries/commands.ts";
import type { JobRef } from "./query-known.ts";

/** One call, as it waits. */
export interface Call<Options> {
  readonly command: QueryCommand;
  readonly options: Options;
}

/** Calls of one part. More would only make the first of them wait. */
const CALLS_MAX = 64;
const CHARS_MAX = 64 * 1_024;

interface Gathering<Options, Outcome> {
  readonly calls: Call<Options>[];
  chars: number;
  readonly outcomes: Promise<readonly Outcome[]>;
}

export interface Shares<Options, Outcome> {
  /** The outcome of `call`, whose turn it is behind all that came before it. */
  run(job: JobRef, call: Call<Options>, deadlineAt: EpochMs): Promise<Outcome>;
}

export interface ShareParts<Options, Outcome> {
  /** Whether calls with these options may be told by one part. */
  readonly mayShare: (options: Options) => boolean;
  /** Runs `work` when those before it are done. */
  readonly inTurn: <T>(jobId: string, deadlineAt: EpochMs, work: () => Promise<T>) => Promise<T>;
  /** In their order; one outcome for each. */
  readonly work: (
    job: JobRef,
    calls: readonly Call<Options>[],
    deadlineAt: EpochMs,
  ) => Promise<readonly Outcome[]>;
}

export function shares<Options, Outcome>(
  parts: ShareParts<Options, Outcome>,
): Shares<Options, Outcome> {
  /** By job, the calls that the next turn will take. */
  const gatherings = new Map<string, Gathering<Options, Outcome>>();

  function begin(
    job: JobRef,
    deadlineAt: EpochMs,
    calls: Call<Options>[],
  ): Gathering<Options, Outcome> {
    // Whoever comes from then on is for the next part.
    const close = (): void => {
      if (gatherings.get(job.jobId) === gathering) gatherings.delete(job.jobId);
    };
    const inTurn = () =>
      parts.inTurn(job.jobId, deadlineAt, () => {
        close();
        return parts.work(job, calls, deadlineAt);
      });
    const gathering: Gathering<Options, Outcome> = {
      calls,
      chars: 0,
      // A turn may begin at once, and must not before its first call is in; one that was waited for too
      // long never begins.
      outcomes: Promise.resolve().then(inTurn).finally(close),
    };
    return gathering;
  }

  async function outcomeOf(
    { outcomes }: Gathering<Options, Outcome>,
    index: number,
  ): Promise<Outcome> {
    const outcome = (await outcomes)[index];
    if (outcome === undefined) throw new TypeError("a call has no outcome");
    return outcome;
  }

  return {
    run(job, call, deadlineAt) {
      const chars = charsOf(call.command);
      if (chars === null || !parts.mayShare(call.options)) {
        // Nothing that comes behind it may be told before it.
        gatherings.delete(job.jobId);
        return outcomeOf(begin(job, deadlineAt, [call]), 0);
      }
      const open = gatherings.get(job.jobId);
      const fits =
        open !== undefined && open.calls.length < CALLS_MAX && open.chars + chars <= CHARS_MAX;
      const gathering = fits ? open : begin(job, deadlineAt, []);
      if (!fits) gatherings.set(job.jobId, gathering);
      gathering.calls.push(call);
      gathering.chars += chars;
      return outcomeOf(gathering, gathering.calls.length - 1);
    },
  };
}

/** Null: a part of its own. */
function charsOf(command: QueryCommand): number | null {
  if (command.kind === "chunk") return command.delta.length;
  return command.kind === "activity" ? command.text.length : null;
}
