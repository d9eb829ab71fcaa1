/**
 * Commands on query jobs, carried out on the store: what the library's methods and the HTTP routes are
 * both made of. Answers tell why something was refused; the library's methods throw that.
 */
import { after, type DurationMs, type EpochMs } from "../core/time.ts";
import type {
  Acknowledge,
  Cancel,
  Heartbeat,
  HolderCommand,
  QueryCommand,
  Recover,
  Start,
} from "../machines/queries/commands.ts";
import { decideQuery } from "../machines/queries/decide.ts";
import { fenceIdOf } from "../machines/queries/fence.ts";
import { isTerminal } from "../machines/queries/statuses.ts";
import type { Observation } from "../ports/observe.ts";
import type { QueryAppends } from "./query-appends.ts";
import type { AppendOptions, AppendOutcome } from "./query-attempt.ts";
import type { SessionFences } from "./query-fences.ts";
import { type JobRef, jobRef, type KnownJobs, type QueryPlace } from "./query-known.ts";
import type { QueryDeps } from "./query-records.ts";
import type { QueryRoots } from "./query-roots.ts";
import { UNMARKED } from "./query-scan.ts";
import type { QueryWatch } from "./query-watch.ts";

/** By whoever holds the run, or by anybody; a heartbeat and a start are more than one write. */
export type PlainCommand = Exclude<HolderCommand, Heartbeat> | Cancel | Acknowledge | Recover;

type WithoutToken<Command> = Command extends HolderCommand ? Omit<Command, "token"> : never;

/** What whoever holds a run tells of it; the token that says so is brought beside it. */
export type RunCommand = WithoutToken<Exclude<HolderCommand, Heartbeat>>;

export interface QueryCommands {
  /** Throws QueryJobNotFoundError and what `QueryAppends.run` throws, here and below. */
  run(jobId: string, command: PlainCommand, options: AppendOptions): Promise<AppendOutcome>;
  /** The same where it is known whose job it is. */
  runAt(place: QueryPlace, command: PlainCommand, options: AppendOptions): Promise<AppendOutcome>;
  /** Takes the run, unless its session is held (protocols 4.3). */
  start(jobId: string, command: Omit<Start, "kind" | "heldUntil">): Promise<AppendOutcome>;
  /** Moves the lease to now and `leaseMs`. */
  heartbeat(
    jobId: string,
    beat: { readonly token: string | null; readonly leaseMs: DurationMs },
    options: AppendOptions,
  ): Promise<AppendOutcome>;
  /**
   * Frees the session of a job from its hold, if there is one: for whoever drove its run and knows that
   * nothing of that is left. It may fail, and an operator is told: a hold ends by itself. Never rejects.
   */
  letGo(jobId: string, sessionId: string): Promise<void>;
}

export interface CommandParts {
  readonly deps: QueryDeps;
  readonly jobs: KnownJobs;
  readonly roots: QueryRoots;
  readonly fences: SessionFences;
  readonly appends: QueryAppends;
  readonly watch: QueryWatch;
}

export function queryCommands(parts: CommandParts): QueryCommands {
  const { deps, jobs, roots, fences, appends, watch } = parts;

  async function observed(
    job: JobRef,
    command: QueryCommand,
    options: AppendOptions,
  ): Promise<AppendOutcome> {
    const outcome = await appends.run(job, command, options);
    const name = observationOf(outcome);
    if (name !== null) deps.observe(name, 1);
    if (hasEnded(outcome)) watch.told.ended(outcome.place.jobId);
    return outcome;
  }

  return {
    // Nothing is awaited before: calls are carried out in the order in which they are made.
    run: async (jobId, command, options) => observed(jobRef(jobId), command, options),
    runAt: observed,
    async start(jobId, { token, ...run }) {
      const place = await jobs.place(jobId);
      const { root } = await roots.shown(place);
      const options = { mark: UNMARKED, isWhole: true };
      const heldUntil = await fences.heldUntil(root.fenceId);
      const command = { kind: "start", token, ...run, heldUntil } as const;
      const outcome = await observed(place, command, options);
      if (outcome.kind === "rejected" || !outcome.isApplied) return outcome;
      // The repeat of a start that nobody was told of has not begun its run either.
      if (outcome.status !== "starting") return outcome;
      // Read again behind the start: an interrupt that set it before is before the start, too.
      const until = await fences.heldUntil(root.fenceId);
      if (until === null) return outcome;
      const retryAfterMs = Math.max(0, until - deps.clock.now());
      const ended = await observed(
        place,
        { kind: "fail", token, error: held(retryAfterMs) },
        options,
      );
      return ended.kind === "rejected" ? ended : { ...ended, isApplied: false };
    },
    async heartbeat(jobId, { token, leaseMs }, options) {
      const place = await jobs.place(jobId);
      const until = after(deps.clock.now(), leaseMs);
      return (
        (await beatAsKept(place, token, until)) ??
        (await beatAsRead(place, { token, until, options }))
      );
    },
    letGo: (jobId, sessionId) => fences.release(fenceIdOf(sessionId), jobId),
  };

  /** On what is kept of the job, without reading its log; null: that does not do. */
  async function beatAsKept(
    place: QueryPlace,
    token: string | null,
    until: EpochMs,
  ): Promise<AppendOutcome | null> {
    const known = jobs.known(place.jobId);
    if (known === null || known.part === null) return null;
    const { head, part } = known;
    const query = { generation: place.generation, head, text: null };
    const decision = decideQuery(query, { kind: "heartbeat", token }, deps.clock.now(), deps);
    if (decision.kind !== "unchanged" || !decision.isApplied) return null;
    const root = await roots.renew(place, head, { until, handle: null });
    if (root === null) return null;
    const { seq: eventSeq, status } = head;
    return { kind: "unchanged", isApplied: true, place, known, eventSeq, status, part, root };
  }

  async function beatAsRead(place: QueryPlace, { token, until, options }: Beat) {
    const outcome = await observed(place, { kind: "heartbeat", token }, options);
    if (outcome.kind === "rejected" || !outcome.isApplied) return outcome;
    const { head } = outcome.known;
    const root = await roots.renew(place, head, { until, handle: outcome.root });
    return { ...outcome, isApplied: root !== null };
  }
}

interface Beat {
  readonly token: string | null;
  readonly until: EpochMs;
  readonly options: AppendOptions;
}

function held(retryAfterMs: number) {
  return {
    code: "provider_orphan_fence",
    message: "The session was held before the run could begin.",
    retryable: true,
    retryAfterMs,
  };
}

/** Whether it was this command that ended the job. */
function hasEnded(outcome: AppendOutcome): boolean {
  if (outcome.kind !== "appended") return false;
  const { status, isAcknowledged } = outcome.known.head;
  return isTerminal(status) && !isAcknowledged;
}

/** What the end of a command counts as. */
function observationOf(outcome: AppendOutcome): Observation | null {
  if (outcome.kind === "rejected") {
    return outcome.rejection.kind === "lease_lost" ? "query.lease_lost" : null;
  }
  if (outcome.kind !== "appended") return null;
  const { status } = outcome.known.head;
  if (status === "starting" && outcome.eventSeq === 2) return "query.started";
  return isTerminal(status) && hasEnded(outcome) ? `query.${status}` : null;
}
