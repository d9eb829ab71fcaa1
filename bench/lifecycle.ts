/** Lifecycles per second, every write durable; contenders take turns in each round. */
import { join } from "node:path";
import { type Contender, holdfast, type Open, originalScheme, plainLoop } from "./contenders.ts";
import { elapsedMs, inFolder, median, repeat, table } from "./measure.ts";

const CONTENDERS: readonly (readonly [string, Open])[] = [
  ["plain loop", plainLoop],
  ["the original's scheme", originalScheme],
  ["Holdfast, exclusive", holdfast("exclusive")],
  ["Holdfast, processes", holdfast("processes")],
];

/** Rounds before the first that counts. */
const WARM_UP = 2;

export async function lifecycleTable(rounds: number, count: number): Promise<string> {
  const rows: string[][] = [];
  for (const atOnce of [1, 16]) {
    const rates = await measured(rounds, atOnce === 1 ? Math.ceil(count / 3) : count, atOnce);
    for (const [name] of CONTENDERS) {
      const ratio = (other: string): string =>
        `${Math.round(100 * median(ratios(rates, name, other)))} %`;
      rows.push([
        String(atOnce),
        name,
        median(rates.get(name) ?? []).toFixed(0),
        ratio("plain loop"),
        ratio("the original's scheme"),
      ]);
    }
  }
  const head = ["at a time", "", "lifecycles/s", "of the plain loop", "of the original's scheme"];
  return table(head, rows);
}

/** Round by round, so that a slow moment of the machine is in both. */
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
    const opened = new Map<string, Contender>();
    for (const [name, open] of CONTENDERS) {
      opened.set(name, await open(join(directory, name.replaceAll(/\W/g, "-"))));
    }
    for (let round = -WARM_UP; round < rounds; round += 1) {
      for (const name of rotated(round + WARM_UP)) {
        const contender = opened.get(name);
        if (contender === undefined) throw new Error(`no contender ${name}`);
        const ms = await elapsedMs(() =>
          repeat(count, atOnce, (n) => contender.lifecycle(`first-view:${round}-${n}`)),
        );
        if (round >= 0) rates.get(name)?.push((count / ms) * 1_000);
      }
    }
    for (const contender of opened.values()) await contender.close();
  });
  return rates;
}

/** Whoever goes first has the emptier disk, so everybody does in turn. */
function rotated(round: number): readonly string[] {
  const names = CONTENDERS.map(([name]) => name);
  const first = round % names.length;
  return [...names.slice(first), ...names.slice(0, first)];
}
