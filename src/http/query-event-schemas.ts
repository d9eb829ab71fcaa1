/** What the routes on a job's events and tickets take. */
import * as z from "zod";
import { EVENTS_PAGE_MAX, queryInputs } from "../machines/queries/inputs.ts";
import { generationQuery } from "./query-schemas.ts";
import { queryNumber } from "./route.ts";

export const CURSOR_MUST_BE = "must be a whole number from 0";

/** Any whole number: one that no log reaches lies ahead of all of them. */
export const cursor = z
  .string()
  .regex(/^\d+$/, CURSOR_MUST_BE)
  .transform((text) => Math.min(Number(text), Number.MAX_SAFE_INTEGER))
  .pipe(queryInputs.after);

export const eventsQuery = z.strictObject({
  generation: generationQuery,
  after: cursor.exactOptional(),
  limit: queryNumber(1, EVENTS_PAGE_MAX).exactOptional(),
});

/** Milliseconds of a ticket, at least and at most: a minute, a day. */
const TTL_MS_MIN = 60_000;
const TTL_MS_MAX = 86_400_000;

export const ticketBody = z.strictObject({
  generation: queryInputs.generation,
  ttlMs: z.int().min(TTL_MS_MIN).max(TTL_MS_MAX).exactOptional(),
});
