/**
 * The lock of one key, and the fence: clearing every temp of the key. The lock only saves work; the
 * fence is what makes it safe to take a lock away from anybody (protocols 7.2, 7.3).
 */
import { join } from "node:path";
import { type AgedFile, codeOf, type Disk } from "./disk.ts";
import type { RecordPlace } from "./layout.ts";
import { holderIn } from "./lock-file.ts";
import type { Steps } from "./steps.ts";
import { quietly } from "./temp-file.ts";

/** One attempt of one write. Never used twice: whoever tries again takes a fresh `u`. */
export interface Attempt {
  readonly disk: Disk;
  readonly place: RecordPlace;
  readonly u: string;
  /** The content of the lock while this attempt holds it. */
  readonly lockText: string;
  /** Whether the lock of somebody else may be taken over. */
  readonly isStale: (lock: AgedFile) => boolean;
}

/** Steps 1 to 3 of 7.2: the lock, new or taken over. `busy`: it belongs to a living owner. */
export function* lockKey(attempt: Attempt): Steps<"locked" | "taken" | "busy"> {
  const { disk, place } = attempt;
  yield "lock.create";
  const fd = createUnlessThere(disk, place.lock);
  if (fd !== null) {
    yield* fill(attempt, { fd, path: place.lock, what: "lock" });
    return "locked";
  }
  yield "lock.look";
  const seen = disk.readAged(place.lock);
  if (seen === null || !attempt.isStale(seen)) return "busy";
  const path = join(place.root.locks, `${place.id}.${attempt.u}.take`);
  yield "take.create";
  yield* fill(attempt, { fd: disk.create(path), path, what: "take" });
  yield "take.rename";
  disk.rename(path, place.lock);
  return "taken";
}

/** Step 4, the fence: whoever prepared a write of this key before can no longer carry it out. */
export function* clearTemps({ disk, place }: Attempt): Steps<void> {
  yield "temps.list";
  for (const name of disk.list(place.root.temps)) {
    if (!name.startsWith(`${place.id}.`)) continue;
    yield "temp.clear";
    disk.unlink(join(place.root.temps, name));
  }
}

export function* holdsLock({ disk, place, u }: Attempt): Steps<boolean> {
  yield "lock.check";
  return holderIn(disk.read(place.lock)) === u;
}

/** Step 10. A lock left behind is taken over later: not worth failing a write that is decided. */
export function* unlockKey(attempt: Attempt): Steps<void> {
  try {
    if (!(yield* holdsLock(attempt))) return;
    yield "lock.unlink";
    attempt.disk.unlink(attempt.place.lock);
  } catch {
    // It goes stale, or its owner is known dead.
  }
}

function* fill(
  { disk, lockText }: Attempt,
  file: { readonly fd: number; readonly path: string; readonly what: "lock" | "take" },
): Steps<void> {
  yield `${file.what}.write`;
  try {
    disk.write(file.fd, Buffer.from(lockText));
  } catch (error) {
    disk.close(file.fd);
    quietly(() => disk.unlink(file.path));
    throw error;
  }
  yield `${file.what}.close`;
  disk.close(file.fd);
}

function createUnlessThere(disk: Disk, path: string): number | null {
  try {
    return disk.create(path);
  } catch (error) {
    if (codeOf(error) === "EEXIST") return null;
    throw error;
  }
}
