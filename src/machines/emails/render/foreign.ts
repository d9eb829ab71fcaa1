/** Words of others (titles, names, texts, links), made fit to stand among ours. */

/** Words that are not ours. HTML escapes them and keeps their direction of writing to themselves. */
export interface Foreign {
  readonly foreign: string;
}

const URL_CHARS_MAX = 2_048;

/** Format characters but the joiners of scripts and emoji: they reorder or hide what stands around them. */
const INVISIBLE = /(?![\u200c\u200d])\p{Cf}/gu;

const SOMETHING_TO_SEE = /[^\s\p{Cf}\p{Cc}]/u;

/**
 * One line of at most `charsMax` characters (code points), the last one `…` where there were more. No
 * control characters, no line breaks, nothing invisible, no half surrogate pairs; null when nothing is left.
 */
export function oneLine(text: string | null, charsMax: number): string | null {
  if (text === null) return null;
  const line = text
    .toWellFormed()
    .replace(INVISIBLE, "")
    .replace(/[\s\p{Cc}]+/gu, " ")
    .trim();
  if (!SOMETHING_TO_SEE.test(line)) return null;
  const characters = Array.from(line);
  if (characters.length <= charsMax) return line;
  return `${characters
    .slice(0, charsMax - 1)
    .join("")
    .trimEnd()}…`;
}

/** Every line that says something, each as `oneLine`. */
export function paragraphsOf(text: string, charsMax: number): readonly string[] {
  return text
    .split(/[\r\n\u2028\u2029]+/)
    .map((line) => oneLine(line, charsMax))
    .filter((line) => line !== null);
}

/**
 * As browsers write it, ASCII alone; null for what is no http or https URL, and for one with a user in it,
 * which looks as if it led elsewhere.
 */
export function webUrl(text: string | null): string | null {
  if (text === null || text.length > URL_CHARS_MAX || !URL.canParse(text)) return null;
  const { protocol, href, username, password } = new URL(text);
  const isWeb = protocol === "http:" || protocol === "https:";
  return isWeb && username + password === "" ? href : null;
}

const ESCAPES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Fit for the text of an element and for an attribute in quotes. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ESCAPES[character] ?? "");
}
