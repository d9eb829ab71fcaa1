/** Pages of rows as a repository gives them, held to their order before anything rests on it. */
import type * as z from "zod/mini";
import { safeParse } from "../../core/safe-parse.ts";
import { parseIsoTime } from "../../core/time.ts";
import { emailInputs } from "../../machines/emails/inputs.ts";
import type { SourceCursor } from "../../ports/source.ts";
import type { PageRequest } from "./repository.ts";

export interface CheckedPage<Row> {
  readonly rows: readonly Row[];
  /** Rows that are not what they must be; the others are good all the same. */
  readonly unfit: number;
  /** The last row of a full page that has a place; null after a page that is not full (EMAIL-73). */
  readonly next: SourceCursor | null;
}

/** What is asked for and can be seen in the rows themselves. */
export type PageBounds = Pick<PageRequest, "since" | "limit"> & { readonly until: string | null };

/** Throws TypeError for a page of which nothing can be used: no rows, or rows out of order. */
export function checkedPage<Row extends SourceCursor>(
  name: string,
  answer: unknown,
  schema: z.core.$ZodType<Row>,
  { since, until, limit }: PageBounds,
): CheckedPage<Row> {
  if (!Array.isArray(answer)) throw new TypeError(`repository.${name} answered no array`);
  const given: readonly unknown[] = answer.slice(0, limit);
  const places = given.map(placeOf).filter((place) => place !== null);
  if (!isInOrder(places)) throw new TypeError(`repository.${name} answered rows out of order`);
  const last = places.at(-1) ?? null;
  const isFull = given.length >= limit;
  // Going on behind no row would be beginning again, for ever.
  if (isFull && last === null) throw new TypeError(`repository.${name} answered no rows`);
  const rows = given.map((row) => rowOf(schema, row)).filter((row) => row !== null);
  const fit = rows.filter(({ createdAt }) => isWithin(createdAt, since, until));
  return { rows: fit, unfit: given.length - fit.length, next: isFull ? last : null };
}

/** Where a row is in the order; null for what has no place. */
function placeOf(row: unknown): SourceCursor | null {
  try {
    const { createdAt, id }: { createdAt?: unknown; id?: unknown } = Object(row);
    return safeParse(emailInputs.cursor, { createdAt, id }).data ?? null;
  } catch {
    // Its fields cannot be read.
    return null;
  }
}

function rowOf<Row>(schema: z.core.$ZodType<Row>, row: unknown): Row | null {
  try {
    return safeParse(schema, row).data ?? null;
  } catch {
    return null;
  }
}

/** Rows of one instant are in the order of a database, which need not be ours. */
function isInOrder(places: readonly SourceCursor[]): boolean {
  const instants = places.map(({ createdAt }) => parseIsoTime(createdAt) ?? 0);
  return instants.every((at, n) => n === 0 || at >= (instants[n - 1] ?? 0));
}

/** Both ends included (EMAIL-70, EMAIL-72). */
function isWithin(createdAt: string, since: string, until: string | null): boolean {
  const at = parseIsoTime(createdAt) ?? 0;
  const end = until === null ? null : parseIsoTime(until);
  return at >= (parseIsoTime(since) ?? 0) && (end === null || at <= end);
}
