/** The library over R2 as a Worker has it: bundled, and run by workerd without anything of Node. */
import { dirname, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { Miniflare } from "miniflare";
import { describe, expect, it } from "vitest";

const ROOT = resolve(dirname(fileURLToPath(import.meta.url)), "..", "..", "..", "..");

const WORKER = `
import { createHoldfast } from "holdfast";
import { r2Storage } from "holdfast/storage/r2";

export default {
  async fetch(request, env) {
    const storage = r2Storage({ bucket: env.HOLDFAST_BUCKET, prefix: "holdfast/" });
    const { emails, reconcile, http } = await createHoldfast({ storage });
    if (new URL(request.url).pathname === "/healthz") return http({ keys: [] }).fetch(request);
    const payload = {
      type: "message",
      recipient: "ann@example.com",
      subject: "Welcome",
      text: "Hello Ann",
    };
    const { created, job } = await emails.enqueue("welcome:ann@example.com", payload);
    await reconcile();
    const [due] = await emails.acquireDueLeases({ durationMs: 60_000, limit: 1 });
    const sent = await emails.transitionSending(due, due.leaseToken, "sent");
    return Response.json([created, job.state, due.state, sent.state]);
  },
};
`;

describe("a Worker", async () => {
  const { outputFiles, metafile } = await build({
    stdin: { contents: WORKER, resolveDir: ROOT, loader: "js" },
    bundle: true,
    minify: true,
    write: false,
    metafile: true,
    format: "esm",
    // Whatever needs Node cannot be resolved, and ends the build.
    platform: "neutral",
    conditions: ["workerd", "worker", "browser"],
    target: "es2022",
  });
  const script = outputFiles[0]?.text ?? "";

  it("holds no other storage and no SDK, and is under 208 KiB", () => {
    const modules = Object.keys(metafile.inputs).filter((name) => name !== "<stdin>");
    const adapters = modules.filter((name) => name.startsWith("dist/adapters/"));
    expect(adapters).toEqual(["dist/adapters/storage/r2.js"]);
    const packages = modules
      .map((name) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(name)?.[1])
      .filter((name) => name !== undefined);
    expect([...new Set(packages)].sort()).toEqual(["@noble/hashes", "hono", "zod"]);
    expect(gzipSync(script, { level: 9 }).byteLength).toBeLessThan(208 * 1_024);
  });

  it("enqueues, leases and settles in workerd", async () => {
    const miniflare = new Miniflare({
      modules: true,
      script,
      cf: false,
      compatibilityDate: "2024-01-01",
      r2Buckets: ["HOLDFAST_BUCKET"],
    });
    try {
      const health = await miniflare.dispatchFetch("http://localhost/healthz");
      expect(health.status).toBe(200);
      const told = await miniflare.dispatchFetch("http://localhost/");
      expect(await told.json()).toEqual([true, "pending", "sending", "sent"]);
    } finally {
      await miniflare.dispose();
    }
  });
});
