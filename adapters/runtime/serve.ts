/** `holdfast serve`: the Node service with its log and its signals. */
import { resolve } from "node:path";
import { faultFields } from "../../src/http/log-fields.ts";
import type { Log } from "../../src/ports/log.ts";
import type { Config } from "./config.ts";
import { nodeLog } from "./log.ts";
import { startServer } from "./node.ts";
import { runnerName } from "./runner.ts";
import { storageName } from "./storages.ts";
import { packageVersion } from "./version.ts";

type Env = Readonly<Record<string, string | undefined>>;

/** For the answers of what is in progress; a pass that is told to end does so in six seconds. */
const GRACE_MS = 6_500;

/**
 * For the end as a whole, of a mailer that takes its two seconds, too. With the last lines of the log it
 * is less than the ten seconds after which supervisors of processes kill.
 */
const LIMIT_MS = 9_000;

/** A terminal signals everybody in it, and npm passes on what it got: one Ctrl-C arrives twice. */
const ONE_KEYSTROKE_MS = 100;

/**
 * Serves until SIGTERM or SIGINT; a second one, of either, kills the process at once. Also until the folder
 * is lost or something uncaught was thrown, and the exit status is then 1. Throws MisconfiguredError or
 * FolderInUseError when it cannot begin.
 */
export async function serve(config: Config, env: Env): Promise<void> {
  const { log, flush } = nodeLog(config.logLevel);
  for (const { name, nearest } of config.unknown) {
    log("warn", "unknown variable", { variable: name, nearest });
  }
  const server = await startServer(config, env, log).catch(async (error: unknown) => {
    await flush();
    throw error;
  });
  const { storage, keys, runner } = config;
  log("info", "serving", {
    url: server.url,
    pid: process.pid,
    version: packageVersion(),
    storage: storage.kind,
    ...(storage.kind === "filesystem"
      ? { folder: resolve(storage.directory), sharing: storage.sharing }
      : { where: storageName(storage) }),
    runner: runnerName(runner),
    keys: keys.length,
    ...(keys.length > 0 ? {} : { open: "to this host only; HOLDFAST_KEYS lets others in" }),
  });
  const lost = server.lost.then(() => "the folder was lost");
  const fault = Promise.race([lost, uncaught(log)]).then((why) => {
    // Whoever watches over the process starts it again, or sees that another one has the folder.
    process.exitCode = 1;
    return why;
  });
  const why = await Promise.race([signalled(), fault]);
  log("info", "stopping", { why });
  try {
    await server.stop({ graceMs: GRACE_MS, limitMs: LIMIT_MS });
    log("info", "stopped", {});
  } catch (error) {
    const fault = error instanceof Error ? error.message : String(error);
    log("error", "stopped in disorder; nothing that was acknowledged is lost", { fault });
    process.exitCode = 1;
  }
  await flush();
  // Whatever would still keep it: lines that nobody reads, timers of the application's module.
  process.exit();
}

/**
 * Resolves when something was thrown that nobody catches, which leaves who knows what half done. A
 * promise that nobody handles leaves nothing: that it was rejected is logged, and the service goes on.
 * Both are an application's, of a mailer that goes on after its answer for example.
 */
function uncaught(log: Log): Promise<string> {
  process.on("unhandledRejection", (reason) => {
    log("error", "unhandled rejection", faultFields(reason));
  });
  return new Promise((resolve) => {
    process.on("uncaughtException", (error) => {
      log("error", "uncaught exception", faultFields(error));
      resolve("an uncaught exception");
    });
  });
}

/** The name of the first one. */
function signalled(): Promise<string> {
  return new Promise((resolve) => {
    let firstAt: number | null = null;
    for (const name of ["SIGTERM", "SIGINT"] as const) {
      process.on(name, () => {
        firstAt ??= performance.now();
        if (performance.now() - firstAt > ONE_KEYSTROKE_MS) endAtOnce();
        resolve(name);
      });
    }
  });
}

/** A regular exit would wait for threads, which may be waiting for a disk. */
function endAtOnce(): void {
  process.kill(process.pid, "SIGKILL");
}
