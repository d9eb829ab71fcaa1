/** A folder as a process of another boot of the machine opens it. */
import { openExclusive } from "../../adapters/storage/filesystem/backend-exclusive.ts";
import { openProcesses } from "../../adapters/storage/filesystem/backend-processes.ts";
import { nodeDisk } from "../../adapters/storage/filesystem/disk.ts";
import { createFolder } from "../../adapters/storage/filesystem/folder.ts";
import { thisProcess } from "../../adapters/storage/filesystem/lock-file.ts";
import { type EpochMs, epochMs } from "../../src/core/time.ts";
import type { Backend, Storage, StorageContext } from "../../src/ports/backend.ts";
import { type Clock, systemClock } from "../../src/ports/clock.ts";

export const SHARINGS = ["processes", "exclusive"] as const;
export type Sharing = (typeof SHARINGS)[number];

/** No machine is up again sooner after its power was cut. */
export const SOON_MS = 5_000;

/** `boot`: its number, in the place of the id that the system gave it. */
export function storageDuring(boot: number, directory: string, sharing: Sharing): Storage {
  const bootId = `00000000-0000-4000-8000-${String(boot).padStart(12, "0")}`;
  return {
    open(context) {
      const by = { self: { ...thisProcess(), bootId }, owner: null, disk: nodeDisk() };
      const folder = createFolder(context, { directory, external: {} }, by);
      return sharing === "exclusive" ? openExclusive(folder) : openProcesses(folder);
    },
  };
}

/** The same storage; `see` is given what it was opened with and opened as. */
export function seen(
  storage: Storage,
  see: (backend: Backend, context: StorageContext) => Backend,
): Storage {
  return { open: async (context) => see(await storage.open(context), context) };
}

export function clockAhead(milliseconds: number): Clock {
  const now = (): EpochMs => epochMs(Date.now() + milliseconds);
  return { ...systemClock(), now };
}
