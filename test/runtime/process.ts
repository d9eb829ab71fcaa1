/** The command line as real processes: short commands, and the server. */
import { type ChildProcess, spawn } from "node:child_process";
import { fileURLToPath } from "node:url";

export const CLI = fileURLToPath(new URL("../../adapters/runtime/cli.js", import.meta.url));

export type Env = Readonly<Record<string, string>>;

export interface Ended {
  readonly status: number | null;
  /** Of a process that was killed. */
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Nothing of the environment of the tests but what finds programs. */
function childEnv(env: Env): NodeJS.ProcessEnv {
  return { PATH: process.env["PATH"], ...env };
}

/** `holdfast …args`, to its end. */
export async function holdfast(env: Env, ...args: readonly string[]): Promise<Ended> {
  const child = spawn(process.execPath, [CLI, ...args], { env: childEnv(env) });
  return ended(child, gathered(child));
}

export interface ServerProcess {
  readonly url: string;
  readonly pid: number;
  /** Lets its log run into a pipe that nobody empties, until it is called again. */
  readLog(isRead: boolean): void;
  /** Its lines so far, parsed. */
  lines(): readonly Record<string, unknown>[];
  readonly ended: Promise<Ended>;
  /** Resolves at its end. */
  kill(signal: "SIGTERM" | "SIGINT" | "SIGKILL"): Promise<Ended>;
}

/**
 * `holdfast serve` on a free port and without passes of its own, once it serves. Throws with its output when it ends instead.
 * `filesMax`: how many files it may have open. `look` is shown its lines again and again until then.
 */
export async function startServer(
  env: Env,
  filesMax?: number,
  look: (lines: readonly Record<string, unknown>[]) => void = () => {},
): Promise<ServerProcess> {
  const options = { env: childEnv({ PORT: "0", HOLDFAST_RECONCILE_MS: "0", ...env }) };
  const child =
    filesMax === undefined
      ? spawn(process.execPath, [CLI, "serve"], options)
      : spawn(
          "sh",
          ["-c", `ulimit -n ${filesMax}; exec "$0" "$1" serve`, process.execPath, CLI],
          options,
        );
  const output = gathered(child);
  const end = ended(child, output);
  let isOver = false;
  void end.then(() => {
    isOver = true;
  });
  const lines = (): Record<string, unknown>[] =>
    output()
      .stdout.split("\n")
      .slice(0, -1)
      .map((line) => JSON.parse(line));
  for (;;) {
    look(lines());
    const serving = lines().find(({ event }) => event === "serving");
    if (serving !== undefined) {
      return {
        url: String(serving["url"]),
        pid: child.pid ?? 0,
        readLog: (isRead) => void (isRead ? child.stdout.resume() : child.stdout.pause()),
        lines,
        ended: end,
        kill(signal) {
          child.kill(signal);
          return end;
        },
      };
    }
    if (isOver) throw new Error(`the server ended: ${JSON.stringify(await end)}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

function gathered(child: ChildProcess): () => { stdout: string; stderr: string } {
  let [stdout, stderr] = ["", ""];
  child.stdout?.setEncoding("utf8").on("data", (text) => {
    stdout += text;
  });
  child.stderr?.setEncoding("utf8").on("data", (text) => {
    stderr += text;
  });
  return () => ({ stdout, stderr });
}

function ended(child: ChildProcess, output: () => { stdout: string; stderr: string }) {
  return new Promise<Ended>((resolve) => {
    child.once("close", (status, signal) => resolve({ status, signal, ...output() }));
  });
}
