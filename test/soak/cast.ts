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

export const beginners = (given: Given): Troupe => troupe(BEGINNERS, given);
export const finishers = (given: Given): Troupe => troupe(FINISHERS, given);

const PAUSE_MS = 200;

function troupe(parts: Readonly<Record<string, number>>, { env, world, urls }: Given): Troupe {
  const children = new Map<string, ChildProcess>();
  const broken: string[] = [];
  let deaths = 0;
  let isStopping = false;

  /** One part of the play, until all is stopped. */
  async function lane(kind: string, name: string): Promise<void> {
    while (!isStopping) {
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
      if (!isStopping) await sleep(PAUSE_MS);
    }
  }

  const lanes = Object.entries(parts).flatMap(([kind, count]) =>
    Array.from({ length: count }, (_, n) => lane(kind, `${kind}-${n + 1}`)),
  );
  return {
    deaths: () => deaths,
    broken: () => broken,
    async stop() {
      isStopping = true;
      for (const child of children.values()) if (child.connected) child.send("stop");
      await Promise.all(lanes);
    },
  };
}
