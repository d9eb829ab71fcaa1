/** The kinds of email: what a payload of each holds, and how its jobs are treated. */
import * as z from "zod/mini";
import { $ZodObject } from "zod/v4/core";
import { BUILT_IN_KINDS } from "./built-in-kinds.ts";
import type { PrepareEmail } from "./content.ts";
import { JOB_FIELDS, MAX_ATTEMPTS_DEFAULT } from "./fields.ts";

export interface EmailKind {
  /** What `type` says in payloads and records. */
  readonly name: string;
  /** The payload's own fields, without `type` and `recipient`; unknown ones are refused. */
  readonly payload: $ZodObject;
  /** Whether a job waits until an AI wrote its text before it is made ready. */
  readonly waitsForAi: boolean;
  /** Lease acquisitions after which a job is failed instead of leased; 1 to 100. */
  readonly maxAttempts: number;
  /** Null: the pass never leases its jobs; whoever else leases them delivers them. */
  readonly prepare: PrepareEmail | null;
  /** What a send whose outcome is not known comes to: another attempt, or the end. */
  readonly unknown: "retry" | "fail";
}

/** Every kind that a deployment knows, by name. */
export type EmailKinds = ReadonlyMap<string, EmailKind>;

export interface EmailKindOptions {
  /** Lower-case letters, digits and `-`, not beginning with `-`; at most 63. */
  readonly name: string;
  /**
   * A `z.object`, of zod or zod/mini, of the payload's own fields, all of its checks synchronous. What it
   * makes of a payload is stored, so that must be JSON and must fit the schema again.
   */
  readonly payload: $ZodObject;
  /** Default false. */
  readonly waitsForAi?: boolean;
  /** 1 to 100; default 3. */
  readonly maxAttempts?: number;
  /**
   * Looks whether a job is still valid and renders it, just before it is sent; null cancels it. Without
   * it the pass leaves the kind's jobs to workers of your own.
   */
  readonly prepare?: PrepareEmail;
  /**
   * After a send that may or may not have happened: `retry` (default) makes another attempt, with the
   * same idempotency key; `fail` fails the job, and its lastError says so.
   */
  readonly unknown?: "retry" | "fail";
}

/** How a deployment validates and renders built-in kinds, by their names. */
export type Prepares = Readonly<Record<string, PrepareEmail>>;

/** Lease acquisitions of built-in kinds, by their names. */
export type AttemptsByKind = Readonly<Record<string, number>>;

/** Past this many tries a job is not unlucky but broken. */
export const MAX_ATTEMPTS_MAX = 100;

const KIND_NAME = /^[a-z0-9][a-z0-9-]{0,62}$/;

/**
 * A kind of an application's own. Throws TypeError when the name, the number of attempts or a field's
 * name is not allowed: a payload lies flat in its record, so the record's field names are taken.
 */
export function defineEmailKind(options: EmailKindOptions): EmailKind {
  const { name, payload, waitsForAi = false, maxAttempts = MAX_ATTEMPTS_DEFAULT } = options;
  check(
    typeof name === "string" && KIND_NAME.test(name),
    `email kind ${quoted(name)}: a name is 1 to 63 of a-z, 0-9 and "-", the first not "-"`,
  );
  check(payload instanceof $ZodObject, `email kind ${quoted(name)}: payload must be a z.object`);
  for (const field of Object.keys(payload._zod.def.shape)) {
    check(!isReserved(field), `email kind ${quoted(name)}: the field ${quoted(field)} is reserved`);
  }
  checkAttempts(name, maxAttempts);
  const { prepare = null, unknown = "retry" } = options;
  check(isHook(prepare), `email kind ${quoted(name)}: prepare must be a function`);
  check(
    unknown === "retry" || unknown === "fail",
    `email kind ${quoted(name)}: unknown is "retry" or "fail"`,
  );
  const strict = z.clone(payload, { ...payload._zod.def, catchall: z.never() });
  return { name, payload: strict, waitsForAi, maxAttempts, prepare, unknown };
}

/**
 * The built-in kinds, prepared by `prepares` and tried as often as `attempts` says where those name them,
 * and an application's own. Throws TypeError when two share a name, or one is named that is not built in.
 */
export function emailKinds(
  own: readonly EmailKind[],
  prepares: Prepares = {},
  attempts: AttemptsByKind = {},
): EmailKinds {
  const kinds = new Map<string, EmailKind>(BUILT_IN_KINDS.map((kind) => [kind.name, kind]));
  const builtIn = new Set(kinds.keys());
  for (const [name, prepare] of Object.entries(prepares)) {
    const kind = kinds.get(name);
    check(kind !== undefined, `prepare: no kind ${quoted(name)} is built in`);
    check(isHook(prepare), `prepare: that of ${quoted(name)} must be a function`);
    kinds.set(name, { ...kind, prepare });
  }
  for (const [name, maxAttempts] of Object.entries(attempts)) {
    const kind = kinds.get(name);
    check(kind !== undefined, `maxAttempts: no kind ${quoted(name)} is built in`);
    checkAttempts(name, maxAttempts);
    kinds.set(name, { ...kind, maxAttempts });
  }
  for (const kind of own) {
    check(!builtIn.has(kind.name), `email kind ${quoted(kind.name)} is built in`);
    check(!kinds.has(kind.name), `email kind ${quoted(kind.name)} is defined twice`);
    kinds.set(kind.name, kind);
  }
  return kinds;
}

function checkAttempts(name: string, maxAttempts: number): void {
  check(
    Number.isInteger(maxAttempts) && maxAttempts >= 1 && maxAttempts <= MAX_ATTEMPTS_MAX,
    `email kind ${quoted(name)}: maxAttempts is a whole number from 1 to ${MAX_ATTEMPTS_MAX}`,
  );
}

function isHook(prepare: unknown): boolean {
  return prepare === null || typeof prepare === "function";
}

// `holdfast` is where a stored record keeps what is not the original's.
function isReserved(field: string): boolean {
  return JOB_FIELDS.has(field) || field === "holdfast" || field === "__proto__";
}

function quoted(text: unknown): string {
  return JSON.stringify(String(text).slice(0, 80));
}

function check(condition: boolean, message: string): asserts condition {
  if (!condition) throw new TypeError(message);
}
