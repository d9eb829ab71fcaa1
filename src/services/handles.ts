/** Answers that remember the record behind them, so that passing one back saves a read. */
import type { Stored } from "../store/store.ts";

export interface Handles {
  /** A copy of `value`, frozen, that stands for `stored`: what is answered is shared with it. */
  answered<T extends object>(value: T, stored: Stored): T;
  /** The record that this service answered `value` from; null: it did not. */
  recordOf(value: object): Stored | null;
}

export function handles(): Handles {
  // This service's own mark: what another one answered stands for no record of ours. A WeakMap would say
  // the same, and its upkeep in the garbage collector cost a quarter of a command.
  const RECORD = Symbol("record");
  return {
    answered: (value, stored) =>
      deepFreeze(Object.defineProperty({ ...value }, RECORD, { value: stored })),
    recordOf: (value) => (value as { readonly [RECORD]?: Stored })[RECORD] ?? null,
  };
}

export function deepFreeze<T>(value: T): T {
  if (typeof value === "object" && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const child of Object.values(value)) deepFreeze(child);
  }
  return value;
}
