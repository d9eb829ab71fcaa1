/** Which name was meant by one that nothing has. */

/** Slips of a finger. What differs in more is another word. */
const DISTANCE_MAX = 2;

/** The one of `known` that `name` is a slip of, whatever its case, or null. */
export function nearestName(name: string, known: readonly string[]): string | null {
  const word = name.toUpperCase();
  let nearest: string | null = null;
  let least = DISTANCE_MAX + 1;
  for (const candidate of known) {
    const other = candidate.toUpperCase();
    // Also saves the work for a name of any length.
    if (Math.abs(word.length - other.length) > DISTANCE_MAX) continue;
    const distance = editDistance(word, other);
    // Two of three letters are not a slip.
    if (distance >= least || distance * 2 > Math.max(word.length, other.length)) continue;
    nearest = candidate;
    least = distance;
  }
  return nearest;
}

/** How many characters have to be put in, taken out or changed. */
function editDistance(from: string, to: string): number {
  let above = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let row = 1; row <= from.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= to.length; column += 1) {
      const changed = (above[column - 1] ?? 0) + (from[row - 1] === to[column - 1] ? 0 : 1);
      const taken = (above[column] ?? 0) + 1;
      const put = (current[column - 1] ?? 0) + 1;
      current.push(Math.min(changed, taken, put));
    }
    above = current;
  }
  return above[to.length] ?? 0;
}
