/**
 * `npm run simulate -- --seeds 1000 [--from 1] [--machine emails|receipts|queries]`;
 * `SEED=7 npm run simulate -- --machine receipts` repeats one and shows it.
 */
import { MACHINES, simulate } from "./simulate.ts";

function option(name: string): string | undefined {
  const place = process.argv.indexOf(name);
  return place < 0 ? undefined : process.argv[place + 1];
}

const one = process.env["SEED"];
const from = Number(one ?? option("--from") ?? 1);
const seeds = one === undefined ? Number(option("--seeds") ?? 200) : 1;
const asked = option("--machine");
const machines = MACHINES.filter(({ name }) => asked === undefined || name === asked);
if (machines.length === 0) {
  const names = MACHINES.map(({ name }) => name).join(", ");
  throw new Error(`--machine ${asked} is none: take one of ${names}, or leave it out for all`);
}

for (const machine of machines) {
  let [writes, kills, faults] = [0, 0, 0];
  for (let seed = from; seed < from + seeds; seed += 1) {
    const result = await simulate({ seed, machine, isVerbose: one !== undefined });
    writes += result.writes;
    kills += result.kills;
    faults += result.faults;
    for (const violation of result.violations) {
      console.error(`SEED=${seed} --machine ${machine.name}: ${violation}`);
    }
    if (result.violations.length > 0) process.exitCode = 1;
    if (seed % 100 === 0) console.error(`${machine.name} ${seed}: ${writes} writes so far`);
  }
  console.log(
    `${machine.name}: ${seeds} seeds from ${from}: ${writes} writes, ${kills} kills, ${faults} faults`,
  );
}
console.log(process.exitCode === 1 ? "violations found" : "no violation");
