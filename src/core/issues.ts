/** What zod found, in our words: for callers with messages, for stored records without any value. */
import type * as z from "zod/mini";

/** Where something is wrong, as `a.b[2]` (empty for the whole), and what. */
export interface Issue {
  readonly path: string;
  readonly message: string;
}

/** More issues than this tell a caller nothing new. */
export const ISSUES_MAX = 20;

/** What is told of a field that is not there. */
export const MISSING = "is missing";

const PATH_CHARS_MAX = 120;
const MESSAGE_CHARS_MAX = 300;

interface Findings {
  readonly issues: readonly z.core.$ZodIssue[];
}

/** The first ISSUES_MAX findings; every unknown property is one of its own. */
export function issuesOf(findings: Findings): readonly Issue[] {
  return findings.issues.flatMap(located).slice(0, ISSUES_MAX).map(toIssue);
}

/**
 * The same as one line that names paths and kinds of fault, never a value: safe to log and to show.
 * `whole` is what is told in place of an empty path.
 */
export function reasonOf(findings: Findings, whole = "record"): string {
  const found = findings.issues.flatMap(located).slice(0, ISSUES_MAX);
  return found.map((one) => toReason(one, whole)).join(", ");
}

interface Located {
  readonly path: string;
  readonly issue: z.core.$ZodIssue;
}

function located(issue: z.core.$ZodIssue): readonly Located[] {
  if (issue.code !== "unrecognized_keys") return [{ path: pathText(issue.path), issue }];
  return issue.keys.map((name) => ({ path: pathText([...issue.path, name]), issue }));
}

function toIssue({ path, issue }: Located): Issue {
  return { path, message: messageOf(path, issue).slice(0, MESSAGE_CHARS_MAX) };
}

function messageOf(path: string, { code, message }: z.core.$ZodIssue): string {
  if (code === "unrecognized_keys") return "unknown property";
  // Its message is all that tells: the value itself does not stand in an issue.
  const isMissing = code === "invalid_type" && message.endsWith("received undefined");
  return isMissing && path !== "" ? MISSING : message;
}

// An issue's message may quote the value: an application writes the messages of its own kinds.
function toReason({ path, issue }: Located, whole: string): string {
  const what = issue.code === "unrecognized_keys" ? "unknown property" : issue.code;
  return `${path === "" ? whole : path}: ${what}`;
}

function pathText(path: readonly PropertyKey[]): string {
  let text = "";
  for (const part of path) {
    if (typeof part === "number") text += `[${part}]`;
    else text += text === "" ? String(part) : `.${String(part)}`;
  }
  return text.slice(0, PATH_CHARS_MAX);
}
