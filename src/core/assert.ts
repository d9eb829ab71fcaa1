/** Bugs of the programmer: thrown here, caught nowhere. */

export class AssertionError extends Error {
  override readonly name = "AssertionError";
}

/** Throws AssertionError with `message` unless `condition` holds. */
export function assert(condition: boolean, message: string): asserts condition {
  if (!condition) throw new AssertionError(message);
}

/** Closes a `switch` over a union: adding a member makes its callers fail to compile. */
export function unreachable(value: never): never {
  throw new AssertionError(`unreachable value: ${JSON.stringify(value)}`);
}
