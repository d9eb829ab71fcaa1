/** Checking what callers pass, at the edge of the library. */
import type * as z from "zod/mini";
import { ISSUES_MAX, issuesOf } from "../core/issues.ts";
import { nearestName } from "../core/nearest-name.ts";
import { safeParse } from "../core/safe-parse.ts";
import { type InputIssue, InvalidInputError } from "./errors.ts";

const NAME_CHARS_MAX = 80;

/** The value as the schema makes it. Throws InvalidInputError naming `path`. */
export function checked<T>(schema: z.core.$ZodType<T>, value: unknown, path: string): T {
  const parsed = safeParse(schema, value);
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
  schema: z.core.$ZodType<T>,
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

/** The same, of these names only: a slip in one would be its default without a word. */
export function namedOptions<T extends object>(
  value: T,
  names: { readonly [N in keyof Required<T>]: true },
  path: string,
): T {
  const known = Object.keys(names);
  const unknown = Object.keys(checkedOptions(value, path)).filter((name) => !known.includes(name));
  if (unknown.length === 0) return value;
  throw new InvalidInputError(
    unknown.slice(0, ISSUES_MAX).map((name) => {
      const nearest = nearestName(name, known);
      return issueBelow(path, {
        path: name.slice(0, NAME_CHARS_MAX),
        message:
          nearest === null ? "there is no such option" : `there is no such option: ${nearest}?`,
      });
    }),
  );
}
