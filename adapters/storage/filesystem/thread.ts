/** A thread that writes: runs one call after another, blocking in the system's calls. */
import { join, sep } from "node:path";
import { type MessagePort, parentPort, workerData } from "node:worker_threads";
import type { Key } from "../../../src/core/key.ts";
import type {
  AttemptInput,
  Calls,
  Reply,
  Request,
  SharedAnswer,
  SharedTask,
  ThreadData,
  Trouble,
} from "./calls.ts";
import {
  codeOf,
  type Disk,
  makeDurableDirectory,
  type NodeDisk,
  nodeDisk,
  removeIfEmpty,
} from "./disk.ts";
import { beginMend, endMend } from "./due-markers.ts";
import { holdsFolder } from "./folder-lock.ts";
import { type BatchVerdict, type FolderTask, writeBatch } from "./folder-writes.ts";
import type { Attempt } from "./key-lock.ts";
import { createRecord, updateRecord } from "./key-writes.ts";
import { type RecordPlace, recordPlace } from "./layout.ts";
import { isStaleLock, lockText } from "./lock-file.ts";
import { runSteps, type Steps } from "./steps.ts";
import { troubleOf } from "./trouble.ts";

/** Directories known to exist; more are looked at again. */
const KNOWN_DIRECTORIES_MAX = 1_000;

type Handlers = {
  readonly [Kind in keyof Calls]: (input: Calls[Kind]["input"]) => Calls[Kind]["output"];
};

interface Thread {
  readonly data: ThreadData;
  readonly disk: NodeDisk;
  readonly known: Set<string>;
}

if (parentPort !== null) serve(parentPort, workerData as ThreadData);

function serve(port: MessagePort, data: ThreadData): void {
  const handlers = createHandlers({ data, disk: nodeDisk(), known: new Set() });
  port.on("message", (request: Request) => port.postMessage(answer(handlers, request)));
}

function answer(handlers: Handlers, request: Request): Reply {
  try {
    const handle = handlers[request.kind] as (input: Request["input"]) => Reply["output"];
    const output = handle(request.input);
    return { output, trouble: null } as Reply;
  } catch (error) {
    return { output: null, trouble: troubleOf(error) };
  }
}

function createHandlers(thread: Thread): Handlers {
  return {
    write: (input) => write(thread, input),
    beginMend(input) {
      const { attempt, tookOver } = attemptOf(thread, input);
      const found = runSteps(beginMend(attempt));
      return { found, isTakeOver: tookOver() };
    },
    endMend(input) {
      runSteps(endMend(attemptOf(thread, input).attempt, input.marker));
      return null;
    },
    batch: (input) => batch(thread, input),
    read: (keys) => keys.map((key) => read(thread, key)),
    remove: (input) => remove(thread, input),
  };
}

/**
 * Each write as far as its directory's fsync, then all fsyncs, of which the first of a directory serves
 * every name that was entered before it.
 */
function write(thread: Thread, tasks: Calls["write"]["input"]): Calls["write"]["output"] {
  const synced = new Set<string>();
  const disk: Disk = {
    ...thread.disk,
    syncDirectory(path, isLasting) {
      if (synced.has(path)) return;
      thread.disk.syncDirectory(path, isLasting);
      synced.add(path);
    },
  };
  const writes = tasks.map((task) => {
    const { attempt, tookOver } = attemptOf(thread, task, disk);
    const steps = sharedSteps(thread, attempt, task);
    return { steps, first: untilSync(steps), tookOver };
  });
  return writes.map(({ steps, first, tookOver }) => {
    const verdict = first ?? runSteps(steps);
    return { verdict: sendable(verdict), isTakeOver: tookOver() };
  });
}

/** The verdict of a write that ends without a directory's fsync, else null. */
function untilSync<Verdict>(steps: Steps<Verdict>): Verdict | null {
  for (;;) {
    const next = steps.next();
    if (next.done === true) return next.value;
    if (next.value === "directory.sync") return null;
  }
}

function* sharedSteps(
  thread: Thread,
  attempt: Attempt,
  task: SharedTask,
): Steps<SharedAnswer["verdict"]> {
  const { place } = attempt;
  const change = { bytes: Buffer.from(task.body), marker: task.marker };
  try {
    if (task.expected === "absent") ensureDirectory(thread, place);
    const verdict =
      task.expected === "absent"
        ? yield* createRecord(attempt, change)
        : yield* updateRecord(attempt, task.expected, change);
    if (verdict.kind === "fenced") thread.known.clear();
    return verdict;
  } catch (error) {
    if (codeOf(error) !== "ENOENT") return { kind: "failed", error };
    return fencedByAbsence(thread, place);
  }
}

function batch(thread: Thread, input: Calls["batch"]["input"]): Calls["batch"]["output"] {
  const verdicts: BatchVerdict[] = [];
  const tasks: FolderTask[] = [];
  const indexes: number[] = [];
  input.tasks.forEach((task, index) => {
    const place = recordPlace(thread.data.layout, task.key);
    try {
      if (task.expected === "absent") ensureDirectory(thread, place);
      tasks.push({ place, u: task.u, expected: task.expected, bytes: Buffer.from(task.body) });
      indexes.push(index);
    } catch (error) {
      verdicts[index] = { kind: "failed", error };
    }
  });
  runSteps(writeBatch(thread.disk, input.folderU, tasks)).forEach((verdict, at) => {
    verdicts[indexes[at] ?? 0] = verdict;
  });
  return verdicts.map((verdict, index) => {
    const { key } = input.tasks[index] ?? {};
    const isAbsence = verdict.kind === "failed" && codeOf(verdict.error) === "ENOENT";
    if (verdict.kind === "fenced") thread.known.clear();
    if (!isAbsence || key === undefined) return sendable(verdict);
    return fencedByAbsence(thread, recordPlace(thread.data.layout, key));
  });
}

function read(thread: Thread, key: Key): Uint8Array | Trouble | null {
  try {
    return thread.disk.read(recordPlace(thread.data.layout, key).file);
  } catch (error) {
    return troubleOf(error);
  }
}

/** Cannot be fenced (protocols 7.2, Remove): only for keys that are never written again. */
function remove(thread: Thread, input: Calls["remove"]["input"]): Calls["remove"]["output"] {
  const { disk } = thread;
  const place = recordPlace(thread.data.layout, input.key);
  const lock = place.root.folderLock;
  if (input.folderU === null) {
    if (disk.exists(lock)) return "folder";
  } else if (!runSteps(holdsFolder(disk, lock, input.folderU))) return "lost";
  if (disk.unlink(place.file)) disk.syncDirectory(place.directory, place.isLasting);
  if (!place.isLasting) {
    thread.known.delete(place.directory);
    removeIfEmpty(place.directory);
  }
  return "removed";
}

function attemptOf(
  thread: Thread,
  input: AttemptInput,
  disk: Disk = thread.disk,
): { attempt: Attempt; tookOver: () => boolean } {
  const { self, layout } = thread.data;
  let isTakeOver = false;
  const attempt: Attempt = {
    disk,
    place: recordPlace(layout, input.key),
    u: input.u,
    lockText: lockText(input.u, self, null),
    isStale(lock) {
      isTakeOver = isStaleLock(lock, input.now, self);
      return isTakeOver;
    },
  };
  return { attempt, tookOver: () => isTakeOver };
}

/** Every directory from the root's to the record's, each durable before anything is put into it. */
function ensureDirectory({ known }: Thread, place: RecordPlace): void {
  if (known.has(place.directory)) return;
  const below = place.directory.slice(place.root.directory.length);
  let path = place.root.directory;
  for (const segment of below.split(sep).filter((part) => part !== "")) {
    path = join(path, segment);
    if (known.has(path)) continue;
    makeDurableDirectory(path, true);
    const [oldest] = known;
    if (known.size >= KNOWN_DIRECTORIES_MAX && oldest !== undefined) known.delete(oldest);
    known.add(path);
  }
}

/** A directory vanished. It is made again for the next attempt, which takes a fresh `u`. */
function fencedByAbsence({ known }: Thread, place: RecordPlace): { readonly kind: "fenced" } {
  known.clear();
  for (const path of [place.root.locks, place.root.temps]) makeDurableDirectory(path);
  return { kind: "fenced" };
}

function sendable<Verdict extends { readonly kind: string }>(verdict: Verdict): Verdict {
  return "error" in verdict ? { ...verdict, error: troubleOf(verdict.error) } : verdict;
}
