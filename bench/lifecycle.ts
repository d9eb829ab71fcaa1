/** Lifecycles per second, every write durable; contenders take turns in each round. */
import { join } from "node:path";
import { holdfast, type Open, originalScheme, plainLoop } from "./contenders.ts";
import { elapsedMs, inFolder, median, repeat, table } from "./measure.ts";

const CONTENDERS: readonly (readonly [string, Open])[] = [
  ["plain loop", plainLoop],
  ["the original's scheme", originalScheme],
  ["Holdfast, exclusive", holdfast("exclusive")],
  ["Holdfast, processes", holdfast("processes")],
];

export async function lifecycleTable(rounds: number, count: number): Promise<string> {
  const rows: string[][] = [];
  for (const atOnce of [1, 16]) {
    const rates = await measured(rounds, count, atOnce);
    const of = (name: string): number => median(rates.get(name) ?? []);
    for (const [name] of CONTENDERS) {
      const ratio = (other: string): string =>
        `${Math.round(100 * median(ratios(rates, name, other)))} %`;
      rows.push([
        String(atOnce),
        name,
        of(name).toFixed(0),
        ratio("plain loop"),
        ratio("the original's scheme"),
      ]);
    }
  }
  const head = ["at a time", "", "lifecycles/s", "of the plain loop", "of the original's scheme"];
  return table(head, rows);
}

/** Whoever goes first has the emptier disk, so everybody does in turn. */
function rotated(round: number): readonly (readonly [string, Open])[] {
  const first = round % CONTENDERS.length;
  return [...CONTENDERS.slice(first), ...CONTENDERS.slice(0, first)];
}

function ratios(rates: ReadonlyMap<string, number[]>, name: string, other: string): number[] {
  const others = rates.get(other) ?? [];
  return (rates.get(name) ?? []).map((rate, round) => rate / (others[round] ?? Number.NaN));
}

async function measured(
  rounds: number,
  count: number,
  atOnce: number,
): Promise<Map<string, number[]>> {
  const rates = new Map<string, number[]>(CONTENDERS.map(([name]) => [name, []]));
  await inFolder(async (directory) => {
    // The first round warms up and is not counted.
    for (let round = 0; round <= rounds; round += 1) {
      for (const [name, open] of rotated(round)) {
        const contender = await open(join(directory, `${round}-${name.replaceAll(/\W/g, "-")}`));
        const ms = await elapsedMs(() =>
          repeat(count, atOnce, (n) => contender.lifecycle(`first-view:${round}-${n}`)),
        );
        await contender.close();
        if (round > 0) rates.get(name)?.push((count / ms) * 1_000);
      }
    }
  });
  return rates;
}
