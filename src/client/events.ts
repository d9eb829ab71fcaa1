/** Event streams that go on after a drop, a rotation or a stall, where they were. */
import { failureOf, mayPass, retryBackoffMs } from "./call.ts";
import { HoldfastError } from "./errors.ts";
import { eventParser, type ParsedChunk, type StreamEvent } from "./sse.ts";
import { type ClientDeps, within } from "./time.ts";
import { bodyText, jsonOf, refusal, type Send, uuid, type WireRequest } from "./wire.ts";

export interface EventsOptions {
  /** Begins after this event; the first connection's `?after=`. */
  readonly after?: string | number;
  /** The id of the last event that was seen; wins over `after`. */
  readonly lastEventId?: string;
  /** Ends the iteration, without an error. */
  readonly signal?: AbortSignal;
  /** The event that nothing follows: it is told, then the iteration ends. By default none is. */
  readonly isTerminal?: (event: StreamEvent) => boolean;
  /** After how long without a byte the connection is taken for dead; 45,000 ms by default. */
  readonly stallMs?: number;
  /** For how long reconnecting may fail before its error is thrown; `retry.deadlineMs` by default. */
  readonly patienceMs?: number;
}

/**
 * Yields the events of `path` (from `/v1` on, with its query) as they arrive, each of them once, and
 * connects again after the last id that it saw. Ends after a terminal event, when `signal` is aborted,
 * and when the service answers 204. Reads on only when asked for more. Throws HoldfastError for a
 * refusal, and when reconnecting has failed for too long.
 */
export type Events = (path: string, options?: EventsOptions) => AsyncGenerator<StreamEvent, void>;

/** The service sends at least a comment every 15 s. */
const STALL_MS = 45_000;

/** Between two connections, until the service says otherwise; and the most that it may say. */
const RETRY_MS = 1_000;
const RETRY_MS_MAX = 60_000;

export function eventStreams(send: Send, deps: ClientDeps, deadlineMs: number): Events {
  return async function* events(path, options = {}) {
    const { signal, patienceMs = deadlineMs } = options;
    const place: Place = {
      cursor: options.lastEventId ?? "",
      retryMs: RETRY_MS,
      quiet: 0,
      failingSince: null,
    };
    while (signal?.aborted !== true) {
      let failure = ended();
      place.quiet += 1;
      try {
        const request = requestFor(path, options.after, place.cursor);
        if (yield* told(connection(send, deps, request, options), place, options)) return;
      } catch (error) {
        if (signal?.aborted) return;
        failure = passing(error);
      }
      place.failingSince ??= deps.now();
      if (deps.now() - place.failingSince >= patienceMs) throw failure;
      const askedMs = Math.max(place.retryMs, failure.retryAfterMs ?? 0);
      await deps.sleep(askedMs + retryBackoffMs(place.quiet, deps), signal);
    }
  };
}

/** Throws what a new connection would not mend. */
function passing(error: unknown): HoldfastError {
  if (error instanceof HoldfastError && mayPass(error)) return error;
  throw error;
}

/** Where a reader is, over all its connections. */
interface Place {
  /** The id to go on after; empty before the first. */
  cursor: string;
  retryMs: number;
  /** Connections in a row that brought no event, the present one included. */
  quiet: number;
  /** By the clock; null while bytes come. */
  failingSince: number | null;
}

/** Yields one connection's events and moves `place` along. Whether nothing is to follow. */
async function* told(
  chunks: AsyncIterable<ParsedChunk | null>,
  place: Place,
  { isTerminal = () => false }: EventsOptions,
): AsyncGenerator<StreamEvent, boolean> {
  for await (const chunk of chunks) {
    if (chunk === null) return true;
    place.failingSince = null;
    place.retryMs = Math.min(chunk.retryMs ?? place.retryMs, RETRY_MS_MAX);
    for (const event of chunk.events) {
      place.quiet = 1;
      if (!isRotation(event)) yield event;
      if (isTerminal(event)) return true;
    }
    place.cursor = chunk.lastId ?? place.cursor;
  }
  return false;
}

function requestFor(path: string, after: string | number | undefined, cursor: string): WireRequest {
  const separator = path.includes("?") ? "&" : "?";
  const query = after === undefined ? "" : `${separator}after=${encodeURIComponent(after)}`;
  const accept = { accept: "text/event-stream" };
  return {
    method: "GET",
    path: path + query,
    requestId: uuid(),
    headers: cursor === "" ? accept : { ...accept, "last-event-id": cursor },
  };
}

/** The chunks of one connection until it ends; null: the service has no stream any more. */
async function* connection(
  send: Send,
  deps: ClientDeps,
  request: WireRequest,
  { signal, stallMs = STALL_MS }: EventsOptions,
): AsyncGenerator<ParsedChunk | null, void> {
  // Lives as long as the connection, where the signal of each wait ends with that.
  const open = new AbortController();
  let reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  // A reader that takes its time is no stall: the clock runs only while bytes are waited for.
  const waited = <T>(task: () => Promise<T>) => within(deps, stallMs, signal, task);
  try {
    const response = await waited(() => send(request, open.signal));
    if (response.status === 204) return yield null;
    if (!isStream(response)) {
      throw refusal(response, jsonOf(await waited(() => bodyText(response))), request.requestId);
    }
    reader = response.body?.getReader();
    const parser = eventParser();
    for (;;) {
      const chunk = await waited(async () => reader?.read());
      if (chunk?.value === undefined) return;
      yield parser.push(chunk.value);
    }
  } catch (error) {
    throw failureOf(error, request.requestId);
  } finally {
    open.abort();
    // For a `fetch` that does not listen to its signal any more.
    reader?.cancel().catch(() => {});
  }
}

function isStream({ status, headers }: Response): boolean {
  const type = headers.get("content-type") ?? "";
  return status === 200 && /^text\/event-stream\b/i.test(type);
}

/** A control frame that says nothing but that the service is about to end the connection. */
function isRotation({ id, event }: StreamEvent): boolean {
  return id === null && event === "rotate";
}

function ended(): HoldfastError {
  const detail = "the stream ends again and again, without an event";
  return new HoldfastError({ code: "network", status: null, detail });
}
