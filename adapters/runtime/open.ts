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
import { type App, defineApp, type HoldfastOptions } from "../../src/services/services.ts";
import { filesystemStorage, type OwnerContact } from "../storage/filesystem/index.ts";
import { memoryStorage } from "../storage/memory.ts";
import type { Config, StorageConfig } from "./config.ts";
import { openMailer } from "./mailer.ts";

const DAY_MS = 86_400_000;

/**
 * `owner`: how the command line reaches this process while it has an exclusive folder. Throws
 * MisconfiguredError, naming the variable, or FolderInUseError.
 */
export async function openHoldfast(
  config: Config,
  owner: OwnerContact | null,
  observe: Observe = () => {},
): Promise<Holdfast> {
  const app: App = config.app === null ? {} : await appOf(config.app);
  const mail = await openMailer(config.mailer);
  return createHoldfast({
    storage: storageOf(config.storage, owner),
    app,
    observe,
    ...(mail === null ? {} : { mail }),
    limits: limitsOf(config),
  });
}

function limitsOf(config: Config): NonNullable<HoldfastOptions["limits"]> {
  const { emailRetentionDays, receiptCapacity, receiptRetentionDays, dispatchMarginMs } = config;
  return {
    ...(emailRetentionDays === null ? {} : { emailRetentionMs: emailRetentionDays * DAY_MS }),
    ...(receiptCapacity === null ? {} : { receiptCapacity }),
    receiptRetentionMs: receiptRetentionDays === 0 ? "off" : receiptRetentionDays * DAY_MS,
    dispatchMarginMs,
  };
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

function storageOf(config: StorageConfig, owner: OwnerContact | null): Storage {
  if (config.kind === "memory") return memoryStorage();
  const { directory, sharing, emailsDirectory, receiptsDirectory } = config;
  return filesystemStorage({
    directory,
    sharing,
    ...(emailsDirectory === null ? {} : { emailsDirectory }),
    ...(receiptsDirectory === null ? {} : { receiptsDirectory }),
    ...(owner === null || sharing !== "exclusive" ? {} : { owner }),
  });
}

async function appOf(path: string): Promise<App> {
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
