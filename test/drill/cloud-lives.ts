/** Services that are killed and started again: real processes of `holdfast serve`, one after another. */
import { type ChildProcess, spawn } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { CLI, type Env } from "../runtime/process.ts";
import { NAME_VARIABLE } from "./letters.ts";

export interface Life {
  readonly name: string;
  /** Null before it serves, and after its end. */
  url: string | null;
  hasServed: boolean;
  end: "lives" | "killed" | "killed while starting" | "did not start" | "stopped" | "broke down";
  /** What its passes reported, by code. */
  readonly failures: Record<string, number>;
  /** The last that it said on standard error. */
  words: string;
}

export interface Lives {
  readonly all: readonly Life[];
  /** Resolves once all kills are done. */
  readonly killed: Promise<void>;
  /** Where requests go now: any of those that serve; null while none does. */
  url(): string | null;
  /** Ends all in good order. */
  stop(): Promise<void>;
}

export interface LivesOptions {
  readonly env: Env;
  /** At the same time. */
  readonly services: number;
  readonly kills: number;
  readonly random: () => number;
}

/** One life in so many is ended while it starts. */
const STARTING_ONE_IN = 4;
const STARTING_MS = 900;

/** The shortest and the longest time for which a service serves before it is killed. */
const SERVING_MS = [250, 2_500] as const;

/** Between an end and the next beginning, as a supervisor would wait. */
const PAUSE_MS = 50;

export function startLives({ env, services, kills, random }: LivesOptions): Lives {
  const all: Life[] = [];
  const stopping = new AbortController();
  let begun = 0;

  async function lane(first: string): Promise<void> {
    for (let n = 1; !stopping.signal.aborted; n += 1) {
      const isDoomed = begun < kills;
      if (isDoomed) begun += 1;
      const life = newLife(`${first}-${n}`);
      all.push(life);
      await live(life, env, isDoomed ? deathOf(random) : null, stopping.signal);
      // Who did not come as far as its death has not died: another one will.
      if (isDoomed && !life.end.startsWith("killed")) begun -= 1;
      await sleep(PAUSE_MS);
    }
  }

  const lanes = Array.from({ length: services }, (_, n) => lane(`service-${n + 1}`));
  return {
    all,
    killed: (async () => {
      while (all.filter(({ end }) => end.startsWith("killed")).length < kills) await sleep(50);
    })(),
    url() {
      const serving = all.flatMap(({ url }) => (url === null ? [] : [url]));
      return serving[Math.floor(random() * serving.length)] ?? null;
    },
    async stop() {
      stopping.abort();
      await Promise.all(lanes);
    },
  };
}

function newLife(name: string): Life {
  return { name, url: null, hasServed: false, end: "lives", failures: {}, words: "" };
}

interface Death {
  readonly isWhileStarting: boolean;
  /** From its beginning, or from when it serves. */
  readonly afterMs: number;
}

function deathOf(random: () => number): Death {
  const isWhileStarting = random() * STARTING_ONE_IN < 1;
  const [least, most] = SERVING_MS;
  const afterMs = isWhileStarting ? random() * STARTING_MS : least + random() * (most - least);
  return { isWhileStarting, afterMs };
}

/** From its beginning to its end. */
async function live(
  life: Life,
  env: Env,
  death: Death | null,
  stopping: AbortSignal,
): Promise<void> {
  const child = spawn(process.execPath, [CLI, "serve"], {
    env: { PATH: process.env["PATH"], PORT: "0", ...env, [NAME_VARIABLE]: life.name },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const ended = new AbortController();
  const over = new Promise<NodeJS.Signals | number | null>((resolve) => {
    child.once("close", (status, signal) => {
      life.url = null;
      ended.abort();
      resolve(signal ?? status);
    });
  });
  const serving = hears(child, life);
  if (death === null) {
    const stop = (): void => void child.kill("SIGTERM");
    if (stopping.aborted) stop();
    else stopping.addEventListener("abort", stop, { once: true });
  } else {
    if (!death.isWhileStarting) await Promise.race([serving, over]);
    await sleep(death.afterMs, undefined, { signal: ended.signal }).catch(() => {});
    child.kill("SIGKILL");
  }
  life.end = endOf(await over, life, stopping.aborted);
}

function endOf(how: NodeJS.Signals | number | null, life: Life, isStopping: boolean): Life["end"] {
  if (how === "SIGKILL") return life.hasServed ? "killed" : "killed while starting";
  // A process knows what SIGTERM asks of it once it serves.
  if (isStopping && (how === 0 || !life.hasServed)) return "stopped";
  return life.hasServed ? "broke down" : "did not start";
}

/** Reads its log; resolves when it serves. */
function hears(child: ChildProcess, life: Life): Promise<void> {
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    life.words = (life.words + text).slice(-1_000);
  });
  return new Promise((resolve) => {
    let rest = "";
    child.stdout?.setEncoding("utf8").on("data", (text: string) => {
      const lines = (rest + text).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) {
        const { event, url, codes } = JSON.parse(line);
        if (event === "serving") {
          life.url = String(url);
          life.hasServed = true;
          resolve();
        }
        if (event === "pass" && typeof codes === "string") count(life, codes);
      }
    });
  });
}

/** As a pass tells them: `outcome_unknown 2, unavailable 1`. */
function count({ failures }: Life, codes: string): void {
  for (const one of codes.split(", ")) {
    const [code = "", times = "0"] = one.split(" ");
    failures[code] = (failures[code] ?? 0) + Number(times);
  }
}
