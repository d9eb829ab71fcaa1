/** `npm run bench`: everything, into bench/results/emails-on-a-folder.md. `-- --quick` for a glance. */
import { mkdirSync, writeFileSync } from "node:fs";
import { cpus, release, type } from "node:os";
import { fileURLToPath } from "node:url";
import { contentionTable } from "./contention.ts";
import { lifecycleTable } from "./lifecycle.ts";
import { millionTable } from "./million.ts";
import { syscallTable } from "./syscalls.ts";

const isQuick = process.argv.includes("--quick");

const SECTIONS: readonly (readonly [string, () => Promise<string>])[] = [
  [
    "Lifecycle: enqueue, ready, lease, sent",
    () => lifecycleTable(isQuick ? 2 : 7, isQuick ? 90 : 900),
  ],
  [
    "File-system calls per lifecycle (strace; reads, also of directories, and writes not counted)",
    syscallTable,
  ],
  ["Leasing the next due job", () => millionTable(isQuick ? 20_000 : 1_000_000)],
  ["Contention", contentionTable],
];

const machine = `${cpus().length} × ${cpus()[0]?.model ?? "?"}, ${type()} ${release()}, Node ${process.version}`;
const parts = ["# Emails on a folder", "", machine, ""];
for (const [title, measure] of SECTIONS) {
  console.error(`measuring: ${title}`);
  parts.push(`## ${title}`, "", await measure(), "");
}
const report = parts.join("\n");
console.log(report);
if (!isQuick) {
  const results = fileURLToPath(new URL("../../bench/results/", import.meta.url));
  mkdirSync(results, { recursive: true });
  writeFileSync(`${results}emails-on-a-folder.md`, report);
}
