import { execFile } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { startApi } from "../adapters/mail/api.ts";
import { dynamodbFront } from "../fakes/dynamodb-front.ts";
import {
  type Deployed,
  deployed,
  type FunctionUrl,
  functionUrl,
} from "../runtime/lambda/function.ts";
import { SETTINGS, sentBy, startPayments, VISIT_MS, visit } from "./shop.ts";

const EXAMPLE = fileURLToPath(new URL("../../../examples/lambda", import.meta.url));

/** Its functions as its README bundles them; the path of the module. */
async function bundled(): Promise<string> {
  const readme = readFileSync(join(EXAMPLE, "README.md"), "utf8").replaceAll("\\\n", " ");
  const [, options = ""] = /^npx esbuild (.*) --outdir=dist$/m.exec(readme) ?? [];
  const outdir = mkdtempSync(join(tmpdir(), "holdfast-shop-"));
  const args = [...options.split(/ +/), "--log-level=warning", `--outdir=${outdir}`];
  await promisify(execFile)(join(EXAMPLE, "../../node_modules/.bin/esbuild"), args, {
    cwd: EXAMPLE,
  });
  return join(outdir, "functions.mjs");
}

/** A function URL that answers as a whole. */
async function bufferedUrl(deployment: Deployed): Promise<FunctionUrl> {
  const server = createServer(async (request, response) => {
    const answer = await deployment.result({ body: await text(request), isBase64Encoded: false });
    response.writeHead(Number(answer["statusCode"])).end(answer["body"]);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

it("the shop on AWS Lambda charges once, mails once, and answers", {
  timeout: VISIT_MS,
}, async () => {
  const payments = await startPayments();
  const mail = await startApi({ status: 200, body: "{}" });
  const front = await dynamodbFront();
  const bundle = await bundled();
  const env = {
    ...SETTINGS,
    HOLDFAST_MAIL_HTTP_URL: mail.url,
    HOLDFAST_TABLE: await front.createTable(),
    PAYMENTS_URL: payments.url,
    AWS_REGION: "eu-central-1",
    AWS_ACCESS_KEY_ID: "test",
    AWS_SECRET_ACCESS_KEY: "test",
    // The SDK's own variable, since the shop opens a table of its own accord.
    AWS_ENDPOINT_URL: front.endpoint,
  };
  const functionOf = (handler: string) => deployed({ bundle, handler, env, timeoutMs: 70_000 });
  const [http, orders, reconcile] = [
    functionOf("http"),
    functionOf("orders"),
    functionOf("reconcile"),
  ];
  const [service, checkout] = [await functionUrl(http), await bufferedUrl(orders)];
  try {
    await visit({
      ...{ ordersUrl: checkout.url, url: service.url, payments },
      async pass() {
        const event = { "detail-type": "Scheduled Event", source: "aws.events" };
        expect(await reconcile.result(event)).toMatchObject({ failures: [] });
      },
      mails: () => sentBy(mail),
    });
  } finally {
    await Promise.all([service.close(), checkout.close()]);
    await Promise.all([http.close(), orders.close(), reconcile.close()]);
    await Promise.all([front.close(), mail.close(), payments.close()]);
    rmSync(dirname(bundle), { recursive: true, force: true });
  }
});

it("its configuration is packaged, and names functions that are in the package", {
  timeout: VISIT_MS,
}, async () => {
  const folder = dirname(await bundled());
  const project = mkdtempSync(join(tmpdir(), "holdfast-shop-"));
  try {
    cpSync(folder, join(project, "dist"), { recursive: true });
    cpSync(join(EXAMPLE, "serverless.yml"), join(project, "serverless.yml"));
    const osls = join(EXAMPLE, "../../node_modules/osls/bin/serverless.js");
    const env = { PATH: process.env["PATH"], HOME: project };
    await promisify(execFile)(process.execPath, [osls, "package"], { cwd: project, env });
    const made = join(project, ".serverless", "cloudformation-template-update-stack.json");
    const { Resources } = JSON.parse(readFileSync(made, "utf8"));
    const handlers = Object.values<{ Type: string; Properties: { Handler: string } }>(Resources)
      .filter(({ Type }) => Type === "AWS::Lambda::Function")
      .map(({ Properties }) => Properties.Handler);
    expect(handlers).toHaveLength(3);
    const module = readFileSync(join(project, "dist", "functions.mjs"), "utf8");
    const [, names = ""] = /export\s*\{([^}]*)\}/.exec(module) ?? [];
    const exported = names.split(",").map((name) => `dist/functions.${name.split(" as ").at(-1)}`);
    expect(handlers.toSorted()).toEqual(exported.toSorted());
  } finally {
    rmSync(folder, { recursive: true, force: true });
    rmSync(project, { recursive: true, force: true });
  }
});
