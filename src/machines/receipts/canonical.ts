/** The canonical text of a payload: what is hashed, so that equal payloads are known to be equal. */
import { sha256Hex } from "../../core/hash.ts";
import { JSON_DEPTH_MAX, JSON_VALUES_MAX, type JsonProblem } from "../../core/json.ts";

/** Characters of a canonical text: what one call of the HTTP interface can bring, and more. */
export const TEXT_CHARS_MAX = 4 * 1_048_576;

/** Names the transport's own request, and is no part of what is asked for. */
const TRANSPORT_FIELD = "requestId";

export type CanonicalText =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly problem: JsonProblem };

/**
 * JSON without spaces, keys in the order of their UTF-16 units; a property that is undefined, and one
 * named `requestId` at any depth, is left out (RECEIPT-5, RECEIPT-6). What JSON cannot say is a problem
 * (RECEIPT-7), and so is an instance of a class: a Date would be seen as an empty object, and payloads
 * with different dates as the same.
 */
export function canonicalText(value: unknown): CanonicalText {
  return textIn(byCodeUnits, value, TRANSPORT_FIELD);
}

/** The same with nothing left out: two results are the same only where every property is. */
export function wholeText(value: unknown): CanonicalText {
  return textIn(byCodeUnits, value, null);
}

/**
 * The hashes by which the payload may be stored, hex SHA-256: first ours; then, where it differs, that
 * of the original, which orders keys as its locale does.
 */
export function payloadHashes(
  payload: unknown,
):
  | { readonly ok: true; readonly hashes: readonly [string, ...string[]] }
  | { readonly ok: false; readonly problem: JsonProblem } {
  const ours = canonicalText(payload);
  if (!ours.ok) return ours;
  const theirs = textIn(byLocale(), payload, TRANSPORT_FIELD);
  const hash = sha256Hex(ours.text);
  if (!theirs.ok || theirs.text === ours.text) return { ok: true, hashes: [hash] };
  return { ok: true, hashes: [hash, sha256Hex(theirs.text)] };
}

type KeyOrder = (one: string, other: string) => number;

/** Two keys of one object are never the same. */
const byCodeUnits: KeyOrder = (one, other) => (one < other ? -1 : 1);

function byLocale(): KeyOrder {
  const { compare } = new Intl.Collator("en");
  return compare;
}

function textIn(order: KeyOrder, value: unknown, leftOut: string | null): CanonicalText {
  const writer = canonicalWriter(order, leftOut);
  const problem = writer.write(value, 0);
  if (problem !== null) return { ok: false, problem };
  return { ok: true, text: writer.text() };
}

interface CanonicalWriter {
  write(value: unknown, depth: number): JsonProblem | null;
  text(): string;
}

function canonicalWriter(order: KeyOrder, leftOut: string | null): CanonicalWriter {
  const parts: string[] = [];
  let values = 0;
  let chars = 0;

  /** What ends a value is put last, so that a text that became too long is always told. */
  function put(part: string): JsonProblem | null {
    parts.push(part);
    chars += part.length;
    return chars > TEXT_CHARS_MAX ? problem(`longer than ${TEXT_CHARS_MAX} characters`) : null;
  }

  function write(value: unknown, depth: number): JsonProblem | null {
    values += 1;
    if (values > JSON_VALUES_MAX) return problem(`more than ${JSON_VALUES_MAX} values`);
    if (value === null || typeof value === "boolean" || typeof value === "string") {
      return put(JSON.stringify(value));
    }
    if (typeof value === "number") {
      return Number.isFinite(value)
        ? put(JSON.stringify(value))
        : problem("a number that is not finite");
    }
    if (typeof value !== "object") return problem(`a value of type ${typeof value} is not JSON`);
    // A cycle shows as endless depth.
    if (depth >= JSON_DEPTH_MAX) return problem(`nested deeper than ${JSON_DEPTH_MAX}, or cyclic`);
    return Array.isArray(value) ? writeArray(value, depth) : writeObject(value, depth);
  }

  function writeArray(items: readonly unknown[], depth: number): JsonProblem | null {
    put("[");
    for (let index = 0; index < items.length; index += 1) {
      if (index > 0) put(",");
      const found = write(items[index], depth + 1);
      if (found !== null) return below(`[${index}]`, found);
    }
    return put("]");
  }

  function writeObject(value: object, depth: number): JsonProblem | null {
    if (!isPlain(value)) return problem("an instance of a class is not JSON");
    const entries = Object.entries(value)
      .filter(([name, child]) => child !== undefined && name !== leftOut)
      .sort(([one], [other]) => order(one, other));
    put("{");
    for (const [index, [name, child]] of entries.entries()) {
      put(`${index > 0 ? "," : ""}${JSON.stringify(name)}:`);
      const found = write(child, depth + 1);
      if (found !== null) return below(name, found);
    }
    return put("}");
  }

  return { write, text: () => parts.join("") };
}

/** Also of another realm, such as a worker's or a test runner's, which has an Object of its own. */
function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype === null || prototype === Object.prototype) return true;
  if (typeof prototype !== "object" || prototype === null) return false;
  return Object.getPrototypeOf(prototype) === null && Object.hasOwn(prototype, "isPrototypeOf");
}

function problem(message: string): JsonProblem {
  return { path: "", message };
}

const PATH_CHARS_MAX = 120;

function below(name: string, { path, message }: JsonProblem): JsonProblem {
  const dot = path === "" || path.startsWith("[") ? "" : ".";
  return { path: `${name}${dot}${path}`.slice(0, PATH_CHARS_MAX), message };
}
