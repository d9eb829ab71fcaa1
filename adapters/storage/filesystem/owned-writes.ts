/** Writes of an exclusive owner: one at a time for each key, any number over all keys (7.6, 4). */
import type { Key } from "../../../src/core/key.ts";
import { sameDue } from "../../../src/core/machine.ts";
import type { DueEntry, PutCondition, PutVerdict } from "../../../src/ports/backend.ts";
import { OutcomeUnknownError, StoreUnavailableError } from "../../../src/ports/faults.ts";
import type { Folder } from "./folder.ts";
import type { IndexRoot } from "./index-opening.ts";
import type { IndexRoots } from "./index-roots.ts";
import type { WriteQueue } from "./key-queue.ts";
import { recordPlace, splitKey } from "./layout.ts";
import { checkDueKey } from "./marker-names.ts";
import type { Ownership } from "./ownership.ts";
import { createPatience } from "./patience.ts";
import { goneFolder } from "./presence.ts";
import { readRecord } from "./reading.ts";
import { currentRecord } from "./record-bytes.ts";
import { beforeWriting, errorOf, writeFault } from "./trouble.ts";
import type { Writer } from "./writer.ts";

export interface OwnedWrites {
  readonly folder: Folder;
  readonly roots: IndexRoots;
  readonly writer: Writer;
  readonly queue: WriteQueue;
  readonly ownership: Ownership;
}

interface Put {
  readonly key: Key;
  readonly body: string;
  readonly condition: PutCondition;
}

/** `Backend.putIf`. */
export async function putOwned(writes: OwnedWrites, put: Put): Promise<PutVerdict> {
  const { root } = splitKey(put.key);
  const opened = await beforeWriting(root, () => writes.roots.open(root));
  return writes.queue.run(put.key, () => putInTurn(writes, opened, put));
}

async function putInTurn(writes: OwnedWrites, root: IndexRoot, put: Put): Promise<PutVerdict> {
  const { folder, writer, ownership } = writes;
  const patience = createPatience(folder.context);
  const { key, body } = put;
  const { expected } = put.condition;
  const entries = enterDue(root, put);
  for (;;) {
    flushIndex(root, key);
    const task = { folderU: ownership.u, key, body, expected, u: folder.newId() };
    const verdict = await writer.run("writeOwned", task);
    switch (verdict.kind) {
      case "stored":
        entries.afterStored();
        writes.roots.tidy(root);
        return verdict;
      case "refused":
        entries.afterRefused();
        return { kind: "refused", current: currentRecord(key, verdict.current) };
      case "unknown":
        throw new OutcomeUnknownError(`record ${key} may have been written`, {
          cause: errorOf(verdict.error),
        });
      case "lost":
        throw ownership.lose(root.place.folderLock);
      case "gone":
        ownership.check(root.place.folderLock);
        throw goneFolder(root.place.folderLock);
      case "failed":
        throw writeFault(key, recordPlace(folder.layout, key).file, errorOf(verdict.error));
      case "fenced":
        // A late writer of the time before us cleared the temp; the folder is still ours.
        await patience.wait(`record ${key} is being written by others`);
    }
  }
}

/** `DueIndex.mend`: nobody writes the key meanwhile. */
export async function mendEntry(writes: OwnedWrites, entry: DueEntry): Promise<void> {
  const { folder } = writes;
  const place = recordPlace(folder.layout, entry.key);
  const root = await writes.roots.open(place.root.root);
  await writes.queue.run(entry.key, async () => {
    const found = await readRecord(entry.key, place.file);
    const due = found === null ? null : folder.context.dueOf(entry.key, found.body);
    if (sameDue(due, entry)) return;
    root.index.remove(entry, splitKey(entry.key).rest);
  });
}

/** A due time is in the file before the write may be published; one that cannot be kept stops it. */
function flushIndex({ index }: IndexRoot, key: Key): void {
  try {
    index.flush();
  } catch (error) {
    const message = `the due time of record ${key} cannot be kept`;
    throw new StoreUnavailableError(message, { cause: error, isNotWritten: true });
  }
}

interface DueChange {
  afterStored(): void;
  afterRefused(): void;
}

/** Enters the new due time at once: an entry may be too many, never lacking. */
function enterDue({ index, rebuild }: IndexRoot, put: Put): DueChange {
  const { rest } = splitKey(put.key);
  const { due, dueBefore: before } = put.condition;
  if (sameDue(due, before)) return { afterStored() {}, afterRefused() {} };
  if (due !== null) checkDueKey(put.key);
  const isNew = due !== null && index.add(due, rest);
  return {
    afterStored() {
      if (before !== null) index.remove(before, rest);
    },
    afterRefused() {
      // During a rebuild the entry may have been found in the record itself since it was entered.
      const mayBeFound = rebuild?.isRunning() === true;
      if (due !== null && isNew && !mayBeFound) index.remove(due, rest);
    },
  };
}
