/** The thread that writes: makes the system's calls in a row, and waits for the disk in between. */
import { dirname, join, sep } from "node:path";
import { type MessagePort, parentPort, workerData } from "node:worker_threads";
import { AssertionError } from "../../../src/core/assert.ts";
import type { Key } from "../../../src/core/key.ts";
import type {
  AttemptInput,
  Calls,
  FailedWrite,
  GoneFolder,
  OwnedTask,
  Reply,
  Request,
  SharedAnswer,
  SharedTask,
  ThreadData,
  Trouble,
} from "./calls.ts";
import { codeOf, makeDurableDirectory, removeIfEmpty } from "./disk.ts";
import { beginMend, endMend } from "./due-markers.ts";
import { holdsFolder } from "./folder-lock.ts";
import { type OwnedVerdict, writeOwned } from "./folder-writes.ts";
import type { Attempt } from "./key-lock.ts";
import { createRecord, updateRecord } from "./key-writes.ts";
import { type RecordPlace, recordPlace } from "./layout.ts";
import { isStaleLock, lockText } from "./lock-file.ts";
import { createPresence, type Presence } from "./presence.ts";
import type { Steps } from "./steps.ts";
import { settle } from "./temp-file.ts";
import { runWaiting, type ThreadDisk, threadDisk } from "./thread-disk.ts";
import { troubleOf } from "./trouble.ts";

/** Directories known to exist; more are looked at again. */
const KNOWN_DIRECTORIES_MAX = 1_000;

type Handlers = {
  readonly [Kind in keyof Calls]: (
    input: Calls[Kind]["input"],
  ) => Calls[Kind]["output"] | Promise<Calls[Kind]["output"]>;
};

interface Thread {
  readonly data: ThreadData;
  readonly disk: ThreadDisk;
  readonly presence: Presence;
  readonly known: Set<string>;
}

if (parentPort !== null) serve(parentPort, workerData as ThreadData);

function serve(port: MessagePort, data: ThreadData): void {
  const presence = createPresence(data.layout, data.marks);
  const handlers = createHandlers({ data, disk: threadDisk(), presence, known: new Set() });
  const replies: Reply[] = [];
  let underWay = 0;
  let isPlanned = false;

  function send(): void {
    isPlanned = false;
    if (replies.length > 0) port.postMessage(replies.splice(0));
  }

  /** What one fsync of a directory finishes goes back together. */
  function reply(one: Reply): void {
    underWay -= 1;
    replies.push(one);
    if (underWay === 0) send();
    else if (!isPlanned) {
      isPlanned = true;
      setImmediate(send);
    }
  }

  port.on("message", (requests: readonly Request[]) => {
    underWay += requests.length;
    for (const request of requests) void answer(handlers, request).then(reply);
  });
}

async function answer(handlers: Handlers, { id, kind, input }: Request): Promise<Reply> {
  try {
    const handle = handlers[kind] as (input: Request["input"]) => Promise<Reply["output"]>;
    return { id, output: await handle(input), trouble: null } as Reply;
  } catch (error) {
    return { id, output: null, trouble: troubleOf(error) };
  }
}

function createHandlers(thread: Thread): Handlers {
  const { disk } = thread;
  return {
    writeShared: (task) => writeShared(thread, task),
    writeOwned: (task) => writeAsOwner(thread, task),
    async beginMend(input) {
      const { attempt, tookOver } = attemptOf(thread, input);
      const found = await runWaiting(disk, beginMend(attempt));
      return { found, isTakeOver: tookOver() };
    },
    async endMend(input) {
      await runWaiting(disk, endMend(attemptOf(thread, input).attempt, input.marker));
      return null;
    },
    read: (keys) => keys.map((key) => read(thread, key)),
    async settle(key) {
      await settleRecord(thread, recordPlace(thread.data.layout, key));
      return null;
    },
    remove: (input) => runWaiting(disk, remove(thread, input)),
  };
}

async function writeShared(thread: Thread, task: SharedTask): Promise<SharedAnswer> {
  const { attempt, tookOver } = attemptOf(thread, task);
  const change = { bytes: Buffer.from(task.body), marker: task.marker };
  const verdict = await attempted(thread, attempt.place, task.expected === "absent", () =>
    task.expected === "absent"
      ? createRecord(attempt, change)
      : updateRecord(attempt, task.expected, change),
  );
  return { verdict, isTakeOver: tookOver() };
}

function writeAsOwner(
  thread: Thread,
  { key, u, folderU, expected, body }: OwnedTask,
): Promise<OwnedVerdict | FailedWrite | GoneFolder> {
  const place = recordPlace(thread.data.layout, key);
  const write = { place, u, expected, bytes: Buffer.from(body) };
  return attempted(thread, place, expected === "absent", () =>
    writeOwned(thread.disk, folderU, write),
  );
}

/** Runs one attempt; what the system refuses is a verdict. */
async function attempted<Verdict extends { readonly kind: string }>(
  thread: Thread,
  place: RecordPlace,
  isCreation: boolean,
  begin: () => Steps<Verdict>,
): Promise<Verdict | FailedWrite | GoneFolder | { readonly kind: "fenced" }> {
  try {
    if (isCreation) {
      // An update reads what it replaces; a creation finds nothing in a wrong folder either.
      if (!thread.presence.isHere(place.root.folderLock)) return { kind: "gone" };
      ensureDirectory(thread, place);
    }
    const verdict = await runWaiting(thread.disk, begin());
    if (verdict.kind === "fenced") thread.known.clear();
    return sendable(verdict);
  } catch (error) {
    if (codeOf(error) === "ENOENT") return fencedByAbsence(thread, place);
    if (error instanceof AssertionError) throw error;
    return { kind: "failed", error: troubleOf(error) };
  }
}

function read(thread: Thread, key: Key): Uint8Array | Trouble | null {
  try {
    return thread.disk.read(recordPlace(thread.data.layout, key).file);
  } catch (error) {
    return troubleOf(error);
  }
}

/** Where the directory is gone, so is the record. */
async function settleRecord({ disk }: Thread, place: RecordPlace): Promise<void> {
  try {
    await runWaiting(disk, settle(disk, place));
  } catch (error) {
    if (codeOf(error) !== "ENOENT") throw error;
  }
}

/** Cannot be fenced (protocols 7.2, Remove): only for keys that are never written again. */
function* remove(
  { disk, data, known }: Thread,
  input: Calls["remove"]["input"],
): Steps<Calls["remove"]["output"]> {
  const place = recordPlace(data.layout, input.key);
  const lock = place.root.folderLock;
  if (input.folderU === null) {
    yield "folder.check";
    if (disk.exists(lock)) return "folder";
  } else if (!(yield* holdsFolder(disk, lock, input.folderU))) return "lost";
  yield "record.unlink";
  if (disk.unlink(place.file)) {
    disk.syncDirectory(place.directory, place.isLasting);
    yield "directory.synced";
  }
  if (!place.isLasting) removeEmptied(known, place);
  return "removed";
}

/** The directories of a job's log go with what was in them, the innermost first. */
function removeEmptied(known: Set<string>, { root, directory }: RecordPlace): void {
  for (let path = directory; dirname(path) !== root.directory; path = dirname(path)) {
    known.delete(path);
    if (!removeIfEmpty(path)) return;
  }
}

function attemptOf(
  thread: Thread,
  input: AttemptInput,
): { attempt: Attempt; tookOver: () => boolean } {
  const { self, layout } = thread.data;
  let isTakeOver = false;
  const attempt: Attempt = {
    disk: thread.disk,
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
function fencedByAbsence(
  { known, presence }: Thread,
  { root }: RecordPlace,
): GoneFolder | { readonly kind: "fenced" } {
  known.clear();
  if (!presence.isHere(root.folderLock)) return { kind: "gone" };
  for (const path of [root.locks, root.temps, root.due]) makeDurableDirectory(path);
  return { kind: "fenced" };
}

function sendable<Verdict extends { readonly kind: string }>(verdict: Verdict): Verdict {
  return "error" in verdict ? { ...verdict, error: troubleOf(verdict.error) } : verdict;
}
