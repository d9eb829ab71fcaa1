/** The variables among what a Worker is given as its environment. */

/** Variables that are set, by name. */
export type Texts = Readonly<Partial<Record<string, string>>>;

/**
 * Bindings are objects of the runtime's, and left out. What wrangler.toml has as a number, a list or a table
 * arrives as such, and counts as its JSON. `binding` is judged by whoever uses it.
 */
export function textsOf(env: object, binding: string | null): Texts {
  const texts: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) {
    if (name === binding) continue;
    if (typeof value === "string") texts[name] = value;
    else if (isData(value)) texts[name] = JSON.stringify(value);
  }
  return texts;
}

function isData(value: unknown): boolean {
  if (typeof value === "number" || typeof value === "boolean" || Array.isArray(value)) return true;
  return value !== null && Object.getPrototypeOf(Object(value)) === Object.prototype;
}
