/** Answers from an HTTP provider that streams chat completions as OpenAI does. Nothing of Node in here. */
import { durationMs } from "../../../src/core/time.ts";
import { type Clock, systemClock } from "../../../src/ports/clock.ts";
import { MisconfiguredError } from "../../../src/ports/faults.ts";
import type { Runner, RunnerCallbacks, RunnerResult } from "../../../src/ports/runner.ts";
import { runnerError } from "../../../src/ports/runner-failures.ts";
import { answerReader } from "./answer.ts";
import { type Exchange, openExchange } from "./exchange.ts";
import { refusalOf } from "./failures.ts";
import { requestBody, secretsOf } from "./request.ts";

export interface OpenAiRunnerOptions {
  /** What `/chat/completions` is appended to, such as `https://api.openai.com/v1`; no query, no user. */
  readonly baseUrl: string;
  /** For executions that name none. */
  readonly model: string;
  /** Sent as a bearer token; left out for a provider that asks for none. */
  readonly key?: string;
  /**
   * How long the provider may send nothing at all, not even a comment, before the run ends as
   * `provider_timeout`; 120,000 by default. The time in which a delta is awaited does not count.
   */
  readonly silenceMs?: number;
  readonly fetch?: typeof fetch;
  readonly clock?: Clock;
}

const SILENCE_MS = 120_000;

/**
 * One request for each execution: the reference as an earlier exchange, then the query; an effort as
 * `reasoning_effort`. The answer is whole at the first `finish_reason` or `[DONE]`; a stream that just ends
 * is a fault. An answer that the model's own limit cut is one, and an activity says so. Attachments are
 * refused, redirects not followed. Throws MisconfiguredError for a base URL or a key that cannot be used.
 */
export function openAiRunner(options: OpenAiRunnerOptions): Runner {
  const url = completionsUrl(options.baseUrl);
  const headers = headersOf(options.key ?? null);
  const { clock = systemClock(), fetch: send = fetch } = options;
  const silenceMs = durationMs(options.silenceMs ?? SILENCE_MS);
  return {
    async run(execution, callbacks, signal) {
      if (signal.aborted) throw stopped();
      if (execution.attachmentIds.length + execution.attachmentRefs.length > 0) {
        throw runnerError("attachments_unsupported", "this runner cannot send attachments");
      }
      const model = execution.model ?? options.model;
      await callbacks.started({});
      const isOwned = !signal.aborted && (await callbacks.ownership({ resolvedModel: model }));
      if (signal.aborted || !isOwned) throw stopped();
      const request = { method: "POST", headers, body: requestBody(execution, model) };
      const exchange = openExchange({ signal, clock, silenceMs });
      try {
        const response = await exchange.send(send, url, request);
        const secrets = secretsOf(execution, options.key ?? null);
        const refusal = await refusalOf(response, exchange, { now: clock.now(), secrets });
        if (refusal !== null) throw refusal;
        return await answered(exchange, { callbacks, signal, secrets });
      } finally {
        exchange.close();
      }
    },
  };
}

interface Run {
  readonly callbacks: RunnerCallbacks;
  readonly signal: AbortSignal;
  readonly secrets: readonly string[];
}

async function answered(exchange: Exchange, run: Run): Promise<RunnerResult> {
  const { callbacks, signal, secrets } = run;
  const answer = answerReader(secrets);
  while (!answer.isWhole()) {
    const bytes = await exchange.read();
    const { text, fault } = bytes === null ? answer.end() : answer.push(bytes);
    if (signal.aborted) throw stopped();
    // What came before a fault was said all the same.
    if (text !== "") await callbacks.delta(text);
    if (signal.aborted) throw stopped();
    if (fault !== null) throw fault;
  }
  if (answer.isCut()) {
    await callbacks.activity("status", "The answer was cut at the model's length limit.");
  }
  const model = answer.model();
  return model === null ? {} : { linkage: { resolvedModel: model } };
}

function completionsUrl(baseUrl: string): string {
  const isPlain = /^https?:\/\/[^\s\\?#]+$/i.test(baseUrl) && URL.canParse(baseUrl);
  const { username, password } = isPlain ? new URL(baseUrl) : { username: "", password: "" };
  if (!isPlain || username + password !== "") {
    throw new MisconfiguredError(
      "openAiRunner: baseUrl must be an http or https URL without user, query and fragment",
    );
  }
  return `${baseUrl.replace(/\/+$/, "")}/chat/completions`;
}

function headersOf(key: string | null): Readonly<Record<string, string>> {
  const headers = { accept: "text/event-stream", "content-type": "application/json" };
  if (key === null) return headers;
  // What cannot be sent in a header, `fetch` would repeat in its message.
  if (!/^[\x21-\x7e]+$/.test(key)) {
    throw new MisconfiguredError("openAiRunner: key must be printable ASCII without blanks");
  }
  return { ...headers, authorization: `Bearer ${key}` };
}

function stopped() {
  return runnerError("run_stopped", "the run was stopped");
}
