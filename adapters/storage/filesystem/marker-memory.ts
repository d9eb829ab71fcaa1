/** Names of due markers that this process made or met, so that it need not look for them. */
import type { Key } from "../../../src/core/key.ts";
import { type Due, sameDue } from "../../../src/core/machine.ts";

export interface MarkerMemory {
  /** The file name of the marker of `key` for `due`, null when it is not remembered. */
  find(key: Key, due: Due): string | null;
  remember(key: Key, due: Due, file: string): void;
  /** The same, unless something is remembered of `key`: what was found may be left over. */
  learn(key: Key, due: Due, file: string): void;
  forget(key: Key): void;
  /** When others may have given all markers new names. */
  forgetAll(): void;
}

/** What is forgotten costs a listing of its bucket. */
const REMEMBERED_MAX = 20_000;

export function createMarkerMemory(): MarkerMemory {
  const known = new Map<Key, { readonly due: Due; readonly file: string }>();
  function remember(key: Key, { queue, at }: Due, file: string): void {
    known.delete(key);
    known.set(key, { due: { queue, at }, file });
    const [oldest] = known.keys();
    if (known.size > REMEMBERED_MAX && oldest !== undefined) known.delete(oldest);
  }

  return {
    find(key, due) {
      const found = known.get(key);
      return found !== undefined && sameDue(found.due, due) ? found.file : null;
    },
    remember,
    learn(key, due, file) {
      if (!known.has(key)) remember(key, due, file);
    },
    forget: (key) => void known.delete(key),
    forgetAll: () => known.clear(),
  };
}
