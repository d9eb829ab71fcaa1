/** A response as it is kept in a receipt, and sent again from there. */

import { utf8Length } from "../core/json.ts";
import { seconds } from "../core/time.ts";
import {
  HTTP_BODY_BYTES_MAX,
  HTTP_HEADERS_BYTES_MAX,
  type HttpResult,
  isHeader,
} from "../machines/receipts/built-in-operations.ts";

/** What is to be answered, with headers that others have prepared or without. */
export interface Answer {
  readonly status: number;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: string | Uint8Array<ArrayBuffer> | null;
}

export interface KeptResponse {
  readonly result: HttpResult;
  /** The same response, to be sent now: what was read of it is put before the rest. */
  readonly response: Response;
}

/**
 * How long a body may take until it is whole; the dispatch is renewed meanwhile. A later one is a stream,
 * and its reader would be gone: proxies wait for a minute.
 */
const BODY_WAIT_MS = seconds(30);

/**
 * Reads as much of the body as is kept. One that is larger or takes longer is sent whole, and its receipt
 * has none; an event stream is not read at all. Headers of `before`, which others prepared for this one
 * answer, are not kept.
 */
export async function keptResponse(response: Response, before: Headers): Promise<KeptResponse> {
  const { status, body } = response;
  if (isEventStream(response)) return { result: withoutContent(status), response };
  const headers = headersWithout(response.headers, before);
  const isFitting =
    utf8Length(JSON.stringify(headers)) <= HTTP_HEADERS_BYTES_MAX && headers.every(isHeader);
  if (body === null) {
    const result = { status, headers, body: { encoding: "text", data: "" } } as const;
    return { result: isFitting ? result : withoutContent(status), response };
  }
  const { chunks, rest } = await readBegin(body);
  if (rest !== null) {
    const whole = new Response(joined(chunks, rest), response);
    return { result: withoutContent(status), response: whole };
  }
  const bytes = concatenated(chunks);
  const isKept = isFitting && bytes.byteLength <= HTTP_BODY_BYTES_MAX;
  const result = isKept ? { status, headers, body: inLetters(bytes) } : withoutContent(status);
  return { result, response: new Response(bytes, response) };
}

/** Null: what was answered was not kept. */
export function sentAgain({ status, headers, body }: HttpResult): Answer | null {
  if (body === null) return null;
  // As bytes: of a text the platform would say that it is text/plain, where the route did not.
  const bytes = body.encoding === "text" ? new TextEncoder().encode(body.data) : bytesOf(body.data);
  // Of an empty one, too, it would say a type.
  const isEmpty = status === 204 || status === 205 || status === 304 || bytes.byteLength === 0;
  return { status, headers, body: isEmpty ? null : bytes };
}

function isEventStream({ headers }: Response): boolean {
  return /^\s*text\/event-stream\s*(?:;|$)/i.test(headers.get("content-type") ?? "");
}

function headersWithout(headers: Headers, before: Headers): (readonly [string, string])[] {
  const prepared = new Set([...before].map((header) => header.join(":")));
  return [...headers].filter((header) => !prepared.has(header.join(":")));
}

function withoutContent(status: number): HttpResult {
  return { status, headers: [], body: null };
}

interface Rest {
  readonly reader: ReadableStreamDefaultReader<Uint8Array>;
  /** A read that is under way. */
  readonly pending: ReturnType<ReadableStreamDefaultReader<Uint8Array>["read"]> | null;
}

interface Begin {
  readonly chunks: readonly Uint8Array[];
  /** Null: there is no more. */
  readonly rest: Rest | null;
}

/** Until the body is whole, larger than is kept, or late. */
async function readBegin(body: ReadableStream<Uint8Array>): Promise<Begin> {
  const reader = body.getReader();
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<null>((resolve) => {
    timer = setTimeout(resolve, BODY_WAIT_MS, null);
  });
  try {
    while (bytes <= HTTP_BODY_BYTES_MAX) {
      const pending = reader.read();
      const read = await Promise.race([pending, late]);
      if (read === null) return { chunks, rest: { reader, pending } };
      if (read.done) return { chunks, rest: null };
      chunks.push(read.value);
      bytes += read.value.byteLength;
    }
    return { chunks, rest: { reader, pending: null } };
  } finally {
    clearTimeout(timer);
  }
}

/** Text as it is, unless escaping it takes more room than base64. */
function inLetters(bytes: Uint8Array): HttpResult["body"] {
  const base64 = btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
  const text = textOf(bytes);
  return text === null || utf8Length(JSON.stringify(text)) > base64.length + 2
    ? { encoding: "base64", data: base64 }
    : { encoding: "text", data: text };
}

/** Null: not UTF-8, or not to be had back the same. */
function textOf(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}

function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
}

function concatenated(chunks: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(chunks.reduce((sum, { byteLength }) => sum + byteLength, 0));
  let at = 0;
  for (const chunk of chunks) {
    all.set(chunk, at);
    at += chunk.byteLength;
  }
  return all;
}

function joined(chunks: readonly Uint8Array[], rest: Rest): ReadableStream<Uint8Array> {
  const first = [...chunks];
  let { pending } = rest;
  return new ReadableStream({
    async pull(controller) {
      const chunk = first.shift();
      if (chunk !== undefined) return controller.enqueue(chunk);
      const read = await (pending ?? rest.reader.read());
      pending = null;
      if (read.done) controller.close();
      else controller.enqueue(read.value);
    },
    cancel: (reason) => rest.reader.cancel(reason),
  });
}
