/** JSON as data: its types, and the check every value from outside passes before it is stored. */

export type JsonValue = null | boolean | number | string | JsonArray | JsonObject;
export type JsonArray = readonly JsonValue[];
export interface JsonObject {
  readonly [name: string]: JsonValue;
}

/**
 * `T` where all of it is what JSON can say: a Date, a bigint, a function, a symbol, or whatever has
 * methods, is `never` in its place. A property may be undefined, which JSON leaves out, and an element may
 * not. What is `unknown` shows when it is checked.
 */
export type Storable<T> = unknown extends T
  ? T
  : T extends null | undefined | boolean | number | string
    ? T
    : T extends bigint | symbol | Callable
      ? never
      : T extends readonly unknown[]
        ? // No array of them: its elements would be looked at here and now, and a type may contain itself.
          { readonly [index: number]: StorableElement<T[number]> }
        : { readonly [N in keyof T]: Storable<T[N]> };

type StorableElement<T> = unknown extends T ? T : undefined extends T ? never : Storable<T>;
type Callable = ((...args: never) => unknown) | (abstract new (...args: never) => unknown);

/** Deeper nesting than this is refused: no record needs it, and recursion over it must end. */
export const JSON_DEPTH_MAX = 32;

/** More values than this in one body are refused before they are looked at one by one. */
export const JSON_VALUES_MAX = 20_000;

export interface JsonProblem {
  /** Where, as `a.b[2]`; empty for the value itself. */
  readonly path: string;
  readonly message: string;
}

/** Whether `value` is an object of JSON (not null, not an array). Does not look inside. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * What keeps `value` from being stored as JSON and read back the same, or null: a cycle, a depth over
 * JSON_DEPTH_MAX, more than JSON_VALUES_MAX values, a number that is not finite, a property named
 * `__proto__`, an instance of a class, a function, a symbol, a bigint, NUL or half a surrogate pair in
 * a string. A property that is `undefined` is no problem: JSON leaves it out.
 */
export function jsonProblem(value: unknown): JsonProblem | null {
  let left = JSON_VALUES_MAX;

  function visit(item: unknown, depth: number): JsonProblem | null {
    left -= 1;
    if (left < 0) return problem(`more than ${JSON_VALUES_MAX} values`);
    if (typeof item === "string") return stringProblem(item);
    if (typeof item === "number") {
      return Number.isFinite(item) ? null : problem("a number that is not finite");
    }
    if (item === null || typeof item === "boolean") return null;
    if (typeof item !== "object") return problem(`a ${typeof item} is not JSON`);
    // A cycle shows as endless depth, so the depth limit finds it without remembering what was seen.
    if (depth >= JSON_DEPTH_MAX) return problem(`nested deeper than ${JSON_DEPTH_MAX}, or cyclic`);
    return Array.isArray(item) ? visitArray(item, depth) : visitObject(item, depth);
  }

  function visitArray(items: readonly unknown[], depth: number): JsonProblem | null {
    for (let index = 0; index < items.length; index += 1) {
      const found = visit(items[index], depth + 1);
      if (found !== null) return below(`[${index}]`, found);
    }
    return null;
  }

  function visitObject(item: object, depth: number): JsonProblem | null {
    const prototype: unknown = Object.getPrototypeOf(item);
    if (prototype !== Object.prototype && prototype !== null) {
      return problem("an instance of a class is not JSON");
    }
    for (const [name, child] of Object.entries(item)) {
      if (name === "__proto__") return below(name, problem("a reserved property name"));
      const found = stringProblem(name) ?? (child === undefined ? null : visit(child, depth + 1));
      if (found !== null) return below(name, found);
    }
    return null;
  }

  return visit(value, 0);
}

/** Told without a place; whoever looked inside puts the place before it. */
function problem(message: string): JsonProblem {
  return { path: "", message };
}

const PATH_CHARS_MAX = 120;

function below(name: string, { path, message }: JsonProblem): JsonProblem {
  const dot = path === "" || path.startsWith("[") ? "" : ".";
  return { path: `${name}${dot}${path}`.slice(0, PATH_CHARS_MAX), message };
}

function stringProblem(text: string): JsonProblem | null {
  if (text.includes("\u0000")) return problem("contains a NUL character");
  if (hasLoneSurrogate(text)) return problem("contains half a surrogate pair");
  return null;
}

/** Whether `text` holds half a surrogate pair, which UTF-8 cannot carry. */
export function hasLoneSurrogate(text: string): boolean {
  return !text.isWellFormed();
}

/** The number of bytes of `text` in UTF-8 (half a surrogate pair counts as the three of U+FFFD). */
export function utf8Length(text: string): number {
  let bytes = 0;
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    if (unit < 0x80) bytes += 1;
    else if (unit < 0x800) bytes += 2;
    else if (unit >= 0xd800 && unit < 0xdc00 && isLowSurrogate(text.charCodeAt(index + 1))) {
      bytes += 4;
      index += 1;
    } else bytes += 3;
  }
  return bytes;
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit < 0xe000;
}
