/** What a configuration names, opened: the application's module, the storage, the services. */
import { resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import type { Holdfast } from "../../src/holdfast.ts";
import { createHoldfast } from "../../src/holdfast.ts";
import type { Storage } from "../../src/ports/backend.ts";
import { FolderInUseError, MisconfiguredError } from "../../src/ports/faults.ts";
import type { Log } from "../../src/ports/log.ts";
import type { Observe } from "../../src/ports/observe.ts";
import { type App, defineApp } from "../../src/services/app.ts";
import type { ProbeFinding } from "../../src/store/probe.ts";
import { probed } from "../../src/store/probed.ts";
import type { OwnerContact } from "../storage/filesystem/index.ts";
import type { Config } from "./config.ts";
import { limitsOf } from "./limits.ts";
import { openMailer } from "./mailer.ts";
import type { StorageConfig } from "./storage-config.ts";
import { storageOf, tableClock } from "./storages.ts";

export interface OpenOptions {
  /** How the command line reaches this process while it has an exclusive folder. */
  readonly owner?: OwnerContact;
  readonly observe?: Observe;
  readonly log?: Log;
  /** Asks for a probe of a storage that somebody else runs; called with what should be looked at. */
  readonly onProbed?: (finding: ProbeFinding) => void;
}

/** Throws MisconfiguredError, naming the variable or the check that failed, or FolderInUseError. */
export async function openHoldfast(config: Config, options: OpenOptions = {}): Promise<Holdfast> {
  const { owner = null, observe = () => {}, log = () => {}, onProbed } = options;
  const app: App = config.app === null ? {} : await appOf(config.app);
  const mail = await openMailer(config.mailer);
  const storage = await storageOf(config.storage, owner);
  return createHoldfast({
    storage: onProbed === undefined ? storage : await tried(storage, config.storage, onProbed),
    app,
    observe,
    log,
    ...(mail === null ? {} : { mail }),
    limits: limitsOf(config),
    heldQueries: config.heldQueries,
  });
}

/** A storage that somebody else runs may lie, and its clock may be another than ours. */
async function tried(
  storage: Storage,
  config: StorageConfig,
  onProbed: (finding: ProbeFinding) => void,
): Promise<Storage> {
  if (config.kind !== "dynamodb" && config.kind !== "s3") return storage;
  for (const finding of config.kind === "dynamodb" ? await tableClock(config) : []) {
    if (finding.verdict === "fail") throw new MisconfiguredError(finding.detail);
    if (finding.verdict === "warn") onProbed(finding);
  }
  return probed(storage, onProbed);
}

/** How long a command that looks into the folder, or a predecessor, may take to let go of it. */
const WAIT_MS = 10_000;
const LOOK_MS = 200;

/** Waits for an owner that serves nobody; one with an address stays. Then throws what `open` throws. */
export async function whenFree<T>(open: () => Promise<T>, log: Log): Promise<T> {
  const until = performance.now() + WAIT_MS;
  for (let looks = 0; ; looks += 1) {
    try {
      return await open();
    } catch (error) {
      const mayEnd = error instanceof FolderInUseError && error.address === null;
      if (!mayEnd || performance.now() > until) throw error;
      if (looks === 0) log("info", "waiting for the folder", { pid: error.pid, ms: WAIT_MS });
    }
    await sleep(LOOK_MS);
  }
}

/** The module of HOLDFAST_APP. Throws MisconfiguredError. */
export async function appOf(path: string): Promise<App> {
  const name = `HOLDFAST_APP ${path}`;
  let found: unknown;
  try {
    found = await import(pathToFileURL(resolve(path)).href);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new MisconfiguredError(`${name} cannot be loaded: ${why}`, { cause });
  }
  const app: unknown = Object(found).default;
  if (typeof app !== "object" || app === null) {
    throw new MisconfiguredError(`${name} must have a default export made by defineApp`);
  }
  try {
    return defineApp(app);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new MisconfiguredError(`${name}: ${why}`, { cause });
  }
}
