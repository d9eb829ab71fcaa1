/** How a query is answered: one run of a provider, and when it may begin to see the prompt. */
import type { DurationMs } from "../core/time.ts";

/** What there is to answer, as it was submitted. */
export interface RunnerExecution {
  readonly jobId: string;
  /** May be blank when there are attachments. */
  readonly query: string;
  /** An earlier exchange that the query is about. */
  readonly reference: { readonly query: string; readonly response: string } | null;
  /** The conversation, for a provider that keeps them. */
  readonly sessionId: string;
  /** Null: the runner's own. */
  readonly model: string | null;
  /** How hard to think, in the provider's words; null: as it likes. */
  readonly effort: string | null;
  readonly attachmentIds: readonly string[];
  readonly attachmentRefs: readonly RunnerAttachment[];
}

/** What is known of a picture; the picture itself lies elsewhere, under its id. */
export interface RunnerAttachment {
  readonly id: string;
  readonly kind: string;
  readonly mime: string;
  readonly width: number;
  readonly height: number;
  /** ISO 8601, here and below. */
  readonly createdAt: string;
  readonly label?: string;
  readonly capturedAt?: string;
  readonly expiresAt?: string;
}

/** What the provider calls this run; each is kept once told, a provider that nobody knows is dropped (QUERY-20). */
export interface RunnerLinkage {
  readonly provider?: string;
  readonly resolvedModel?: string;
  readonly cliSessionId?: string;
  readonly claudeRunId?: string;
  readonly codexRunId?: string;
  readonly codexThreadId?: string;
}

export interface RunnerStart extends RunnerLinkage {
  /** The conversation that the provider is in, where it tells; another than asked for ends the run (QUERY-81). */
  readonly sessionId?: string;
}

/** `status` is where it is; `input` and `output` are lines of what it does. */
export type RunnerActivity = "status" | "input" | "output";

/**
 * Who is told what happens. A runner awaits each call before the next one, never makes two at once, and
 * makes none after the signal is aborted or the run is over. One that rejects ends the run, which then
 * rejects with the same error.
 */
export interface RunnerCallbacks {
  /** The provider has begun; once, before anything else. The time to answer counts from here. */
  started(start: RunnerStart): Promise<void>;
  /**
   * Awaited before the first byte of the prompt leaves (QUERY-75), with whatever names the run that now
   * may be at work. False: it is not ours any more; nothing is sent, and the run ends as `run_stopped`.
   */
  ownership(linkage: RunnerLinkage): Promise<boolean>;
  /**
   * The next piece of the answer: not empty, well-formed Unicode. Nothing more is read from the provider
   * before it resolves, so that memory stays bounded.
   */
  delta(text: string): Promise<void>;
  activity(kind: RunnerActivity, text: string): Promise<void>;
  /**
   * The answer is whole, though the provider is still busy with what comes after; no delta follows. For a
   * provider that has no such time between, the result says it. Without `text` it is the joined deltas.
   */
  answerReady(text?: string): Promise<void>;
}

export interface RunnerResult {
  /** The whole answer; left out: the joined deltas. */
  readonly text?: string;
  readonly linkage?: RunnerLinkage;
  readonly attachments?: readonly RunnerAttachment[];
  readonly outputImageStats?: {
    readonly published: number;
    readonly attached: number;
    readonly rejected: number;
  };
}

export interface Runner {
  /**
   * One run, never tried again in here: a repeat could be paid for twice. Any number at once. Rejects with
   * RunnerError, or with what a callback rejected with. When it settles, whatever it began is over: no
   * process and no request is left behind.
   *
   * Aborting `signal` ends it soon, as `run_stopped`. There is no time limit in here for the whole of it:
   * that is the caller's, who aborts.
   */
  run(
    execution: RunnerExecution,
    callbacks: RunnerCallbacks,
    signal: AbortSignal,
  ): Promise<RunnerResult>;
}

export interface RunnerErrorOptions extends ErrorOptions {
  readonly retryable?: boolean;
  readonly retryAfterMs?: DurationMs | null;
}

/**
 * A run that ended without its whole answer. `message` is for a person, without any credential that the
 * runner was given and without the prompt; what a provider says may be in it.
 */
export class RunnerError extends Error {
  override readonly name = "RunnerError";
  /** One of RUNNER_FAILURES, or a runner's own: 1 to 80 letters, digits and `_ . -`. */
  readonly code: string;
  /** The same query, submitted anew, may fare better. */
  readonly retryable: boolean;
  /** How long to wait before that; null: not said. */
  readonly retryAfterMs: DurationMs | null;

  constructor(code: string, message: string, options: RunnerErrorOptions = {}) {
    super(message, options);
    this.code = code;
    this.retryable = options.retryable ?? false;
    this.retryAfterMs = options.retryAfterMs ?? null;
  }
}
