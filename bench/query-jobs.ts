/** Queries to measure with: their requests, what is answered to them, and what is written for them. */
import type { Key } from "../src/core/key.ts";
import type { Storage } from "../src/ports/backend.ts";
import type { Runner } from "../src/ports/runner.ts";

/** Of the `n`th client job, in a session of its own. */
export function requestOf(n: number) {
  const clientJobId = `11111111-1111-4111-8111-${String(n).padStart(12, "0")}`;
  return { clientJobId, generation: 1, sessionId: `session-${n}`, query: "What is known of it?" };
}

const PARAGRAPH =
  "A durable answer is written down before anybody sees it: whoever comes back reads on from where " +
  'the connection broke, and nobody is told "done" of what could still be lost.\n\n';

/** Plain text of so many bytes, quotes and ends of lines among it. */
export function answerText(bytes: number): string {
  return PARAGRAPH.repeat(Math.ceil(bytes / PARAGRAPH.length)).slice(0, bytes);
}

export function* deltasOf(text: string, size: number): Generator<string> {
  for (let from = 0; from < text.length; from += size) yield text.slice(from, from + size);
}

/** A provider that says `text` in deltas of `size`, and does `between` after each. */
export function providerSaying(
  text: string,
  size: number,
  between: () => Promise<void> = async () => {},
): Runner {
  return {
    async run(_execution, { started, ownership, delta }) {
      await started({});
      await ownership({});
      for (const piece of deltasOf(text, size)) {
        await delta(piece);
        await between();
      }
      return {};
    },
  };
}

/** The same storage; `told` hears of every write when it is durable. */
export function toldStorage(storage: Storage, told: (key: Key, body: string) => void): Storage {
  return {
    async open(context) {
      const backend = await storage.open(context);
      return {
        ...backend,
        async putIf(key, body, condition) {
          const verdict = await backend.putIf(key, body, condition);
          if (verdict.kind === "stored") told(key, body);
          return verdict;
        },
      };
    },
  };
}
