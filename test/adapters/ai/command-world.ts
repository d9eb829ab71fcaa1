/** Real commands for the tests: scripts in a folder of their own, and what became of their processes. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { commandRunner } from "../../../adapters/ai/command/index.ts";
import type { RunnerWorld, Script } from "./runner-contract.ts";

/** Appends what it reads to `prompts`, and plays its script when its input has ended. */
const PROVIDER = `
import { appendFileSync, openSync, writeFileSync, writeSync } from "node:fs";
const [, , folder, text] = process.argv;
const { kind, parts, chars } = JSON.parse(text);
writeFileSync(folder + "/pid-" + process.pid, "");
process.stdin.on("data", (bytes) => appendFileSync(folder + "/prompts", bytes));
process.stdin.on("end", () => {
  for (const part of parts ?? []) writeSync(1, part);
  if (kind === "fails") {
    writeSync(2, "no answer to: What does the naïve 🙂 ask\\nin two lines?\\n");
    process.exitCode = 7;
  }
  if (kind === "hangs") setInterval(() => {}, 60_000);
  if (kind === "floods") flood();
});
function flood() {
  const progress = openSync(folder + "/progress", "w");
  const piece = Buffer.alloc(50_000, "x");
  for (let said = 0; said < chars; said += piece.length) {
    writeSync(progress, String(said).padEnd(12), 0);
    for (let at = 0; at < piece.length; ) at += writeSync(1, piece, at);
  }
  writeSync(progress, String(chars).padEnd(12), 0);
}
// By the time of this, input that was there has been read.
let turns = 20;
(function turn() {
  if (turns-- > 0) return setImmediate(turn);
  writeFileSync(folder + "/ready", "");
})();
`;

const LOOK_MS = 10;
/** A provider that writes is seen to within this time, or it is blocked. */
const STILL_MS = 400;

export async function commandWorld(script: Script): Promise<RunnerWorld> {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-command-"));
  const file = join(folder, "provider.mjs");
  writeFileSync(file, PROVIDER);
  const command = [process.execPath, file, folder, JSON.stringify(script)];
  const read = (name: string): string => {
    const isThere = readdirSync(folder).includes(name);
    return isThere ? readFileSync(join(folder, name), "utf8") : "";
  };
  return {
    runner: commandRunner({ command, env: {} }),
    received: () => read("prompts"),
    async arrived() {
      while (!readdirSync(folder).includes("ready")) await setTimeout(LOOK_MS);
    },
    async gone() {
      for (const name of readdirSync(folder)) {
        const [, pid] = /^pid-(\d+)$/.exec(name) ?? [];
        if (pid !== undefined && isAlive(Number(pid))) throw new Error(`${pid} is left`);
      }
    },
    async blocked() {
      for (let before = ""; ; ) {
        await setTimeout(STILL_MS);
        const now = read("progress");
        if (now !== "" && now === before) return Number(now);
        before = now;
      }
    },
    async close() {
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Not of one that has ended and that its new parent has not asked for yet. */
export function isAlive(pid: number): boolean {
  try {
    return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, "latin1"));
  } catch {
    return false;
  }
}
