/** Attempts of writes in a folder that processes share, until there is a verdict. */
import { basename, join } from "node:path";
import type { Key } from "../../../src/core/key.ts";
import { type Due, sameDue } from "../../../src/core/machine.ts";
import type { DueEntry, PutCondition, PutVerdict } from "../../../src/ports/backend.ts";
import { OutcomeUnknownError } from "../../../src/ports/faults.ts";
import type { AttemptInput } from "./calls.ts";
import { markerPath } from "./due-markers.ts";
import type { Folder } from "./folder.ts";
import type { WriteQueue } from "./key-queue.ts";
import { type MarkerChange, NO_MARKER, type OldMarkers } from "./key-writes.ts";
import { type RecordPlace, type RootPlace, recordPlace } from "./layout.ts";
import type { MarkerMemory } from "./marker-memory.ts";
import { markerBucket, markerPrefix, parseEntryName } from "./marker-names.ts";
import type { MarkerRoot, MarkerRoots } from "./marker-roots.ts";
import { createPatience } from "./patience.ts";
import { goneFolder, type Presence } from "./presence.ts";
import { currentRecord, textOf } from "./record-bytes.ts";
import { beforeWriting, errorOf, writeFault } from "./trouble.ts";
import type { Writer } from "./writer.ts";

export interface SharedWrites {
  readonly folder: Folder;
  readonly roots: MarkerRoots;
  readonly writer: Writer;
  readonly queue: WriteQueue;
  readonly memory: MarkerMemory;
  readonly presence: Presence;
  /** Clears a dead exclusive owner away; throws ContendedError while it lives. */
  letOwnerGo(place: RootPlace): Promise<void>;
}

interface Put {
  readonly key: Key;
  readonly body: string;
  readonly condition: PutCondition;
}

/** `Backend.putIf`. Waits for a busy lock within the budget of Patience, then ContendedError. */
export async function putShared(writes: SharedWrites, put: Put): Promise<PutVerdict> {
  const place = recordPlace(writes.folder.layout, put.key);
  await beforeWriting(place.root.root, () => writes.roots.open(place.root.root));
  return writes.queue.run(put.key, () => putInTurn(writes, place, put));
}

async function putInTurn(writes: SharedWrites, place: RecordPlace, put: Put): Promise<PutVerdict> {
  const { folder, roots } = writes;
  const patience = createPatience(folder.context);
  for (;;) {
    const root = await roots.open(place.root.root);
    roots.sweep(root);
    const attempt = attemptInput(folder, put.key);
    const marker = markerChange(writes, { root, place, put, u: attempt.u });
    const { expected } = put.condition;
    const { verdict, isTakeOver } = await writes.writer.run("writeShared", {
      ...attempt,
      expected,
      body: put.body,
      marker,
    });
    if (isTakeOver) folder.context.observe("folder.lock.taken_over", 1);
    switch (verdict.kind) {
      case "stored":
        remember(writes.memory, put, marker);
        return verdict;
      case "refused":
        if (verdict.current === null) writes.presence.check(place.root.folderLock);
        return { kind: "refused", current: currentRecord(put.key, verdict.current) };
      case "unknown":
        throw new OutcomeUnknownError(`record ${put.key} may have been written`, {
          cause: errorOf(verdict.error),
        });
      case "failed":
        throw writeFault(put.key, place.file, errorOf(verdict.error));
      case "gone":
        throw goneFolder(place.root.folderLock);
      case "folder":
        await writes.letOwnerGo(place.root);
        break;
      case "moved":
        writes.memory.forgetAll();
        await roots.reopen(place.root.root, root);
        break;
      case "busy":
      case "fenced":
        break;
    }
    await patience.wait(`record ${put.key} is being written by others`);
  }
}

/** `DueIndex.mend` over marker files (7.4). */
export async function mendMarker(writes: SharedWrites, entry: DueEntry): Promise<void> {
  const { folder } = writes;
  const place = recordPlace(folder.layout, entry.key);
  const { bucket, file } = parseEntryName(entry.name);
  const marker = join(place.root.due, entry.queue, bucket, file);
  await writes.queue.run(entry.key, async () => {
    const attempt = await lockForMending(writes, entry.key);
    let isDead = false;
    try {
      isDead = !isStillDue(folder, entry, attempt.bytes);
    } finally {
      await writes.writer.run("endMend", { ...attempt.input, marker: isDead ? marker : null });
    }
    if (isDead && writes.memory.find(entry.key, entry) === file) writes.memory.forget(entry.key);
  });
}

async function lockForMending(
  writes: SharedWrites,
  key: Key,
): Promise<{ input: AttemptInput; bytes: Uint8Array | null }> {
  const { folder, writer } = writes;
  const patience = createPatience(folder.context);
  for (;;) {
    const input = attemptInput(folder, key);
    const { found, isTakeOver } = await writer.run("beginMend", input);
    if (isTakeOver) folder.context.observe("folder.lock.taken_over", 1);
    if (found !== "busy") return { input, bytes: found.bytes };
    await patience.wait(`record ${key} is being written by others`);
  }
}

/** Throws RecordCorruptError: the marker of an unreadable record stays. */
function isStillDue(folder: Folder, entry: DueEntry, bytes: Uint8Array | null): boolean {
  if (bytes === null) return false;
  const due = folder.context.dueOf(entry.key, textOf(entry.key, bytes));
  return sameDue(due, entry);
}

function attemptInput(folder: Folder, key: Key): AttemptInput {
  return { key, u: folder.newId(), now: folder.context.clock.now() };
}

function markerChange(
  { memory }: SharedWrites,
  by: {
    readonly root: MarkerRoot;
    readonly place: RecordPlace;
    readonly put: Put;
    readonly u: string;
  },
): MarkerChange {
  const { key, condition } = by.put;
  const { due, dueBefore: before } = condition;
  if (sameDue(due, before)) return NO_MARKER;
  return {
    create: due === null ? null : markerPath(by.place.root, key, due, by.u),
    rootStamp: by.root.stamp,
    remove: before === null ? null : oldMarkers(memory, by.place, before),
  };
}

function oldMarkers(memory: MarkerMemory, place: RecordPlace, before: Due): OldMarkers {
  const directory = join(place.root.due, markerBucket(before));
  const known = memory.find(place.key, before);
  if (known !== null) return { directory, name: known, isWhole: true };
  return { directory, name: markerPrefix(place.key, before), isWhole: false };
}

function remember(memory: MarkerMemory, { key, condition }: Put, marker: MarkerChange): void {
  const { due } = condition;
  if (due === null) memory.forget(key);
  else if (marker.create !== null) memory.remember(key, due, basename(marker.create));
}
