/**
 * Storage in a folder of a local disk: one file per record, named and written as the originals do, so
 * that an existing folder of theirs opens as it is.
 */
import { isAbsolute, join, relative, resolve, sep } from "node:path";
import type { Storage } from "../../../src/ports/backend.ts";
import { MisconfiguredError } from "../../../src/ports/faults.ts";
import { openExclusive } from "./backend-exclusive.ts";
import { openProcesses } from "./backend-processes.ts";
import { openReading } from "./backend-reading.ts";
import { nodeDisk } from "./disk.ts";
import { createFolder, type OwnerContact } from "./folder.ts";
import type { LayoutOptions } from "./layout.ts";
import { thisProcess } from "./lock-file.ts";
import { checkContact } from "./owner.ts";

export type { OwnerContact } from "./folder.ts";
export { type FolderOwner, folderOwner } from "./owner.ts";
export { type QueryJournalOptions, queryJournal } from "./query-journal.ts";

export interface FilesystemStorageOptions {
  /** Made if it is missing. Network file systems are refused. */
  readonly directory: string;
  /**
   * `processes` (the default): any number of processes of one host, a lock per key. `exclusive`: one
   * process for as long as it has the folder open, with cheaper writes.
   */
  readonly sharing?: "processes" | "exclusive";
  /** An existing email root of an original, instead of `<directory>/emails`; default tenant only. */
  readonly emailsDirectory?: string;
  /** An existing receipts root of an original, instead of `<directory>/receipts`. */
  readonly receiptsDirectory?: string;
  /** Of a process that also serves HTTP; with `exclusive` only. `folderOwner` gives it to others. */
  readonly owner?: OwnerContact;
}

/**
 * Throws MisconfiguredError for options that cannot be meant. Opening throws MisconfiguredError (a
 * folder that cannot be used, a newer format, a live process of an original) or FolderInUseError.
 */
export function filesystemStorage(options: FilesystemStorageOptions): Storage {
  checkOptions(options);
  const layout = apart(layoutOptions(options));
  const { owner = null } = options;
  return {
    open(context) {
      const by = { self: thisProcess(), owner, disk: nodeDisk() };
      const folder = createFolder(context, layout, by);
      return options.sharing === "exclusive" ? openExclusive(folder) : openProcesses(folder);
    },
  };
}

/**
 * The folder of `options` to be read only: nothing is written in it, not even what opening it otherwise
 * makes. Opening throws MisconfiguredError or FolderInUseError; writes and reads of what is due throw
 * MisconfiguredError.
 */
export function filesystemReader(
  options: Pick<FilesystemStorageOptions, "directory" | "emailsDirectory" | "receiptsDirectory">,
): Storage {
  checkOptions(options);
  const layout = layoutOptions(options);
  return {
    open(context) {
      const by = { self: thisProcess(), owner: null, disk: nodeDisk() };
      return openReading(createFolder(context, layout, by));
    },
  };
}

const OPTIONS = ["directory", "sharing", "emailsDirectory", "receiptsDirectory", "owner"];

/** A misspelt option must not quietly mean the default. */
function checkOptions(options: FilesystemStorageOptions): void {
  const unknown = Object.keys(options ?? {}).find((name) => !OPTIONS.includes(name));
  if (unknown !== undefined) {
    throw new MisconfiguredError(`unknown option ${unknown}; there are ${OPTIONS.join(", ")}`);
  }
  const { sharing = "processes", owner } = options;
  if (sharing !== "processes" && sharing !== "exclusive") {
    throw new MisconfiguredError(`sharing must be "processes" or "exclusive", not ${sharing}`);
  }
  if (owner === undefined) return;
  if (sharing !== "exclusive") {
    throw new MisconfiguredError('owner needs sharing: "exclusive", where there is one');
  }
  checkContact(owner);
}

function layoutOptions(options: FilesystemStorageOptions): LayoutOptions {
  const directory = absolute("directory", options.directory);
  const external: Record<string, string> = {};
  for (const root of ["emails", "receipts"] as const) {
    const given = options[`${root}Directory`];
    if (given === undefined) continue;
    external[root] = absolute(`${root}Directory`, given);
  }
  const all = [directory, ...Object.values(external)];
  if (new Set(all).size < all.length) {
    throw new MisconfiguredError(
      "directory, emailsDirectory and receiptsDirectory must be different directories",
    );
  }
  return { directory, external };
}

/**
 * A root that is given where it lies anyway is none of an original's, and has no lock of its own. Any other
 * that lies in the directory, or around it, would be met in the listings of both, and is refused.
 */
function apart({ directory, external: given }: LayoutOptions): LayoutOptions {
  const elsewhere = Object.entries(given).filter(([root, path]) => path !== join(directory, root));
  const folders: (readonly [string, string])[] = [["directory", directory]];
  for (const [root, path] of elsewhere) folders.push([`${root}Directory`, path]);
  for (const [inner, path] of folders) {
    for (const [outer, above] of folders) {
      if (path === above || !isWithin(path, above)) continue;
      throw new MisconfiguredError(
        `${inner} ${path} lies in ${outer} ${above}: name a folder outside of it`,
      );
    }
  }
  return { directory, external: Object.fromEntries(elsewhere) };
}

function isWithin(path: string, above: string): boolean {
  const way = relative(above, path);
  return way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

function absolute(name: string, path: string): string {
  if (typeof path !== "string" || path === "")
    throw new MisconfiguredError(`${name} must name a directory, such as "./data"`);
  return resolve(path);
}
