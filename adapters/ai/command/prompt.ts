/** What a command is told of an execution, and what is told of its error output. */
import type { RunnerExecution } from "../../../src/ports/runner.ts";
import { toldOnOneLine } from "../../../src/ports/runner-failures.ts";

/** The query as it is; after the exchange that it is about, where there is one. */
export function promptText({ query, reference }: RunnerExecution): string {
  if (reference === null) return query;
  return [
    `Earlier question:\n${reference.query}`,
    `Earlier answer:\n${reference.response}`,
    `Question:\n${query}`,
  ].join("\n\n");
}

export function variablesOf(execution: RunnerExecution): Record<string, string> {
  const { model, effort, attachmentIds: ids, attachmentRefs: refs } = execution;
  return {
    HOLDFAST_JOB_ID: execution.jobId,
    HOLDFAST_SESSION_ID: execution.sessionId,
    HOLDFAST_ATTACHMENTS: JSON.stringify({ ids, refs }),
    ...(model === null ? {} : { HOLDFAST_MODEL: model }),
    ...(effort === null ? {} : { HOLDFAST_EFFORT: effort }),
  };
}

const TOLD_CHARS_MAX = 1_000;

const SECRET_NAME = /key|token|secret|pass|credential|auth/i;

/**
 * The end of what a command wrote to its error output, on one line: without what its environment has
 * under names of secrets, and without the prompt, which commands like to repeat.
 */
export function toldOfErrors(
  text: string,
  execution: RunnerExecution,
  env: Readonly<Record<string, string>>,
): string {
  const secrets = Object.entries(env).flatMap(([name, value]) =>
    SECRET_NAME.test(name) ? [value] : [],
  );
  return toldOnOneLine(text, [...secrets, promptText(execution)])
    .slice(-TOLD_CHARS_MAX)
    .toWellFormed();
}
