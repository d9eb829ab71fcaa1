/** What the routes on a job's events and tickets take. */
import * as z from "zod/mini";
import { EVENTS_PAGE_MAX, queryInputs } from "../machines/queries/inputs.ts";
import { generationQuery } from "./query-schemas.ts";
import { queryNumber } from "./route.ts";

export const CURSOR_MUST_BE = "must be a whole number from 0";

/** Any whole number: one that no log reaches lies ahead of all of them. */
export const cursor = z.pipe(
  z.pipe(
    z.string().check(z.regex(/^\d+$/, CURSOR_MUST_BE)),
    z.transform((text) => Math.min(Number(text), Number.MAX_SAFE_INTEGER)),
  ),
  queryInputs.after,
);

export const eventsQuery = z.strictObject({
  generation: generationQuery,
  after: z.exactOptional(cursor),
  limit: z.exactOptional(queryNumber(1, EVENTS_PAGE_MAX)),
});

/** Milliseconds of a ticket, at least and at most: a minute, a day. */
export const TTL_MS_MIN = 60_000;
export const TTL_MS_MAX = 86_400_000;

export const ticketBody = z.strictObject({
  generation: queryInputs.generation,
  ttlMs: z.exactOptional(z.int().check(z.minimum(TTL_MS_MIN), z.maximum(TTL_MS_MAX))),
});
