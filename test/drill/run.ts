/**
 * `npm run drill -- 500 processes` (or `exclusive`) on a folder; `npm run drill -- power processes` cuts the
 * power there instead, with the number of survivals drawn for each cut behind it, and one in how many cuts
 * is opened; `npm run drill -- dynamodb` (or `s3`), with the number of jobs, of kills and a seed behind it.
 */
import { powerLossDrill } from "../power-loss/power-loss.ts";
import { cloudDrill } from "./cloud.ts";
import { drill, type Sharing } from "./drill.ts";

const [first = "500", ...rest] = process.argv.slice(2);

function tell(text: string): void {
  console.error(text);
}

async function run(): Promise<{ readonly broken: readonly string[] }> {
  const sharing: Sharing = rest[0] === "exclusive" ? "exclusive" : "processes";
  if (first === "power") {
    const [seeds = 20, oneIn = 10] = rest.slice(1).map(Number);
    return powerLossDrill({ sharing, seeds, oneIn, lives: 3, progress: tell });
  }
  if (first === "dynamodb" || first === "s3") {
    const [jobs = 1_000, kills = 60, seed = 1] = rest.map(Number);
    return cloudDrill({ kind: first, jobs, kills, seed, doPassesSend: true, progress: tell });
  }
  const kills = Number(first);
  return drill(kills, sharing, (done) => {
    if (done % 25 === 0) tell(`${done} of ${kills} killed`);
  });
}

const report = await run();
console.log(JSON.stringify(report, null, 2));
process.exitCode = report.broken.length === 0 ? 0 : 1;
