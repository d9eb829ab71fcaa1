/**
 * One run of one job, from its start to its end (semantics C7): what the runner tells is written before it
 * goes on, an end is durable before anybody is told to stop, and its session is free once that is so.
 */
import { uuid } from "../core/ids.ts";
import { type DurationMs, durationMs } from "../core/time.ts";
import type { QueryJob } from "../machines/queries/fold.ts";
import type { QueryRequest } from "../machines/queries/request.ts";
import { isTerminal } from "../machines/queries/statuses.ts";
import type {
  Runner,
  RunnerCallbacks,
  RunnerLinkage,
  RunnerResult,
  RunnerStart,
} from "../ports/runner.ts";
import { type Deltas, joinedDeltas } from "./coordinator-deltas.ts";
import { executionOf, shownActivity, textOf, toldError } from "./coordinator-words.ts";
import { patiently } from "./patience.ts";
import type { QueryService } from "./queries.ts";
import type { RunCommand } from "./query-commands.ts";
import type { PartPlace } from "./query-known.ts";
import { UNMARKED } from "./query-scan.ts";
import type { AppendAnswer } from "./query-written.ts";
import { type QuietDeps, quietly, tellFault } from "./quietly.ts";
import type { TransactDeps } from "./transact.ts";

export interface RunParts {
  readonly deps: TransactDeps & QuietDeps;
  readonly service: QueryService;
  readonly runner: Runner;
  /** How long a run may take; what is left over then is ended. */
  readonly deadlineMs: DurationMs;
  readonly leaseMs: DurationMs;
  /** See `Backend.owner`: whoever has the folder next need not wait for the lease. */
  readonly owner: string | null;
}

/**
 * `ended`: the run is over, whoever ended the job. `taken`: somebody else has it, or it has ended.
 * `held`: its session is held, and it waits as before.
 */
export type RunEnd =
  | { readonly kind: "ended"; readonly jobId: string }
  | { readonly kind: "taken" }
  | { readonly kind: "held"; readonly retryAfterMs: DurationMs };

export interface JobRun {
  /** Rejects with what kept the run from being started. */
  readonly end: Promise<RunEnd>;
  /** Whether it holds its job and goes on. */
  isAlive(): boolean;
  /** Whoever ended the job calls this: nothing more of the run is written. */
  abort(): void;
  /** Interrupts the job, or completes it where its answer is committed, and ends the run. */
  interrupt(reason: string): Promise<void>;
}

/** Heartbeats of one lease. */
const BEATS = 3;

export function runJob(parts: RunParts, jobId: string): JobRun {
  const control = new AbortController();
  let writer: RunWriter | null = null;
  /** Why the job is to be interrupted, once it is. */
  let giveUp: string | null = null;

  async function interrupted(by: RunWriter, reason: string): Promise<void> {
    try {
      await by.flushed();
      await by.tell({ kind: "interrupt", reason, fencedUntil: null });
    } finally {
      control.abort();
    }
  }

  async function run(): Promise<RunEnd> {
    const { deps, service, leaseMs, owner } = parts;
    const token = uuid(deps.random.bytes(16));
    const start = { generation: null, token, leaseMs, owner };
    const outcome = await patiently(deps, () => service.commands.start(jobId, start));
    if (outcome.kind === "rejected") {
      const { rejection } = outcome;
      if (rejection.kind !== "provider_orphan_fence") return { kind: "taken" };
      return { kind: "held", retryAfterMs: rejection.retryAfterMs };
    }
    if (!outcome.isApplied) return { kind: "taken" };
    const job = outcome.known.job ?? (await service.reading.whole(outcome.place)).job;
    writer = runWriter(parts, { job, token, position: outcome.part, control });
    // Asked for while it was being started.
    if (giveUp !== null) await interrupted(writer, giveUp);
    const beating = beat(parts, { jobId, token, control });
    try {
      if (!control.signal.aborted) await drive(parts, job, { writer, control });
    } finally {
      control.abort();
      await beating;
    }
    await letGo(parts, writer.job());
    return { kind: "ended", jobId };
  }

  return {
    end: run(),
    isAlive: () => writer !== null && !control.signal.aborted,
    abort: () => control.abort(),
    async interrupt(reason) {
      giveUp = reason;
      if (writer !== null) await interrupted(writer, reason);
    },
  };
}

/**
 * Frees the session that was held for the run, whoever interrupted it: its runner has settled, so nothing is
 * at work there. Killed before this, it stays held.
 */
async function letGo({ service }: RunParts, { jobId, head, request }: QueryJob): Promise<void> {
  const hasEndedOtherwise = isTerminal(head.status) && head.status !== "interrupted";
  if (!hasEndedOtherwise) await service.commands.letGo(jobId, request.sessionId);
}

interface Beating {
  readonly jobId: string;
  readonly token: string;
  readonly control: AbortController;
}

/** Until the run is over; ends it when it is not ours any more. */
async function beat(
  { deps, service, leaseMs }: RunParts,
  { jobId, token, control }: Beating,
): Promise<void> {
  const between = durationMs(Math.max(1, Math.floor(leaseMs / BEATS)));
  const options = { mark: UNMARKED, isWhole: false };
  async function once(): Promise<void> {
    const outcome = await service.commands.heartbeat(jobId, { token, leaseMs }, options);
    if (outcome.kind === "rejected" || !outcome.isApplied) control.abort();
  }
  for (;;) {
    await deps.clock.sleep(between, control.signal);
    if (control.signal.aborted) return;
    // The next one may fare better; the lease, not this, decides whose the run is.
    await quietly(deps, "query run not renewed", once());
  }
}

interface RunWriter {
  /**
   * Writes what the run tells, once, however often it has to be tried. Null: it was not taken; where the
   * job has ended or the run is not ours any more, the run ends. Throws what passes too slowly.
   */
  tell(command: RunCommand): Promise<AppendAnswer | null>;
  delta(text: string): Promise<void>;
  flushed(): Promise<void>;
  /** The job after what was told last. */
  job(): QueryJob;
}

interface WriterOptions {
  readonly job: QueryJob;
  readonly token: string;
  readonly position: PartPlace;
  readonly control: AbortController;
}

function runWriter({ deps, service }: RunParts, options: WriterOptions): RunWriter {
  const { token, control } = options;
  let { job, position } = options;
  const { jobId } = job;
  let calls = 0;
  let last: Promise<unknown> = Promise.resolve();

  async function write(command: RunCommand): Promise<AppendAnswer | null> {
    if (control.signal.aborted) return null;
    calls += 1;
    // The same for every try of this call, so that none is written twice.
    const mark = { requestId: String(calls), position };
    try {
      const outcome = await patiently(deps, () =>
        service.commands.run(jobId, { ...command, token }, { mark, isWhole: true }),
      );
      if (outcome.kind !== "rejected") {
        position = outcome.part;
        job = outcome.known.job ?? job;
        if (outcome.isApplied) return outcome;
        // Too late for the job's state alone, as an activity behind the answer is: the run goes on.
        if (!isTerminal(outcome.status)) return null;
      }
    } catch (fault) {
      // Nothing is made up about a job that could not be written: its lease tells the rest.
      tellFault(deps, "query run not written", fault);
      control.abort();
      throw fault;
    }
    control.abort();
    return null;
  }

  function tell(command: RunCommand): Promise<AppendAnswer | null> {
    const own = last.then(() => write(command));
    last = own.catch(() => {});
    return own;
  }

  const deltas: Deltas = joinedDeltas(deps.clock, async (delta) => {
    await tell({ kind: "chunk", delta, isTruncated: false });
  });
  return { tell, delta: deltas.add, flushed: deltas.flush, job: () => job };
}

interface Driven {
  readonly writer: RunWriter;
  readonly control: AbortController;
}

async function drive(parts: RunParts, job: QueryJob, { writer, control }: Driven): Promise<void> {
  const { runner } = parts;
  const { request } = job;
  const callbacks = callbacksOf(request, { writer, control });
  // Not only from its word that it has begun, which may never come.
  void expire(parts, { writer, control });
  try {
    const result = await runner.run(executionOf(job), callbacks, control.signal);
    if (!control.signal.aborted) await finish(writer, result);
  } catch (error) {
    if (control.signal.aborted) return;
    await writer.flushed();
    await writer.tell({ kind: "fail", error: toldError(parts.deps, job, error) });
  }
}

/** The answer is committed first: from then on it stands, whatever comes. */
async function finish(writer: RunWriter, result: RunnerResult): Promise<void> {
  const { linkage, attachments, outputImageStats } = result;
  await writer.flushed();
  const { head, text: soFar } = writer.job();
  const isReady = head.status === "answer_ready";
  const text = isReady ? soFar : textOf(result.text ?? soFar);
  if (!isReady) await writer.tell({ kind: "answer_ready", text, linkage });
  await writer.tell({ kind: "complete", text, linkage, attachments, outputImageStats });
}

function callbacksOf(request: QueryRequest, { writer, control }: Driven): RunnerCallbacks {
  return {
    async started({ sessionId, ...linkage }: RunnerStart) {
      if (sessionId !== undefined && sessionId !== request.sessionId) {
        await writer.tell({ kind: "fail", error: MISMATCH });
        control.abort();
        return;
      }
      await writer.tell({ kind: "running", linkage });
    },
    async ownership(linkage: RunnerLinkage) {
      return (await writer.tell({ kind: "linkage", linkage })) !== null;
    },
    delta: async (text) => writer.delta(textOf(text)),
    async activity(kind, text) {
      const shown = shownActivity(request.activityToolMode, kind, textOf(text));
      if (shown === null) return;
      await writer.flushed();
      await writer.tell({ kind: "activity", activity: kind, text: shown });
    },
    async answerReady(given) {
      await writer.flushed();
      const text = textOf(given ?? writer.job().text);
      await writer.tell({ kind: "answer_ready", text, linkage: {} });
    },
  };
}

const MISMATCH = {
  code: "session_identity_mismatch",
  message: "The provider answered in another session.",
};

const TIMEOUT = {
  code: "provider_timeout",
  message: "The provider did not answer in time.",
  retryable: true,
};

/** Ends the job when the provider's time is up; completes it where its answer is committed (QUERY-76). */
async function expire({ deps, deadlineMs }: RunParts, { writer, control }: Driven): Promise<void> {
  await deps.clock.sleep(deadlineMs, control.signal);
  if (control.signal.aborted) return;
  try {
    await writer.flushed();
    await writer.tell({ kind: "fail", error: TIMEOUT });
  } catch {
    // It ended the run as it is.
  }
  control.abort();
}
