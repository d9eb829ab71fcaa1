/** Looking at values that somebody else made, which may throw at whoever looks. */

/** `value instanceof type`; false for what cannot be asked. */
export function isOf<T>(value: unknown, type: abstract new (...args: never[]) => T): value is T {
  try {
    return value instanceof type;
  } catch {
    return false;
  }
}

/** `value[name]`; undefined where there is no such thing, or it cannot be had. */
export function fieldOf(value: unknown, name: string): unknown {
  try {
    return Object(value)[name];
  } catch {
    return undefined;
  }
}
