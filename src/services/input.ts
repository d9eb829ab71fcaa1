/** Checking what callers pass, at the edge of the library. */
import type * as z from "zod";
import { issuesOf } from "../machines/emails/issues.ts";
import { InvalidInputError } from "./errors.ts";

/** The value as the schema makes it. Throws InvalidInputError naming `path`. */
export function checked<T>(schema: z.ZodType<T>, value: unknown, path: string): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new InvalidInputError(
    issuesOf(parsed.error).map((issue) => ({
      path: issue.path === "" ? path : `${path}.${issue.path}`,
      message: issue.message,
    })),
  );
}

/** The same for what may be left out. */
export function checkedOptional<T>(
  schema: z.ZodType<T>,
  value: unknown,
  path: string,
): T | undefined {
  return value === undefined ? undefined : checked(schema, value, path);
}
