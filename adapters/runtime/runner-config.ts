/** What HOLDFAST_AI_… and HOLDFAST_RUNNER_COMMAND mean: who answers queries in this process. */
import { meaning, serviceUrl, type TextSchema } from "./config-values.ts";
import type { Fault } from "./storage-config.ts";

export type RunnerConfig =
  | { readonly kind: "none" }
  | {
      readonly kind: "openai";
      /** Without a slash at its end. */
      readonly baseUrl: string;
      readonly model: string;
      /** A secret: never to be shown. Null: the provider asks for none. */
      readonly key: string | null;
    }
  | {
      readonly kind: "command";
      /** A line for a shell, or a program and its arguments. */
      readonly command: string | readonly string[];
    };

/** As a query's own model (semantics C1). */
const MODEL_CHARS_MAX = 64;
const KEY_CHARS_MAX = 4_096;
const COMMAND_CHARS_MAX = 8_192;

export const aiBaseUrl = serviceUrl;

export const aiModel: TextSchema<string> = meaning(
  `a model's name, at most ${MODEL_CHARS_MAX} characters`,
  (text) =>
    text.length <= MODEL_CHARS_MAX && text.trim() !== "" && !/\p{Cc}/u.test(text) ? text : null,
);

/** No message repeats any of the text. */
export const aiKey: TextSchema<string> = meaning(
  `a provider's key, at most ${KEY_CHARS_MAX} characters of ASCII without blanks`,
  (text) => (text.length <= KEY_CHARS_MAX && /^[\x21-\x7e]+$/.test(text) ? text : null),
);

export const runnerCommand: TextSchema<string | readonly string[]> = meaning(
  `a command line for /bin/sh, or a JSON array of a program and its arguments, at most ${COMMAND_CHARS_MAX} characters`,
  (text) => {
    if (text.length > COMMAND_CHARS_MAX || text.trim() === "" || text.includes("\0")) return null;
    return text.trimStart().startsWith("[") ? argumentsIn(text) : text;
  },
);

function argumentsIn(text: string): readonly string[] | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  const isText = (one: unknown): one is string => typeof one === "string" && !one.includes("\0");
  if (!Array.isArray(value) || !value.every(isText)) return null;
  return (value[0] ?? "").trim() === "" ? null : value;
}

/** What is set and does not go together, or does nothing. */
export function runnerFaults(texts: Partial<Record<string, string>>): readonly Fault[] {
  const isSet = (name: string): boolean => texts[name] !== undefined;
  const faults: Fault[] = [];
  if (isSet("HOLDFAST_AI_BASE_URL")) {
    if (!isSet("HOLDFAST_AI_MODEL")) {
      faults.push({ name: "HOLDFAST_AI_MODEL", message: "must be set with HOLDFAST_AI_BASE_URL" });
    }
    if (isSet("HOLDFAST_RUNNER_COMMAND")) {
      const message = "must not be set with HOLDFAST_AI_BASE_URL: one runner answers";
      faults.push({ name: "HOLDFAST_RUNNER_COMMAND", message });
    }
    return faults;
  }
  for (const name of ["HOLDFAST_AI_MODEL", "HOLDFAST_AI_KEY"]) {
    // A runner that is not there would answer nothing, and nobody would say why.
    if (isSet(name)) {
      faults.push({ name: "HOLDFAST_AI_BASE_URL", message: `must be set with ${name}` });
    }
  }
  return faults;
}

export interface RunnerSettings {
  readonly baseUrl: string | null;
  readonly model: string | null;
  readonly key: string | null;
  readonly command: string | readonly string[] | null;
}

/** Of settings that runnerFaults has seen to. */
export function runnerConfig({ baseUrl, model, key, command }: RunnerSettings): RunnerConfig {
  if (baseUrl !== null && model !== null) return { kind: "openai", baseUrl, model, key };
  return command === null ? { kind: "none" } : { kind: "command", command };
}
