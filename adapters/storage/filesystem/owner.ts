/** Finding the process that has a folder to itself, so that others can go through it (design 5). */
import { join, resolve } from "node:path";
import type { EpochMs } from "../../../src/core/time.ts";
import { MisconfiguredError } from "../../../src/ports/faults.ts";
import { type AgedFile, codeOf, nodeDisk } from "./disk.ts";
import type { OwnerContact } from "./folder.ts";
import { isStaleLock, parseLock, thisProcess } from "./lock-file.ts";
import { misconfigured } from "./trouble.ts";

export interface FolderOwner {
  /** Null: it has the folder, and has not written yet who it is. */
  readonly pid: number | null;
  /** Where it serves HTTP, and what it lets in there; null when it does not serve. */
  readonly address: string | null;
  readonly secret: string | null;
  readonly since: EpochMs | null;
}

/**
 * Who has the data directory to itself now, judged as an opener judges it: null for an owner that is
 * dead or was silent for more than 30 s, and when there is none, nor a folder. Throws
 * MisconfiguredError when `folder.lock` is there and cannot be read, for want of permission, say.
 */
export function folderOwner(directory: string, now: EpochMs): FolderOwner | null {
  const file = readLock(join(resolve(directory), "folder.lock"));
  if (file === null || isStaleLock(file, now, thisProcess())) return null;
  const { owner, address, secret, since, isClearing } = parseLock(file.bytes);
  // Nobody works in the folder then: what a dead owner left is being cleared away.
  if (isClearing) return null;
  return { pid: owner?.pid ?? null, address, secret, since };
}

const ADDRESS_CHARS_MAX = 2_048;

/** Throws MisconfiguredError, which says nothing of the secret. */
export function checkContact(contact: OwnerContact): void {
  const { address, secret } = contact ?? {};
  const isAddress =
    typeof address === "string" &&
    address.length <= ADDRESS_CHARS_MAX &&
    /^https?:\/\/[\x21-\x7e]+$/.test(address) &&
    URL.canParse(address);
  if (!isAddress) {
    throw new MisconfiguredError(
      'owner.address must be an http or https URL, such as "http://127.0.0.1:8787"',
    );
  }
  if (typeof secret !== "string" || !/^[\x21-\x7e]{32,256}$/.test(secret)) {
    throw new MisconfiguredError("owner.secret must be 32 to 256 visible ASCII characters");
  }
}

function readLock(path: string): AgedFile | null {
  try {
    return nodeDisk().readAged(path);
  } catch (error) {
    // A file lies where the directory should be; opening it says so.
    if (codeOf(error) === "ENOTDIR") return null;
    throw misconfigured(path, error);
  }
}
