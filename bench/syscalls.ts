/**
 * File-system calls of one lifecycle, counted by strace; reads (of directories too) and writes are not.
 * Two runs of different length are compared, so that start and end of the process drop out.
 */
import { execFileSync, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { holdfast, type Open, originalScheme, plainLoop } from "./contenders.ts";
import { inFolder, table } from "./measure.ts";

const CONTENDERS: Readonly<Record<string, Open>> = {
  "plain loop": plainLoop,
  "the original's scheme": originalScheme,
  "Holdfast, exclusive": holdfast("exclusive"),
  "Holdfast, processes": holdfast("processes"),
};

const COUNTED = [
  ..."open openat creat close fsync fdatasync rename renameat renameat2 link linkat".split(" "),
  ..."unlink unlinkat rmdir mkdir mkdirat stat lstat fstat newfstatat statx access".split(" "),
  ..."faccessat faccessat2 ftruncate utimensat chmod fchmod".split(" "),
];

const SELF = fileURLToPath(import.meta.url);
const SHORT = 40;
const LONG = 240;

export async function syscallTable(): Promise<string> {
  if (spawnSync("strace", ["-V"]).status !== 0) return "(strace is not installed: not counted)";
  const rows: string[][] = [];
  for (const name of Object.keys(CONTENDERS)) {
    const [short, long] = [await countsOf(name, SHORT), await countsOf(name, LONG)];
    const per = (call: string): number =>
      ((long.get(call) ?? 0) - (short.get(call) ?? 0)) / (LONG - SHORT);
    const all = COUNTED.reduce((sum, call) => sum + per(call), 0);
    rows.push([name, all.toFixed(1), (per("fsync") + per("fdatasync")).toFixed(1)]);
  }
  return table(["", "calls per lifecycle", "of them fsync"], rows);
}

async function countsOf(name: string, count: number): Promise<Map<string, number>> {
  return inFolder(async (directory) => {
    const trace = join(directory, "trace");
    const strace = ["-f", "-qq", "-o", trace, "-e", `trace=${COUNTED.join(",")}`];
    const child = [process.execPath, SELF, name, String(count), join(directory, "data")];
    execFileSync("strace", [...strace, ...child], { stdio: "inherit" });
    const counts = new Map<string, number>();
    for (const [, call = ""] of readFileSync(trace, "utf8").matchAll(/^\d+ +(\w+)\(/gm)) {
      counts.set(call, (counts.get(call) ?? 0) + 1);
    }
    return counts;
  });
}

async function traced(name: string, count: number, directory: string): Promise<void> {
  const open = CONTENDERS[name];
  if (open === undefined) throw new Error(`no contender ${name}`);
  const contender = await open(directory);
  for (let n = 0; n < count; n += 1) await contender.lifecycle(`first-view:${n}`);
  await contender.close();
}

if (process.argv[1] === SELF) {
  const [name = "", count = "0", directory = ""] = process.argv.slice(2);
  await traced(name, Number(count), directory);
}
