/** The processes of the demo, and the time line that they tell. */
import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

export interface Told {
  readonly did: string;
  readonly attempts?: number;
  readonly leaseToken?: string;
  readonly leaseUntil?: string;
  /** Of a caller's receipt. */
  readonly id?: string;
  readonly dispatchToken?: string;
  readonly result?: unknown;
}

export interface Child {
  readonly pid: number | undefined;
  /** The first line that says so. Throws when the process ends without it. */
  hears(did: string): Promise<Told>;
  end(signal: "SIGKILL" | "SIGTERM"): Promise<void>;
}

const CLI = fileURLToPath(new URL("../../adapters/runtime/cli.js", import.meta.url));
const WORKER = fileURLToPath(new URL("./worker.js", import.meta.url));
const CALLER = fileURLToPath(new URL("./caller.js", import.meta.url));

const begun = Date.now();

export function show(who: string, what: string): void {
  const seconds = ((Date.now() - begun) / 1_000).toFixed(1).padStart(5);
  console.log(`${seconds} s  ${who.padEnd(9)} ${what}`);
}

/** `holdfast serve` on this folder; its URL. */
export async function startServer(env: Readonly<Record<string, string>>) {
  const child = started([CLI, "serve"], { ...env, PORT: "0" }, (line) => {
    const { event, url, folder } = JSON.parse(line);
    if (event === "serving") show("server", `serves ${folder} at ${url}`);
    return { ...JSON.parse(line), did: event };
  });
  const { url } = (await child.hears("serving")) as Told & { readonly url: string };
  return { child, url };
}

/** A worker that takes `sendSeconds` for each email. */
export function startWorker(name: string, url: string, key: string, sendSeconds: number): Child {
  const child = started([WORKER, url, key, String(sendSeconds)], {}, (line) => {
    const told: Told = JSON.parse(line);
    const lease = told.leaseUntil === undefined ? "" : ` until ${told.leaseUntil.slice(11, 23)}`;
    const attempt = told.attempts === undefined ? "" : `, attempt ${told.attempts}`;
    show(name, `${told.did}${lease}${attempt}`);
    return told;
  });
  show(name, `started, pid ${child.pid}`);
  return child;
}

/** Where a caller pays, and where it keeps its receipt. */
export interface Till {
  readonly url: string;
  readonly key: string;
  readonly provider: string;
}

/** A caller that pays, and tells so `reportSeconds` later. */
export function startCaller(
  name: string,
  { url, key, provider }: Till,
  reportSeconds: number,
): Child {
  const child = started([CALLER, url, key, provider, String(reportSeconds)], {}, (line) => {
    const told: Told = JSON.parse(line);
    const result = told.result === undefined ? "" : `, and has ${JSON.stringify(told.result)}`;
    show(name, `${told.did}${result}`);
    return told;
  });
  show(name, `started, pid ${child.pid}`);
  return child;
}

function started(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  read: (line: string) => Told,
): Child {
  const child: ChildProcess = spawn(process.execPath, args, {
    env: { PATH: process.env["PATH"], ...env },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const told: Told[] = [];
  let heard = (): void => {};
  if (child.stdout !== null) {
    createInterface({ input: child.stdout }).on("line", (line) => {
      told.push(read(line));
      heard();
    });
  }
  const ended = new Promise<void>((resolve) => child.once("close", () => resolve()));
  return {
    pid: child.pid,
    async hears(did) {
      for (;;) {
        const found = told.find((one) => one.did === did);
        if (found !== undefined) return found;
        if (hasEnded(child)) throw new Error(`a process ended before it told "${did}"`);
        await Promise.race([new Promise<void>((resolve) => (heard = resolve)), ended]);
      }
    },
    end(signal) {
      child.kill(signal);
      return ended;
    },
  };
}

function hasEnded(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null;
}
