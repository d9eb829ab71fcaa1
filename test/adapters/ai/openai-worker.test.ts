/** The OpenAI runner as a Worker has it: bundled, and run by workerd without anything of Node. */
import { dirname, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { Miniflare } from "miniflare";
import { expect, it } from "vitest";
import { answering, fakeOpenAi } from "../../fakes/openai.ts";
import { EXECUTION } from "./runner-contract.ts";

const ROOT = resolve(dirname(fileURLToPath(import.meta.url)), "..", "..", "..", "..");

const WORKER = `
import { openAiRunner } from "holdfast/ai/openai";

export default {
  async fetch(request, env) {
    const runner = openAiRunner({ baseUrl: env.BASE_URL, model: "fake-1" });
    const told = [];
    const callbacks = {
      started: async () => {},
      ownership: async () => true,
      delta: async (text) => void told.push(text),
      activity: async () => {},
      answerReady: async () => {},
    };
    const stop = new AbortController();
    const { linkage } = await runner.run(await request.json(), callbacks, stop.signal);
    return Response.json([told.join(""), linkage]);
  },
};
`;

it("a Worker streams an answer", async () => {
  const { outputFiles, metafile } = await build({
    stdin: { contents: WORKER, resolveDir: ROOT, loader: "js" },
    bundle: true,
    write: false,
    metafile: true,
    format: "esm",
    // Whatever needs Node cannot be resolved, and ends the build.
    platform: "neutral",
    conditions: ["workerd", "worker", "browser"],
    target: "es2022",
  });
  const packages = Object.keys(metafile.inputs).filter((name) => name.includes("node_modules"));
  expect(packages).toEqual([]);
  const fake = await fakeOpenAi();
  fake.answerOf = () => answering("Grüße ", "🙂");
  const miniflare = new Miniflare({
    modules: true,
    script: outputFiles[0]?.text ?? "",
    compatibilityDate: "2024-01-01",
    bindings: { BASE_URL: fake.baseUrl },
  });
  try {
    const body = JSON.stringify(EXECUTION);
    const answer = await miniflare.dispatchFetch("http://worker/", { method: "POST", body });
    expect(await answer.json()).toEqual(["Grüße 🙂", { resolvedModel: "fake-1-2026" }]);
    await fake.idle();
  } finally {
    await miniflare.dispose();
    await fake.close();
  }
});
