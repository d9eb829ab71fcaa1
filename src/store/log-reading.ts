/** Reading an event log part by part, without ever holding more of it than a few (protocols 5.3). */
import { assert } from "../core/assert.ts";
import type { JsonArray, JsonObject } from "../core/json.ts";
import type { Key } from "../core/key.ts";
import type { Backend, BackendRecord, Cursor, ListPage } from "../ports/backend.ts";
import { RecordCorruptError } from "../ports/faults.ts";
import { PAGE_MAX, READS_AT_ONCE } from "./limits.ts";
import { continuationKey, firstOf, partKey } from "./log-keys.ts";
import { decodeContinuation, decodePart, joinItems, type MovedItems } from "./log-parts.ts";

interface ReadPart {
  /** The number of its first item. */
  readonly first: number;
  /** The number of its last item, after which the next part begins. */
  readonly last: number;
  readonly about: JsonObject;
}

/**
 * `incomplete`: a continuation is not there. That is nothing wrong in a log that is being removed, so it
 * is judged after the job's root was read: `fault` is to be thrown where the job is not retired.
 */
export type LogPart =
  | (ReadPart & { readonly kind: "whole"; readonly items: JsonArray })
  | (ReadPart & { readonly kind: "incomplete"; readonly fault: RecordCorruptError });

export interface LogPlace {
  readonly backend: Backend;
  /** What the keys of the log begin with, without the last `/`. */
  readonly log: string;
}

interface ListedPart {
  readonly key: Key;
  readonly first: number;
  readonly found: BackendRecord | null;
}

/** Null: absent, which says that the log ends here only if `first` comes after the end of a part. */
export async function getPart({ backend, log }: LogPlace, first: number): Promise<LogPart | null> {
  const found = await backend.get(partKey(log, first));
  return found === null ? null : readPart({ backend, log }, first, found);
}

/** The parts behind `last`, which was read as the end of a part (or is 0), one by one until absent. */
export async function* readOn(place: LogPlace, last: number): AsyncGenerator<LogPart, void, void> {
  for (let end = last; ; ) {
    const part = await getPart(place, end + 1);
    if (part === null) return;
    yield part;
    end = part.last;
  }
}

/**
 * The part with the number `cursor` + 1, or else the last one, and all behind it; for 0 the whole log.
 * `cursor` is any number: it comes from outside, and may be inside a part or behind the end.
 */
export async function* readFrom(
  place: LogPlace,
  cursor: number,
): AsyncGenerator<LogPart, void, void> {
  assert(Number.isSafeInteger(cursor) && cursor >= 0, "no cursor of a log");
  let end = 0;
  for await (const { batch, isStart } of listedFrom(place, cursor + 1)) {
    const records = await Promise.all(
      batch.map(({ key, found }) => found ?? place.backend.get(key)),
    );
    const [start] = batch;
    if (isStart && start !== undefined && start.first <= cursor + 1) end = start.first - 1;
    for (const [at, { first }] of batch.entries()) {
      const found = records[at] ?? null;
      // A listing is no snapshot: what does not join on is read one by one.
      if (found === null || first !== end + 1) return yield* readOnTo(place, end, first);
      const part = await readPart(place, first, found);
      yield part;
      end = part.last;
    }
  }
  yield* readOn(place, end);
}

/**
 * The same, where a part with the number `listed` was listed. Parts are created one behind the other, so
 * one that is not reached says that something before it is missing; throws RecordCorruptError then.
 */
async function* readOnTo(
  place: LogPlace,
  last: number,
  listed: number,
): AsyncGenerator<LogPart, void, void> {
  let end = last;
  for await (const part of readOn(place, end)) {
    yield part;
    end = part.last;
  }
  if (end >= listed) return;
  throw new RecordCorruptError(partKey(place.log, end + 1), "it is missing, and others follow it");
}

/** Parts as they are listed, from the last one at or before `number` on, a few at a time. */
async function* listedFrom(
  { backend, log }: LogPlace,
  number: number,
): AsyncGenerator<{ batch: readonly ListedPart[]; isStart: boolean }, void, void> {
  let start: ListedPart | null = null;
  let isStart = true;
  let cursor: Cursor | null = null;
  do {
    const page: ListPage = await backend.list(`${log}/`, cursor, PAGE_MAX);
    const listed: readonly ListedPart[] = page.entries.flatMap(({ key, found }) => {
      const first = firstOf(log, key);
      return first === null ? [] : [{ key, first, found }];
    });
    // Continuations sort behind all parts.
    cursor = listed.length < page.entries.length ? null : page.cursor;
    start = listed.findLast(({ first }) => first <= number) ?? start;
    const behind = listed.filter(({ first }) => first > number);
    if (behind.length === 0 && cursor !== null) continue;
    const parts = start === null ? behind : [start, ...behind];
    start = null;
    for (let at = 0; at < parts.length; at += READS_AT_ONCE) {
      yield { batch: parts.slice(at, at + READS_AT_ONCE), isStart };
      isStart = false;
    }
  } while (cursor !== null);
}

async function readPart(place: LogPlace, first: number, found: BackendRecord): Promise<LogPart> {
  const key = partKey(place.log, first);
  const { w, about, items } = decodePart(key, found.body);
  if (!("sha256" in items)) {
    return { kind: "whole", first, last: first + items.length - 1, about, items };
  }
  const part = { first, last: first + items.count - 1, about };
  const keys = Array.from({ length: items.continuations }, (_, n) =>
    continuationKey(place.log, w, n),
  );
  const pieces = await readPieces(place, keys);
  const missing = pieces.indexOf(null);
  if (missing >= 0) {
    const reason = `its continuation ${missing + 1} of ${keys.length} is missing`;
    return { ...part, kind: "incomplete", fault: new RecordCorruptError(key, reason) };
  }
  return { ...part, kind: "whole", items: itemsOf(key, items, pieces) };
}

/** All at once: a part has no more continuations than may be read at a time. */
function readPieces({ backend }: LogPlace, keys: readonly Key[]): Promise<(string | null)[]> {
  return Promise.all(
    keys.map(async (key) => {
      const found = await backend.get(key);
      return found === null ? null : decodeContinuation(key, found.body);
    }),
  );
}

function itemsOf(key: Key, moved: MovedItems, pieces: readonly (string | null)[]): JsonArray {
  return joinItems(
    key,
    moved,
    pieces.filter((piece) => piece !== null),
  );
}
