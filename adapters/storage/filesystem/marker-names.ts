/**
 * Names of due markers: `due/<queue>/<bucket>/<at>.<rest of the key>.<u>` (protocols 7.4). A bucket is
 * 100 seconds, the first 8 of the 13 digits.
 */
import { assert } from "../../../src/core/assert.ts";
import { DUE_KEY_BYTES_MAX, type Key } from "../../../src/core/key.ts";
import { type Due, QUEUES, type Queue } from "../../../src/core/machine.ts";
import type { EpochMs } from "../../../src/core/time.ts";
import { keyIn, splitKey } from "./layout.ts";

const BUCKET_DIGITS = 8;
const MARKER = /^(\d{13})\.([A-Za-z0-9_-][A-Za-z0-9._~-]*)\.([0-9a-f-]{36})$/;
const NAME = /^(deliver|attend|stuck)\/(\d{8})\/(\d{13}\.[A-Za-z0-9._~-]+)$/;

export interface MarkerName {
  readonly at: EpochMs;
  /** The key below its root. */
  readonly rest: string;
}

/** The due time as 13 digits, which no instant exceeds (EPOCH_MS_MAX), so that names sort by it. */
export function digits(at: EpochMs): string {
  return String(at).padStart(13, "0");
}

/** Relative to `due/`. */
export function markerBucket(due: Due): string {
  return `${due.queue}/${digits(due.at).slice(0, BUCKET_DIGITS)}`;
}

/** All markers of one key at one time begin with this. */
export function markerPrefix(name: Key, due: Due): string {
  checkDueKey(name);
  return `${digits(due.at)}.${splitKey(name).rest.replaceAll("/", "~")}.`;
}

/** A due entry is named after its key, on every storage and however the folder is shared. */
export function checkDueKey(name: Key): void {
  assert(name.length <= DUE_KEY_BYTES_MAX, `key ${name} is too long to be due`);
}

/** Null: not a marker. */
export function parseMarker(name: string): MarkerName | null {
  const [, at, rest] = MARKER.exec(name) ?? [];
  if (at === undefined || rest === undefined) return null;
  return { at: Number(at) as EpochMs, rest: rest.replaceAll("~", "/") };
}

/** The parts of a due entry's name as a page gave it out. */
export function parseEntryName(name: string): { queue: Queue; bucket: string; file: string } {
  const [, queue, bucket, file] = NAME.exec(name) ?? [];
  const known = QUEUES.find((one) => one === queue);
  assert(known !== undefined && bucket !== undefined && file !== undefined, `no marker: ${name}`);
  return { queue: known, bucket, file };
}

/** The bucket that holds the last entries to be due at `until`. */
export function lastBucket(until: EpochMs): string {
  return digits(until).slice(0, BUCKET_DIGITS);
}

/** The bucket of a marker's file; empty for no name. */
export function bucketOf(file: string): string {
  return file.slice(0, BUCKET_DIGITS);
}

/** Whether all instants of a bucket are before `now`. */
export function isBucketOver(bucket: string, now: EpochMs): boolean {
  return bucket < lastBucket(now);
}

export function isBucket(name: string): boolean {
  return name.length === BUCKET_DIGITS && /^\d+$/.test(name);
}

/** The key of a marker, null when it makes none. */
export function markerKey(root: string, marker: MarkerName): Key | null {
  return keyIn(root, marker.rest);
}
