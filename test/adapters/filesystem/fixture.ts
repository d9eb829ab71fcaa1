/** Real folders for the tests of whole backends. */

import { createHash } from "node:crypto";
import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach } from "vitest";
import { openExclusive } from "../../../adapters/storage/filesystem/backend-exclusive.ts";
import { openProcesses } from "../../../adapters/storage/filesystem/backend-processes.ts";
import { nodeDisk } from "../../../adapters/storage/filesystem/disk.ts";
import { createFolder } from "../../../adapters/storage/filesystem/folder.ts";
import {
  type FilesystemStorageOptions,
  filesystemStorage,
} from "../../../adapters/storage/filesystem/index.ts";
import type { ProcessMark } from "../../../adapters/storage/filesystem/lock-file.ts";
import { isJsonObject } from "../../../src/core/json.ts";
import { type Key, key } from "../../../src/core/key.ts";
import { type Due, QUEUES } from "../../../src/core/machine.ts";
import { type EpochMs, epochMs } from "../../../src/core/time.ts";
import type {
  Backend,
  Cursor,
  DueEntry,
  DueIndex,
  DuePage,
  ListPage,
  PutVerdict,
  StorageContext,
  Version,
} from "../../../src/ports/backend.ts";
import { RecordCorruptError } from "../../../src/ports/faults.ts";
import type { Observation } from "../../../src/ports/observe.ts";
import { systemRandom } from "../../../src/ports/random.ts";

export interface FolderBench {
  readonly directory: string;
  readonly context: StorageContext;
  /** Closed at the end of the test, if the test has not done so. */
  open(options?: Partial<FilesystemStorageOptions>): Promise<Backend>;
  /** How often it was observed. */
  counted(name: Observation): number;
  /** Called with everything that is observed. */
  listen(listener: (name: Observation, count: number) => void): void;
  /** The same folder as another process, or another boot, opens it. */
  openAs(self: ProcessMark, sharing: "processes" | "exclusive"): Promise<Backend>;
  /** Moves the clock that ages are measured by. */
  advance(milliseconds: number): void;
  now(): EpochMs;
}

const opened = new Set<Backend>();
const directories = new Set<string>();

afterEach(async () => {
  for (const backend of opened) await backend.close();
  opened.clear();
  for (const directory of directories) rmSync(directory, { recursive: true, force: true });
  directories.clear();
});

export function newDirectory(): string {
  // Thousands of small files are many times cheaper in memory, and nothing here is about the disk.
  const parent = existsSync("/dev/shm") ? "/dev/shm" : tmpdir();
  const directory = mkdtempSync(join(parent, "holdfast-"));
  directories.add(directory);
  return directory;
}

export function folderBench(directory = newDirectory()): FolderBench {
  const counts = new Map<Observation, number>();
  const listeners: ((name: Observation, count: number) => void)[] = [];
  let ahead = 0;
  const now = (): EpochMs => epochMs(Date.now() + ahead);
  const context: StorageContext = {
    clock: {
      now,
      elapsed: now,
      sleep: (duration) => new Promise((done) => setTimeout(done, duration / 20)),
    },
    random: systemRandom(),
    observe(name, count) {
      counts.set(name, (counts.get(name) ?? 0) + count);
      for (const listener of listeners) listener(name, count);
    },
    dueOf,
  };
  return {
    directory,
    context,
    async open(options = {}) {
      const backend = await filesystemStorage({ directory, ...options }).open(context);
      opened.add(backend);
      return backend;
    },
    async openAs(self, sharing) {
      const layout = { directory, external: {} };
      const folder = createFolder(context, layout, { self, owner: null, disk: nodeDisk() });
      const open = sharing === "exclusive" ? openExclusive : openProcesses;
      const backend = await open(folder);
      opened.add(backend);
      return backend;
    },
    listen: (listener) => void listeners.push(listener),
    counted: (name) => counts.get(name) ?? 0,
    advance(milliseconds) {
      ahead += milliseconds;
    },
    now,
  };
}

export function idOf(name: string): string {
  return createHash("sha256").update(name).digest("hex");
}

export function job(name: string): Key {
  return key(`emails/jobs/${idOf(name)}`);
}

export const deliver = (at: number): Due => ({ queue: "deliver", at: epochMs(at) });

/** Bodies tell when they are due, as headers do. `text` is never the same for two writes. */
export function bodyOf(text: string, due: Due | null): string {
  return `${JSON.stringify({ text, due }, null, 2)}\n`;
}

function dueOf(name: Key, body: string): Due | null {
  const value = parse(name, body);
  const due = value["due"];
  if (!isJsonObject(due)) return null;
  const queue = QUEUES.find((one) => one === due["queue"]);
  return queue === undefined ? null : { queue, at: epochMs(Number(due["at"])) };
}

function parse(name: Key, body: string): { readonly [name: string]: unknown } {
  try {
    const value: unknown = JSON.parse(body);
    if (isJsonObject(value)) return value;
  } catch {
    // Told below.
  }
  throw new RecordCorruptError(name, "not a JSON object");
}

export interface Write {
  readonly text: string;
  readonly due?: Due | null;
  readonly over?: Version;
  readonly dueBefore?: Due | null;
}

/** Without `over`, a creation. */
export function put(backend: Backend, name: Key, write: Write): Promise<PutVerdict> {
  const due = write.due ?? null;
  return backend.putIf(name, bodyOf(write.text, due), {
    expected: write.over ?? "absent",
    due,
    dueBefore: write.dueBefore ?? null,
  });
}

/** The version that was stored; throws when it was not. */
export async function store(backend: Backend, name: Key, write: Write): Promise<Version> {
  const verdict = await put(backend, name, write);
  if (verdict.kind !== "stored") throw new Error(`not stored: ${verdict.kind}`);
  return verdict.version;
}

export const FOR_EVER = epochMs(9_000_000_000_000);

/** Every entry of one root, page by page. */
export async function allDue(
  backend: Backend,
  options: { readonly root?: string; readonly limit?: number; readonly until?: EpochMs } = {},
): Promise<DueEntry[]> {
  const { root = "emails", limit = 100, until = FOR_EVER } = options;
  const tenant = root.slice(0, root.lastIndexOf("/") + 1);
  const entries: DueEntry[] = [];
  let cursor: Cursor | null = null;
  do {
    const page: DuePage = await dueOfBackend(backend).page(tenant, "deliver", until, cursor, limit);
    entries.push(...page.entries.filter(({ key: name }) => name.startsWith(`${root}/`)));
    cursor = page.cursor;
  } while (cursor !== null);
  return entries;
}

export function dueOfBackend({ due }: Backend): DueIndex {
  if (due === null) throw new Error("no due index");
  return due;
}

/** The keys that are due, each once. */
export async function dueKeys(backend: Backend, root = "emails"): Promise<string[]> {
  const entries = await allDue(backend, { root });
  return [...new Set(entries.map((entry) => String(entry.key)))].sort();
}

export async function allKeys(backend: Backend, prefix = "", limit = 100): Promise<string[]> {
  const keys: string[] = [];
  let cursor: Cursor | null = null;
  do {
    const page: ListPage = await backend.list(prefix, cursor, limit);
    keys.push(...page.entries.map((entry) => String(entry.key)));
    cursor = page.cursor;
  } while (cursor !== null);
  return keys;
}

/** Paths below a directory, directories too, sorted. */
export function tree(directory: string): string[] {
  return readdirSync(directory, { recursive: true }).map(String).sort();
}
