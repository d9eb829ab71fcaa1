/**
 * The `Idempotency-Key` header for any route of a Hono app: the first request runs the route, and every
 * repeat is sent the same response again (http-api "Receipts").
 */
import type { Context, MiddlewareHandler } from "hono";
import { routePath } from "hono/route";
import { sha256Hex } from "../core/hash.ts";
import type { HttpResult } from "../machines/receipts/built-in-operations.ts";
import {
  OperationReceiptConflictError,
  OperationReceiptInFlightError,
  OperationReceiptOutcomeUnknownError,
  OperationReceiptResolvedError,
} from "../services/receipt-errors.ts";
import type { Receipts } from "../services/receipts.ts";
import { keptResponse, sentAgain } from "./kept-response.ts";
import { PROBLEMS, problemOf, retryAfterOf } from "./problem.ts";

export interface IdempotencyOptions {
  /** Whether a request without the header is refused; by default it is let through, each time anew. */
  readonly required?: boolean;
  /**
   * On whose behalf a request is: callers whose keys must not meet. Without it all callers of a tenant
   * share their keys, and whoever repeats another's request is sent its response.
   */
  readonly principalId?: (c: Context) => string;
  /** How long to wait for an identical request that is still running; by default not at all. */
  readonly waitMs?: number;
}

/** Bytes of a request's body; it is hashed whole before the route runs. */
const BODY_BYTES_MAX = 1_048_576;

/** Visible ASCII and blanks: what a header can carry, and what the draft of the standard asks for. */
const HEADER = /^[\x20-\x7e]{1,255}$/;

const SAFE_METHODS: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS", "TRACE"]);

/** Seconds after which an identical request may be through. */
const IN_FLIGHT_RETRY_S = 1;

/**
 * `receipts`: those of the tenant, or how to find them. The key is one of its route; with another method,
 * path, query or body it is refused. Whatever the route returns is the outcome, failures too, and is sent
 * also where it could not be stored, which the service logs. Then, and when a route throws, the outcome is
 * not known: it is never run again under that key.
 */
export function idempotencyKey(
  receipts: Receipts | ((c: Context) => Receipts),
  options: IdempotencyOptions = {},
): MiddlewareHandler {
  const { required = false, principalId = () => "default", waitMs = 0 } = options;
  const of = typeof receipts === "function" ? receipts : () => receipts;

  return async (c, next) => {
    if (SAFE_METHODS.has(c.req.method)) return next();
    const header = c.req.header("idempotency-key")?.trim();
    if (header === undefined) return required ? refusal("idempotency_key_missing") : next();
    if (!HEADER.test(header)) return refusal("idempotency_key_invalid");
    const body = await bodyOf(c);
    if (body === null) return refusal("body_too_large");

    const { pathname, search } = new URL(c.req.url);
    const payload = {
      method: c.req.method,
      path: pathname,
      query: search,
      body: await digestOf(body),
    };
    const key = {
      tool: "http",
      action: "request",
      principalId: principalId(c),
      workspaceId: routePath(c, -1),
      operationId: sha256Hex(header),
    };
    const run: { response: Response | null } = { response: null };
    const route = async (): Promise<HttpResult> => {
      await next();
      // The app has made an answer of what was thrown; it is this request's, and no outcome.
      if (c.error !== undefined) throw c.error;
      const kept = await keptResponse(c.res);
      run.response = kept.response;
      return kept.result;
    };
    try {
      const { result, replayed } = await of(c).once(key, payload, route, { waitMs });
      const again = replayed ? sentAgain(result) : run.response;
      return answer(c, again ?? refusal("response_not_kept"));
    } catch (error) {
      return answerTo(c, error, run.response);
    }
  };
}

/** After the route has run, what a middleware returns is not looked at any more. */
function answer(c: Context, response: Response): Response | undefined {
  if (!c.finalized) return response;
  c.res = undefined;
  c.res = response;
  return undefined;
}

/** `response`: the route's, when it had come to its end. */
function answerTo(c: Context, error: unknown, response: Response | null): Response | undefined {
  if (c.error !== undefined && c.error === rootOf(error)) return undefined;
  // Where only the storing failed whoever asked is sent what is true, and has happened: told that nothing
  // is known they would try another way. A repeat can get no more than that.
  return answer(c, response ?? refusalOf(error));
}

function rootOf(error: unknown): unknown {
  return error instanceof OperationReceiptOutcomeUnknownError ? error.cause : error;
}

/** Null: larger than is taken. The route reads its own copy; what was read before is Hono's to give again. */
async function bodyOf({ req }: Context): Promise<Uint8Array<ArrayBuffer> | null> {
  if (Number(req.header("content-length") ?? 0) > BODY_BYTES_MAX) return null;
  const read = req.raw.bodyUsed ? req.arrayBuffer() : req.raw.clone().arrayBuffer();
  const bytes = new Uint8Array(await read);
  return bytes.byteLength > BODY_BYTES_MAX ? null : bytes;
}

async function digestOf(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Beside those of the service itself. */
const REFUSALS = {
  idempotency_key_missing: {
    status: 400,
    title: "The request needs a key",
    detail: "send Idempotency-Key, fresh for each operation and the same for its repeats",
  },
  idempotency_key_invalid: {
    status: 400,
    title: "The key is not valid",
    detail: "Idempotency-Key must be 1 to 255 visible ASCII characters",
  },
  body_too_large: {
    status: 413,
    title: "The body is too large",
    detail: `a request with Idempotency-Key has at most ${BODY_BYTES_MAX} bytes`,
  },
  idempotency_key_conflict: {
    status: 422,
    title: "The key belongs to another request",
    detail: "the same Idempotency-Key came with another method, path, query or body",
  },
  operation_in_flight: {
    status: 409,
    title: "The same request is still running",
    detail: "an identical request has not been answered yet; nothing was done by this one",
  },
  operation_outcome_unknown: {
    status: 409,
    title: "The outcome is not known",
    detail: "the request was begun, and what came of it is not known; it is not run again",
  },
  already_resolved: {
    status: 409,
    title: "A person's answer stands",
    detail: "the request did not come to its end, as a person has found out; use a new key",
  },
  response_not_kept: {
    status: 409,
    title: "The response was not kept",
    detail: "the request was carried out; its response was too large to be sent again",
  },
} as const;

type RefusalCode = keyof typeof REFUSALS;

function refusal(code: RefusalCode, beside: object = {}): Response {
  const { status, title, detail } = REFUSALS[code];
  const headers: Record<string, string> = { "content-type": "application/problem+json" };
  if (code === "operation_in_flight") headers["retry-after"] = String(IN_FLIGHT_RETRY_S);
  const problem = { type: "about:blank", title, status, detail, code, ...beside };
  return new Response(JSON.stringify(problem), { status, headers });
}

function refusalOf(error: unknown): Response {
  if (error instanceof OperationReceiptConflictError) return refusal("idempotency_key_conflict");
  if (error instanceof OperationReceiptInFlightError) return refusal("operation_in_flight");
  if (error instanceof OperationReceiptOutcomeUnknownError) {
    return refusal("operation_outcome_unknown", { receiptId: error.receiptId });
  }
  if (error instanceof OperationReceiptResolvedError) {
    return refusal("already_resolved", { outcome: error.resolution.outcome });
  }
  const problem = problemOf(error);
  const { status, title } = PROBLEMS[problem.code];
  const { code, detail } = problem;
  const retryAfterMs = retryAfterOf(problem);
  const headers: Record<string, string> = { "content-type": "application/problem+json" };
  if (retryAfterMs !== null) headers["retry-after"] = String(Math.ceil(retryAfterMs / 1_000));
  const body = { type: "about:blank", title, status, detail, code };
  return new Response(JSON.stringify(body), { status, headers });
}
