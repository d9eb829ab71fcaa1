/** Who takes part in a soak: processes that play their parts, and come back when they died. */
import { type ChildProcess, spawn } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { Env } from "../runtime/process.ts";

const CHILD = fileURLToPath(new URL("./child.js", import.meta.url));

/** How many play each part. Those that begin work end before those that finish it. */
const BEGINNERS = { enqueuer: 2, caller: 2, onceCaller: 2, asker: 1 } as const;
const FINISHERS = { sender: 2, runner: 2, person: 1, looker: 1 } as const;

export interface Troupe {
  /** Processes that killed themselves in the middle of their work. */
  deaths(): number;
  /** What ended otherwise, with the last of what it said. */
  broken(): readonly string[];
  stop(): Promise<void>;
}

interface Given {
  readonly env: Env;
  readonly world: string;
  readonly urls: readonly string[];
}

export const beginners = (given: Given): Troupe => troupe(BEGINNERS, [], given);
export const finishers = (given: Given): Troupe => troupe(FINISHERS, PAUSED, given);

/** Who is stopped where it stands now and then, for longer than it has its leases, and goes on after that. */
const PAUSED = ["sender", "runner"] as const;
const PAUSED_MS = 6_000;
const RUNNING_MS = 4_000;

const PAUSE_MS = 200;

function troupe(
  parts: Readonly<Record<string, number>>,
  paused: readonly string[],
  { env, world, urls }: Given,
): Troupe {
  const children = new Map<string, ChildProcess>();
  const broken: string[] = [];
  let deaths = 0;
  const stopping = new AbortController();

  /** One part of the play, until all is stopped. */
  async function lane(kind: string, name: string): Promise<void> {
    while (!stopping.signal.aborted) {
      const child = spawn(process.execPath, [CHILD, kind, name, world, ...urls], {
        env: { PATH: process.env["PATH"], ...env },
        stdio: ["ignore", "ignore", "pipe", "ipc"],
      });
      children.set(name, child);
      let words = "";
      child.stderr?.setEncoding("utf8").on("data", (text: string) => {
        words = (words + text).slice(-1_000);
      });
      const how = await new Promise<number | string | null>((resolve) => {
        child.once("close", (status, signal) => resolve(signal ?? status));
      });
      children.delete(name);
      if (how === "SIGKILL") deaths += 1;
      else if (how !== 0) broken.push(`${name} ended with ${how}: ${words}`);
      await sleep(PAUSE_MS);
    }
  }

  /** One of a kind at a time, so that another is there to take over. */
  async function pauses(kind: string): Promise<void> {
    const wait = (ms: number) => sleep(ms, undefined, { signal: stopping.signal }).catch(() => {});
    for (let n = 0; !stopping.signal.aborted; n += 1) {
      await wait(RUNNING_MS);
      const child = children.get(`${kind}-${1 + (n % (parts[kind] ?? 1))}`);
      child?.kill("SIGSTOP");
      await wait(PAUSED_MS);
      child?.kill("SIGCONT");
    }
  }

  const lanes = Object.entries(parts).flatMap(([kind, count]) =>
    Array.from({ length: count }, (_, n) => lane(kind, `${kind}-${n + 1}`)),
  );
  const pausing = paused.map(pauses);
  return {
    deaths: () => deaths,
    broken: () => broken,
    async stop() {
      stopping.abort();
      for (const child of children.values()) if (child.connected) child.send("stop");
      await Promise.all([...lanes, ...pausing]);
    },
  };
}
