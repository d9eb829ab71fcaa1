/** The methods of whoever answers: what they check, and what they make of the answer (semantics C3). */
import { durationMs } from "../core/time.ts";
import { queryInputs } from "../machines/queries/inputs.ts";
import { isTerminal } from "../machines/queries/statuses.ts";
import { checked, checkedOptional, checkedOptions } from "./input.ts";
import type { Applied, HolderOptions, Queries, Started } from "./queries.ts";
import type { PlainCommand, RunCommand } from "./query-commands.ts";
import { answered, type MethodParts } from "./query-methods.ts";
import { parsePosition } from "./query-positions.ts";
import { type Marked, UNMARKED } from "./query-scan.ts";
import type { RunTokens } from "./query-tokens.ts";

export interface RunMethodParts extends Pick<MethodParts, "commands" | "reading"> {
  /** Of a run whose caller says nothing else. */
  readonly runLeaseMs: number;
  readonly freshToken: () => string;
}

type HeldMethods = Pick<
  Queries,
  | "markRunning"
  | "updateLinkage"
  | "appendPartial"
  | "appendActivity"
  | "markAnswerReady"
  | "complete"
  | "fail"
  | "interrupt"
>;

export function runMethods(
  parts: RunMethodParts,
  tokens: RunTokens,
): Pick<Queries, "markStarting" | "heartbeat"> & HeldMethods {
  const { commands, runLeaseMs, freshToken } = parts;
  const leaseOf = (value: unknown) =>
    durationMs(checked(queryInputs.leaseMs, value ?? runLeaseMs, "options.leaseMs"));

  function tokenOf(jobId: string, given: unknown): string | null {
    const token = checkedOptional(queryInputs.token, given, "options.leaseToken");
    return token ?? tokens.of(String(jobId).toLowerCase());
  }

  async function held(
    jobId: string,
    command: RunCommand,
    given: HolderOptions = {},
  ): Promise<Applied> {
    const options = checkedOptions(given, "options");
    const mark = markOf(options);
    const whole: PlainCommand = { ...command, token: tokenOf(jobId, options.leaseToken) };
    const answer = await answered(parts, await commands.run(jobId, whole, { mark, isWhole: true }));
    if (isTerminal(answer.job.status)) tokens.forget(jobId);
    return answer;
  }

  return {
    async markStarting(jobId, given = {}): Promise<Started> {
      const options = checkedOptions(given, "options");
      const token =
        checkedOptional(queryInputs.token, options.leaseToken, "options.leaseToken") ??
        freshToken();
      const asked = checkedOptional(queryInputs.generation, options.generation, "generation");
      const leaseMs = leaseOf(options.leaseMs);
      const run = { generation: asked ?? null, token, leaseMs, owner: null };
      const answer = await answered(parts, await commands.start(jobId, run));
      if (!answer.applied) return { ...answer, leaseToken: null, position: null };
      tokens.keep(answer.job.jobId, token);
      return { ...answer, leaseToken: token };
    },
    async heartbeat(jobId, given = {}) {
      const options = checkedOptions(given, "options");
      const beat = { token: tokenOf(jobId, options.leaseToken), leaseMs: leaseOf(options.leaseMs) };
      const outcome = await commands.heartbeat(jobId, beat, { mark: UNMARKED, isWhole: true });
      return answered(parts, outcome);
    },
    markRunning: (jobId, linkage = {}, options = {}) =>
      held(jobId, { kind: "running", linkage }, options),
    updateLinkage: (jobId, linkage = {}, options = {}) =>
      held(jobId, { kind: "linkage", linkage }, options),
    appendPartial: async (jobId, delta, _text, truncated = false, options = {}) =>
      held(
        jobId,
        {
          kind: "chunk",
          delta: checked(queryInputs.text, delta, "delta"),
          isTruncated: truncated === true,
        },
        options,
      ),
    appendActivity: async (jobId, kind, text, options = {}) =>
      held(
        jobId,
        {
          kind: "activity",
          activity: checked(queryInputs.activityKind, kind, "kind"),
          text: checked(queryInputs.text, text, "text"),
        },
        options,
      ),
    markAnswerReady: async (jobId, given, linkage = {}, options = {}) => {
      const text = checked(queryInputs.text, given, "text");
      return held(jobId, { kind: "answer_ready", text, linkage }, options);
    },
    complete: async (jobId, answer, options = {}) => {
      const { text, attachments, outputImageStats, linkage } = checkedOptions(answer, "answer");
      const rest = { attachments, outputImageStats, linkage };
      const kept = checked(queryInputs.text, text, "answer.text");
      return held(jobId, { kind: "complete", text: kept, ...rest }, options);
    },
    fail: (jobId, error, options = {}) => held(jobId, { kind: "fail", error }, options),
    interrupt: async (jobId, given, options = {}) => {
      const reason = checkedOptional(queryInputs.text, given, "reason") ?? null;
      return held(jobId, { kind: "interrupt", reason, fencedUntil: null }, options);
    },
  };
}

/** Throws InvalidInputError, QueryJobValidationError. */
export function markOf({ requestId, position }: HolderOptions): Marked {
  if (requestId === undefined) return UNMARKED;
  return {
    requestId: checked(queryInputs.requestId, requestId, "options.requestId"),
    position: position === undefined || position === null ? null : parsePosition(position),
  };
}
