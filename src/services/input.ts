/** Checking what callers pass, at the edge of the library. */
import type * as z from "zod";
import { issuesOf } from "../core/issues.ts";
import { type InputIssue, InvalidInputError } from "./errors.ts";

/** The value as the schema makes it. Throws InvalidInputError naming `path`. */
export function checked<T>(schema: z.ZodType<T>, value: unknown, path: string): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new InvalidInputError(issuesOf(parsed.error).map((issue) => issueBelow(path, issue)));
}

/** The issue as it is seen from the whole input, where its value stands at `path`. */
export function issueBelow(path: string, issue: InputIssue): InputIssue {
  const dot = path === "" || issue.path === "" || issue.path.startsWith("[") ? "" : ".";
  return { path: `${path}${dot}${issue.path}`, message: issue.message };
}

/** The same for what may be left out. */
export function checkedOptional<T>(
  schema: z.ZodType<T>,
  value: unknown,
  path: string,
): T | undefined {
  return value === undefined ? undefined : checked(schema, value, path);
}

/** What may be left out, but not be null: an object of options. */
export function checkedOptions<T extends object>(value: T, path: string): T {
  if (typeof value === "object" && value !== null) return value;
  throw new InvalidInputError([{ path, message: "must be an object" }]);
}
