/** Doing many things, a few at a time. */

/** `work` for every item, at most `atOnce` at a time, begun in order; results in the items' order. */
export async function mapLimited<T, R>(
  items: readonly T[],
  atOnce: number,
  work: (item: T) => Promise<R>,
): Promise<R[]> {
  const results: R[] = [];
  const queue = items.entries();
  const runner = async (): Promise<void> => {
    for (const [index, item] of queue) results[index] = await work(item);
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, runner));
  return results;
}
