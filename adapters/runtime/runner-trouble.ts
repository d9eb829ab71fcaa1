/** What keeps a configured runner from answering, as far as it shows without a query. */
import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";
import { unreachable } from "../../src/core/assert.ts";
import type { RunnerConfig } from "./runner-config.ts";

/** For an answer about the models, which providers give at once. */
const ANSWER_MS = 5_000;

/** Null: nothing that can be told. Asks the provider, and never with a prompt; starts no command. */
export async function runnerTrouble(
  config: RunnerConfig,
  env: Readonly<Record<string, string | undefined>>,
): Promise<string | null> {
  switch (config.kind) {
    case "none":
      return null;
    case "openai":
      return providerTrouble(config.baseUrl, config.key);
    case "command": {
      const [program] = typeof config.command === "string" ? ["/bin/sh"] : config.command;
      return isProgram(program ?? "", env["PATH"] ?? "")
        ? null
        : `${program} cannot be started: it is not there, or may not be run`;
    }
    default:
      return unreachable(config);
  }
}

async function providerTrouble(baseUrl: string, key: string | null): Promise<string | null> {
  const headers: Record<string, string> = key === null ? {} : { authorization: `Bearer ${key}` };
  try {
    const signal = AbortSignal.timeout(ANSWER_MS);
    const answer = await fetch(`${baseUrl}/models`, { headers, signal, redirect: "manual" });
    await answer.body?.cancel();
    const { status } = answer;
    if (status === 401 || status === 403) {
      return `${baseUrl} does not take ${key === null ? "a query without a key" : "the key"} (${status}): look at HOLDFAST_AI_KEY`;
    }
    return null;
  } catch {
    return `${baseUrl} does not answer: look at HOLDFAST_AI_BASE_URL, and whether it runs`;
  }
}

function isProgram(program: string, path: string): boolean {
  const places = program.includes("/") ? [program] : path.split(delimiter);
  return places.some((place) => {
    try {
      accessSync(place === program ? program : join(place, program), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}
