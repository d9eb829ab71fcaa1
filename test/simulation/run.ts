/** `npm run simulate -- --seeds 1000 [--from 1]`; `SEED=7 npm run simulate` repeats one and shows it. */
import { simulate } from "./simulate.ts";

function option(name: string, otherwise: number): number {
  const place = process.argv.indexOf(name);
  return place < 0 ? otherwise : Number(process.argv[place + 1]);
}

const one = process.env["SEED"];
const from = one === undefined ? option("--from", 1) : Number(one);
const seeds = one === undefined ? option("--seeds", 200) : 1;
let writes = 0;
let kills = 0;
let faults = 0;
for (let seed = from; seed < from + seeds; seed += 1) {
  const result = await simulate({ seed, isVerbose: one !== undefined });
  writes += result.writes;
  kills += result.kills;
  faults += result.faults;
  for (const violation of result.violations) console.error(`SEED=${seed} ${violation}`);
  if (result.violations.length > 0) process.exitCode = 1;
  if (seed % 100 === 0) console.error(`seed ${seed}: ${writes} writes, ${kills} kills so far`);
}
console.log(`${seeds} seeds from ${from}: ${writes} writes, ${kills} kills, ${faults} faults`);
console.log(process.exitCode === 1 ? "violations found" : "no violation");
