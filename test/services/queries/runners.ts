/** Providers of one behaviour each. */
import { type Runner, RunnerError } from "../../../src/ports/runner.ts";

export type Run = Runner["run"];

/** A provider that begins, is owned, says `parts` and ends. */
export function saying(...parts: readonly string[]): Run {
  return async (_execution, callbacks) => {
    await callbacks.started({ provider: "claude" });
    if (!(await callbacks.ownership({ claudeRunId: "run-1" }))) throw stopped();
    for (const part of parts) await callbacks.delta(part);
    return {};
  };
}

/** One that says a word and then nothing, until it is told to stop. */
export function hanging(): Run {
  return async (_execution, callbacks, signal) => {
    await callbacks.started({});
    await callbacks.ownership({});
    await callbacks.delta("a word");
    await new Promise<void>((resolve) => {
      if (signal.aborted) resolve();
      signal.addEventListener("abort", () => resolve());
    });
    throw stopped();
  };
}

export const stopped = () => new RunnerError("run_stopped", "ended from here", { retryable: true });
