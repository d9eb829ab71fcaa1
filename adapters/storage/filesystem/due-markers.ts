/** The due index of folders that processes share: empty files (protocols 7.4). */
import { rmdir, unlink } from "node:fs/promises";
import { join } from "node:path";
import type { Key } from "../../../src/core/key.ts";
import { type Due, QUEUES, type Queue } from "../../../src/core/machine.ts";
import type { EpochMs } from "../../../src/core/time.ts";
import type { DueEntry } from "../../../src/ports/backend.ts";
import type { IndexPage, PlacedEntry } from "./due-page.ts";
import { type Attempt, clearTemps, lockKey, unlockKey } from "./key-lock.ts";
import type { RootPlace } from "./layout.ts";
import {
  bucketOf,
  isBucket,
  isBucketOver,
  lastBucket,
  markerBucket,
  markerKey,
  markerPrefix,
  parseMarker,
} from "./marker-names.ts";
import { firstAtOrAfter, type Names, namesOf } from "./names.ts";
import type { Steps } from "./steps.ts";
import { quietly, settle } from "./temp-file.ts";

/** A new name for every write, never used again (7.4). */
export function markerPath(root: RootPlace, name: Key, due: Due, u: string): string {
  return join(root.due, markerBucket(due), `${markerPrefix(name, due)}${u}`);
}

/** The first half of a mending: with the lock held and the fence drawn, the record as it is. */
export function* beginMend(
  attempt: Attempt,
): Steps<"busy" | { readonly bytes: Uint8Array | null }> {
  if ((yield* lockKey(attempt)) === "busy") return "busy";
  try {
    yield* clearTemps(attempt);
    yield "record.read";
    const bytes = attempt.disk.read(attempt.place.file);
    // Whoever wrote it may have lost its temp or its lock to us, by which readers see that it is at work.
    if (bytes !== null) yield* settle(attempt.disk, attempt.place);
    return { bytes };
  } catch (error) {
    yield* unlockKey(attempt);
    throw error;
  }
}

/**
 * The second half. No check that the lock is still ours: whoever could need this marker was fenced
 * before the record was read, and later writers have markers of other names.
 */
export function* endMend(attempt: Attempt, marker: string | null): Steps<void> {
  if (marker !== null) {
    yield "marker.unlink";
    quietly(() => attempt.disk.unlink(marker));
  }
  yield* unlockKey(attempt);
}

export interface MarkerWalk {
  readonly root: RootPlace;
  readonly queue: Queue;
  readonly until: EpochMs;
  /** The file of the last entry given out, or what would stand there; empty at the beginning. */
  readonly position: string;
  readonly limit: number;
  readonly now: EpochMs;
}

/** Entries at or before `until`, earliest first; removes buckets that are over and empty. */
export async function pageMarkers(names: Names, walk: MarkerWalk): Promise<IndexPage> {
  const entries: PlacedEntry[] = [];
  for await (const entry of entriesFrom(names, walk)) {
    entries.push(entry);
    if (entries.length >= walk.limit) return { entries, hasMore: true };
  }
  return { entries, hasMore: false };
}

async function* entriesFrom(
  names: Names,
  walk: MarkerWalk,
): AsyncGenerator<PlacedEntry, void, void> {
  const seenFile = walk.position;
  const seenBucket = bucketOf(seenFile);
  const queuePath = join(walk.root.due, walk.queue);
  const buckets = await names.read(queuePath, walk.position !== "", sortedBuckets);
  for (let index = firstAtOrAfter(buckets, seenBucket); index < buckets.length; index += 1) {
    const bucket = buckets[index] ?? "";
    if (bucket > lastBucket(walk.until)) return;
    const isContinued = bucket === seenBucket;
    const path = join(queuePath, bucket);
    const files = await names.read(path, isContinued, (found) => found.toSorted());
    if (files.length === 0) await removeBucket(path, isBucketOver(bucket, walk.now));
    for (
      let next = isContinued ? firstAtOrAfter(files, seenFile) : 0;
      next < files.length;
      next += 1
    ) {
      const file = files[next] ?? "";
      const entry = entryOf(walk, `${walk.queue}/${bucket}/${file}`, file);
      if (entry !== null && !(isContinued && file === seenFile)) yield { entry, position: file };
    }
  }
}

/** Every marker of a root, read bucket by bucket. */
export async function* allMarkers(
  root: RootPlace,
): AsyncGenerator<{ key: Key; due: Due; path: string }, void, void> {
  for (const queue of QUEUES) {
    const queuePath = join(root.due, queue);
    for (const bucket of sortedBuckets(await namesOf(queuePath))) {
      for (const file of await namesOf(join(queuePath, bucket))) {
        const marker = parseMarker(file);
        const key = marker === null ? null : markerKey(root.root, marker);
        if (marker === null || key === null) continue;
        yield { key, due: { queue, at: marker.at }, path: join(queuePath, bucket, file) };
      }
    }
  }
}

/**
 * Removes markers that an index file has taken the place of, by the names that were listed: anything
 * else may be somebody's who works on since we lost the folder.
 */
export async function removeMarkerFiles(root: RootPlace, paths: readonly string[]): Promise<void> {
  for (const path of paths) await unlink(path).catch(ignore);
  for (const queue of QUEUES) {
    const queuePath = join(root.due, queue);
    for (const bucket of sortedBuckets(await namesOf(queuePath))) {
      await rmdir(join(queuePath, bucket)).catch(ignore);
    }
    await rmdir(queuePath).catch(ignore);
  }
}

function sortedBuckets(names: readonly string[]): readonly string[] {
  return names.filter(isBucket).toSorted();
}

function entryOf(walk: MarkerWalk, name: string, file: string): DueEntry | null {
  const marker = parseMarker(file);
  if (marker === null || marker.at > walk.until) return null;
  const key = markerKey(walk.root.root, marker);
  if (key === null) return null;
  return { key, queue: walk.queue, at: marker.at, name, writtenAt: null };
}

/** A creator that meets the gap makes the bucket again. */
async function removeBucket(path: string, isOver: boolean): Promise<void> {
  if (isOver) await rmdir(path).catch(ignore);
}

function ignore(): void {}
