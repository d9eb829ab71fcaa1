/** A body as JSON text, where JSON can say it: what the library refuses is not sent as something else. */
import { invalid } from "./errors.ts";

/** The service takes less; a cycle shows as endless depth. */
const DEPTH_MAX = 64;

const PATH_CHARS_MAX = 120;

/**
 * Throws HoldfastError `invalid_request`, which names the place, for what JSON would turn into something
 * else: a Date or another instance of a class, a bigint, a function, a number that is not finite, a hole
 * in an array. A property that is undefined is left out.
 */
export function jsonText(body: unknown): string | undefined {
  if (body === undefined) return undefined;
  check(body, "", 0);
  return JSON.stringify(body);
}

function check(value: unknown, path: string, depth: number): void {
  const problem = problemOf(value, depth);
  if (problem !== "") throw invalid(`${path.slice(0, PATH_CHARS_MAX) || "the body"}: ${problem}`);
  if (Array.isArray(value)) {
    for (let n = 0; n < value.length; n += 1) check(value[n], `${path}[${n}]`, depth + 1);
  } else if (typeof value === "object" && value !== null) {
    for (const [name, inner] of Object.entries(value)) {
      if (inner !== undefined) check(inner, path === "" ? name : `${path}.${name}`, depth + 1);
    }
  }
}

/** Empty: none. */
function problemOf(value: unknown, depth: number): string {
  if (depth > DEPTH_MAX) return "is nested too deep, or cyclic";
  if (typeof value === "number" && !Number.isFinite(value)) return "is not finite";
  if (typeof value === "object") return isPlain(value) ? "" : "is an instance of a class, not JSON";
  return /^(string|number|boolean)$/.test(typeof value)
    ? ""
    : `is of type ${typeof value}, not JSON`;
}

/** Also one of another realm, such as a frame's. */
function isPlain(value: object | null): boolean {
  if (value === null || Array.isArray(value)) return true;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}
