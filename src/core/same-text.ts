/** Comparing secrets. */

/** Whether the texts are the same; the time that it takes does not tell how much of `given` is right. */
export function isSameText(given: string, known: string): boolean {
  // Every character is looked at: an early end would tell how many of them were right.
  let difference = given.length ^ known.length;
  for (let index = 0; index < known.length; index += 1) {
    difference |= given.charCodeAt(index) ^ known.charCodeAt(index);
  }
  return difference === 0;
}
