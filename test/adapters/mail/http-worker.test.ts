/** The mailer over HTTP as a Worker has it: bundled, and run by workerd without anything of Node. */
import { dirname, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { Miniflare } from "miniflare";
import { expect, it } from "vitest";
import { startApi } from "./api.ts";

const ROOT = resolve(dirname(fileURLToPath(import.meta.url)), "..", "..", "..", "..");

const WORKER = `
import { httpMailer } from "holdfast/mail/http";

export default {
  async fetch(request) {
    const { url, mail } = await request.json();
    const mailer = httpMailer({ url, body: { to: "{{to}}", text: "{{text}}" } });
    const { signal } = new AbortController();
    return Response.json(await mailer.send(mail, { idempotencyKey: "key", signal }));
  },
};
`;

it("posts a mail from workerd, and follows no redirect there", async () => {
  const { outputFiles } = await build({
    stdin: { contents: WORKER, resolveDir: ROOT, loader: "js" },
    bundle: true,
    write: false,
    format: "esm",
    // Whatever needs Node cannot be resolved, and ends the build.
    platform: "neutral",
    conditions: ["workerd", "worker", "browser"],
    target: "es2022",
  });
  const api = await startApi({ status: 200, body: '{"id":"msg-1"}' });
  const miniflare = new Miniflare({
    modules: true,
    script: outputFiles[0]?.text ?? "",
    cf: false,
    compatibilityDate: "2024-01-01",
  });
  const from = "jobs@example.com";
  const mail = { from, to: "ann@example.net", subject: "", text: "Hello", html: null };
  const body = JSON.stringify({ url: api.url, mail: { ...mail, replyTo: null, headers: {} } });
  const told = async (): Promise<unknown> => {
    const response = await miniflare.dispatchFetch("http://localhost/", { method: "POST", body });
    return response.json();
  };
  try {
    expect(await told()).toEqual({ kind: "sent", id: "msg-1" });
    expect(api.requests).toMatchObject([
      { headers: { "idempotency-key": "key" }, body: '{"to":"ann@example.net","text":"Hello"}' },
    ]);
    api.answer = { status: 307, headers: { location: `${api.url}/elsewhere` } };
    expect(await told()).toMatchObject({ kind: "retry", isUnavailable: true });
    expect(api.requests).toHaveLength(2);
  } finally {
    await miniflare.dispose();
    await api.close();
  }
});
