/** What is checked and taken before a folder is used (protocols 7.5, 7.6; design 5). */
import { accessSync, constants, existsSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { durationMs } from "../../../src/core/time.ts";
import { FolderInUseError, MisconfiguredError } from "../../../src/ports/faults.ts";
import { type AgedFile, absentIs, codeOf, makeDurableDirectory } from "./disk.ts";
import { refuseNetwork } from "./file-systems.ts";
import type { Folder } from "./folder.ts";
import {
  clearAllTemps,
  type FolderClaim,
  releaseFolderLock,
  takeFolderLock,
} from "./folder-lock.ts";
import {
  existingRoots,
  foldersOf,
  type LayoutOptions,
  type RootPlace,
  rootPlace,
  rootsOfTenant,
} from "./layout.ts";
import { refuseLiveOriginal, sweepFolderLeftovers } from "./leftovers.ts";
import { isStaleLock, lockText, parseLock } from "./lock-file.ts";
import { FOLDER_FORMAT, parseFormat, readRootState } from "./root-state.ts";
import { runSteps } from "./steps.ts";
import { writeTemp } from "./temp-file.ts";
import { misconfigured } from "./trouble.ts";

/** One `folder.lock` that is held; the heartbeat writes to `fd`. */
export interface HeldLock {
  readonly claim: FolderClaim;
  readonly fd: number;
}

/** Directories of these names are roots, whoever wrote them. */
const MACHINES: ReadonlySet<string> = new Set(["emails", "receipts", "queries"]);

/** How long another process may take to clear a dead owner away. */
const CLEARING_WAIT_MS = 50;
const CLEARING_WAITS_MAX = 600;

/**
 * Directories, file systems, formats, originals. Throws MisconfiguredError, naming what a person has
 * to look at. Nothing is read or written in the folder before.
 */
export function checkFolder(folder: Folder): void {
  const { layout, disk, context } = folder;
  checkExternals(layout);
  for (const directory of foldersOf(layout)) checkDirectory(directory);
  checkFormat(folder);
  for (const directory of foldersOf(layout)) {
    sweepFolderLeftovers(directory, context.clock.now(), context.observe);
  }
  for (const root of allRoots(layout)) {
    readRootState(disk, root);
    refuseLiveOriginal(root, context.clock.now());
  }
}

export function allRoots(layout: LayoutOptions): readonly RootPlace[] {
  return existingRoots(layout).map((root) => rootPlace(layout, root));
}

/** The roots that this store has written, or that an original may have. */
export function rootsInUse(folder: Folder): readonly RootPlace[] {
  return allRoots(folder.layout).filter((place) => isInUse(folder, place));
}

/** The same of one tenant, as they are now; `tenant`: what its keys begin with. */
export function tenantRootsInUse(folder: Folder, tenant: string): readonly RootPlace[] {
  return rootsOfTenant(folder.layout, tenant)
    .map((root) => rootPlace(folder.layout, root))
    .filter((place) => isInUse(folder, place));
}

function isInUse({ disk }: Folder, place: RootPlace): boolean {
  return MACHINES.has(basename(place.root)) || disk.exists(place.state);
}

/**
 * Takes `folder.lock` in every directory, data directory first, and clears every temp (7.6, 1 and 2).
 * Throws FolderInUseError, naming the living owner.
 */
export async function takeFolder(folder: Folder, u: string): Promise<readonly HeldLock[]> {
  const held: HeldLock[] = [];
  try {
    for (const directory of foldersOf(folder.layout)) {
      held.push(await takeOne(folder, { directory, u, isClearing: false }));
    }
    clearTemps(folder, foldersOf(folder.layout));
    return held;
  } catch (error) {
    for (const lock of held) runSteps(releaseFolderLock(lock.claim, lock.fd));
    throw error;
  }
}

/**
 * For processes that share a folder (7.6, 8): throws FolderInUseError while an exclusive owner lives;
 * what a dead one left is cleared away.
 */
export async function clearDeadOwner(folder: Folder, folderLock: string): Promise<void> {
  if (!folder.disk.exists(folderLock)) return;
  const directory = dirname(folderLock);
  const lock = await takeOne(folder, { directory, u: folder.newId(), isClearing: true });
  try {
    clearTemps(folder, [directory]);
  } finally {
    runSteps(releaseFolderLock(lock.claim, lock.fd));
  }
}

async function takeOne(
  folder: Folder,
  by: { readonly directory: string; readonly u: string; readonly isClearing: boolean },
): Promise<HeldLock> {
  const { clock, observe } = folder.context;
  for (let waits = 0; ; waits += 1) {
    const claim = claimOf(folder, by);
    const verdict = runSteps(takeFolderLock(claim));
    if (verdict.kind === "taken") {
      if (verdict.isTakeOver) observe("folder.lock.taken_over", 1);
      return { claim, fd: verdict.fd };
    }
    if (verdict.kind === "in_use" && (!isClearing(verdict.file) || waits > CLEARING_WAITS_MAX)) {
      throw inUse(claim.path, verdict.file);
    }
    await clock.sleep(durationMs(CLEARING_WAIT_MS));
  }
}

function claimOf(
  folder: Folder,
  by: { readonly directory: string; readonly u: string; readonly isClearing: boolean },
): FolderClaim {
  const { self, disk, context } = folder;
  const now = context.clock.now();
  const owner = by.isClearing ? null : folder.owner;
  // One file is where it is looked for; an original's root needs no copy of a secret.
  const isMain = by.directory === folder.layout.directory;
  const fields = {
    address: owner?.address ?? null,
    secret: isMain ? (owner?.secret ?? null) : null,
    since: now,
    isClearing: by.isClearing,
  };
  return {
    disk,
    path: join(by.directory, "folder.lock"),
    u: by.u,
    lockText: lockText(by.u, self, fields),
    isStale: (lock) => isStaleLock(lock, now, self),
    now,
  };
}

function isClearing(file: AgedFile): boolean {
  return parseLock(file.bytes).isClearing;
}

function inUse(path: string, file: AgedFile): FolderInUseError {
  const { owner, address, since } = parseLock(file.bytes);
  const pid = owner?.pid ?? null;
  const who = pid === null ? "another process" : `process ${pid}`;
  const where = address === null ? "" : `, which serves it at ${address}`;
  return new FolderInUseError(`${dirname(path)} belongs to ${who}${where} (${path})`, {
    pid,
    address,
    since,
  });
}

function clearTemps(folder: Folder, directories: readonly string[]): void {
  const temps = allRoots(folder.layout)
    .filter((root) => directories.includes(dirname(root.folderLock)))
    .map((root) => root.temps);
  const cleared = runSteps(clearAllTemps(folder.disk, temps));
  if (cleared > 0) folder.context.observe("folder.leftovers.swept", cleared);
}

/** A misspelt path must not become an empty store, nor a folder of ours get a second lock. */
export function checkExternals({ external }: LayoutOptions): void {
  for (const [name, directory] of Object.entries(external)) {
    if (!existsSync(directory)) {
      throw new MisconfiguredError(`${name}Directory ${directory} does not exist`);
    }
    const above = join(dirname(directory), "holdfast.json");
    if (existsSync(above)) {
      const owner = dirname(directory);
      throw new MisconfiguredError(`${directory} belongs to ${owner}: open that as the directory`);
    }
  }
}

function checkDirectory(directory: string): void {
  try {
    makeDurableDirectory(directory);
    accessSync(directory, constants.R_OK | constants.W_OK | constants.X_OK);
    refuseNetwork(directory);
  } catch (error) {
    throw misconfigured(directory, error);
  }
}

/** `holdfast.json` of the data directory: the format of the whole folder. */
function checkFormat(folder: Folder): void {
  const file = join(folder.layout.directory, "holdfast.json");
  try {
    const bytes = absentIs(null, () => readFileSync(file));
    if (bytes === null) writeFormat(folder, file);
    else parseFormat(file, bytes);
  } catch (error) {
    throw misconfigured(file, error);
  }
}

/** Its name is not synced: whoever finds none after a power cut writes it again. */
function writeFormat({ disk, newId }: Folder, file: string): void {
  const temp = `${file}.${newId()}.tmp`;
  const text = `${JSON.stringify({ format: FOLDER_FORMAT }, null, 2)}\n`;
  runSteps(writeTemp(disk, temp, Buffer.from(text)));
  try {
    disk.link(temp, file);
  } catch (error) {
    if (codeOf(error) !== "EEXIST") throw error;
  } finally {
    disk.unlink(temp);
  }
}
