/** Calls of one name, one after the other. */

/** First come, first served; different names at the same time; a failure is its own call's alone. */
export function serialize(): <T>(name: string, work: () => Promise<T> | T) => Promise<T> {
  const tails = new Map<string, Promise<unknown>>();
  return (name, work) => {
    const before = tails.get(name) ?? Promise.resolve();
    const own = before.then(() => work());
    const tail = own.catch(() => {});
    tails.set(name, tail);
    void tail.then(() => {
      if (tails.get(name) === tail) tails.delete(name);
    });
    return own;
  };
}
