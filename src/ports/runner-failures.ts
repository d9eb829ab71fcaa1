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

/** So many characters in a row do not stand in two texts by chance. */
const PART_CHARS = 16;

const HIDDEN = "[redacted]";

/**
 * What a provider said as one line for a person, without `secrets`: neither any of 8 characters and more,
 * nor a line of it, nor a part of 16 characters, since providers repeat prompts cut short or quoted.
 */
export function toldOnOneLine(text: string, secrets: readonly string[]): string {
  let told = oneLine(text);
  for (const secret of secrets) told = withoutPartsOf(oneLine(secret), told);
  const short = new Set(
    secrets.flatMap((secret) => [secret, ...secret.split(/[\r\n]+/)]).map(oneLine),
  );
  for (const line of short) {
    const isHidden = line.length >= SECRET_CHARS_MIN && line.length < PART_CHARS;
    if (isHidden) told = told.replaceAll(line, HIDDEN);
  }
  return told.toWellFormed();
}

function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\s]+/gu, " ").trim();
}

/** `text` with one mark for each stretch of it that stands in `secret`, too. */
function withoutPartsOf(secret: string, text: string): string {
  const parts = new Set<string>();
  for (let at = 0; at + PART_CHARS <= secret.length; at += 1) {
    parts.add(secret.slice(at, at + PART_CHARS));
  }
  let told = "";
  /** Where what was told last, or hidden last, ends. */
  let end = 0;
  for (let at = 0; parts.size > 0 && at + PART_CHARS <= text.length; at += 1) {
    if (!parts.has(text.slice(at, at + PART_CHARS))) continue;
    if (at > end || end === 0) told += text.slice(end, at) + HIDDEN;
    end = at + PART_CHARS;
  }
  return told + text.slice(end);
}
