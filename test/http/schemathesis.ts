/**
 * `npm run fuzz`: a real server on storage in memory, and Schemathesis, which reads /openapi.json and
 * asks whatever it allows, and what it does not. Needs python3 with venv; installs Schemathesis once.
 */
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { serve } from "@hono/node-server";
import { memoryStorage } from "../../adapters/storage/memory.ts";
import { createHoldfast } from "../../src/holdfast.ts";
import { newKey } from "../../src/http/keys.ts";

const VERSION = "4.32.5";

// This file runs from dist/test/http.
const ROOT = new URL("../../../", import.meta.url).pathname;
const HOME = `${ROOT}node_modules/.cache/schemathesis-${VERSION}`;

/** `cwd`: where it may leave what it keeps. */
async function run(command: string, args: readonly string[], cwd = ROOT): Promise<void> {
  const child = spawn(command, args, { stdio: "inherit", cwd });
  const code = await new Promise((resolve, reject) => {
    child.on("exit", resolve);
    child.on("error", reject);
  });
  if (code !== 0) throw new Error(`${command} ended with ${code}`);
}

async function install(): Promise<void> {
  if (existsSync(`${HOME}/bin/st`)) return;
  await run("python3", ["-m", "venv", HOME]);
  await run(`${HOME}/bin/pip`, ["install", "--quiet", `schemathesis==${VERSION}`]);
}

await install();
const holdfast = await createHoldfast({ storage: memoryStorage() });
const { key, entry } = newKey("fuzz", new Uint8Array(32), { scopes: ["*"] });
const faults: string[] = [];
const app = holdfast.http({
  keys: [entry],
  secret: "a-secret-of-the-fuzzer-long-enough",
  log: (level, _event, fields) => {
    if (level === "error") faults.push(JSON.stringify(fields));
  },
});
const server = serve({
  fetch: app.fetch,
  hostname: "127.0.0.1",
  port: 0,
  // Node refuses longer addresses itself, with a 431 that is not the service's.
  serverOptions: { maxHeaderSize: 262_144 },
});
await new Promise((resolve) => server.once("listening", resolve));
const { port } = server.address() as AddressInfo;
try {
  const options = [
    `--config-file=${ROOT}test/http/schemathesis.toml`,
    "run",
    `http://127.0.0.1:${port}/openapi.json`,
    `--header=Authorization: Bearer ${key}`,
    `--seed=${process.env["SEED"] ?? "1"}`,
    `--max-examples=${process.env["EXAMPLES"] ?? "50"}`,
    "--continue-on-failure",
    // How many of its own drafts it throws away, such as texts that are too long, says nothing of the service.
    "--suppress-health-check=filter_too_much",
  ];
  await run(`${HOME}/bin/st`, options, HOME);
  if (faults.length > 0) throw new Error(`faults were logged: ${faults.slice(0, 5).join("\n")}`);
} finally {
  server.close();
  await holdfast.close();
}
