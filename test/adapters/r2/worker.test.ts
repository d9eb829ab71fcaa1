/** The library and the service over R2 as a Worker has them: bundled, and run by workerd without anything of Node. */
import { dirname, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build, type Plugin } from "esbuild";
import { Miniflare } from "miniflare";
import { describe, expect, it } from "vitest";
import { newKey } from "../../../src/http/keys.ts";

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

const { key, entry } = newKey("worker", new Uint8Array(32).fill(7), { scopes: ["emails:write"] });

/** What a function is that only serves. */
const SERVICE = `
import { createService } from "holdfast/service";
import { r2Storage } from "holdfast/storage/r2";

const opened = (env) =>
  createService({ storage: r2Storage({ bucket: env.HOLDFAST_BUCKET, prefix: "holdfast/" }) });

export default {
  async fetch(request, env) {
    const { http, reconcile } = await opened(env);
    if (new URL(request.url).pathname === "/pass") return Response.json(await reconcile());
    return http({ keys: [${JSON.stringify(entry)}] }).fetch(request);
  },
};
`;

const WITHOUT_DOCUMENTS: Plugin = {
  name: "without documents",
  setup: (work) => {
    work.onLoad({ filter: /generated\/[\w-]+\.js$/ }, () => ({
      contents: "export const OPENAPI_DOCUMENT = {}, DOCS_PAGE = '';",
    }));
  },
};

async function bundled(contents: string, plugins: Plugin[] = []) {
  const { outputFiles, metafile } = await build({
    stdin: { contents, resolveDir: ROOT, loader: "js" },
    bundle: true,
    minify: true,
    write: false,
    metafile: true,
    format: "esm",
    // Whatever needs Node cannot be resolved, and ends the build.
    platform: "neutral",
    conditions: ["workerd", "worker", "browser"],
    target: "es2022",
    plugins,
  });
  const [output] = Object.values(metafile.outputs);
  const script = outputFiles[0]?.text ?? "";
  // Of what is imported, what is left of it.
  const modules = Object.entries(output?.inputs ?? {})
    .filter(([name, { bytesInOutput }]) => name !== "<stdin>" && bytesInOutput > 0)
    .map(([name]) => name);
  return { script, modules, gzipKib: gzipSync(script, { level: 9 }).byteLength / 1_024 };
}

async function inWorkerd<T>(script: string, use: (miniflare: Miniflare) => Promise<T>): Promise<T> {
  const miniflare = new Miniflare({
    modules: true,
    script,
    cf: false,
    compatibilityDate: "2024-01-01",
    r2Buckets: ["HOLDFAST_BUCKET"],
  });
  try {
    return await use(miniflare);
  } finally {
    await miniflare.dispose();
  }
}

const MESSAGE = {
  type: "message",
  recipient: "ann@example.com",
  subject: "Welcome",
  text: "Hello Ann",
};

/** Of the library alone. */
const LIBRARY = /services\/(coordinator|once(?!-calls)|query-run-methods|query-subscribe)/;

/** Of the document and its page, which are made when building. */
const DOCUMENT =
  /http\/(openapi|docs-|documents|document-|route-document|[\w-]+-(document|replies|texts|examples))|json-schema/;

describe("a Worker", async () => {
  const { script, modules, gzipKib } = await bundled(WORKER);

  it("holds no other storage and no SDK, and is under 168 KiB", () => {
    const adapters = modules.filter((name) => name.startsWith("dist/adapters/"));
    expect(adapters).toEqual(["dist/adapters/storage/r2.js"]);
    const packages = modules
      .map((name) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(name)?.[1])
      .filter((name) => name !== undefined);
    expect([...new Set(packages)].sort()).toEqual(["@noble/hashes", "hono", "zod"]);
    expect(gzipKib).toBeLessThan(168);
  });

  it("enqueues, leases and settles in workerd", () =>
    inWorkerd(script, async (miniflare) => {
      const health = await miniflare.dispatchFetch("http://localhost/healthz");
      expect(health.status).toBe(200);
      const told = await miniflare.dispatchFetch("http://localhost/");
      expect(await told.json()).toEqual([true, "pending", "sending", "sent"]);
    }));
});

describe("a Worker that only serves", () => {
  it("carries neither the library's methods nor what the document is made of: under 160 KiB", async () => {
    const { modules, gzipKib } = await bundled(SERVICE);
    expect(modules.filter((name) => LIBRARY.test(name) || DOCUMENT.test(name))).toEqual([]);
    expect(gzipKib).toBeLessThan(160);
  });

  it("is under 110 KiB without the document and its page", async () => {
    const { gzipKib } = await bundled(SERVICE, [WITHOUT_DOCUMENTS]);
    expect(gzipKib).toBeLessThan(110);
  });

  it("serves and makes passes in workerd", async () => {
    const { script } = await bundled(SERVICE);
    await inWorkerd(script, async (miniflare) => {
      const body = JSON.stringify({ logicalKey: "welcome:ann@example.com", payload: MESSAGE });
      const headers = { "content-type": "application/json", authorization: `Bearer ${key}` };
      const at = "http://localhost/v1/emails";
      const made = await miniflare.dispatchFetch(at, { method: "POST", headers, body });
      expect(made.status).toBe(201);
      const pass = await miniflare.dispatchFetch("http://localhost/pass");
      expect(await pass.json()).toMatchObject({ emails: { promoted: 1 }, failures: [] });
    });
  });
});
