import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { Miniflare } from "miniflare";
import { expect, it } from "vitest";
import { startApi } from "../adapters/mail/api.ts";
import { SETTINGS, sentBy, startPayments, VISIT_MS, visit } from "./shop.ts";

// This file runs from dist/test/examples.
const ROOT = fileURLToPath(new URL("../../../", import.meta.url));

interface Scheduled {
  scheduled(event: { readonly cron: string }): Promise<unknown>;
}

/** The script that `wrangler deploy` would upload, by the example's own configuration. */
async function script(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-shop-"));
  try {
    const wrangler = join(ROOT, "node_modules/wrangler/bin/wrangler.js");
    const args = [wrangler, "deploy", "--dry-run", "--outdir", folder];
    // Its log and its settings go there, too.
    const env = { ...process.env, XDG_CONFIG_HOME: folder, WRANGLER_SEND_METRICS: "false" };
    await promisify(execFile)(process.execPath, args, { cwd: join(ROOT, "examples/worker"), env });
    return readFileSync(join(folder, "worker.js"), "utf8");
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

it("the shop on Cloudflare Workers charges once, mails once, and answers", {
  timeout: VISIT_MS,
}, async () => {
  const payments = await startPayments();
  const mail = await startApi({ status: 200, body: "{}" });
  const miniflare = new Miniflare({
    modules: true,
    script: await script(),
    cf: false,
    compatibilityDate: "2026-04-01",
    compatibilityFlags: ["enable_request_signal"],
    r2Buckets: ["HOLDFAST_BUCKET"],
    bindings: {
      ...SETTINGS,
      HOLDFAST_MAIL_HTTP_URL: mail.url,
      PAYMENTS_URL: payments.url,
    },
  });
  try {
    const url = (await miniflare.ready).origin;
    // Miniflare's types are made of Cloudflare's, which are not installed.
    const worker: unknown = await miniflare.getWorker();
    const pass = async (): Promise<void> => {
      expect(await (worker as Scheduled).scheduled({ cron: "* * * * *" })).toMatchObject({
        outcome: "ok",
      });
    };
    const mails = () => sentBy(mail);
    await visit({ ordersUrl: `${url}/orders`, url, payments, pass, mails });
  } finally {
    await miniflare.dispose();
    await mail.close();
    await payments.close();
  }
});
