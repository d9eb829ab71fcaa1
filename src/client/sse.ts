/** Reads `text/event-stream` as it arrives (the HTML standard's "interpreting an event stream"). */
import { unexpected } from "./errors.ts";

export interface StreamEvent {
  /** Of this very event; null for one that has none, which control frames are. */
  readonly id: string | null;
  /** `message` where the stream names none. */
  readonly event: string;
  /** The data lines, joined by a line feed. */
  readonly data: string;
}

/** What one chunk finished. */
export interface ParsedChunk {
  readonly events: readonly StreamEvent[];
  /** The last id that was finished, with or without data; null: none. */
  readonly lastId: string | null;
  /** The last wait before a reconnection that was asked for, in milliseconds; null: none. */
  readonly retryMs: number | null;
}

/** Characters of one unfinished event: a service sends far less, and whatever else must end somewhere. */
export const EVENT_CHARS_MAX = 4 * 1_048_576;

/**
 * A reader of one connection: `push` takes its bytes in their order, cut anywhere. Throws HoldfastError
 * `unexpected_answer` for an event of more than EVENT_CHARS_MAX characters. An event that the end cuts off is never told.
 */
export function eventParser(): { push(bytes: Uint8Array): ParsedChunk } {
  const decoder = new TextDecoder();
  let line = "";
  let endedInCr = false;
  let data: string[] = [];
  let dataChars = 0;
  let event = "";
  let id: string | null = null;

  function finished(): StreamEvent | null {
    const found =
      data.length === 0 ? null : { id, event: event || "message", data: data.join("\n") };
    data = [];
    dataChars = 0;
    event = "";
    id = null;
    return found;
  }

  /** The value of a `retry` field. */
  function field(text: string): number | null {
    const colon = text.indexOf(":");
    const name = colon < 0 ? text : text.slice(0, colon);
    const value = colon < 0 ? "" : text.slice(colon + (text[colon + 1] === " " ? 2 : 1));
    if (name === "data") {
      data.push(value);
      dataChars += value.length + 1;
    } else if (name === "event") event = value;
    else if (name === "id" && !value.includes("\0")) id = value;
    else if (name === "retry" && /^\d{1,9}$/.test(value)) return Number(value);
    return null;
  }

  return {
    push(bytes) {
      const events: StreamEvent[] = [];
      let lastId: string | null = null;
      let retryMs: number | null = null;
      let text = decoder.decode(bytes, { stream: true });
      if (text === "") return { events, lastId, retryMs };
      if (endedInCr && text[0] === "\n") text = text.slice(1);
      endedInCr = text.endsWith("\r");
      const [first = "", ...others] = text.split(/\r\n|\r|\n/);
      line += first;
      for (const next of others) {
        if (line === "") {
          lastId = id ?? lastId;
          const found = finished();
          if (found !== null) events.push(found);
        } else retryMs = field(line) ?? retryMs;
        line = next;
      }
      if (line.length + dataChars > EVENT_CHARS_MAX) {
        throw unexpected(`an event of more than ${EVENT_CHARS_MAX} characters`);
      }
      return { events, lastId, retryMs };
    },
  };
}
