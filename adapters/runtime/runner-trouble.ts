/** What keeps a configured runner from answering, as far as it shows without a query. */
import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";
import { unreachable } from "../../src/core/assert.ts";
import { fieldOf } from "../../src/core/foreign.ts";
import type { RunnerConfig } from "./runner-config.ts";

/** For an answer about the models, which providers give at once. */
const ANSWER_MS = 5_000;

/** Of a list of models, which of the longest known is a tenth. A longer one is not read. */
const LIST_BYTES_MAX = 8 * 1_048_576;

/** `warn`: it may answer all the same. */
export interface RunnerTrouble {
  readonly verdict: "warn" | "fail";
  readonly detail: string;
}

/** Null: nothing that can be told. Asks the provider, and never with a prompt; starts no command. */
export async function runnerTrouble(
  config: RunnerConfig,
  env: Readonly<Record<string, string | undefined>>,
): Promise<RunnerTrouble | null> {
  switch (config.kind) {
    case "none":
      return null;
    case "openai":
      return providerTrouble(config);
    case "command": {
      const [program] = typeof config.command === "string" ? ["/bin/sh"] : config.command;
      return isProgram(program ?? "", env["PATH"] ?? "")
        ? null
        : failing(`${program} cannot be started: it is not there, or may not be run`);
    }
    default:
      return unreachable(config);
  }
}

function failing(detail: string): RunnerTrouble {
  return { verdict: "fail", detail };
}

type Provider = Extract<RunnerConfig, { readonly kind: "openai" }>;

async function providerTrouble({ baseUrl, model, key }: Provider): Promise<RunnerTrouble | null> {
  const headers: Record<string, string> = key === null ? {} : { authorization: `Bearer ${key}` };
  try {
    const signal = AbortSignal.timeout(ANSWER_MS);
    const answer = await fetch(`${baseUrl}/models`, { headers, signal, redirect: "manual" });
    const { status } = answer;
    const models = answer.ok ? await modelsIn(answer) : null;
    await answer.body?.cancel();
    if (status === 401 || status === 403) {
      const what = key === null ? "a query without a key" : "the key";
      return failing(`${baseUrl} does not take ${what} (${status}): look at HOLDFAST_AI_KEY`);
    }
    if (models === null || models.some((id) => isModel(id, model))) return null;
    const detail = `${model} is not in the list of models of ${baseUrl}: look at HOLDFAST_AI_MODEL`;
    return { verdict: "warn", detail };
  } catch {
    return failing(`${baseUrl} does not answer: look at HOLDFAST_AI_BASE_URL, and whether it runs`);
  }
}

/** Null: it is no list of models, which a provider need not have. */
async function modelsIn(answer: Response): Promise<readonly string[] | null> {
  let bytes = 0;
  let text = "";
  const decoder = new TextDecoder();
  for await (const some of answer.body ?? []) {
    bytes += some.byteLength;
    if (bytes > LIST_BYTES_MAX) return null;
    text += decoder.decode(some, { stream: true });
  }
  try {
    const data = fieldOf(JSON.parse(text), "data");
    if (!Array.isArray(data) || data.length === 0) return null;
    return data.map((one) => String(fieldOf(one, "id")));
  } catch {
    return null;
  }
}

/** Some list a model with its newest tag, or below a folder, and take it without. */
function isModel(id: string, model: string): boolean {
  return id === model || id === `${model}:latest` || id.endsWith(`/${model}`);
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
