/** One request and its answer: how they go out, and what is made of what comes back. */
import { HoldfastError, invalid, type ProblemBody, unexpected } from "./errors.ts";

/** As much of the global `fetch` as is used. Give another to add a proxy, a cache or faults. */
export type Fetch = (url: string, init: RequestInit) => Response | Promise<Response>;

export interface WireOptions {
  /** Where the service is, such as `https://jobs.example.com`; a path is kept. */
  readonly url: string;
  /** Sent as `Authorization: Bearer`: a key of the service, or a ticket. */
  readonly key?: string | undefined;
  readonly fetch?: Fetch;
  /** Sent with every request, beside those of the client. */
  readonly headers?: Readonly<Record<string, string>>;
}

export interface WireRequest {
  readonly method: "GET" | "POST" | "PUT";
  /** From `/v1` on, with its query. */
  readonly path: string;
  readonly requestId: string;
  /** JSON text. */
  readonly body?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Sends once. Throws what `fetch` throws. */
export type Send = (request: WireRequest, signal: AbortSignal) => Promise<Response>;

const VISIBLE = /^[\x21-\x7e]+$/;

/** Throws HoldfastError `invalid_request` for a url or a key that cannot be sent. */
export function wire(options: WireOptions): Send {
  const { key, headers, fetch: own } = options;
  const base = baseOf(options.url);
  // What `fetch` says of a bad header repeats it, and this one is a secret.
  if (key !== undefined && !VISIBLE.test(key))
    throw invalid("key must be visible ASCII characters");
  // In a browser `fetch` must be called as a property of nothing but the window.
  const send: Fetch = own ?? ((url, init) => fetch(url, init));
  return async (request, signal) =>
    send(base + request.path, {
      method: request.method,
      headers: {
        accept: "application/json",
        ...headers,
        ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
        ...(request.body === undefined ? {} : { "content-type": "application/json" }),
        ...request.headers,
        "x-request-id": request.requestId,
      },
      body: request.body ?? null,
      // Followed, a redirect would make a GET of a POST, whose answer is of another kind.
      redirect: "manual",
      signal,
    });
}

function baseOf(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^https?:$/.test(url.protocol) || url.username + url.password !== "") {
    throw invalid("url must be http:// or https:// and a host, without credentials");
  }
  return url.origin + url.pathname.replace(/\/+$/, "");
}

/** Throws HoldfastError `invalid_request` for one that the service would replace by its own. */
export function checkedRequestId(id: string): string {
  if (VISIBLE.test(id) && id.length <= 128) return id;
  throw invalid("requestId must be 1 to 128 visible ASCII characters");
}

/** The JSON of a good answer; null for one without content. Throws HoldfastError for every other. */
export async function contentOf(response: Response, requestId: string): Promise<unknown> {
  if (response.status === 204) return null;
  const body = jsonOf(await bodyText(response));
  if (response.ok && body !== null) return body;
  throw refusal(response, body, requestId);
}

/** A full page is 25 MiB at most: 100 records of 256 KiB. Whatever is more is not of the service. */
const ANSWER_BYTES_MAX = 32 * 1_048_576;

/** Throws HoldfastError `unexpected_answer` for more than ANSWER_BYTES_MAX, which is not read to its end. */
export async function bodyText(response: Response): Promise<string> {
  // Not every `fetch` has streams: React Native's has none.
  if (!response.body) return response.text();
  const reader = response.body.getReader();
  const decoder = new TextDecoder();
  let text = "";
  let bytes = 0;
  for (;;) {
    const { value } = await reader.read();
    if (value === undefined) return text + decoder.decode();
    bytes += value.length;
    if (bytes > ANSWER_BYTES_MAX) {
      reader.cancel().catch(() => {});
      throw unexpected(`an answer of more than ${ANSWER_BYTES_MAX} bytes`, response.status);
    }
    text += decoder.decode(value, { stream: true });
  }
}

/** What an answer that is not a good one means. `body`: its JSON object, null when it is none. */
export function refusal(response: Response, body: object | null, sentId: string): HoldfastError {
  const { status, headers } = response;
  const requestId = headers.get("x-request-id") ?? sentId;
  const retryAfterMs = retryAfterOf(headers);
  if (!response.ok && isProblem(body)) {
    const { code, detail } = body;
    return new HoldfastError({
      code,
      status,
      detail,
      problem: body,
      requestId,
      retryAfterMs: waitOf(body.retryAfterMs) ?? retryAfterMs,
    });
  }
  // A browser shows a redirect without its status.
  const isRedirect = response.type === "opaqueredirect" || (status >= 300 && status < 400);
  const found = isRedirect ? "a redirect" : `not one of the service (status ${status})`;
  const detail = `the answer is ${found}: look at the url, and at what stands in between`;
  return new HoldfastError({ code: "unexpected_answer", status, detail, requestId, retryAfterMs });
}

/** Null: the text is no JSON object. */
export function jsonOf(text: string): object | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" ? value : null;
  } catch {
    return null;
  }
}

function isProblem(body: object | null): body is ProblemBody {
  if (body === null || !("code" in body) || !("detail" in body)) return false;
  return typeof body.code === "string" && typeof body.detail === "string";
}

/** Milliseconds. A date counts from the answer's own, so that clocks need not agree. */
function retryAfterOf(headers: Headers): number | null {
  const text = headers.get("retry-after") ?? "";
  if (/^\d+$/.test(text)) return waitOf(Number(text) * 1_000);
  return waitOf(Date.parse(text) - Date.parse(headers.get("date") ?? ""));
}

/** Null for what cannot be waited for. Added to a time, a string or NaN would undo every bound. */
function waitOf(ms: unknown): number | null {
  return typeof ms === "number" && ms >= 0 && ms < Number.POSITIVE_INFINITY ? ms : null;
}

export function hexOf(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Of version 4. `crypto.randomUUID` is missing on pages without TLS. */
export function uuid(): string {
  const hex = hexOf(crypto.getRandomValues(new Uint8Array(16)));
  return hex.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.*)$/, "$1-$2-4$3-8$4-$5");
}
