/** What the Idempotency-Key middleware is told, and the names that it makes of it. */
import type { Context, Env, MiddlewareHandler } from "hono";
import { matchedRoutes, routePath } from "hono/route";
import * as z from "zod/mini";
import { sha256Hex } from "../core/hash.ts";
import { safeParse } from "../core/safe-parse.ts";
import { givenName } from "../machines/receipts/fields.ts";
import { receiptInputs } from "../machines/receipts/inputs.ts";
import { checked } from "../services/input.ts";

/** What Hono itself takes for any application's environment. */
export type AnyEnv = MiddlewareHandler extends MiddlewareHandler<infer E extends Env> ? E : never;

/** `E` is the application's environment: with it, `c.get` knows what its variables may be. */
export interface IdempotencyOptions<E extends Env = AnyEnv> {
  /**
   * Whether a request without the header is refused; by default it is let through, each time anew. One whose
   * method changes nothing (GET, HEAD, OPTIONS, TRACE) needs no header, and its header means nothing.
   */
  readonly required?: boolean;
  /**
   * On whose behalf a request is, in 1 to 256 characters: callers whose keys must not meet. Anything else
   * is thrown as a TypeError. Without the option all callers of a tenant share their keys, and whoever
   * repeats another's request is sent its response.
   */
  readonly principalId?: (c: Context<E>) => string;
  /**
   * Which requests share their keys, in 1 to 256 characters; by default those of a route, by its pattern.
   * A key means something else under another name, so that the request runs again.
   */
  readonly scope?: (c: Context<E>) => string;
  /** How long to wait for an identical request that is still running; by default not at all. */
  readonly waitMs?: number;
}

const callback = z.custom<unknown>((value) => typeof value === "function", "must be a function");

const optionsSchema = z.strictObject({
  required: z.optional(z.boolean()),
  principalId: z.optional(callback),
  scope: z.optional(callback),
  waitMs: z.optional(receiptInputs.waitMs),
});

/** Throws InvalidInputError, also for an unknown name. */
export function checkOptions(options: IdempotencyOptions): void {
  checked(optionsSchema, options, "options");
}

/** The name that an option returned. Throws TypeError, which is the application's to handle. */
export function nameFrom(option: "principalId" | "scope", value: unknown): string {
  if (isName(value)) return value;
  throw new TypeError(`idempotencyKey: ${option} must return a string of 1 to 256 characters`);
}

/**
 * The pattern of the request's route: the first one behind the middleware that is of a method and ends in
 * no wildcard. What is there for any method (`use`, `all`, `mount`) or for any path may be another
 * middleware or a page for what is not found, and must not change what a key means; where there is nothing
 * else, it is the middleware's own pattern.
 */
export function routeScope(c: Context): string {
  const behind = matchedRoutes(c).slice(c.req.routeIndex + 1);
  const route = behind.find(({ method, path }) => method !== "ALL" && !path.endsWith("*"));
  const pattern = route?.path ?? routePath(c);
  return isName(pattern) ? pattern : sha256Hex(pattern);
}

function isName(value: unknown): value is string {
  return safeParse(givenName, value).success;
}
