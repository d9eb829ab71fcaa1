/** The same smoke test on the functions as they are deployed: each of its steps is seen, and none is skipped. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { rmSync } from "node:fs";
import { dirname } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { newKey } from "../../src/http/keys.ts";
import { dynamodbFront } from "../fakes/dynamodb-front.ts";
import { fakeS3 } from "../fakes/s3.ts";
import { TICKET_SECRET } from "../http/fixture.ts";
import { bundled } from "./lambda/bundle.ts";
import type { Env } from "./lambda/environment.ts";
import { deployed, functionUrl } from "./lambda/function.ts";
import { BUCKET_ENTRY, bucketEnv, TABLE_ENTRY, tableEnv } from "./lambda/given.ts";
import { holdfast } from "./process.ts";
import { built } from "./worker/built.ts";
import { openWorkers } from "./worker/workers.ts";

const DEV = fileURLToPath(new URL("lambda/dev.js", import.meta.url));

const FIRST = newKey("first", new Uint8Array(32).fill(1), { scopes: ["*"] });
const SECOND = newKey("second", new Uint8Array(32).fill(2), { scopes: ["*"], tenant: "second" });

const SETTINGS: Env = {
  HOLDFAST_KEYS: JSON.stringify([FIRST.entry, SECOND.entry]),
  HOLDFAST_SECRET: TICKET_SECRET,
  HOLDFAST_LOG_LEVEL: "warn",
};

async function expectAllWell(url: string): Promise<void> {
  const env = { HOLDFAST_URL: url, HOLDFAST_KEY: FIRST.key, HOLDFAST_SECOND_KEY: SECOND.key };
  const { status, stdout } = await holdfast(env, "smoke");
  const lines = stdout.split("\n").filter((line) => line !== "");
  expect(lines.filter((line) => !line.startsWith("ok "))).toEqual([]);
  expect(lines.length).toBeGreaterThan(30);
  expect(status).toBe(0);
}

/** The deployed bundle behind a function URL, over whatever `env` names. */
async function onLambda(entry: string, env: Env): Promise<void> {
  const bundle = await bundled(entry);
  const settings = { ...env, ...SETTINGS };
  const http = deployed({ bundle, handler: "http", env: settings, timeoutMs: 70_000 });
  const service = await functionUrl(http);
  try {
    await expectAllWell(service.url);
  } finally {
    await service.close();
    await http.close();
    rmSync(dirname(bundle), { recursive: true, force: true });
  }
}

/** Bundles are made first, on a machine that may do other things beside it. */
const TIMEOUT_MS = 240_000;

describe("a smoke test finds nothing", { timeout: TIMEOUT_MS }, () => {
  it("on AWS Lambda over a table", async () => {
    const front = await dynamodbFront();
    await onLambda(TABLE_ENTRY, await tableEnv(front)).finally(() => front.close());
  });

  it("on AWS Lambda over a bucket", async () => {
    const bucket = await fakeS3();
    await onLambda(BUCKET_ENTRY, bucketEnv(bucket)).finally(() => bucket.close());
  });

  it("on AWS Lambda as `npm run dev:lambda` has it", async () => {
    const env = { ...process.env, ...SETTINGS };
    const child = spawn(process.execPath, [DEV, "--port", "0"], {
      env,
      stdio: ["ignore", "pipe", "inherit"],
    });
    try {
      let url: string | undefined;
      for await (const line of createInterface({ input: child.stdout })) {
        [, url] = /^Serving (http\S+),/.exec(line) ?? [];
        if (url !== undefined) break;
      }
      await expectAllWell(url ?? "");
    } finally {
      // It takes its bundle away.
      child.kill("SIGTERM");
      await once(child, "exit");
    }
  });

  it("on Cloudflare Workers over R2", async () => {
    const { workers, close } = await openWorkers(await built(), { env: SETTINGS });
    try {
      for (const { url } of workers) await expectAllWell(url);
    } finally {
      await close();
    }
  });
});
