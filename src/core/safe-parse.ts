/**
 * Checking by schemas: by ours, which are of zod/mini since bundles carry little of that, and by those of an
 * application, which may be of either.
 */
import { en } from "zod/locales";
import * as z from "zod/mini";

/** zod/mini has no words of its own, and what an application sets for all of zod is not for our callers. */
const ENGLISH = { error: en().localeError };

/** What the schema makes of `value`, or what is wrong with it. */
export function safeParse<S extends z.core.$ZodType>(
  schema: S,
  value: unknown,
): z.core.util.SafeParseResult<z.output<S>> {
  return z.safeParse(schema, value, ENGLISH);
}
