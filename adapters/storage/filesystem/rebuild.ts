/**
 * Rebuilds a root's due index from its records: after a reboot, or after a foreign writer (protocols
 * 7.6, step 9). Runs beside everything else, can be interrupted and goes on where it stopped.
 */
import { DUE_KEY_BYTES_MAX, type Key } from "../../../src/core/key.ts";
import type { Due } from "../../../src/core/machine.ts";
import type { StorageContext, Version } from "../../../src/ports/backend.ts";
import { RecordCorruptError, StoreUnavailableError } from "../../../src/ports/faults.ts";
import type { Trouble } from "./calls.ts";
import { type LayoutOptions, type RootPlace, recordPlace } from "./layout.ts";
import { freshLevels, keysUnder, type SeeNames } from "./list.ts";
import { corruptIfNoFile, corruptIfUnreadable, textOf, versionOf } from "./record-bytes.ts";
import { quietly } from "./temp-file.ts";
import { troubleError } from "./trouble.ts";
import type { Writer } from "./writer.ts";

/** Where a rebuild puts what it finds, and how it shares the work with other processes. */
export interface RebuildTarget {
  /** Waits until this process may rebuild. `done`: somebody else finished it. */
  begin(signs: Signs): Promise<"mine" | "done">;
  /** The last key that an interrupted rebuild had done, null: from the beginning. */
  resumeAfter(): Promise<string | null>;
  add(found: FoundDue): Promise<void>;
  /** Everything up to `last` has been added. */
  checkpoint(last: Key): Promise<void>;
  finish(): Promise<void>;
  /** Called last, whatever happened. */
  release(): void;
}

/** Between a rebuild and those who wait for it. */
export interface Signs {
  /** Throws when the rebuild has to stop. */
  check(): void;
  /** Lets those who wait look again. */
  progressed(): void;
}

export interface FoundDue {
  readonly key: Key;
  readonly due: Due;
  readonly version: Version;
}

export interface Rebuild {
  isRunning(): boolean;
  /** Whether something stopped it before its end: start another one, which goes on from there. */
  hasFailed(): boolean;
  /** Resolves when more was found or it is over; rejects with what stopped it. */
  progress(): Promise<void>;
  /** Stops at the next record. Resolves when nothing of it runs any more; never rejects. */
  stop(): Promise<void>;
}

export interface RebuildWork {
  readonly context: StorageContext;
  readonly options: LayoutOptions;
  readonly root: RootPlace;
  readonly see: SeeNames;
  readonly writer: Writer;
  readonly target: RebuildTarget;
}

/** Records done between two checkpoints: repeated, when it is interrupted there. */
const CHECKPOINT_RECORDS = 2_000;

/** Records that a thread reads before it does something else: a write may be waiting for it. */
const READ_RECORDS = 16;

/** Such calls asked of the thread at the same time, so that it never waits for the next one. */
const READS_MAX = 2;

/** Starts at once. */
export function startRebuild(work: RebuildWork): Rebuild {
  let isStopped = false;
  let isOver = false;
  let failure: unknown = null;
  let waiting: { resolve: () => void; reject: (error: unknown) => void }[] = [];

  function settle(): void {
    const released = waiting;
    waiting = [];
    for (const waiter of released) {
      if (failure === null) waiter.resolve();
      else waiter.reject(failure);
    }
  }

  const signs: Signs = {
    check() {
      if (isStopped) throw new StoreUnavailableError("the folder was closed");
    },
    progressed: settle,
  };
  const ended = runRebuild(work, signs)
    .then(() => {
      isOver = true;
    })
    .catch((error: unknown) => {
      failure = error;
    })
    .finally(() => {
      quietly(() => work.target.release());
      settle();
    });

  return {
    isRunning: () => !isOver,
    hasFailed: () => failure !== null,
    progress() {
      if (failure !== null) return Promise.reject(failure);
      if (isOver) return Promise.resolve();
      return new Promise((resolve, reject) => waiting.push({ resolve, reject }));
    },
    async stop() {
      isStopped = true;
      await ended;
    },
  };
}

async function runRebuild(work: RebuildWork, signs: Signs): Promise<void> {
  const { context, target } = work;
  if ((await target.begin(signs)) === "done") return;
  context.observe("folder.rebuild.started", 1);
  const after = await target.resumeAfter();
  const walk = { options: work.options, read: freshLevels(work.options, work.see) };
  let batch: Key[] = [];
  for await (const name of keysUnder(walk, `${work.root.root}/`, after)) {
    batch.push(name);
    if (batch.length < CHECKPOINT_RECORDS) continue;
    await scanBatch(work, batch, signs);
    batch = [];
  }
  await scanBatch(work, batch, signs);
  await target.finish();
  context.observe("folder.rebuild.finished", 1);
}

async function scanBatch(work: RebuildWork, batch: readonly Key[], signs: Signs): Promise<void> {
  const last = batch.at(-1);
  if (last === undefined) return;
  let next = 0;
  const scan = async (): Promise<void> => {
    while (next < batch.length) {
      signs.check();
      const some = batch.slice(next, next + READ_RECORDS);
      next += some.length;
      // The logs of jobs are most of what there is, and no part of them is ever due.
      const names = some.filter((name) => recordPlace(work.options, name).isLasting);
      if (names.length === 0) continue;
      const found = await work.writer.run("read", names);
      for (const [at, name] of names.entries()) await scanOne(work, name, found[at] ?? null);
    }
  };
  await Promise.all(Array.from({ length: READS_MAX }, scan));
  await work.target.checkpoint(last);
  work.context.observe("folder.rebuild.scanned", batch.length);
  signs.progressed();
}

/** One unreadable record never stops the others: it is reported and left as it is. */
async function scanOne(
  work: RebuildWork,
  name: Key,
  found: Uint8Array | Trouble | null,
): Promise<void> {
  if (found === null) return;
  try {
    if (!(found instanceof Uint8Array)) throw corruptIfUnreadable(name, troubleError(found));
    const due = work.context.dueOf(name, textOf(name, found));
    if (due === null) return;
    if (name.length > DUE_KEY_BYTES_MAX) {
      throw new RecordCorruptError(name, "its key is too long for a record that can be due");
    }
    await work.target.add({ key: name, due, version: versionOf(found) });
  } catch (error) {
    const fault = corruptIfNoFile(name, error);
    if (!(fault instanceof RecordCorruptError)) throw error;
    work.context.observe("store.record_corrupt", 1);
  }
}
