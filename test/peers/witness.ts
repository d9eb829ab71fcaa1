/**
 * Servers of others that speak S3 or DynamoDB, installed from their registries and started on a free
 * port of this host: witnesses that know nothing of the fakes our own tests are made with.
 */
import { execFile } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { answering, type Command, freePort, startServer, type Witness } from "./server.ts";

// This file runs from dist/test/peers.
const ROOT = resolve(dirname(fileURLToPath(import.meta.url)), "..", "..", "..");

/** Kept between runs; not in a build, and not in git. */
const CACHE = join(ROOT, "node_modules", ".cache", "peers");

/** moto: AWS in Python, which many use to test what they write for boto3. */
export async function startMoto(): Promise<Witness> {
  const bin = await environment("moto-5.2.1", "moto[server,s3,dynamodb]==5.2.1");
  return start((port) => ({
    command: join(bin, "moto_server"),
    args: ["-H", "127.0.0.1", "-p", String(port)],
  }));
}

/** MiniStack: AWS in Python, whose conditional writes follow measurements of the real S3. */
export async function startMiniStack(): Promise<Witness> {
  const bin = await environment("ministack-1.5.33", "ministack==1.5.33");
  return start((port) => ({
    command: join(bin, "ministack"),
    args: [],
    env: { GATEWAY_PORT: String(port), BIND_HOST: "127.0.0.1", LOG_LEVEL: "ERROR" },
  }));
}

/** s3rver, with `bucket` in it: a store that takes conditions and ignores them. */
export async function startS3rver(bucket: string): Promise<Witness> {
  const directory = mkdtempSync(join(tmpdir(), "holdfast-s3rver-"));
  const { endpoint, stop } = await start((port) => ({
    command: "npx",
    args: [
      ...["-y", "s3rver@3.7.1", "-a", "127.0.0.1", "-p", String(port)],
      ...["-d", directory, "--configure-bucket", bucket],
    ],
  }));
  return {
    endpoint,
    async stop() {
      await stop();
      rmSync(directory, { recursive: true });
    },
  };
}

/** A virtual environment of Python with `pinned` in it; its folder of programs. */
async function environment(name: string, pinned: string): Promise<string> {
  const directory = join(CACHE, name);
  const bin = join(directory, "bin");
  const installed = join(directory, "installed");
  if (existsSync(installed)) return bin;
  rmSync(directory, { recursive: true, force: true });
  mkdirSync(CACHE, { recursive: true });
  const run = promisify(execFile);
  await run("python3", ["-m", "venv", directory]);
  const pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", pinned];
  await run(join(bin, "python"), pip);
  mkdirSync(installed);
  return bin;
}

async function start(commandAt: (port: number) => Command): Promise<Witness> {
  const port = await freePort();
  const endpoint = `http://127.0.0.1:${port}`;
  const server = startServer(commandAt(port));
  try {
    await answering(endpoint, [server]);
  } catch (error) {
    await server.stop();
    throw error;
  }
  return { endpoint, stop: server.stop };
}
