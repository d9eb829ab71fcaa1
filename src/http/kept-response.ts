/** A response as it is kept in a receipt, and sent again from there. */

import { utf8Length } from "../core/json.ts";
import {
  HTTP_BODY_BYTES_MAX,
  HTTP_HEADERS_BYTES_MAX,
  type HttpResult,
} from "../machines/receipts/built-in-operations.ts";

export interface KeptResponse {
  readonly result: HttpResult;
  /** The same response, to be sent now: what was read of it is put before the rest. */
  readonly response: Response;
}

/** Of one connection, or made anew for each answer. */
const NOT_KEPT: ReadonlySet<string> = new Set([
  "connection",
  "content-length",
  "date",
  "keep-alive",
  "proxy-authenticate",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

/** Reads as much of the body as is kept. One that is larger is sent whole, and its receipt has none. */
export async function keptResponse(response: Response): Promise<KeptResponse> {
  const { status, body } = response;
  const headers = [...response.headers].filter(([name]) => !NOT_KEPT.has(name));
  const isFitting = utf8Length(JSON.stringify(headers)) <= HTTP_HEADERS_BYTES_MAX;
  if (body === null) {
    const result = { status, headers, body: { encoding: "text", data: "" } } as const;
    return { result: isFitting ? result : withoutContent(status), response };
  }
  const reader = body.getReader();
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  let isWhole = false;
  while (!isWhole && bytes <= HTTP_BODY_BYTES_MAX) {
    const { done, value } = await reader.read();
    isWhole = done;
    if (value !== undefined) {
      chunks.push(value);
      bytes += value.byteLength;
    }
  }
  const isKept = isWhole && isFitting && bytes <= HTTP_BODY_BYTES_MAX;
  const rest = new Response(joined(chunks, isWhole ? null : reader), response);
  const result = isKept ? { status, headers, body: inLetters(chunks) } : withoutContent(status);
  return { result, response: rest };
}

/** Null: what was answered was too large to be kept. */
export function sentAgain({ status, headers, body }: HttpResult): Response | null {
  if (body === null) return null;
  const bytes = body.encoding === "text" ? body.data : bytesOf(body.data);
  const isEmpty = status === 204 || status === 205 || status === 304;
  return new Response(isEmpty ? null : bytes, {
    status,
    headers: headers.map(([name, value]): [string, string] => [name, value]),
  });
}

function withoutContent(status: number): HttpResult {
  return { status, headers: [], body: null };
}

/** Text as it is, unless escaping it takes more room than base64. */
function inLetters(chunks: readonly Uint8Array[]): HttpResult["body"] {
  const bytes = concatenated(chunks);
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

function concatenated(chunks: readonly Uint8Array[]): Uint8Array {
  const all = new Uint8Array(chunks.reduce((sum, { byteLength }) => sum + byteLength, 0));
  let at = 0;
  for (const chunk of chunks) {
    all.set(chunk, at);
    at += chunk.byteLength;
  }
  return all;
}

function joined(
  chunks: readonly Uint8Array[],
  rest: ReadableStreamDefaultReader<Uint8Array> | null,
): ReadableStream<Uint8Array> {
  const first = [...chunks];
  return new ReadableStream({
    async pull(controller) {
      const chunk = first.shift();
      if (chunk !== undefined) return controller.enqueue(chunk);
      const next = rest === null ? { done: true, value: undefined } : await rest.read();
      if (next.value !== undefined) controller.enqueue(next.value);
      if (next.done) controller.close();
    },
    cancel: (reason) => rest?.cancel(reason),
  });
}
