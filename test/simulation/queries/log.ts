/** The log of one query job, folded by the rules of semantics C2 alone. */
import { sha256Hex } from "../../../src/core/hash.ts";
import type { Fields } from "../truth.ts";

export interface LogEvent {
  readonly type: string;
  /** As it stands in the event. */
  readonly at: number;
  readonly fields: Fields;
  /** The status after it. */
  readonly status: string;
}

export interface JobLog {
  readonly prefix: string;
  readonly jobId: string;
  readonly events: LogEvent[];
  /** The last numbers of its parts. */
  readonly ends: Set<number>;
  /** Names of what of it is stored now. */
  readonly stored: Set<string>;
  /** Something of it was removed: what comes after that is no part of it (protocols 5.5). */
  isRemoved: boolean;
  status: string;
  /** The chunks, joined. */
  chunks: string;
  text: string;
  isOwned: boolean;
  /** Virtual time of the start; null: there was none. */
  startedAt: number | null;
}

export function emptyLog(prefix: string, jobId: string): JobLog {
  return {
    ...{ prefix, jobId, events: [], ends: new Set(), stored: new Set(), isRemoved: false },
    ...{ status: "none", chunks: "", text: "", isOwned: false, startedAt: null },
  };
}

const UNDER_WAY = ["starting", "running"];
const NOT_ENDED = ["accepted", ...UNDER_WAY];
const TERMINAL = ["completed", "failed", "canceled", "interrupted"];

/** From which statuses an event may come. */
const FROM: Readonly<Record<string, readonly string[]>> = {
  accepted: ["none"],
  starting: ["accepted"],
  running: ["starting"],
  linkage: UNDER_WAY,
  chunk: UNDER_WAY,
  tool_status: UNDER_WAY,
  activity_line: UNDER_WAY,
  answer_ready: UNDER_WAY,
  completed: [...UNDER_WAY, "answer_ready"],
  failed: NOT_ENDED,
  canceled: NOT_ENDED,
  interrupted: NOT_ENDED,
  acknowledged: TERMINAL,
};

/** Events that change no status. */
const WITHIN: ReadonlySet<string> = new Set([
  ...["linkage", "chunk", "tool_status", "activity_line", "acknowledged"],
]);

export const isTerminal = (status: string): boolean => TERMINAL.includes(status);

/** Adds an event; what is wrong about it, if anything. */
export function follow(log: JobLog, fields: Fields): string | null {
  const type = String(fields["type"]);
  const at = Number(fields["at"]);
  const before = log.status;
  const problem = problemOf(log, { type, at, fields });
  log.status = WITHIN.has(type) ? before : type;
  log.events.push({ type, at, fields, status: log.status });
  if (type === "linkage") log.isOwned = true;
  if (type === "chunk") {
    log.chunks += String(fields["delta"]);
    log.text = log.chunks;
  }
  return problem ?? answerProblem(log, type, fields["answer"], before);
}

type NewEvent = Pick<LogEvent, "type" | "at" | "fields">;

function problemOf(log: JobLog, { type, at, fields }: NewEvent): string | null {
  if (!FROM[type]?.includes(log.status)) return `${type} after ${log.status}`;
  if (at < (log.events.at(-1)?.at ?? 0)) return `${type} is older than what was before it`;
  const isAgain = log.events.some((event) => event.type === type);
  if (type === "acknowledged" && isAgain) return "acknowledged twice";
  const isHeld = fields["orphanFenceUntil"] !== undefined;
  if (type === "interrupted" && isHeld !== log.isOwned) {
    return `interrupted ${isHeld ? "with" : "without"} a hold`;
  }
  return null;
}

function answerProblem(log: JobLog, type: string, answer: unknown, before: string): string | null {
  if (type !== "answer_ready" && type !== "completed") return null;
  if (typeof answer !== "object" || answer === null) {
    return type === "completed" && before === "answer_ready" ? null : `${type} without an answer`;
  }
  if ("text" in answer) {
    log.text = String(answer.text);
    return null;
  }
  const { textLength, sha256 } = answer as Fields;
  const isText = textLength === log.text.length && sha256 === sha256Hex(log.text);
  return isText ? null : `${type} with the hash of another text`;
}
