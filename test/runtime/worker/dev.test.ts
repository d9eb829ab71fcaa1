/** `npm run dev:worker` as a developer starts it, twice over one folder. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, it } from "vitest";
import { createClient } from "../../../src/client/client.ts";
import { MESSAGE } from "../../http/fixture.ts";
import { eventually } from "../../http/streams.ts";

const DEV = fileURLToPath(new URL("./dev.js", import.meta.url));

let folder: string;
let child: ChildProcess | null = null;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "holdfast-dev-"));
});

afterEach(() => {
  child?.kill("SIGKILL");
  rmSync(folder, { recursive: true, force: true });
});

async function started() {
  const process_ = spawn(process.execPath, [DEV, "--port", "0", "--persist", folder]);
  child = process_;
  let output = "";
  for (const stream of [process_.stdout, process_.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
  }
  await eventually(() => expect(output).toMatch(/"event":"pass"/), 50_000);
  const [, key = "", url = ""] =
    /^curl -H 'Authorization: Bearer (\S+)' (\S+)\/v1\/health$/m.exec(output) ?? [];
  return {
    client: createClient({ url, key }),
    async stop() {
      process_.kill("SIGTERM");
      await once(process_, "exit");
    },
  };
}

it("serves with the key that it prints, passes, and keeps what is stored until the next start", async () => {
  const first = await started();
  await first.client.emails.enqueue({ logicalKey: "kept", payload: MESSAGE });
  await first.stop();
  const second = await started();
  const { job } = await second.client.emails.read("kept");
  expect(job).toMatchObject({ logicalKey: "kept", state: "ready" });
  await second.stop();
  // Wrangler builds it for each start.
}, 180_000);
