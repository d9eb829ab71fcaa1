/** A backend that writes down what it is asked and what it answers, into the recording of its process. */
import { openSync, writeSync } from "node:fs";
import { sha256Hex } from "../../src/core/hash.ts";
import type { Key } from "../../src/core/key.ts";
import type { Backend, Version } from "../../src/ports/backend.ts";
import type { Told } from "./operations.ts";

export interface TellingBackend extends Backend {
  /** Keys that are being written: what a reader shows of them too early may be lost. */
  readonly underWay: ReadonlySet<Key>;
}

export function tellTo(recording: string): (backend: Backend) => TellingBackend {
  const fd = openSync(recording, "a");
  let calls = 0;
  const tell = (told: Told): void => void writeSync(fd, `${JSON.stringify(told)}\n`);

  return (backend) => {
    const underWay = new Set<Key>();

    async function during<T>(key: Key, work: () => Promise<T>): Promise<T> {
      underWay.add(key);
      try {
        return await work();
      } finally {
        underWay.delete(key);
      }
    }

    return {
      ...backend,
      underWay,
      async get(key) {
        const found = await backend.get(key);
        if (found !== null) tell({ told: "shown", key, version: found.version });
        return found;
      },
      async putIf(key, body, condition) {
        calls += 1;
        const n = calls;
        const version = sha256Hex(body) as Version;
        tell({ told: "put", n, key, expected: condition.expected, version });
        const verdict = await during(key, () => backend.putIf(key, body, condition));
        tell({ told: verdict.kind, n, key });
        if (
          verdict.kind === "refused" &&
          verdict.current !== null &&
          verdict.current !== "unread"
        ) {
          tell({ told: "shown", key, version: verdict.current.version });
        }
        return verdict;
      },
      async remove(key) {
        calls += 1;
        const n = calls;
        tell({ told: "remove", n, key });
        await during(key, () => backend.remove(key));
        tell({ told: "removed", n, key });
      },
    };
  };
}
