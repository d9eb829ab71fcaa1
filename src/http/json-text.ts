/** What the text of a body tells before it is parsed, and the same of what was parsed. */

export interface JsonMeasure {
  /** Members of all objects as they are written: in JSON that parses, the colons outside of strings. */
  readonly members: number;
  /** Values of all sorts, at most so many: what commas part, and what brackets begin. */
  readonly values: number;
}

/** Of any text; what it says of one that is no JSON means nothing. */
export function measureJson(text: string): JsonMeasure {
  let members = 0;
  let values = 1;
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    if (unit === QUOTE) index = endOfString(text, index);
    else if (unit === COLON) members += 1;
    else if (unit === COMMA || unit === BRACKET || unit === BRACE) values += 1;
  }
  return { members, values };
}

const QUOTE = 34;
const COMMA = 44;
const COLON = 58;
const BRACKET = 91;
const BACKSLASH = 92;
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
