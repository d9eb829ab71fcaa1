/**
 * `npm run drill -- 500 processes` (or `exclusive`) on a folder; `npm run drill -- dynamodb` (or `s3`), with
 * the number of jobs, of kills and a seed behind it.
 */
import { cloudDrill } from "./cloud.ts";
import { drill } from "./drill.ts";

const [first = "500", ...rest] = process.argv.slice(2);

function tell(text: string): void {
  console.error(text);
}

async function run(): Promise<{ readonly broken: readonly string[] }> {
  if (first === "dynamodb" || first === "s3") {
    const [jobs = 1_000, kills = 60, seed = 1] = rest.map(Number);
    return cloudDrill({ kind: first, jobs, kills, seed, doPassesSend: true, progress: tell });
  }
  const kills = Number(first);
  return drill(kills, rest[0] === "exclusive" ? "exclusive" : "processes", (done) => {
    if (done % 25 === 0) tell(`${done} of ${kills} killed`);
  });
}

const report = await run();
console.log(JSON.stringify(report, null, 2));
process.exitCode = report.broken.length === 0 ? 0 : 1;
