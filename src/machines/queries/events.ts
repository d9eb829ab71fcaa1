/**
 * What can happen to a job, as its log keeps it: compact, because every event is written once and read by
 * everybody (protocols 5.8). Its number is its place in the log, the job is told by the key.
 */
import type { EpochMs } from "../../core/time.ts";
import type { AttachmentRef } from "./attachments.ts";
import type { Linkage } from "./linkage.ts";
import type { ImageStats, QueryError } from "./outcome.ts";
import type { QueryRequest } from "./request.ts";
import type { TerminalStatus } from "./statuses.ts";

export const ACTIVITY_KINDS = ["status", "input", "output", "gap"] as const;

export type ActivityKind = (typeof ACTIVITY_KINDS)[number];

type Happened = {
  readonly at: EpochMs;
};

/** Written while still starting: without it, the job was running. */
type UnderWay = Happened & {
  readonly early?: true;
};

/** Ended by whoever held the run, who may ask again. */
type Ended = Happened & {
  readonly byRun?: true;
};

export type Accepted = Happened & {
  readonly type: "accepted";
  readonly request: QueryRequest;
  readonly fingerprint: string;
  readonly turnId: string;
  readonly retentionUntil: EpochMs;
  /** The version of the root that the admission expects; null: none (protocols 4.1). */
  readonly base: string | null;
};

export type Starting = Happened & {
  readonly type: "starting";
  /** SHA-256 of the run's token, in hex. */
  readonly run: string;
  readonly leaseMs: number;
  /** Of the exclusive folder whose process drives the run itself. */
  readonly owner?: string;
};

export type Running = Happened & {
  readonly type: "running";
  readonly linkage?: Linkage;
};

/** The provider is confirmed to be ours, before it gets the prompt. */
export type Linked = UnderWay & {
  readonly type: "linkage";
  readonly linkage: Linkage;
};

export type Chunk = UnderWay & {
  readonly type: "chunk";
  readonly delta: string;
  /** The first half of a surrogate pair that came after `delta`; the next chunk begins with the whole pair. */
  readonly half?: number;
  /** The answer goes on, but no more of it is kept. */
  readonly truncated?: true;
};

export type ToolStatus = UnderWay & {
  readonly type: "tool_status";
  readonly text: string;
  readonly truncated?: true;
};

export type ActivityLine = UnderWay & {
  readonly type: "activity_line";
  readonly kind: Exclude<ActivityKind, "status">;
  readonly text: string;
  readonly truncated?: true;
};

/** Either the text, or what recognises the one that the log holds so far. */
export type Answer =
  | { readonly text: string; readonly truncated?: true }
  | {
      /** Characters (UTF-16 units). */
      readonly textLength: number;
      readonly sha256: string;
      readonly truncated?: true;
    };

export type AnswerReady = Happened & {
  readonly type: "answer_ready";
  readonly answer: Answer;
  readonly linkage?: Linkage;
};

export type Completed = Ended & {
  readonly type: "completed";
  /** Left out: the one that `answer_ready` committed. */
  readonly answer?: Answer;
  readonly attachments?: readonly AttachmentRef[];
  readonly outputImageStats?: ImageStats;
  readonly linkage?: Linkage;
};

export type Failed = Ended & {
  readonly type: "failed";
  readonly error: QueryError;
};

export type Canceled = Happened & {
  readonly type: "canceled";
  /** As an original put it; left out: as we do. */
  readonly message?: string;
};

export type Interrupted = Ended & {
  readonly type: "interrupted";
  readonly reason: string;
  /** Until when its session is held; only if its provider may be at work. */
  readonly orphanFenceUntil?: EpochMs;
};

export type Acknowledged = Happened & {
  readonly type: "acknowledged";
  readonly status: TerminalStatus;
};

export type QueryEvent =
  | Accepted
  | Starting
  | Running
  | Linked
  | Chunk
  | ToolStatus
  | ActivityLine
  | AnswerReady
  | Completed
  | Failed
  | Canceled
  | Interrupted
  | Acknowledged;
