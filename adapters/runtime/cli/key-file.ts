/** A file of key entries that several may add to at once, and a running service may read meanwhile. */
import { randomUUID } from "node:crypto";
import {
  closeSync,
  existsSync,
  fchmodSync,
  fchownSync,
  fsyncSync,
  lstatSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  writeFileSync,
} from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { issuesOf } from "../../../src/core/issues.ts";
import { safeParse } from "../../../src/core/safe-parse.ts";
import { type KeyEntry, keyEntries } from "../../../src/http/keys.ts";
import { MisconfiguredError } from "../../../src/ports/faults.ts";
import { InvalidInputError } from "../../../src/services/errors.ts";

/** A lock is held for milliseconds: an older one was left behind. */
const LOCK_STALE_MS = 10_000;
const LOCK_LOOK_MS = 20;

/**
 * Adds an entry; makes the file, for its owner only, if it is missing. `shown` is called when nothing
 * but putting the new file in place is left to do; where it throws, the file stays as it was. Throws
 * InvalidInputError (the file holds something else), MisconfiguredError or the system's error.
 */
export async function addEntry(
  path: string,
  entry: KeyEntry,
  shown: () => Promise<void>,
): Promise<void> {
  const file = target(path);
  const unlock = await lock(file);
  const temp = `${file}.${randomUUID()}.tmp`;
  try {
    const before = existsSync(file) ? readFileSync(file, "utf8") : null;
    const entries = before === null ? [] : entriesIn(path, before);
    if (entries.some(({ id }) => id === entry.id)) {
      throw new MisconfiguredError(`${entry.id} is already in ${path}`);
    }
    const checked = safeParse(keyEntries, [...entries, entry]);
    if (!checked.success) throw new InvalidInputError(issuesOf(checked.error));
    write(temp, checked.data, before === null ? null : statSync(file));
    await shown();
    const now = existsSync(file) ? readFileSync(file, "utf8") : null;
    if (now !== before) throw new MisconfiguredError(`${path} was changed meanwhile: try again`);
    // Whoever reads it meanwhile finds the old file or the new one.
    renameSync(temp, file);
  } finally {
    rmSync(temp, { force: true });
    unlock();
  }
}

/** Where a link leads to, so that it stays one. */
function target(path: string): string {
  if (existsSync(path)) return realpathSync(path);
  if (lstatSync(path, { throwIfNoEntry: false }) === undefined) return path;
  throw new MisconfiguredError(`${path} is a link to nothing`);
}

/** Waits for its turn. The answer lets go of it. */
async function lock(file: string): Promise<() => void> {
  const path = `${file}.lock`;
  for (;;) {
    try {
      closeSync(openSync(path, "wx", 0o600));
      return () => rmSync(path, { force: true });
    } catch (error) {
      if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
    }
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (found !== undefined && Date.now() - found.mtimeMs > LOCK_STALE_MS) {
      rmSync(path, { force: true });
    } else await sleep(LOCK_LOOK_MS);
  }
}

/** With the mode of the file that it replaces, and its owner where that may be given. */
function write(temp: string, entries: readonly KeyEntry[], like: Stats | null): void {
  const fd = openSync(temp, "wx", 0o600);
  try {
    writeFileSync(fd, `${JSON.stringify(entries, null, 2)}\n`);
    if (like !== null) {
      try {
        fchownSync(fd, like.uid, like.gid);
      } catch {
        // Only the superuser may. Whoever can replace the file could also have copied it.
      }
      fchmodSync(fd, like.mode & 0o777);
    }
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

function entriesIn(path: string, text: string): readonly KeyEntry[] {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new InvalidInputError([{ path, message: "must be a JSON array of key entries" }]);
  }
  const checked = safeParse(keyEntries, value);
  if (checked.success) return checked.data;
  throw new InvalidInputError(issuesOf(checked.error));
}
