/** The body of a request as JSON: measured before it is read, decoded strictly, read one way only. */
import { measureJson, membersOf } from "./json-text.ts";
import type { Problem } from "./problem.ts";

export type ReadBody =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly problem: Problem };

export interface BodyLimits {
  readonly bytesMax: number;
  /** Values of all sorts, those inside of others included. */
  readonly valuesMax: number;
}

/**
 * An empty body is `{}`. Refused are other media types, more than `bytesMax` bytes (at once where the
 * request tells its length), what is not UTF-8, an integer that would be read as another one, and a
 * property that occurs twice: which of the two was meant nobody can tell.
 */
export async function readJsonBody(request: Request, limits: BodyLimits): Promise<ReadBody> {
  const { bytesMax } = limits;
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
  return parsed(bytes, limits);
}

/** Without an announced length: stops as soon as there is too much. Null: there was. */
async function bytesUpTo(request: Request, bytesMax: number): Promise<Uint8Array | null> {
  if (request.body === null) return new Uint8Array();
  const reader: ReadableStreamDefaultReader<Uint8Array> = request.body.getReader();
  // One buffer that grows: a piece that is kept may cost many times the byte that it holds.
  let bytes = new Uint8Array(FIRST_BYTES);
  let length = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return bytes.subarray(0, length);
    if (length + value.byteLength > bytesMax) {
      await reader.cancel().catch(() => {});
      return null;
    }
    if (length + value.byteLength > bytes.byteLength) {
      const wanted = Math.max(2 * bytes.byteLength, length + value.byteLength);
      const larger = new Uint8Array(Math.min(wanted, bytesMax));
      larger.set(bytes.subarray(0, length));
      bytes = larger;
    }
    bytes.set(value, length);
    length += value.byteLength;
  }
}

const FIRST_BYTES = 16_384;

const UTF8 = new TextDecoder("utf-8", { fatal: true });

function parsed(bytes: Uint8Array, limits: BodyLimits): ReadBody {
  let text: string;
  try {
    text = UTF8.decode(bytes);
  } catch {
    return refused({ code: "malformed_json", detail: "the body is not UTF-8" });
  }
  const measure = measureJson(text);
  // Before it is parsed: a body of nothing but braces would keep everybody else waiting.
  if (measure.values > limits.valuesMax) return refused(tooMany(limits.valuesMax));
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // What the parser says would repeat a part of the body.
    return refused({ code: "malformed_json", detail: "the body cannot be parsed as JSON" });
  }
  if (measure.members !== membersOf(value)) {
    return refused({ code: "malformed_json", detail: "a property occurs twice in one object" });
  }
  if (!measure.isExact) return refused(INEXACT);
  return { ok: true, value };
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

function tooMany(valuesMax: number): Problem {
  const errors = [{ path: "", message: `more than ${valuesMax} values` }];
  return { code: "invalid_request", detail: "the request is not valid", errors };
}

const INEXACT: Problem = {
  code: "invalid_request",
  detail: "the request is not valid",
  errors: [{ path: "", message: "an integer that a double does not keep: send it as a string" }],
};

function refused(problem: Problem): ReadBody {
  return { ok: false, problem };
}
