/** What an answer that is no stream means, and an error in the middle of one. */
import { fieldOf } from "../../../src/core/foreign.ts";
import { type DurationMs, durationMs, type EpochMs } from "../../../src/core/time.ts";
import { RunnerError } from "../../../src/ports/runner.ts";
import {
  type RunnerFailureCode,
  runnerError,
  toldOnOneLine,
} from "../../../src/ports/runner-failures.ts";
import type { Exchange } from "./exchange.ts";

export interface Known {
  readonly now: EpochMs;
  /** What must not come back in a message. */
  readonly secrets: readonly string[];
}

/** A page of somebody else's may be of any length. */
const BODY_BYTES_MAX = 65_536;

const TOLD_CHARS_MAX = 1_000;

/** A longer wait is rather a slip. */
const RETRY_SECONDS_MAX = 86_400;

/** Null for an answer that streams. Rejects only when the run is stopped. */
export async function refusalOf(
  response: Response,
  exchange: Exchange,
  { now, secrets }: Known,
): Promise<RunnerError | null> {
  const { status, headers } = response;
  if (status === 200) {
    if (/^text\/event-stream\b/i.test(headers.get("content-type") ?? "")) return null;
    return runnerError("provider_protocol", "the provider did not answer with a stream of events");
  }
  const said = saidIn(jsonOrNull(await bodyText(exchange)), secrets);
  const message = `the provider answered with status ${status}${said}`;
  const retryAfterMs = retryAfterOf(headers.get("retry-after"), now);
  return runnerError(codeOf(status), message, { retryAfterMs });
}

/** The failure that an event of a stream tells of; null for one that is a part of the answer. */
export function failureIn(
  chunk: object,
  event: string,
  secrets: readonly string[],
): RunnerError | null {
  const error = fieldOf(chunk, "error") ?? (event === "error" ? chunk : null);
  if (error === null) return null;
  const status = Number(fieldOf(error, "code") ?? fieldOf(error, "status"));
  const isStatus = Number.isInteger(status) && status >= 400 && status <= 599;
  const message = `the provider broke its answer off${saidIn({ error }, secrets)}`;
  return runnerError(isStatus ? codeOf(status) : "provider_unavailable", message);
}

function codeOf(status: number): RunnerFailureCode {
  if (status === 401 || status === 403) return "provider_unauthorized";
  if (status === 429) return "provider_rate_limited";
  if (status === 408 || status >= 500) return "provider_unavailable";
  // Neither a redirect nor another success is what was asked for.
  return status >= 400 ? "provider_refused" : "provider_protocol";
}

/** As much of it as there is; nothing of a message rests on its being whole. */
async function bodyText(exchange: Exchange): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  try {
    for (let left = BODY_BYTES_MAX; left > 0; ) {
      const bytes = await exchange.read();
      if (bytes === null) break;
      text += decoder.decode(bytes.subarray(0, left), { stream: true });
      left -= bytes.length;
    }
  } catch (error) {
    if (!(error instanceof RunnerError) || error.code === "run_stopped") throw error;
  }
  return text;
}

function jsonOrNull(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** What the provider says of it, behind a colon; nothing of a body that is not as theirs are. */
function saidIn(body: unknown, secrets: readonly string[]): string {
  const error = fieldOf(body, "error");
  const texts = [fieldOf(error, "message"), error, fieldOf(body, "message")];
  const text = texts.find((one) => typeof one === "string");
  if (typeof text !== "string") return "";
  const told = toldOnOneLine(text, secrets).slice(0, TOLD_CHARS_MAX).toWellFormed();
  return told === "" ? "" : `: ${told}`;
}

/** Seconds or a date (RFC 9110, 10.2.3); null for neither. */
function retryAfterOf(text: string | null, now: EpochMs): DurationMs | null {
  if (text === null) return null;
  const ms = /^\s*\d{1,9}\s*$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - now;
  if (Number.isNaN(ms)) return null;
  return durationMs(Math.min(Math.max(Math.ceil(ms), 0), RETRY_SECONDS_MAX * 1_000));
}
