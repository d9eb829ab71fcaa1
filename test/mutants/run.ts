/**
 * `npm run mutants`: plants each fault of the list in a copy of what is built, and runs what has to notice
 * it. `-- --only lease` takes those whose names have that in them, `--every 8` one in eight.
 */
import { parseArgs } from "node:util";
import { failedIn } from "./check.ts";
import { MUTANTS } from "./list.ts";
import type { Check, Mutant } from "./mutant.ts";
import { copyTree, type Tree } from "./tree.ts";

function chosen(): readonly Mutant[] {
  const { only, every } = parseArgs({
    options: {
      only: { type: "string", default: "" },
      every: { type: "string", default: "1" },
    },
  }).values;
  const mutants = MUTANTS.filter(({ name }) => name.includes(only)).filter(
    (_, index) => index % Number(every) === 0,
  );
  if (mutants.length > 0) return mutants;
  const names = MUTANTS.map(({ name }) => name).join("\n  ");
  throw new Error(`--only ${only}: no name has that in it. They are\n  ${names}`);
}

const nameOf = (check: Check): string =>
  "tests" in check ? check.tests : `the simulation of ${check.simulation}`;

/** Checks that are known to pass without a fault: one that always fails would catch everything. */
const sound = new Set<string>();

async function requireSound({ root }: Tree, check: Check): Promise<void> {
  const name = JSON.stringify(check);
  if (sound.has(name)) return;
  const failed = await failedIn(root, check);
  if (failed !== null) throw new Error(`${nameOf(check)} fails without any fault: ${failed}`);
  sound.add(name);
}

/** What noticed it, or null: nothing did. */
async function noticed(tree: Tree, mutant: Mutant): Promise<string | null> {
  for (const check of mutant.caughtBy) {
    await requireSound(tree, check);
    const failed = await tree.spoiled(mutant, () => failedIn(tree.root, check));
    if (failed !== null) return `${nameOf(check)}: ${failed}`;
  }
  return null;
}

function secondsSince(begun: number): string {
  return `${((performance.now() - begun) / 1_000).toFixed(1)} s`;
}

/** Tells what came of it; whether it was caught. */
async function isCaught(tree: Tree, mutant: Mutant): Promise<boolean> {
  const begun = performance.now();
  const told = `${mutant.name} (${mutant.law}):`;
  try {
    const by = await noticed(tree, mutant);
    console.log(told, by === null ? "SURVIVED" : `caught in ${secondsSince(begun)} by ${by}`);
    return by !== null;
  } catch (error) {
    console.log(told, "NOT TOLD:", error instanceof Error ? error.message : error);
    return false;
  }
}

async function main(): Promise<void> {
  const mutants = chosen();
  const tree = copyTree();
  const left: string[] = [];
  try {
    const begun = performance.now();
    for (const mutant of mutants) {
      if (!(await isCaught(tree, mutant))) left.push(mutant.name);
    }
    const rest = left.length === 0 ? "all caught" : `not caught: ${left.join(", ")}`;
    console.log(`faults planted: ${mutants.length}, ${rest}; it took ${secondsSince(begun)}`);
  } finally {
    await tree.remove();
  }
  process.exitCode = left.length === 0 ? 0 : 1;
}

await main();
