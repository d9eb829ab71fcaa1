import { describe, expect, it } from "vitest";
import type { Backend, Storage } from "../../src/ports/backend.ts";
import { simulate } from "./simulate.ts";

const SEEDS = Number(process.env["SEEDS"] ?? 50);
const FIRST = Number(process.env["SEED"] ?? 1);
const COUNT = process.env["SEED"] === undefined ? SEEDS : 1;

describe("simulation of the email machine", () => {
  it(`keeps its laws under ${COUNT} seeds from ${FIRST}`, { timeout: 600_000 }, async () => {
    let writes = 0;
    let kills = 0;
    for (let seed = FIRST; seed < FIRST + COUNT; seed += 1) {
      const result = await simulate({ seed });
      expect(result.violations, `SEED=${seed} npm run simulate repeats this`).toEqual([]);
      writes += result.writes;
      kills += result.kills;
    }
    expect(writes).toBeGreaterThan(COUNT * 20);
    expect(kills).toBeGreaterThan(0);
  });

  it("repeats a seed exactly", { timeout: 60_000 }, async () => {
    const [one, two] = [await simulate({ seed: 7 }), await simulate({ seed: 7 })];
    expect(two.digest).toBe(one.digest);
    expect((await simulate({ seed: 8 })).digest).not.toBe(one.digest);
  });
});

/** Wraps every backend that a storage opens. */
function spoiled(change: (backend: Backend) => Partial<Backend>): (storage: Storage) => Storage {
  return (storage) => ({
    open: async (context) => {
      const backend = await storage.open(context);
      return { ...backend, ...change(backend) };
    },
  });
}

/** Faults that a storage could have; a checker that does not see them proves nothing. */
const PLANTED: Readonly<Record<string, (storage: Storage) => Storage>> = {
  "a replacement whose condition is not checked": spoiled((backend) => ({
    async putIf(key, body, condition) {
      const current = condition.expected === "absent" ? null : await backend.get(key);
      const expected = current?.version ?? condition.expected;
      return backend.putIf(key, body, { ...condition, expected });
    },
  })),
  "a creation that replaces": spoiled((backend) => ({
    async putIf(key, body, condition) {
      const current = condition.expected === "absent" ? await backend.get(key) : null;
      const expected = current?.version ?? condition.expected;
      return backend.putIf(key, body, { ...condition, expected });
    },
  })),
  "a lost reply that is told as a refusal": spoiled((backend) => ({
    async putIf(key, body, condition) {
      try {
        return await backend.putIf(key, body, condition);
      } catch {
        return { kind: "refused", current: null };
      }
    },
  })),
  "a due time that is not indexed": spoiled((backend) => ({
    putIf: (key, body, condition) =>
      body === ""
        ? Promise.resolve({ kind: "refused", current: "unread" })
        : backend.putIf(key, body, { ...condition, due: null }),
  })),
};

describe("the simulation can fail", () => {
  for (const [name, spoil] of Object.entries(PLANTED)) {
    it(`notices ${name}`, { timeout: 120_000 }, async () => {
      const found: string[] = [];
      for (let seed = 1; seed <= 20 && found.length === 0; seed += 1) {
        try {
          found.push(...(await simulate({ seed, spoil })).violations);
        } catch (error) {
          found.push(String(error));
        }
      }
      expect(found).not.toEqual([]);
    });
  }
});
