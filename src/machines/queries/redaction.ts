/** Takes credentials and local paths out of what a provider says of itself (semantics C1). */
import { type CutText, cutText } from "./text.ts";

const HIDDEN = "[redacted]";
const PATH = "[path]";

/** Characters that are looked at. The rest is dropped before, so that a huge text costs no more. */
const LOOKED_AT_CHARS_MAX = 16_000;

// Each takes time in proportion to the text: nothing in them can match one place in two ways.
const RULES: readonly (readonly [pattern: RegExp, instead: string])[] = [
  // biome-ignore lint/suspicious/noControlCharactersInRegex: -- these are what is taken out.
  [/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/g, " "],
  [/\r\n?/g, "\n"],
  [/(?:bearer|basic)\s+[\w.~+/=-]{8,}/gi, HIDDEN],
  [
    /(?<![A-Za-z0-9])(?:sk|pk|rk|hf|npm|ya29|gh[opusr]|github_pat|glpat|xox[abeoprs])[-_.][\w-]{12,}/g,
    HIDDEN,
  ],
  [/(?<![A-Za-z0-9])(?:AKIA|ASIA|AIza|eyJ)[\w.-]{12,}/g, HIDDEN],
  [/(?:api[ _-]?key|access[ _-]?token)["']?\s*[:=]\s*["']?[^\s"',;]+/gi, HIDDEN],
  // The scheme of an authorization stands before its credential.
  [/authorization["']?\s*[:=]\s*["']?(?:[a-z]{1,16} +)?[^\s"',;]+/gi, HIDDEN],
  [/(?<![\w.])\/(?:home|users|root|tmp|private|var|volumes?|mnt)\b[^\s"'`<>|]*/gi, PATH],
  [/(?<![a-z])[a-z]:[\\/][^\s"'`<>|]*/gi, PATH],
  [/\\\\[^\s\\"'`<>|]+\\[^\s"'`<>|]*/g, PATH],
  [/(?<!\w)~[\\/][^\s"'`<>|]*/g, PATH],
  [/[ \t]+/g, " "],
  [/\n{3,}/g, "\n\n"],
];

/**
 * `text` without credentials, local paths and control characters, trimmed, at most `charsMax` characters.
 * Empty when nothing is left. Redacting again changes nothing.
 */
export function redacted(text: string, charsMax: number): CutText {
  const looked = cutText(text.toWellFormed(), LOOKED_AT_CHARS_MAX);
  const cut = cutText(hidden(looked.text), charsMax);
  if (!cut.isCut) return { text: cut.text, isCut: looked.isCut };
  // The cut may have ended a longer word at one that is hidden.
  return { text: cutText(hidden(cut.text), charsMax).text.trimEnd(), isCut: true };
}

function hidden(text: string): string {
  let shown = text;
  for (const [pattern, instead] of RULES) shown = shown.replace(pattern, instead);
  return shown.trim();
}
