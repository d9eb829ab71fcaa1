/** The text that an AI writes about two recordings, held to what is asked of it. */

/** Characters (UTF-16 units) of a text when it comes in; longer ones are not looked at. */
const GIVEN_CHARS_MAX = 2_000;

/** And once its white space is collapsed. */
const SENTENCE_CHARS_MAX = 320;

const SENTENCE_END = /[.!?](?=\s|$)/g;

/**
 * `text` with its white space collapsed, where that is exactly one sentence of 1 to 320 characters
 * (UTF-16 units) without angle brackets; null where it is not (EMAIL-87). A sentence has a letter or a
 * digit and ends with `.`, `!` or `?`, and none of these stands before a space within it, not even in an
 * abbreviation.
 */
export function oneSentence(text: string): string | null {
  if (text.length > GIVEN_CHARS_MAX) return null;
  const sentence = text.replace(/\s+/g, " ").trim();
  if (sentence.length > SENTENCE_CHARS_MAX || /[<>]/.test(sentence)) return null;
  const ends = sentence.match(SENTENCE_END) ?? [];
  const isOne = ends.length === 1 && /[.!?]$/.test(sentence) && /[\p{L}\p{N}]/u.test(sentence);
  return isOne ? sentence : null;
}
