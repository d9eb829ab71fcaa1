/**
 * The due index of an exclusive owner: in memory, with a file that only grows. Additions are appended
 * before a write is published and removals after it, so that a kill leaves entries too many or too
 * early, never lacking. No fsync: a reboot rebuilds (protocols 7.6, step 9).
 */
import { closeSync, createReadStream, ftruncateSync, openSync, writeSync } from "node:fs";
import { createRequire } from "node:module";
import type * as SortedBTree from "sorted-btree";
import { type Due, QUEUES, type Queue } from "../../../src/core/machine.ts";
import type { EpochMs } from "../../../src/core/time.ts";
import { codeOf } from "./disk.ts";
import { digits } from "./marker-names.ts";

/** What lies between two page ends in an index. */
export interface IndexedKey {
  readonly at: EpochMs;
  /** The key below its root. */
  readonly rest: string;
}

export interface DueIndexFile {
  /** Whether it was not there. In the file only after `flush`. */
  add(due: Due, rest: string): boolean;
  remove(due: Due, rest: string): void;
  /** Appends what was added and removed since. Throws the system's error. */
  flush(): void;
  /** `after`: `<13 digits>.<rest>` of the last one given out, or empty. */
  page(queue: Queue, until: EpochMs, after: string, limit: number): readonly IndexedKey[];
  /** Whether the file has grown well past what is live. */
  isOvergrown(): boolean;
  /**
   * Writes what is live to a new file at `path`, calls `commit`, and goes on there. Lets others run
   * meanwhile; until `commit` is through, both files hold everything. Stays when `commit` throws.
   */
  moveTo(path: string, commit: () => void): Promise<void>;
  /** Closes the file until it is needed again. */
  release(): void;
  /** Flushes, and lets go of the file. */
  close(): void;
}

type Tree = SortedBTree.default<string, true>;

/** The package is CommonJS, whose default export loaders see differently; `require` does not. */
const { default: BTree } = createRequire(import.meta.url)(
  "sorted-btree",
) as typeof SortedBTree.default;

const LINE = /^([+-]) (deliver|attend|stuck) (\d{13}) ([A-Za-z0-9._/-]+)$/;

/** Below this a file is not worth rewriting. */
const OVERGROWN_LINES_MIN = 50_000;

/** Lines that are copied before others get their turn. */
const COPY_LINES = 5_000;

/** An empty index with a new file at `path`. */
export function newDueIndex(path: string): DueIndexFile {
  return dueIndex(newTrees(), { path, lines: 0 });
}

/**
 * The index that the file at `path` holds; goes on in that file. Null when it is missing, or damaged
 * elsewhere than in its last line, which a kill may have torn.
 */
export async function loadDueIndex(path: string): Promise<DueIndexFile | null> {
  const trees = newTrees();
  let rest = "";
  let lines = 0;
  let bytes = 0;
  try {
    for await (const chunk of createReadStream(path, { encoding: "latin1" })) {
      const whole = `${rest}${String(chunk)}`.split("\n");
      rest = whole.pop() ?? "";
      for (const line of whole) {
        if (!applyLine(trees, line)) return null;
        lines += 1;
        bytes += line.length + 1;
      }
    }
  } catch (error) {
    if (codeOf(error) === "ENOENT") return null;
    throw error;
  }
  return dueIndex(trees, { path, lines, bytes });
}

function applyLine(trees: Trees, line: string): boolean {
  const [, sign, name, at, rest] = LINE.exec(line) ?? [];
  const queue = QUEUES.find((one) => one === name);
  if (queue === undefined || at === undefined || rest === undefined) return false;
  if (sign === "+") trees[queue].set(`${at}.${rest}`, true);
  else trees[queue].delete(`${at}.${rest}`);
  return true;
}

type Trees = Readonly<Record<Queue, Tree>>;

function newTrees(): Trees {
  return { deliver: new BTree(), attend: new BTree(), stuck: new BTree() };
}

interface LogStart {
  readonly path: string;
  readonly lines: number;
  /** Null: a new file. */
  readonly bytes?: number;
}

function dueIndex(trees: Trees, start: LogStart): DueIndexFile {
  let log = openLog(start);
  let copy: Log | null = null;

  function note(sign: "+" | "-", due: Due, rest: string): void {
    const line = lineOf(sign, due.queue, `${digits(due.at)}.${rest}`);
    log.push(line);
    copy?.push(line);
  }

  return {
    add(due, rest) {
      const isNew = trees[due.queue].set(`${digits(due.at)}.${rest}`, true);
      if (isNew) note("+", due, rest);
      return isNew;
    },
    remove(due, rest) {
      if (trees[due.queue].delete(`${digits(due.at)}.${rest}`)) note("-", due, rest);
    },
    flush() {
      log.flush();
      copy?.flush();
    },
    page: (queue, until, after, limit) => pageOf(trees[queue], until, after, limit),
    isOvergrown: () =>
      copy === null && log.lines() > OVERGROWN_LINES_MIN && log.lines() > 2 * sizeOf(trees),
    async moveTo(path, commit) {
      const target = openLog({ path, lines: 0 });
      copy = target;
      try {
        await copyTrees(trees, target);
        commit();
        log.release();
        log = target;
      } catch (error) {
        target.release();
        throw error;
      } finally {
        copy = null;
      }
    },
    release: () => log.release(),
    close() {
      log.flush();
      log.release();
      copy?.release();
    },
  };
}

/**
 * Each turn copies what is live at that moment; what changes between two turns is appended by the
 * change itself. An entry that both write appears twice, which means the same.
 */
async function copyTrees(trees: Trees, target: Log): Promise<void> {
  for (const queue of QUEUES) {
    let last: string | undefined;
    for (;;) {
      let count = 0;
      for (const entry of trees[queue].keys(last)) {
        if (entry === last) continue;
        if (count >= COPY_LINES) break;
        count += 1;
        target.push(lineOf("+", queue, entry));
        last = entry;
      }
      target.flush();
      if (count < COPY_LINES) break;
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
}

function pageOf(tree: Tree, until: EpochMs, after: string, limit: number): IndexedKey[] {
  const found: IndexedKey[] = [];
  for (const entry of tree.keys(after === "" ? undefined : after)) {
    if (entry === after) continue;
    const at = Number(entry.slice(0, 13));
    if (at > until || found.length >= limit) break;
    found.push({ at: at as EpochMs, rest: entry.slice(14) });
  }
  return found;
}

function sizeOf(trees: Trees): number {
  return QUEUES.reduce((sum, queue) => sum + trees[queue].size, 0);
}

function lineOf(sign: "+" | "-", queue: Queue, entry: string): string {
  return `${sign} ${queue} ${entry.slice(0, 13)} ${entry.slice(14)}\n`;
}

interface Log {
  push(line: string): void;
  flush(): void;
  lines(): number;
  release(): void;
}

function openLog(start: LogStart): Log {
  let fd: number | null = openSync(start.path, start.bytes === undefined ? "ax" : "a", 0o600);
  let size = start.bytes ?? 0;
  let lines = start.lines;
  let pending: string[] = [];
  // A torn last line goes, or the next one would be appended to its rest.
  ftruncateSync(fd, size);

  function append(bytes: Uint8Array): void {
    fd ??= openSync(start.path, "a");
    try {
      let written = 0;
      while (written < bytes.length) written += writeSync(fd, bytes, written);
    } catch (error) {
      // What was not written stays pending; half a line must not stay in the file.
      ftruncateSync(fd, size);
      throw error;
    }
    size += bytes.length;
  }

  return {
    push(line) {
      pending.push(line);
      lines += 1;
    },
    flush() {
      if (pending.length === 0) return;
      append(Buffer.from(pending.join(""), "latin1"));
      pending = [];
    },
    lines: () => lines,
    release() {
      if (fd !== null) closeSync(fd);
      fd = null;
    },
  };
}
