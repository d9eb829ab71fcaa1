/** Entries as they are deployed: bundled by esbuild, each a folder with `index.mjs`. */
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

/** `entry`: a built module, from dist/test/runtime/lambda. Answers the bundle's path. */
export async function bundled(entry: string): Promise<string> {
  const outdir = mkdtempSync(join(tmpdir(), "holdfast-lambda-"));
  await build({
    entryPoints: { index: fileURLToPath(new URL(entry, import.meta.url)) },
    outdir,
    outExtension: { ".js": ".mjs" },
    bundle: true,
    splitting: true,
    minify: true,
    platform: "node",
    format: "esm",
    target: "node20",
    mainFields: ["module", "main"],
    logLevel: "error",
    // Parts of the SDK are CommonJS, and ask for modules of Node.
    banner: {
      js: 'import{createRequire as holdfastRequire}from"node:module";const require=holdfastRequire(import.meta.url);',
    },
  });
  return join(outdir, "index.mjs");
}
