/** Everything that can go wrong in a run: what it means, and what to do about it. */
import type { DurationMs } from "../core/time.ts";
import { RunnerError } from "./runner.ts";

export interface RunnerFailure {
  /** The same query, submitted anew, may fare better. */
  readonly retryable: boolean;
  readonly why: string;
  readonly action: string;
}

export const RUNNER_FAILURES = {
  provider_unauthorized: {
    retryable: false,
    why: "the provider does not take the key, or not for this (401, 403)",
    action: "look at the runner's key and what it may do",
  },
  provider_rate_limited: {
    retryable: true,
    why: "the provider has had too many requests, or its account is spent (429)",
    action: "submit it again after retryAfterMs; look at the account when it stays",
  },
  provider_unavailable: {
    retryable: true,
    why: "the provider was not reached, had a fault of its own (5xx), or broke its answer off",
    action: "submit it again",
  },
  provider_refused: {
    retryable: false,
    why: "the provider does not answer this query (any other status, or its content filter)",
    action: "read its message: it may be the model's name, the length or the content",
  },
  provider_protocol: {
    retryable: false,
    why: "what answered does not speak the protocol",
    action: "look at the runner's base URL; a proxy may have answered in the provider's place",
  },
  provider_timeout: {
    retryable: true,
    why: "the provider went silent",
    action: "submit it again; allow a longer silence when the model thinks for longer",
  },
  attachments_unsupported: {
    retryable: false,
    why: "the query has attachments, which this runner cannot show to its provider",
    action: "bring a runner that can, or submit it without them",
  },
  command_unavailable: {
    retryable: false,
    why: "the command could not be started",
    action: "look at its path, its rights and its working directory",
  },
  command_failed: {
    retryable: false,
    why: "the command ended with another exit code than 0, or by a signal",
    action: "read the end of its error output in the message",
  },
  run_stopped: {
    retryable: true,
    why: "the run was ended from here: its signal was aborted, or it was not owned any more",
    action: "nothing: whoever ended it has said why",
  },
} as const satisfies Readonly<Record<string, RunnerFailure>>;

export type RunnerFailureCode = keyof typeof RUNNER_FAILURES;

/** The error of that code, retryable as the table says. */
export function runnerError(
  code: RunnerFailureCode,
  message: string,
  options: ErrorOptions & { readonly retryAfterMs?: DurationMs | null } = {},
): RunnerError {
  return new RunnerError(code, message, {
    ...options,
    retryable: RUNNER_FAILURES[code].retryable,
  });
}

/** Shorter ones are no secret, and may be part of any word. */
const SECRET_CHARS_MIN = 8;

/** What a provider said as one line for a person, with `secrets` of 8 characters and more taken out. */
export function toldOnOneLine(text: string, secrets: readonly string[]): string {
  let told = text;
  for (const secret of secrets) {
    if (secret.length >= SECRET_CHARS_MIN) told = told.replaceAll(secret, "[redacted]");
  }
  return told
    .toWellFormed()
    .replace(/[\p{Cc}\s]+/gu, " ")
    .trim();
}
