/** One command as a process of its own: its start, its streams with back-pressure, and its end. */
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import type { Readable } from "node:stream";
import { assert } from "../../../src/core/assert.ts";
import { type DurationMs, durationMs } from "../../../src/core/time.ts";
import type { Clock } from "../../../src/ports/clock.ts";
import { runnerError } from "../../../src/ports/runner-failures.ts";
import { endGroup } from "./group.ts";

export interface CommandStart {
  readonly file: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Null: that of this process. */
  readonly cwd: string | null;
}

export interface CommandTimes {
  readonly clock: Clock;
  readonly graceMs: DurationMs;
}

export interface CommandEnd {
  /** Null for a command that was killed. */
  readonly code: number | null;
  readonly killedBy: NodeJS.Signals | null;
}

export interface CommandProcess {
  /** All of its input. A command that does not read it is no fault: its exit code says what it is. */
  write(text: string): void;
  /** Its output, decoded; read no faster than it is asked for. Ends with the command at the latest. */
  output(): AsyncGenerator<string, void>;
  /** The end of its error output, once that is over. */
  errorOutput(): Promise<string>;
  readonly ended: Promise<CommandEnd>;
  /** Ends the command and its group, lets go of its streams, and resolves when that is done. */
  stop(): Promise<void>;
}

/** Far more than is told of it, so that what is to be taken out is seen whole. */
const ERROR_BYTES_KEPT = 16_384;

/** Rejects with `command_unavailable` when there is no such program, or it may not be run. */
export async function startCommand(
  start: CommandStart,
  times: CommandTimes,
): Promise<CommandProcess> {
  const child = await spawned(start);
  const errors = tailOf(child.stderr);
  const ended = once(child, "exit").then(([code, killedBy]): CommandEnd => ({ code, killedBy }));
  // A command that ends without having read its input, or that is ended, breaks the pipe.
  child.stdin.on("error", () => {});
  child.stdout.on("error", () => {});
  // Without somebody who listens, Node lets the output of a command that has ended run into nothing.
  child.stdout.on("readable", () => {});
  const pid = pidOf(child);
  const isGone = ended.then(() => endGroup(pid, times));
  const output: Output = { isAwaited: false, pieces: 0 };
  void isGone.then(() => letGo(child.stdout, output, times));
  void isGone.then(() => letGo(child.stderr, errors, times));
  let stopping: Promise<void> | null = null;

  async function stopped(): Promise<void> {
    // A command that is blocked in writing, or whose output is shut, could not end in peace.
    pourAway(child.stdout);
    if (child.exitCode === null && child.signalCode === null) await endGroup(pid, times);
    await isGone;
    for (const stream of [child.stdin, child.stdout, child.stderr]) stream.destroy();
  }

  return {
    write: (text) => void child.stdin.end(text),
    output: () => decoded(child.stdout, output),
    async errorOutput() {
      await closed(child.stderr);
      return errors.kept.toString("utf8");
    },
    ended,
    stop() {
      stopping ??= stopped();
      return stopping;
    },
  };
}

function pidOf({ pid }: ChildProcessWithoutNullStreams): number {
  // Without one, what ends the command's group would end our own.
  assert(pid !== undefined && pid > 1, "a command that runs without a number");
  return pid;
}

async function spawned(start: CommandStart): Promise<ChildProcessWithoutNullStreams> {
  try {
    const child = spawn(start.file, start.args, {
      env: start.env,
      ...(start.cwd === null ? {} : { cwd: start.cwd }),
      // A group of its own, so that all of it can be ended.
      detached: true,
      stdio: "pipe",
    });
    await once(child, "spawn");
    return child;
  } catch (cause) {
    // Not the system's message, which has the path.
    const code = String(cause instanceof Error && "code" in cause && cause.code);
    const reason = /^E[A-Z0-9_]{2,30}$/.test(code) ? ` (${code})` : "";
    throw runnerError("command_unavailable", `the command could not be started${reason}`, {
      cause,
    });
  }
}

interface Output {
  /** Whether somebody waits for what comes next. */
  isAwaited: boolean;
  /** How many there were. */
  pieces: number;
}

async function* decoded(stdout: Readable, output: Output): AsyncGenerator<string, void> {
  const decoder = new TextDecoder();
  try {
    output.isAwaited = true;
    for await (const bytes of stdout.iterator({ destroyOnReturn: false })) {
      output.isAwaited = false;
      output.pieces += 1;
      const text = decoder.decode(bytes, { stream: true });
      if (text !== "") yield text;
      output.isAwaited = true;
    }
  } catch (error) {
    if (!isLetGo(error)) throw error;
  }
  const rest = decoder.decode();
  if (rest !== "") yield rest;
}

function pourAway(stdout: Readable): void {
  const pour = (): void => {
    while (stdout.read() !== null);
  };
  stdout.on("readable", pour);
  pour();
}

/** Of a stream that was destroyed before its end. */
function isLetGo(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ERR_STREAM_PREMATURE_CLOSE";
}

/** How long a stream of a command that is over stays open without a word: who holds it is not of its group. */
const HELD_MS = durationMs(1_000);

async function letGo(stream: Readable, output: Output, { clock }: CommandTimes): Promise<void> {
  const end = new AbortController();
  stream.once("close", () => end.abort());
  while (!stream.closed) {
    const { pieces } = output;
    await clock.sleep(HELD_MS, end.signal);
    // What is there and was not asked for yet must not get lost.
    if (output.isAwaited && output.pieces === pieces) stream.destroy();
    if (stream.destroyed) return;
  }
}

async function closed(stream: Readable): Promise<void> {
  if (!stream.closed) await new Promise((resolve) => stream.once("close", resolve));
}

interface ErrorTail extends Output {
  kept: Buffer;
}

function tailOf(stream: Readable): ErrorTail {
  const tail: ErrorTail = { isAwaited: true, pieces: 0, kept: Buffer.alloc(0) };
  stream.on("error", () => {});
  stream.on("data", (bytes: Buffer) => {
    tail.pieces += 1;
    tail.kept = Buffer.concat([tail.kept, bytes]).subarray(-ERROR_BYTES_KEPT);
  });
  return tail;
}
