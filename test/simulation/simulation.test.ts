import { describe, expect, it } from "vitest";
import { emails } from "./emails/machine.ts";
import type { Machine } from "./machine.ts";
import { queries } from "./queries/machine.ts";
import { receipts } from "./receipts/machine.ts";
import { simulate } from "./simulate.ts";

const FIRST = Number(process.env["SEED"] ?? 1);

/** Few: thousands are run by `npm run simulate`. */
const SEEDS: readonly (readonly [Machine, number])[] = [
  [emails, 10],
  [receipts, 3],
  [queries, 2],
];

const CASES = SEEDS.map(([machine, few]) => ({ machine, few, name: machine.name }));

describe.each(CASES)("simulation of $name", ({ machine, few }) => {
  const seeds = process.env["SEED"] === undefined ? Number(process.env["SEEDS"] ?? few) : 1;

  it(`keeps its laws under ${seeds} seeds from ${FIRST}`, { timeout: 600_000 }, async () => {
    let writes = 0;
    let kills = 0;
    for (let seed = FIRST; seed < FIRST + seeds; seed += 1) {
      const result = await simulate({ seed, machine });
      const again = `SEED=${seed} npm run simulate -- --machine ${machine.name} repeats this`;
      expect(result.violations, again).toEqual([]);
      writes += result.writes;
      kills += result.kills;
    }
    expect(writes).toBeGreaterThan(seeds * 200);
    expect(kills).toBeGreaterThan(0);
  });

  it("repeats a seed exactly", { timeout: 60_000 }, async () => {
    const digestOf = async (seed: number) => (await simulate({ seed, machine })).digest;
    expect(await digestOf(7)).toBe(await digestOf(7));
  });
});
