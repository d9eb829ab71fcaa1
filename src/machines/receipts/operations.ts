/** The operations that receipts are kept of, and what each can result in. */
import { $ZodType } from "zod/v4/core";
import { type Issue, issuesOf } from "../../core/issues.ts";
import { type JsonValue, utf8Length } from "../../core/json.ts";
import { safeParse } from "../../core/safe-parse.ts";
import { BUILT_IN_OPERATIONS } from "./built-in-operations.ts";
import { canonicalText } from "./canonical.ts";
import { operationName, RESULT_BYTES_MAX } from "./fields.ts";

export interface Operation {
  readonly tool: string;
  readonly action: string;
  /** What a result must be; what it makes of one is stored. */
  readonly result: $ZodType;
  /** Bytes of a result as JSON without spaces. */
  readonly resultBytesMax: number;
}

/** Every operation that a deployment knows. */
export interface Operations {
  /** The library's own first. */
  readonly all: readonly Operation[];
  get(operation: { readonly tool: string; readonly action: string }): Operation | undefined;
  /**
   * What a stored result must be, of the library's own operations alone. An application's schema judges what
   * comes in and nothing that is there: a deploy may tighten it, and it may change what it reads, or throw.
   */
  storedResult(operation: { readonly tool: string; readonly action: string }): $ZodType | undefined;
}

export interface OperationOptions {
  /** As `tool` and `action` say in a key: 1 to 128 of letters, digits and `._:-`. */
  readonly tool: string;
  readonly action: string;
  /** A schema of zod or zod/mini whose checks are synchronous and whose results are JSON of at most 64 KiB. */
  readonly result: $ZodType;
}

/** An operation of an application's own. Throws TypeError for a name that is not allowed. */
export function defineOperation({ tool, action, result }: OperationOptions): Operation {
  for (const [what, name] of [
    ["tool", tool],
    ["action", action],
  ] as const) {
    const text = JSON.stringify(String(name).slice(0, 80));
    check(safeParse(operationName, name).success, `operation: the ${what} ${text} is no name`);
  }
  check(result instanceof $ZodType, `operation ${tool}/${action}: result must be a zod schema`);
  return { tool, action, result, resultBytesMax: RESULT_BYTES_MAX };
}

/** The built-in operations and an application's own. Throws TypeError when two share tool and action. */
export function operations(own: readonly Operation[]): Operations {
  const builtIn = new Map(BUILT_IN_OPERATIONS.map((operation) => [nameOf(operation), operation]));
  const known = new Map(builtIn);
  for (const operation of own) {
    const name = nameOf(operation);
    check(!known.has(name), `operation ${name} is defined twice, or built in`);
    known.set(name, operation);
  }
  return {
    all: [...known.values()],
    get: (operation) => known.get(nameOf(operation)),
    storedResult: (operation) => builtIn.get(nameOf(operation))?.result,
  };
}

/** Neither part has a slash in it. */
function nameOf({ tool, action }: { readonly tool: string; readonly action: string }): string {
  return `${tool}/${action}`;
}

/**
 * Bytes of a result as a folder writes it, indented and inside of its receipt: the limit on a record's
 * body, less the room for everything else. Only many small values deep inside reach it.
 */
const INDENTED_BYTES_MAX = 200 * 1_024;

export type ParsedResult =
  | { readonly ok: true; readonly result: JsonValue }
  | { readonly ok: false; readonly issues: readonly Issue[] };

/** Checks what comes in as a result of `operation` (RECEIPT-20). */
export function parseResult(value: unknown, operation: Operation): ParsedResult {
  const parsed = safeParse(operation.result, value);
  if (!parsed.success) return { ok: false, issues: issuesOf(parsed.error) };
  const canonical = canonicalText(parsed.data);
  if (!canonical.ok) return { ok: false, issues: [canonical.problem] };
  const text = JSON.stringify(parsed.data);
  if (utf8Length(text) > operation.resultBytesMax) {
    return refused(`must be at most ${operation.resultBytesMax} bytes as JSON`);
  }
  // As it will be read: without what JSON leaves out, and nobody else's to change.
  const stored: JsonValue = JSON.parse(text);
  const indented = JSON.stringify({ holdfast: { resolution: { result: stored } } }, null, 2);
  if (utf8Length(indented) > INDENTED_BYTES_MAX) return refused("has too many values");
  return { ok: true, result: stored };
}

function refused(message: string): ParsedResult {
  return { ok: false, issues: [{ path: "", message }] };
}

function check(condition: boolean, message: string): asserts condition {
  if (!condition) throw new TypeError(message);
}
