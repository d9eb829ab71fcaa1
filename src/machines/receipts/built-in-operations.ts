/** The operations that need no code: the original's, an answer over HTTP, and any call. */
import * as z from "zod/mini";
import { operationName, RESULT_BYTES_MAX } from "./fields.ts";
import type { Operation } from "./operations.ts";

/** Any pairing is read and taken, as in the original. */
const ORIGINAL_TOOLS = ["session", "monitor"];
const ORIGINAL_ACTIONS = ["start-pi", "message", "cancel"];

/** The body of an answer over HTTP that is kept, in bytes before it is put in letters. */
export const HTTP_BODY_BYTES_MAX = 65_536;

/** And all of its headers, as JSON. */
export const HTTP_HEADERS_BYTES_MAX = 16_384;

/** In base64 64 KiB are 87,384 letters; the rest is for headers and names. */
const HTTP_RESULT_BYTES_MAX = 131_072;

/** A request to a route of an application's own, as the Idempotency-Key middleware keeps it. */
export const HTTP_REQUEST = { tool: "http", action: "request" } as const;

export const BUILT_IN_OPERATIONS: readonly Operation[] = [
  ...originals(),
  {
    ...HTTP_REQUEST,
    result: httpResult(),
    resultBytesMax: HTTP_RESULT_BYTES_MAX,
  },
  {
    tool: "custom",
    action: "call",
    result: z.unknown(),
    resultBytesMax: RESULT_BYTES_MAX,
  },
];

function originals(): readonly Operation[] {
  const result = originalResult();
  return ORIGINAL_TOOLS.flatMap((tool) =>
    ORIGINAL_ACTIONS.map((action) => ({ tool, action, result, resultBytesMax: RESULT_BYTES_MAX })),
  );
}

/** Enough to answer again, and nothing that is secret (semantics B1). */
function originalResult(): z.core.$ZodType {
  const id = z.exactOptional(operationName);
  const flag = z.exactOptional(z.boolean());
  return z.strictObject({
    ok: z.boolean(),
    status: z.enum(["accepted", "succeeded", "failed", "cancelled", "lost"]),
    data: z.exactOptional(
      z.strictObject({
        taskId: id,
        monitorHandle: id,
        handle: id,
        delivered: flag,
        cancelled: flag,
        alreadyTerminal: flag,
        mode: z.exactOptional(z.enum(["steer", "follow_up", "interrupt"])),
        taskStatus: z.exactOptional(
          z.enum(["queued", "running", "completed", "failed", "cancelled", "lost"]),
        ),
      }),
    ),
    error: z.exactOptional(z.strictObject({ code: operationName, retryable: z.boolean() })),
  });
}

/** What a route answered. */
export interface HttpResult {
  readonly status: number;
  readonly headers: readonly (readonly [string, string])[];
  /** Null: it was too large to be kept, and cannot be sent again. */
  readonly body: { readonly encoding: "text" | "base64"; readonly data: string } | null;
}

/** Of one connection, or made anew for each answer: left out of what is kept. */
const NOT_KEPT: ReadonlySet<string> = new Set([
  "connection",
  "content-length",
  "date",
  "keep-alive",
  "proxy-authenticate",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

/** RFC 9110 5.1 and 5.5: what is anything else, a server refuses to send. */
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

/** Whether a server can send the header. */
export function isHeader([name, value]: readonly [string, string]): boolean {
  return HEADER_NAME.test(name) && HEADER_VALUE.test(value);
}

/** Also what a person says was answered must be an answer that can be sent. */
function httpResult(): z.core.$ZodType<HttpResult> {
  const header = z
    .tuple([z.string(), z.string()])
    .check(
      z.refine(
        isHeader,
        "must be the name of a header, and a value of Latin-1 without line breaks",
      ),
    );
  return z.strictObject({
    status: z.int().check(z.minimum(200), z.maximum(599)),
    headers: z.pipe(
      z.array(header),
      z.transform((headers) => headers.filter(([name]) => !NOT_KEPT.has(name.toLowerCase()))),
    ),
    body: z.nullable(
      z.discriminatedUnion("encoding", [
        z.strictObject({ encoding: z.literal("text"), data: z.string() }),
        z.strictObject({ encoding: z.literal("base64"), data: z.base64() }),
      ]),
    ),
  });
}
