/** The runner that a configuration names. */
import { unreachable } from "../../src/core/assert.ts";
import type { Runner } from "../../src/ports/runner.ts";
import { commandRunner } from "../ai/command/index.ts";
import { openAiRunner } from "../ai/openai/index.ts";
import type { RunnerConfig } from "./runner-config.ts";

type Env = Readonly<Record<string, string | undefined>>;

/** Null where none is configured. A command gets `env` without our own variables. Starts nothing yet. */
export function openRunner(config: RunnerConfig, env: Env): Runner | null {
  switch (config.kind) {
    case "none":
      return null;
    case "openai": {
      const { baseUrl, model, key } = config;
      return openAiRunner({ baseUrl, model, ...(key === null ? {} : { key }) });
    }
    case "command":
      return commandRunner({ command: config.command, env: commandEnvironment(env) });
    default:
      return unreachable(config);
  }
}

/** For people: without a key, and without a command's arguments, which may be secrets. */
export function runnerName(config: RunnerConfig): string {
  switch (config.kind) {
    case "none":
      return "none here; queries wait for whoever runs them over HTTP";
    case "openai":
      return `${config.model} at ${config.baseUrl}`;
    case "command":
      return typeof config.command === "string" ? "a command line" : `${config.command[0]}`;
    default:
      return unreachable(config);
  }
}

/** Keys and secrets of the service are none of a command's business. */
function commandEnvironment(env: Env): Readonly<Record<string, string>> {
  const given = Object.entries(env).flatMap(([name, text]) =>
    text === undefined || name.startsWith("HOLDFAST_") ? [] : [[name, text] as const],
  );
  return Object.fromEntries(given);
}
