/** The body of a request as JSON: measured before it is read, decoded strictly, read one way only. */
import type { Problem } from "./problem.ts";

export type ReadBody =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly problem: Problem };

/**
 * An empty body is `{}`. Refused are other media types, more than `bytesMax` bytes (at once where the
 * request tells its length), what is not UTF-8, and a property that occurs twice: which of the two was
 * meant nobody can tell.
 */
export async function readJsonBody(request: Request, bytesMax: number): Promise<ReadBody> {
  const announced = request.headers.get("content-length");
  if (announced !== null && Number(announced) > bytesMax) return refused(tooLarge(bytesMax));
  let bytes: Uint8Array | null;
  try {
    bytes =
      announced === null
        ? await bytesUpTo(request, bytesMax)
        : new Uint8Array(await request.arrayBuffer());
  } catch {
    // Whoever sent it went away: no fault of ours, and nobody is left to be told.
    return refused({ code: "bad_request", detail: "the body ended before it was whole" });
  }
  if (bytes === null || bytes.byteLength > bytesMax) return refused(tooLarge(bytesMax));
  if (bytes.byteLength === 0) return { ok: true, value: {} };
  const type = request.headers.get("content-type");
  if (!isJson(type)) return refused(wrongType(type));
  return parsed(bytes);
}

/** Without an announced length: stops as soon as there is too much. Null: there was. */
async function bytesUpTo(request: Request, bytesMax: number): Promise<Uint8Array | null> {
  if (request.body === null) return new Uint8Array();
  const reader: ReadableStreamDefaultReader<Uint8Array> = request.body.getReader();
  const chunks: Uint8Array[] = [];
  let length = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    length += value.byteLength;
    if (length > bytesMax) {
      await reader.cancel().catch(() => {});
      return null;
    }
    chunks.push(value);
  }
  const bytes = new Uint8Array(length);
  let offset = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, offset);
    offset += chunk.byteLength;
  }
  return bytes;
}

const UTF8 = new TextDecoder("utf-8", { fatal: true });

function parsed(bytes: Uint8Array): ReadBody {
  let text: string;
  try {
    text = UTF8.decode(bytes);
  } catch {
    return refused({ code: "malformed_json", detail: "the body is not UTF-8" });
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // What the parser says would repeat a part of the body.
    return refused({ code: "malformed_json", detail: "the body cannot be parsed as JSON" });
  }
  if (membersIn(text) !== membersOf(value)) {
    return refused({ code: "malformed_json", detail: "a property occurs twice in one object" });
  }
  return { ok: true, value };
}

/** Members of all objects as they are written: in JSON that parses, the colons outside of strings. */
function membersIn(text: string): number {
  let count = 0;
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    if (unit === COLON) count += 1;
    else if (unit === QUOTE) index = endOfString(text, index);
  }
  return count;
}

const COLON = 58;
const QUOTE = 34;
const BACKSLASH = 92;

function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end;
}

function isEscaped(text: string, at: number): boolean {
  let before = at - 1;
  while (text.charCodeAt(before) === BACKSLASH) before -= 1;
  return (at - before) % 2 === 0;
}

/** The same as they were parsed. Without recursion: a body may be nested as deep as it is long. */
function membersOf(value: unknown): number {
  let count = 0;
  const rest: unknown[] = [value];
  while (rest.length > 0) {
    const next = rest.pop();
    if (typeof next !== "object" || next === null) continue;
    const inner: unknown[] = Object.values(next);
    if (!Array.isArray(next)) count += inner.length;
    for (const one of inner) if (typeof one === "object" && one !== null) rest.push(one);
  }
  return count;
}

function isJson(type: string | null): boolean {
  if (type === "application/json") return true;
  return type !== null && /^application\/json\s*(;\s*charset\s*=\s*"?utf-8"?\s*)?$/i.test(type);
}

function wrongType(type: string | null): Problem {
  const found = type === null ? "has no content type" : "has another content type";
  return {
    code: "unsupported_media_type",
    detail: `the body ${found}; send content-type: application/json`,
    headers: { accept: "application/json" },
  };
}

function tooLarge(bytesMax: number): Problem {
  return { code: "body_too_large", detail: `a body here has at most ${bytesMax} bytes` };
}

function refused(problem: Problem): ReadBody {
  return { ok: false, problem };
}
