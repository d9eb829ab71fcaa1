/** What a runner is given of a job, and what of its words is taken. */
import { errorText } from "../core/error-text.ts";
import { isOf } from "../core/foreign.ts";
import type { QueryJob } from "../machines/queries/fold.ts";
import { redacted } from "../machines/queries/redaction.ts";
import type { QueryRequest } from "../machines/queries/request.ts";
import { type RunnerActivity, RunnerError, type RunnerExecution } from "../ports/runner.ts";
import { toldOnOneLine } from "../ports/runner-failures.ts";
import type { QuietDeps } from "./quietly.ts";

/** Runners need not be written in TypeScript: the fault is theirs to hear of, not the job's to be stuck at. */
export function textOf(text: unknown): string {
  if (typeof text === "string") return text;
  throw new TypeError("what a runner tells must be a text");
}

/** What is shown of tools where nothing of them is to be (QUERY-82). */
const HIDDEN_ACTIVITY = "Working.";

/** Null: nothing of it is shown. */
export function shownActivity(
  mode: QueryRequest["activityToolMode"],
  kind: RunnerActivity,
  text: string,
): string | null {
  if (kind === "status") return mode === "off" ? HIDDEN_ACTIVITY : text;
  return mode === "preview" ? text : null;
}

export function executionOf({ jobId, request }: QueryJob): RunnerExecution {
  const { query, reference, sessionId, model, effort, attachmentIds, attachmentRefs } = request;
  return {
    ...{ jobId, query, sessionId, attachmentIds, attachmentRefs },
    reference: reference ?? null,
    model: model ?? null,
    effort: effort ?? null,
  };
}

const UNEXPECTED = {
  code: "runner_failed",
  message: "The runner met an error that it did not expect.",
};

/**
 * Without the prompt, which others like to repeat in what they throw. What a runner did not mean to tell
 * may hold anything else, too: of that an operator is told.
 */
export function toldError(
  { log, tenant }: QuietDeps,
  { jobId, request }: QueryJob,
  error: unknown,
): object {
  const { query, reference } = request;
  const asked = [query, reference?.query ?? "", reference?.response ?? ""];
  if (!isOf(error, RunnerError)) {
    const { text: detail } = redacted(toldOnOneLine(errorText(error, 500), asked), 500);
    log("warn", "query runner failed", { tenant, id: jobId, code: UNEXPECTED.code, detail });
    return UNEXPECTED;
  }
  const { code, message, retryable, retryAfterMs } = error;
  const told = { code, message: toldOnOneLine(message, asked), retryable };
  return { ...told, ...(retryAfterMs === null ? {} : { retryAfterMs }) };
}
