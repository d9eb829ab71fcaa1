/** Servers as processes of ours: started, waited for, ended with all that they started. */
import { spawn } from "node:child_process";
import { type AddressInfo, createServer } from "node:net";
import { setTimeout } from "node:timers/promises";

export interface Command {
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
}

export interface Server {
  /** Why it ended by itself, or null. */
  trouble(): string | null;
  stop(): Promise<void>;
}

export interface Witness {
  readonly endpoint: string;
  stop(): Promise<void>;
}

export function startServer({ command, args, env = {} }: Command): Server {
  // A group of its own, since npx starts what it runs as a child.
  const child = spawn(command, args, {
    env: { ...process.env, ...env },
    stdio: ["ignore", "ignore", "pipe"],
    detached: true,
  });
  let told = "";
  let trouble: string | null = null;
  child.stderr.on("data", (chunk: Buffer) => {
    told = (told + chunk.toString("utf8")).slice(-4_000);
  });
  const ended = new Promise<void>((resolve) => {
    child.once("error", (error) => {
      trouble = error.message;
      resolve();
    });
    child.once("exit", () => {
      trouble ??= `${command} ended: ${told}`;
      resolve();
    });
  });
  const end = (): void => {
    if (trouble === null && child.pid !== undefined) process.kill(-child.pid, "SIGTERM");
  };
  process.once("exit", end);
  return {
    trouble: () => trouble,
    async stop() {
      process.off("exit", end);
      end();
      await ended;
    },
  };
}

/** The first start compiles a server, or fetches it. */
const START_MS_MAX = 120_000;

const ASKED_EVERY_MS = 100;

/** Resolves when something answers at `endpoint`. Throws when a server ended, or never does. */
export async function answering(endpoint: string, servers: readonly Server[]): Promise<void> {
  for (let waited = 0; !(await answers(endpoint)); waited += ASKED_EVERY_MS) {
    const trouble = servers.map((server) => server.trouble()).find((one) => one !== null);
    if (trouble !== undefined) throw new Error(trouble);
    if (waited > START_MS_MAX) throw new Error(`nobody answers at ${endpoint}`);
    await setTimeout(ASKED_EVERY_MS);
  }
}

async function answers(endpoint: string): Promise<boolean> {
  try {
    await fetch(endpoint, { signal: AbortSignal.timeout(2_000) });
    return true;
  } catch {
    return false;
  }
}

export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const { port } = server.address() as AddressInfo;
  await new Promise((closed) => server.close(closed));
  return port;
}
