/** Whether tests, or the simulation, pass on a copy of what is built. */
import { spawn } from "node:child_process";
import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { type Check, testFile } from "./mutant.ts";

/** What failed first, or null: nothing did. */
export type Failed = string | null;

/** Far longer than any check takes: a fault that hangs them is not shown to be caught. */
const CHECK_MS_MAX = 180_000;

/** Of what a check has told, its end. */
const TOLD_CHARS_MAX = 20_000;

/** Throws where it cannot be told: nothing was run, or it came to no end. */
export function failedIn(root: string, check: Check): Promise<Failed> {
  return "tests" in check ? failedTest(root, check) : failedSeed(root, check);
}

interface Report {
  readonly numPassedTests: number;
  readonly testResults: readonly {
    readonly status: string;
    readonly message: string;
    readonly assertionResults: readonly { readonly status: string; readonly fullName: string }[];
  }[];
}

type Tests = Extract<Check, { readonly tests: string }>;

async function failedTest(root: string, { tests, named }: Tests): Promise<Failed> {
  const out = join(root, "report.json");
  await rm(out, { force: true });
  const options = ["--bail=1", "--reporter=json", `--outputFile=${out}`];
  const only = named === undefined ? [] : ["--testNamePattern", named.replace(/[^\w ]/g, "\\$&")];
  const config = ["--config", join(root, "test/vitest.config.ts"), "--root", root];
  const vitest = [join(root, "node_modules/vitest/vitest.mjs"), "run", ...config];
  const { code, told } = await run(root, [...vitest, ...options, ...only, testFile(tests)]);
  const report: Report | null = JSON.parse(await readFile(out, "utf8").catch(() => "null"));
  const [result] = report?.testResults ?? [];
  if (report === null || result === undefined) throw new Error(`${tests} did not run: ${told}`);
  const failed = result.assertionResults.find(({ status }) => status === "failed");
  if (failed !== undefined) return failed.fullName;
  // A program that cannot even be loaded says nothing about the tests.
  if (code !== 0 || report.numPassedTests === 0) {
    throw new Error(`of ${tests} nothing failed, and nothing passed: ${result.message} ${told}`);
  }
  return null;
}

type Seeds = Extract<Check, { readonly simulation: string }>;

async function failedSeed(root: string, { simulation, seeds }: Seeds): Promise<Failed> {
  const file = join(root, "dist/test/simulation/run.js");
  const options = ["--machine", simulation, "--seeds", String(seeds)];
  const { code, told } = await run(root, [file, ...options]);
  const [, violation = null] = /^(SEED=.*)$/m.exec(told) ?? [];
  if (code !== 0 && violation === null) throw new Error(`the simulation did not run: ${told}`);
  return violation;
}

function run(cwd: string, args: readonly string[]): Promise<{ code: number; told: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, { cwd, stdio: ["ignore", "pipe", "pipe"] });
    let told = "";
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (text: string) => {
        told = (told + text).slice(-TOLD_CHARS_MAX);
      });
    }
    const hangs = setTimeout(() => child.kill("SIGKILL"), CHECK_MS_MAX);
    child.on("error", reject);
    child.on("close", (code) => {
      clearTimeout(hangs);
      if (code === null) reject(new Error(`it came to no end: ${told}`));
      else resolve({ code, told });
    });
  });
}
