/** Answers from a command: it reads the prompt on its input and writes the answer to its output. */
import { durationMs } from "../../../src/core/time.ts";
import { type Clock, systemClock } from "../../../src/ports/clock.ts";
import { MisconfiguredError } from "../../../src/ports/faults.ts";
import type { Runner, RunnerCallbacks, RunnerExecution } from "../../../src/ports/runner.ts";
import { runnerError } from "../../../src/ports/runner-failures.ts";
import { type CommandProcess, type CommandStart, startCommand } from "./process.ts";
import { promptText, toldOfErrors, variablesOf } from "./prompt.ts";

export interface CommandRunnerOptions {
  /**
   * A text is run by `/bin/sh -c`. An array is a program and its arguments as they are, without a shell.
   * Nothing of the query becomes part of either.
   */
  readonly command: string | readonly string[];
  /**
   * The whole environment of the command: nothing is inherited, not even PATH. Set beside it are
   * HOLDFAST_JOB_ID, HOLDFAST_SESSION_ID, HOLDFAST_ATTACHMENTS (JSON: `{ids, refs}`) and, where the query
   * names them, HOLDFAST_MODEL and HOLDFAST_EFFORT.
   */
  readonly env: Readonly<Record<string, string>>;
  /** Where it runs; that of this process by default. */
  readonly cwd?: string;
  /** From SIGTERM to SIGKILL, for a command that is to end; 5,000 by default. */
  readonly graceMs?: number;
  readonly clock?: Clock;
}

const GRACE_MS = 5_000;

/**
 * Runs the command once for each execution, as the leader of a process group of its own. What it writes
 * to its output is the answer, as UTF-8, however it is cut; exit code 0 says that it is whole. Its error
 * output is read and forgotten, but for the end of it when the command fails. The run is over when the
 * command is: what it leaves behind in its group is ended too. POSIX systems only.
 *
 * Throws MisconfiguredError for a command without a program.
 */
export function commandRunner(options: CommandRunnerOptions): Runner {
  const { clock = systemClock(), env, cwd } = options;
  const [file, ...args] = argvOf(options.command);
  if (file === undefined || file.trim() === "") {
    throw new MisconfiguredError("commandRunner: command must name a program");
  }
  const graceMs = durationMs(options.graceMs ?? GRACE_MS);
  return {
    async run(execution, callbacks, signal) {
      if (signal.aborted) throw stopped();
      const environment = { ...env, ...variablesOf(execution) };
      const start: CommandStart = { file, args, env: environment, cwd: cwd ?? null };
      const command = await startCommand(start, { clock, graceMs });
      const stop = (): void => void command.stop();
      signal.addEventListener("abort", stop, { once: true });
      try {
        if (signal.aborted) throw stopped();
        await answered(command, execution, { callbacks, signal, env });
        return {};
      } finally {
        signal.removeEventListener("abort", stop);
        await command.stop();
      }
    },
  };
}

function argvOf(command: string | readonly string[]): readonly string[] {
  if (typeof command !== "string") return command;
  return command.trim() === "" ? [] : ["/bin/sh", "-c", command];
}

interface Run {
  readonly callbacks: RunnerCallbacks;
  readonly signal: AbortSignal;
  readonly env: Readonly<Record<string, string>>;
}

async function answered(command: CommandProcess, execution: RunnerExecution, run: Run) {
  const { callbacks, signal } = run;
  await callbacks.started({});
  if (signal.aborted || !(await callbacks.ownership({})) || signal.aborted) throw stopped();
  command.write(promptText(execution));
  for await (const text of command.output()) {
    if (signal.aborted) break;
    await callbacks.delta(text);
  }
  const { code, killedBy } = await command.ended;
  if (signal.aborted) throw stopped();
  if (code === 0) return;
  const how = killedBy === null ? `with exit code ${code}` : `by ${killedBy}`;
  const told = toldOfErrors(await command.errorOutput(), execution, run.env);
  throw runnerError("command_failed", `the command ended ${how}${told === "" ? "" : `: ${told}`}`);
}

function stopped() {
  return runnerError("run_stopped", "the run was stopped");
}
