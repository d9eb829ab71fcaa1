/**
 * The storage steps that the write protocols are made of. Others, in this process or another one, can
 * come between any two calls, never inside one. Tests put their own disk here to record, to fail and
 * to interleave.
 */
import {
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  futimesSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  rmdirSync,
  type Stats,
  statSync,
  unlinkSync,
  writeSync,
} from "node:fs";
import { dirname } from "node:path";
import type { EpochMs } from "../../../src/core/time.ts";

/** A file with what tells how old it is. */
export interface AgedFile {
  readonly bytes: Uint8Array;
  /** Wall clock, milliseconds with a fraction. */
  readonly modifiedAt: number;
  readonly links: number;
}

/** All methods throw the system's error (with `code`) unless they say otherwise. */
export interface Disk {
  /** Creates the file (0600), which must not exist, and leaves it open for writing. */
  create(path: string): number;
  /** Creates an empty file (0600), which must not exist, with two directories above it if need be. */
  createEmpty(path: string): void;
  /** Writes all of `bytes` at the end of the open file. */
  write(fd: number, bytes: Uint8Array): void;
  sync(fd: number): void;
  close(fd: number): void;
  /** Sets the times of the open file, whatever lies at its path by now. */
  touch(fd: number, at: EpochMs): void;
  /** The whole file, or null when there is none. A symlink, a directory: ELOOP, EISDIR. */
  read(path: string): Uint8Array | null;
  readAged(path: string): AgedFile | null;
  exists(path: string): boolean;
  /** Changes whenever another file takes the place of the one at `path`; null: there is none. */
  stamp(path: string): string | null;
  /** The names in a directory, unsorted; none when there is no such directory. */
  list(path: string): readonly string[];
  rename(from: string, to: string): void;
  link(from: string, to: string): void;
  /** Whether there was something to remove. */
  unlink(path: string): boolean;
  /**
   * Makes what was entered into or removed from a directory durable. `isLasting`: it is never removed
   * while the store is in use, so that its descriptor may be kept. That of a directory that is removed
   * and made again would go on naming the removed one, and say nothing of its successor.
   */
  syncDirectory(path: string, isLasting: boolean): void;
  /** Blocks this thread. Waits between repeats of a rename that the system refused. */
  pause(milliseconds: number): void;
}

/** The directories that one thread keeps open for `syncDirectory`; more are opened anew each time. */
const OPEN_DIRECTORIES_MAX = 32;

/** Records are at most a few hundred KiB; what is larger is read in several turns. */
const READ_BYTES = 65_536;

export interface NodeDisk extends Disk {
  closeAll(): void;
}

/** The real disk, as one thread uses it. */
export function nodeDisk(): NodeDisk {
  const directories = new Map<string, number>();
  const buffer = new Uint8Array(READ_BYTES);
  const sleeper = new Int32Array(new SharedArrayBuffer(4));

  function kept(path: string): number {
    const known = directories.get(path);
    if (known !== undefined) return known;
    const fd = openSync(path, constants.O_RDONLY | constants.O_DIRECTORY);
    if (directories.size >= OPEN_DIRECTORIES_MAX) {
      const [oldest] = directories;
      if (oldest !== undefined) {
        directories.delete(oldest[0]);
        closeSync(oldest[1]);
      }
    }
    directories.set(path, fd);
    return fd;
  }

  return {
    create,
    createEmpty(path) {
      closeSync(createWithParents(path));
    },
    write: writeAll,
    sync: fsyncSync,
    close: closeSync,
    touch: (fd, at) => futimesSync(fd, at / 1_000, at / 1_000),
    read: (path) => readOpened(path, (fd) => readAll(fd, buffer)),
    readAged: (path) => readOpened(path, (fd) => aged(fstatSync(fd), readAll(fd, buffer))),
    exists: (path) => statSync(path, { throwIfNoEntry: false }) !== undefined,
    stamp: stampOf,
    list: namesIn,
    rename: renameSync,
    link: linkSync,
    unlink(path) {
      return absentIs(false, () => {
        unlinkSync(path);
        return true;
      });
    },
    syncDirectory(path, isLasting) {
      if (isLasting) fsyncSync(kept(path));
      else syncDirectoryOnce(path);
    },
    pause: (milliseconds) => void Atomics.wait(sleeper, 0, 0, milliseconds),
    closeAll() {
      for (const fd of directories.values()) closeSync(fd);
      directories.clear();
    },
  };
}

/** The system's code of an error (`ENOENT`), or null when it is none of the system's. */
export function codeOf(error: unknown): string | null {
  const code: unknown = error instanceof Error && "code" in error ? error.code : null;
  return typeof code === "string" ? code : null;
}

/** `otherwise` when what `run` needs does not exist. */
export function absentIs<T>(otherwise: T, run: () => T): T {
  try {
    return run();
  } catch (error) {
    if (codeOf(error) === "ENOENT") return otherwise;
    throw error;
  }
}

/** The names in a directory, unsorted; none when it does not exist or is no directory. */
export function namesIn(path: string): readonly string[] {
  try {
    return readdirSync(path);
  } catch (error) {
    const code = codeOf(error);
    if (code === "ENOENT" || code === "ENOTDIR") return [];
    throw error;
  }
}

export function stampOf(path: string): string | null {
  const found = lstatSync(path, { throwIfNoEntry: false });
  return found === undefined ? null : stampFrom(found);
}

/** The time stands beside the inode because a freed inode number is given out again. */
export function stampFrom(found: Stats): string {
  return `${found.ino}.${found.mtimeMs}`;
}

/**
 * Makes `path` and what is missing above it, mode 0700, and makes each new name durable: without that
 * a power cut takes a directory away together with the acknowledged records inside. `isShared`: also
 * if it is there already, since whoever made it a moment ago may not have come to that yet.
 */
export function makeDurableDirectory(path: string, isShared = false): void {
  const first = mkdirSync(path, { recursive: true, mode: 0o700 });
  if (first === undefined) {
    if (isShared) syncDirectoryOnce(dirname(path));
    return;
  }
  for (let made = path; made.length >= first.length; made = dirname(made)) {
    syncDirectoryOnce(dirname(made));
  }
}

/** Removes a directory if it is empty, and tells whether it did. */
export function removeIfEmpty(path: string): boolean {
  try {
    rmdirSync(path);
    return true;
  } catch {
    // It is in use, or gone already.
    return false;
  }
}

function syncDirectoryOnce(path: string): void {
  const fd = openSync(path, constants.O_RDONLY | constants.O_DIRECTORY);
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

function create(path: string): number {
  return openSync(path, constants.O_CREAT | constants.O_EXCL | constants.O_WRONLY, 0o600);
}

function createWithParents(path: string): number {
  // Another process may remove an empty bucket of due markers between our mkdir and our create.
  for (let attempt = 0; ; attempt += 1) {
    try {
      return create(path);
    } catch (error) {
      if (codeOf(error) !== "ENOENT" || attempt >= 3) throw error;
      // No higher up: where more is missing, the folder itself may be somewhere else.
      for (const made of [dirname(dirname(path)), dirname(path)]) makeDirectory(made);
    }
  }
}

function makeDirectory(path: string): void {
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    if (codeOf(error) !== "EEXIST") throw error;
  }
}

function writeAll(fd: number, bytes: Uint8Array): void {
  let written = 0;
  while (written < bytes.length) {
    written += writeSync(fd, bytes, written, bytes.length - written);
  }
}

function readOpened<T>(path: string, read: (fd: number) => T): T | null {
  // Not to be led away by a symlink, nor to hang on a pipe that someone put in a record's place.
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const fd = absentIs(null, () => openSync(path, flags));
  if (fd === null) return null;
  try {
    return read(fd);
  } finally {
    closeSync(fd);
  }
}

function readAll(fd: number, buffer: Uint8Array): Uint8Array {
  const parts: Uint8Array[] = [];
  for (;;) {
    const count = readSync(fd, buffer, 0, buffer.length, null);
    if (count > 0) parts.push(buffer.slice(0, count));
    // A regular file gives less than was asked for at its end only.
    if (count < buffer.length) break;
  }
  const [only] = parts;
  return parts.length === 1 && only !== undefined ? only : Buffer.concat(parts);
}

function aged(found: Stats, bytes: Uint8Array): AgedFile {
  return { bytes, modifiedAt: found.mtimeMs, links: found.nlink };
}
