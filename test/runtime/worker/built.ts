/** The Worker as `wrangler deploy` would send it, by wrangler.toml as it stands. */
import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

// This file runs from dist/test/runtime/worker.
export const ROOT = resolve(dirname(fileURLToPath(import.meta.url)), "..", "..", "..", "..");

export interface Built {
  readonly script: string;
  /** What wrangler said of it. */
  readonly told: string;
  readonly compatibilityDate: string;
  readonly compatibilityFlags: readonly string[];
}

const run = promisify(execFile);

const WRANGLER = createRequire(import.meta.url).resolve("wrangler");

/** `entry` null: the one that wrangler.toml names. Throws with wrangler's words. */
export async function built(entry: string | null = null): Promise<Built> {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-wrangler-"));
  try {
    const out = join(folder, "out");
    const args = ["deploy", ...(entry === null ? [] : [entry]), "--dry-run", "--outdir", out];
    const env = {
      PATH: process.env["PATH"],
      HOME: folder,
      WRANGLER_SEND_METRICS: "false",
      CI: "true",
    };
    const { stdout, stderr } = await run(process.execPath, [WRANGLER, ...args], { cwd: ROOT, env });
    const toml = readFileSync(join(ROOT, "wrangler.toml"), "utf8");
    const [, main = ""] = /^main = ".*?([^/]+)\.ts"$/m.exec(toml) ?? [];
    const [, named = main] = /([^/]+)\.ts$/.exec(entry ?? "") ?? [];
    const [, compatibilityDate = ""] = /^compatibility_date = "(.*)"$/m.exec(toml) ?? [];
    const [, flags = ""] = /^compatibility_flags = (\[.*\])$/m.exec(toml) ?? [];
    return {
      script: readFileSync(join(out, `${named}.js`), "utf8"),
      told: stdout + stderr,
      compatibilityDate,
      compatibilityFlags: JSON.parse(flags),
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
