/** What the client costs a page that bundles it, and that it needs nothing of a runtime. */
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { describe, expect, it } from "vitest";

const ROOT = resolve(dirname(fileURLToPath(import.meta.url)), "..", "..", "..");

async function bundled(code: string) {
  const { outputFiles, metafile } = await build({
    stdin: { contents: code, resolveDir: ROOT, loader: "js" },
    bundle: true,
    minify: true,
    write: false,
    metafile: true,
    format: "esm",
    platform: "browser",
    target: "es2022",
  });
  const gzipBytes = gzipSync(outputFiles[0]?.contents ?? "", { level: 9 }).byteLength;
  const modules = Object.keys(metafile.inputs).filter((name) => name !== "<stdin>");
  return { gzipBytes, modules };
}

describe("the client's bundle", () => {
  it("is under 10 KiB with everything, and holds nothing but the client", async () => {
    const { gzipBytes, modules } = await bundled('export * from "holdfast/client";');
    expect(gzipBytes).toBeLessThan(10_240);
    expect(modules.length).toBeGreaterThan(5);
    expect(modules.filter((name) => !name.startsWith("dist/src/client/"))).toEqual([]);
  });

  it("leaves the workers out where nobody asks for them", async () => {
    const { gzipBytes, modules } = await bundled('export { createClient } from "holdfast/client";');
    expect(gzipBytes).toBeLessThan(7_680);
    expect(join(...modules)).not.toBe("");
  });
});
