/**
 * The `Idempotency-Key` header for any route of a Hono app: the first request runs the route, and every
 * repeat is sent the same response again (http-api "Receipts").
 */
import type { Context, Env, MiddlewareHandler, Next } from "hono";
import { HTTP_REQUEST, type HttpResult } from "../machines/receipts/built-in-operations.ts";
import type { GivenKey } from "../machines/receipts/key.ts";
import type { Receipt } from "../machines/receipts/receipt.ts";
import type { OnceContext } from "../services/once.ts";
import type { Receipts } from "../services/receipts.ts";
import {
  type AnyEnv,
  checkOptions,
  type IdempotencyOptions,
  nameFrom,
  routeScope,
} from "./idempotency-options.ts";
import { refusal, refusalOf } from "./idempotency-problems.ts";
import { type Answer, keptResponse, sentAgain } from "./kept-response.ts";
import { bodyDigest } from "./request-digest.ts";
import { operationIdOf, runningReceipt, runUnder } from "./running-request.ts";

/** What the routes behind the middleware find in their context. */
export interface IdempotencyVariables {
  /**
   * Of a request with a key: the receipt under which its route runs. Its id is a good idempotency key for
   * whatever the route asks of others, and leads an operator to the request.
   */
  readonly operationReceipt?: Receipt;
}

/** Bytes of a request's body; it is hashed whole before the route runs. */
const BODY_BYTES_MAX = 1_048_576;

/** Printable ASCII: what a header can carry, and what the draft of the standard asks for. */
const HEADER = /^[\x20-\x7e]{1,255}$/;

const SAFE_METHODS: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS", "TRACE"]);

/** A request with a key, and what others had prepared for whatever is answered to it. */
interface KeyedRequest {
  readonly receipts: Receipts;
  readonly key: GivenKey;
  readonly payload: object;
  readonly waitMs: number;
  readonly before: Headers;
}

/** What came of the route that this request ran. */
interface Run {
  response: Response | null;
  failure: { readonly error: unknown } | null;
}

/**
 * `receipts`: those of the tenant, or how to find them. The key is one of its route; with another method,
 * path, query or body it is refused. Whatever the route returns is the outcome, failures too, and is sent
 * also where it could not be stored, which the service logs. Then, and where a route throws or returns
 * nothing, the outcome is not known: it is never run again under that key.
 * What the options throw, and what is no refusal and no fault of the storage, is thrown to the app.
 * Throws InvalidInputError for options that cannot be, at once.
 */
export function idempotencyKey<E extends Env = AnyEnv>(
  receipts: Receipts | ((c: Context<E>) => Receipts),
  options: IdempotencyOptions<E> = {},
): MiddlewareHandler<{ Variables: IdempotencyVariables }> {
  checkOptions(options);
  const { required = false, principalId, scope, waitMs = 0 } = options;

  function keyed(c: Context, header: string): Pick<KeyedRequest, "receipts" | "key"> {
    const principal =
      principalId === undefined ? {} : { principalId: nameFrom("principalId", principalId(c)) };
    const workspaceId = scope === undefined ? routeScope(c) : nameFrom("scope", scope(c));
    const key = { ...HTTP_REQUEST, ...principal, workspaceId, operationId: operationIdOf(header) };
    return { receipts: typeof receipts === "function" ? receipts(c) : receipts, key };
  }

  return async (c, next) => {
    const header = c.req.header("idempotency-key")?.trim();
    // Matched a second time, it is in the midst of the operation that the first one runs.
    const running = runningReceipt(c, header);
    if (running !== null) c.set("operationReceipt", running);
    if (running !== null || SAFE_METHODS.has(c.req.method)) return next();
    if (header === undefined && !required) return next();
    // A copy: what the route prepares may be put beside it. Asking for `c.res` would make one.
    const before = new Headers(c.body(null, 200).headers);
    const { path } = c.req;
    if (header === undefined) return send(c, refusal("idempotency_key_missing", path), before);
    if (!HEADER.test(header)) return send(c, refusal("idempotency_key_invalid", path), before);
    const { pathname, search } = new URL(c.req.url);
    const asked = { ...keyed(c, header), waitMs, before };
    const body = await bodyDigest(c.req, BODY_BYTES_MAX);
    if (body === null) return send(c, refusal("body_too_large", path), before);
    const payload = { method: c.req.method, path: pathname, query: search, body };
    return answered(c, next, { ...asked, payload });
  };
}

async function answered(c: Context, next: Next, asked: KeyedRequest): Promise<void> {
  const { receipts, key, payload, waitMs, before } = asked;
  const { path } = c.req;
  const run: Run = { response: null, failure: null };

  async function route({ receipt }: OnceContext): Promise<HttpResult> {
    await runUnder(c, receipt, () => ran(c, next, run));
    const kept = await keptResponse(c.res, before);
    run.response = kept.response;
    return kept.result;
  }

  try {
    const { result } = await receipts.once(key, payload, route, { waitMs });
    if (run.response !== null) return replaceWith(c, run.response);
    send(c, sentAgain(result) ?? refusal("response_not_kept", path), before);
  } catch (error) {
    if (run.failure !== null) return failed(c, run.failure.error);
    // Where only the storing failed whoever asked is sent what is true, and has happened: told that nothing
    // is known they would try another way. A repeat can get no more than that.
    if (run.response !== null) return replaceWith(c, run.response);
    const refused = refusalOf(error, path);
    if (refused === null) throw error;
    send(c, refused, before);
  }
}

/** Throws what the route threw, and notes it. */
async function ran(c: Context, next: Next, run: Run): Promise<void> {
  try {
    await next();
    // The app has made an answer of what was thrown; it is this request's, and no outcome.
    if (c.error !== undefined) throw c.error;
    if (!c.finalized) throw new TypeError("the route returned no response");
  } catch (error) {
    run.failure = { error };
    throw error;
  }
}

/** What the route threw is the app's to answer, unless it has. */
function failed(c: Context, error: unknown): void {
  if (c.error !== error) throw error;
}

/**
 * Answers with the headers that others had prepared, but without those of a route that has run. Nothing is
 * returned to Hono: it would put the cookies that are prepared in the place of the answer's own.
 */
function send(c: Context, answer: Answer, before: Headers): void {
  const headers = new Headers(before);
  for (const [name] of answer.headers) {
    if (name.toLowerCase() !== "set-cookie") headers.delete(name);
  }
  // A person may give one name several times.
  for (const [name, value] of answer.headers) headers.append(name, value);
  replaceWith(c, new Response(answer.body, { status: answer.status, headers }));
}

/** Hono merges what is set into what is there, unless nothing is. */
function replaceWith(c: Context, response: Response): void {
  if (response === c.res) return;
  c.res = undefined;
  c.res = response;
}
