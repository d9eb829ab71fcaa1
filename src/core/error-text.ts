/** Something that was thrown, as text. */

/**
 * The message of an error, or the text of whatever else was thrown; at most `charsMax` characters
 * (UTF-16 units), fit for storing. Never throws, whatever the value does when it is looked at.
 */
export function errorText(thrown: unknown, charsMax: number): string {
  let text = "";
  try {
    text = String(thrown instanceof Error && thrown.message !== "" ? thrown.message : thrown);
  } catch {
    // A text that cannot be had.
  }
  if (text.trim() === "") text = "an error without a text";
  // Cutting may leave half a pair.
  return text.replaceAll("\u0000", "\ufffd").slice(0, charsMax).toWellFormed();
}
