/** What the text of a body tells before it is parsed, and the same of what was parsed. */

export interface JsonMeasure {
  /** Members of all objects as they are written: in JSON that parses, the colons outside of strings. */
  readonly members: number;
  /** Values of all sorts, at most so many: what commas part, and what brackets begin. */
  readonly values: number;
  /** Whether every integer is read as what is written: two that become one would be one payload (G5). */
  readonly isExact: boolean;
}

/** Of any text; what it says of one that is no JSON means nothing. */
export function measureJson(text: string): JsonMeasure {
  let members = 0;
  let values = 1;
  let isExact = true;
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    if (unit === QUOTE) index = endOfString(text, index);
    else if (unit === COLON) members += 1;
    else if (unit === COMMA || unit === BRACKET || unit === BRACE) values += 1;
    else if (isOfNumber(unit)) {
      const end = endOfNumber(text, index);
      if (isExact && end - index > DIGITS_KEPT) isExact = isKept(text.slice(index, end));
      index = end - 1;
    }
  }
  return { members, values, isExact };
}

/** A double keeps every integer of so many digits. */
const DIGITS_KEPT = 15;

/**
 * A fraction is not looked at: writers round it as they please, and most that differ in writing only are
 * meant to be the same. Of an integer, however it is written (`1e3`, `1000.0`), both its own digits and
 * the shortest that lead to it are good: the latter is what JavaScript writes.
 */
function isKept(token: string): boolean {
  const written = decimalOf(token);
  if (written === null || written.exponent < 0) return true;
  const read = Math.abs(Number(token));
  // From here on there are no more digits than the largest double has, which are 309.
  if (!Number.isFinite(read)) return false;
  const shortest = decimalOf(String(read));
  if (shortest?.digits === written.digits && shortest.exponent === written.exponent) return true;
  return BigInt(read) === BigInt(written.digits + "0".repeat(written.exponent));
}

/** Digits without zeros at either end, and the power of ten that they are multiplied by; no sign. */
interface Decimal {
  readonly digits: string;
  readonly exponent: number;
}

const NUMBER = /^-?(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i;

/** Null: it is zero, or no number. */
function decimalOf(token: string): Decimal | null {
  const [, whole = "", fraction = "", power = "0"] = NUMBER.exec(token) ?? [];
  const all = whole + fraction;
  // By hand: an expression for zeros at the end looks at each run of zeros again and again.
  let start = 0;
  while (all.charCodeAt(start) === DIGIT_0) start += 1;
  let end = all.length;
  while (end > start && all.charCodeAt(end - 1) === DIGIT_0) end -= 1;
  if (start === end) return null;
  const exponent = Number(power) - fraction.length + (all.length - end);
  return { digits: all.slice(start, end), exponent };
}

function endOfNumber(text: string, start: number): number {
  let end = start + 1;
  while (end < text.length && isOfNumber(text.charCodeAt(end))) end += 1;
  return end;
}

/** Digits and signs, a point, an exponent. */
function isOfNumber(unit: number): boolean {
  if (unit <= DIGIT_9) return unit >= DIGIT_0 || unit === MINUS || unit === PLUS || unit === POINT;
  return unit === SMALL_E || unit === LARGE_E;
}

const QUOTE = 34;
const PLUS = 43;
const COMMA = 44;
const MINUS = 45;
const POINT = 46;
const DIGIT_0 = 48;
const DIGIT_9 = 57;
const COLON = 58;
const LARGE_E = 69;
const BRACKET = 91;
const BACKSLASH = 92;
const SMALL_E = 101;
const BRACE = 123;

/** Where the string that begins at `start` ends; the end of the text when it does not. */
function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (end >= 0 && isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end < 0 ? text.length : end;
}

function isEscaped(text: string, at: number): boolean {
  let before = at - 1;
  while (text.charCodeAt(before) === BACKSLASH) before -= 1;
  return (at - before) % 2 === 0;
}

/** Members of all objects. Without recursion: a body may be nested as deep as it is long. */
export function membersOf(value: unknown): number {
  let count = 0;
  const rest: unknown[] = [value];
  while (rest.length > 0) {
    const next = rest.pop();
    if (typeof next !== "object" || next === null) continue;
    const inner: unknown[] = Object.values(next);
    if (!Array.isArray(next)) count += inner.length;
    for (const one of inner) if (typeof one === "object" && one !== null) rest.push(one);
  }
  return count;
}
