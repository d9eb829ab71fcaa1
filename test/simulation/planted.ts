/** Faults that a storage, or the product on it, could have: a checker that does not see them proves nothing. */
import type { Backend, Storage } from "../../src/ports/backend.ts";
import type { Random } from "../../src/ports/random.ts";
import type { HoldfastOptions } from "../../src/services/options.ts";

export type Spoil = (options: HoldfastOptions) => HoldfastOptions;

/** Every backend that a process opens, changed. */
export function spoiled(change: (backend: Backend) => Partial<Backend>): Spoil {
  return ({ storage, ...options }) => {
    const other: Storage = {
      async open(context) {
        const backend = await storage.open(context);
        return { ...backend, ...change(backend) };
      },
    };
    return { ...options, storage: other };
  };
}

type Body = Record<string, unknown>;

/** What is written, and where, is written otherwise. */
export function rewritten(rewrite: (key: string, body: Body) => Body | null): Spoil {
  return spoiled((backend) => ({
    putIf(key, text, condition) {
      const body = text === "" ? null : rewrite(key, JSON.parse(text));
      return backend.putIf(key, body === null ? text : JSON.stringify(body), condition);
    },
  }));
}

/** The conditions of the keys that `is` names are not checked. */
export function unconditional(is: (key: string) => boolean): Spoil {
  return spoiled((backend) => ({
    async putIf(key, body, condition) {
      if (!is(key)) return backend.putIf(key, body, condition);
      const current = await backend.get(key);
      return backend.putIf(key, body, { ...condition, expected: current?.version ?? "absent" });
    },
  }));
}

/** A number, a token or an id that is made is one of a few. */
export function repeating(few: number): Spoil {
  return (options) => {
    const { random } = options;
    if (random === undefined) throw new TypeError("a simulated process has its randomness");
    const other: Random = {
      ...random,
      bytes(count) {
        const bytes = random.bytes(count);
        // Only tokens are of sixteen; write ids stay what they are.
        return count === 16 ? new Uint8Array(count).fill((bytes[0] ?? 0) % few) : bytes;
      },
    };
    return { ...options, random: other };
  };
}
