/** The bundle of a Lambda, made by the very command that makes those that are deployed. */
import { execFile } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";

// This file runs from dist/test/fakes.
const ROOT = fileURLToPath(new URL("../../../", import.meta.url));

export interface LambdaBundle {
  /** Its entry, to be imported. */
  readonly entry: string;
  readonly folder: string;
  remove(): void;
}

/** `entry`: a module of this package by its name, such as `holdfast/lambda/s3`, or a file. */
export async function lambdaBundle(entry: string): Promise<LambdaBundle> {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-lambda-"));
  await bundleInto(folder, entry);
  return {
    entry: join(folder, "index.mjs"),
    folder,
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** With more `options` of esbuild than those that are always given. */
export async function bundleInto(
  folder: string,
  entry: string,
  options: readonly string[] = [],
): Promise<void> {
  const all = [`index=${entry}`, `--outdir=${folder}`, ...options];
  await promisify(execFile)("npm", ["run", "--silent", "bundle:lambda", "--", ...all], {
    cwd: ROOT,
  });
}

/** All files of a folder, which a deployment's zip holds compressed one by one. */
export function sizeOf(folder: string): { readonly bytes: number; readonly gzipBytes: number } {
  const files = readdirSync(folder).map((name) => readFileSync(join(folder, name)));
  return {
    bytes: files.reduce((sum, file) => sum + file.byteLength, 0),
    gzipBytes: files.reduce((sum, file) => sum + gzipSync(file, { level: 9 }).byteLength, 0),
  };
}
