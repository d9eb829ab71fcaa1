/** Faults planted in the product's own source: a test that no fault can fail proves nothing. */
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { transform } from "esbuild";

/**
 * What has to notice a fault: a file of tests (`store/header`), of them those whose names have `named` in
 * them, or seeds of the simulation, from 1 on.
 */
export type Check =
  | { readonly tests: string; readonly named?: string }
  | { readonly simulation: "emails" | "receipts" | "queries"; readonly seeds: number };

/** One edit of one source file, and the law it breaks. */
export interface Mutant {
  /** Unique, in lower case with dashes. */
  readonly name: string;
  /** From the root of the repository. */
  readonly file: string;
  /** Stands there exactly once. */
  readonly text: string;
  readonly replacement: string;
  /** With where it is laid down: a section of the protocols, a requirement, a guarantee. */
  readonly law: string;
  /** The quickest first. */
  readonly caughtBy: readonly [Check, ...Check[]];
}

// This file runs from dist/test/mutants.
export const ROOT = fileURLToPath(new URL("../../../", import.meta.url));

/** The source with the edit made. Throws where its text is not there once: the list has to follow the source. */
export function edited({ name, file, text, replacement }: Mutant): string {
  const source = readFileSync(ROOT + file, "utf8");
  const [before = "", after, ...more] = source.split(text);
  if (after === undefined || more.length > 0) {
    const found = after === undefined ? "is not there" : "is there more than once";
    throw new Error(`mutant ${name}: its text ${found} in ${file}: ${JSON.stringify(text)}`);
  }
  return before + replacement + after;
}

/** What the build would make of it, types aside. Throws where it is no program. */
export async function compiled(mutant: Mutant): Promise<string> {
  const { code } = await transform(edited(mutant), {
    loader: "ts",
    format: "esm",
    target: "es2023",
    sourcefile: mutant.file,
  });
  return code.replace(/(\bfrom\s*"\.{1,2}\/[^"]+)\.ts"/g, '$1.js"');
}

/** A file from the root, as the build names it. */
export function built(file: string): string {
  return `dist/${file.replace(/\.ts$/, ".js")}`;
}

/** The built file of tests, from the root. Throws where there is none. */
export function testFile(tests: string): string {
  const file = `dist/test/${tests}.test.js`;
  if (!existsSync(ROOT + file)) throw new Error(`there are no tests ${file}`);
  return file;
}
