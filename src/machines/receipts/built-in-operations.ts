/** The operations that need no code: the original's, an answer over HTTP, and any call. */
import * as z from "zod";
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

/** Built anew on every call: a schema is a mutable object and no state of this module. */
export function builtInOperations(): readonly Operation[] {
  const result = originalResult();
  const originals = ORIGINAL_TOOLS.flatMap((tool) =>
    ORIGINAL_ACTIONS.map((action) => ({ tool, action, result, resultBytesMax: RESULT_BYTES_MAX })),
  );
  return [
    ...originals,
    {
      tool: "http",
      action: "request",
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
}

/** Enough to answer again, and nothing that is secret (semantics B1). */
function originalResult(): z.ZodType {
  const id = operationName.exactOptional();
  const flag = z.boolean().exactOptional();
  return z.strictObject({
    ok: z.boolean(),
    status: z.enum(["accepted", "succeeded", "failed", "cancelled", "lost"]),
    data: z
      .strictObject({
        taskId: id,
        monitorHandle: id,
        handle: id,
        delivered: flag,
        cancelled: flag,
        alreadyTerminal: flag,
        mode: z.enum(["steer", "follow_up", "interrupt"]).exactOptional(),
        taskStatus: z
          .enum(["queued", "running", "completed", "failed", "cancelled", "lost"])
          .exactOptional(),
      })
      .exactOptional(),
    error: z.strictObject({ code: operationName, retryable: z.boolean() }).exactOptional(),
  });
}

/** What a route answered. */
export interface HttpResult {
  readonly status: number;
  readonly headers: readonly (readonly [string, string])[];
  /** Null: it was too large to be kept, and cannot be sent again. */
  readonly body: { readonly encoding: "text" | "base64"; readonly data: string } | null;
}

function httpResult(): z.ZodType<HttpResult> {
  return z.strictObject({
    status: z.int().min(200).max(599),
    headers: z.array(z.tuple([z.string(), z.string()])),
    body: z.strictObject({ encoding: z.enum(["text", "base64"]), data: z.string() }).nullable(),
  });
}
