/** The two services of a soak: one that lives through all of it, and one that is killed and stopped again and again. */
import { type ChildProcess, spawn } from "node:child_process";
import { createServer } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { CLI, type Env } from "../runtime/process.ts";
import type { Held } from "./probe.ts";

const PROBE = new URL("./probe.js", import.meta.url).href;
const APP = fileURLToPath(new URL("./app.js", import.meta.url));

/** How a service is set up beside its storage: passes every second, mails to the world. */
export function serviceEnv(storage: Env, world: string): Env {
  return {
    ...storage,
    HOLDFAST_APP: APP,
    HOLDFAST_RECONCILE_MS: "1000",
    HOLDFAST_RECONCILE_BUDGET_MS: "5000",
    HOLDFAST_DISPATCH_MARGIN_MS: "1000",
    HOLDFAST_LOG_LEVEL: "warn",
    HOLDFAST_MAILER: "http",
    HOLDFAST_MAIL_FROM: "soak@example.com",
    HOLDFAST_MAIL_HTTP_URL: `${world}/mails`,
    HOLDFAST_MAIL_HTTP_BODY: '{"from":"{{from}}","to":["{{to}}"],"subject":"{{subject}}"}',
    AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: "true",
  };
}

export interface Service {
  readonly url: string;
  readonly pid: number;
  /** What it holds now; null once it has ended. */
  held(): Promise<Held | null>;
  /** Its exit status, or the signal that ended it. */
  end(signal: "SIGTERM" | "SIGKILL"): Promise<number | string | null>;
}

/** Once it serves: from then on it knows what SIGTERM asks of it. `hears` is told each line of its log. Throws when it ends instead. */
export async function startService(
  env: Env,
  port: number,
  hears: (line: string) => void,
): Promise<Service> {
  const child = spawn(process.execPath, ["--expose-gc", "--import", PROBE, CLI, "serve"], {
    env: { PATH: process.env["PATH"], ...env, PORT: String(port) },
    stdio: ["ignore", "pipe", "pipe", "ipc"],
  });
  const over = new Promise<number | string | null>((resolve) => {
    child.once("exit", (status, signal) => resolve(signal ?? status));
  });
  read(child.stdout, hears);
  read(child.stderr, hears);
  const url = `http://127.0.0.1:${port}`;
  let isOver = false;
  void over.then(() => {
    isOver = true;
  });
  while (!(await isReady(url))) {
    if (isOver) throw new Error(`a service ended while it started: ${await over}`);
    await sleep(50);
  }
  return {
    url,
    pid: child.pid ?? 0,
    held: () => Promise.race([asked(child), over.then(() => null)]),
    end(signal) {
      child.kill(signal);
      return over;
    },
  };
}

function read(stream: NodeJS.ReadableStream | null, hears: (line: string) => void): void {
  let rest = "";
  stream?.setEncoding("utf8").on("data", (text: string) => {
    const lines = (rest + text).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) hears(line);
  });
}

async function isReady(url: string): Promise<boolean> {
  try {
    return (await fetch(`${url}/readyz`)).ok;
  } catch {
    return false;
  }
}

function asked(child: ChildProcess): Promise<Held> {
  return new Promise((resolve) => {
    child.once("message", (held) => resolve(held as Held));
    if (child.connected) child.send("held");
  });
}

/** A port that nobody has now. A service that comes back has to come back to its own. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === "object" && address !== null ? address.port : 0;
}

export interface Restless {
  readonly kills: number;
  readonly stops: number;
  /** Stops that did not end in order, and starts that failed. */
  readonly broken: readonly string[];
}

/** The shortest and the longest life of the restless one. */
const LIFE_MS = [3_000, 25_000] as const;
const PAUSE_MS = 300;

/** One end in so many is a stop in order. */
const STOP_ONE_IN = 3;

/** Begins and ends one service after another, until `stopping`; then stops the last one. */
export async function restless(
  start: () => Promise<Service>,
  stopping: AbortSignal,
): Promise<Restless> {
  let [kills, stops] = [0, 0];
  const broken: string[] = [];
  while (!stopping.aborted) {
    try {
      const service = await start();
      const [least, most] = LIFE_MS;
      // Short lives are as many as long ones.
      const lifeMs = least * (most / least) ** Math.random();
      await sleep(lifeMs, undefined, { signal: stopping }).catch(() => {});
      const isStop = stopping.aborted || Math.random() * STOP_ONE_IN < 1;
      const how = await service.end(isStop ? "SIGTERM" : "SIGKILL");
      if (isStop) stops += 1;
      else kills += 1;
      if (isStop && how !== 0) broken.push(`a service that was stopped in order ended with ${how}`);
    } catch (error) {
      broken.push(error instanceof Error ? error.message : String(error));
    }
    await sleep(PAUSE_MS);
  }
  return { kills, stops, broken };
}
