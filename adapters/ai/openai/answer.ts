/** The answer out of the provider's stream of events. */
import { eventParser, type ParsedChunk, type StreamEvent } from "../../../src/client/sse.ts";
import { fieldOf, isOf } from "../../../src/core/foreign.ts";
import { RunnerError } from "../../../src/ports/runner.ts";
import { runnerError } from "../../../src/ports/runner-failures.ts";
import { failureIn } from "./failures.ts";

export interface Piece {
  /** What the answer goes on with; may be empty. */
  readonly text: string;
  /** What ends the run once that is told. */
  readonly fault: RunnerError | null;
}

export interface AnswerReader {
  /** Bytes of the stream in their order, cut anywhere. Not after a fault, nor when it is whole. */
  push(bytes: Uint8Array): Piece;
  /** The stream has ended without having said that the answer is whole. */
  end(): Piece;
  isWhole(): boolean;
  /** Whole, though the model had more to say than it may. */
  isCut(): boolean;
  /** The model that answers, where it tells. */
  model(): string | null;
}

export function answerReader(secrets: readonly string[]): AnswerReader {
  const parser = eventParser();
  let finish: string | null = null;
  let model: string | null = null;
  /** Half of a pair at the end of a piece, which some providers cut. */
  let half = "";

  function textOf({ event, data }: StreamEvent): string {
    if (data.trim() === "[DONE]") {
      finish = "done";
      return "";
    }
    const chunk = chunkOf(data);
    const failure = failureIn(chunk, event, secrets);
    if (failure !== null) throw failure;
    const named = fieldOf(chunk, "model");
    if (typeof named === "string" && named !== "") model = named;
    const choice = choiceOf(chunk);
    const reason = fieldOf(choice, "finish_reason");
    if (typeof reason === "string" && reason !== "") finish = reason;
    return contentOf(choice);
  }

  function piece(text: string, fault: RunnerError | null): Piece {
    const whole = half + text;
    const isOpen = fault === null && finish === null && /[\ud800-\udbff]$/.test(whole);
    half = isOpen ? whole.slice(-1) : "";
    return { text: (isOpen ? whole.slice(0, -1) : whole).toWellFormed(), fault };
  }

  return {
    push(bytes) {
      let text = "";
      try {
        for (const event of parsed(() => parser.push(bytes)).events) {
          text += textOf(event);
          if (finish !== null) break;
        }
      } catch (error) {
        // Bugs aside, what is thrown in here is a fault of the provider.
        if (!isOf(error, RunnerError)) throw error;
        return piece(text, error);
      }
      const isFiltered = finish === "content_filter";
      const filtered = "the provider's content filter ended the answer";
      return piece(text, isFiltered ? runnerError("provider_refused", filtered) : null);
    },
    end() {
      const message = "the provider's answer ended before it was whole";
      return piece("", runnerError("provider_unavailable", message));
    },
    isWhole: () => finish !== null,
    isCut: () => finish === "length",
    model: () => model,
  };
}

function parsed(push: () => ParsedChunk): ParsedChunk {
  try {
    return push();
  } catch (cause) {
    throw protocolFault("an event without an end", cause);
  }
}

function chunkOf(data: string): object {
  let chunk: unknown;
  try {
    chunk = JSON.parse(data);
  } catch {
    // The parser's message repeats the text.
    throw protocolFault("an event that is not JSON");
  }
  if (typeof chunk === "object" && chunk !== null) return chunk;
  throw protocolFault("an event that is no object");
}

/** The one answer that was asked for; undefined in an event about something else, such as usage. */
function choiceOf(chunk: object): unknown {
  const choices = fieldOf(chunk, "choices") ?? [];
  if (Array.isArray(choices)) return choices[0];
  throw protocolFault("choices that are no array");
}

function contentOf(choice: unknown): string {
  const content = fieldOf(fieldOf(choice, "delta"), "content") ?? "";
  if (typeof content === "string") return content;
  throw protocolFault("content that is no text");
}

function protocolFault(what: string, cause?: unknown): RunnerError {
  return runnerError("provider_protocol", `the provider sent ${what}`, { cause });
}
