/** Storages to copy from and to, and what can be seen in them. */
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach } from "vitest";
import { filesystemReader, filesystemStorage } from "../../../adapters/storage/filesystem/index.ts";
import { type MemoryStorage, memoryStorage } from "../../../adapters/storage/memory.ts";
import type { Key } from "../../../src/core/key.ts";
import { type Due, QUEUES } from "../../../src/core/machine.ts";
import { EPOCH_MS_MAX, epochMs } from "../../../src/core/time.ts";
import { createHoldfast, type Holdfast } from "../../../src/holdfast.ts";
import type { Backend, Cursor, Storage, StorageContext } from "../../../src/ports/backend.ts";
import type { Clock } from "../../../src/ports/clock.ts";
import { systemRandom } from "../../../src/ports/random.ts";
import {
  type CopyOptions,
  type CopyReport,
  type CopyTrouble,
  copyRecords,
} from "../../../src/services/copy.ts";
import { originalDue, plainOriginals } from "../../../src/services/originals.ts";
import { dueOfBody } from "../../../src/store/record.ts";
import { createStore, type Store } from "../../../src/store/store.ts";

export interface Place {
  readonly storage: Storage;
  /** The same to be read only. */
  readonly reader: Storage;
}

export interface MemoryPlace extends Place {
  readonly storage: MemoryStorage;
}

/** Near the real time, by which the system stamps files. */
export const START = epochMs(Math.floor(Date.now() / 1_000) * 1_000);

let now = START;

/** Stands still until a test moves it; waiting takes no time. */
export const clock: Clock = {
  now: () => now,
  elapsed: () => 0,
  sleep: () => new Promise((resolve) => setImmediate(resolve)),
};

export function advance(ms: number): void {
  now = epochMs(now + ms);
}

const originals = plainOriginals();
const foreignDue = originalDue(originals);
export const context: StorageContext = {
  clock,
  random: systemRandom(),
  observe: () => {},
  dueOf: dueOfBody(foreignDue),
};

const folders = new Set<string>();

afterEach(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
  folders.clear();
  now = START;
});

export function newFolder(): string {
  const folder = mkdtempSync(join(existsSync("/dev/shm") ? "/dev/shm" : tmpdir(), "holdfast-"));
  folders.add(folder);
  return folder;
}

export function folderPlace(directory = newFolder()): Place {
  return {
    storage: filesystemStorage({ directory, sharing: "exclusive" }),
    reader: filesystemReader({ directory }),
  };
}

export function memoryPlace(dueIndex: "native" | "markers"): MemoryPlace {
  const storage = memoryStorage({ dueIndex });
  return { storage, reader: storage };
}

export interface Copied {
  readonly report: CopyReport;
  readonly troubles: readonly CopyTrouble[];
}

/** Everything, where `options` say nothing else. */
export async function copy(
  from: Storage,
  to: Storage,
  options: Partial<Pick<CopyOptions, "below" | "under" | "isDryRun" | "isImport">> = {},
): Promise<Copied> {
  const source = await from.open(context);
  const target = await to.open(context);
  const troubles: CopyTrouble[] = [];
  try {
    const report = await copyRecords(
      { from: source, to: target, ...context, originals },
      {
        below: "",
        under: "",
        isDryRun: false,
        isImport: false,
        ...options,
        onProgress: () => {},
        onTrouble: (trouble) => troubles.push(trouble),
      },
    );
    return { report, troubles };
  } finally {
    await target.close();
    await source.close();
  }
}

export async function using<T>(
  storage: Storage,
  work: (holdfast: Holdfast) => Promise<T>,
): Promise<T> {
  const holdfast = await createHoldfast({ storage, clock });
  try {
    return await work(holdfast);
  } finally {
    await holdfast.close();
  }
}

export const isMarker = (name: string): boolean => /^(?:tenants\/[^/]+\/)?due\//.test(name);

/** Records by their keys, as they are stored; markers are left out. */
export async function records(place: Place): Promise<ReadonlyMap<string, string>> {
  const backend = await place.reader.open(context);
  const bodies = new Map<string, string>();
  try {
    let cursor: Cursor | null = null;
    do {
      const page: Awaited<ReturnType<Backend["list"]>> = await backend.list("", cursor, 1_000);
      for (const { key, found } of page.entries) {
        const record = found ?? (await backend.get(key));
        if (record !== null && !isMarker(key)) bodies.set(key, record.body);
      }
      cursor = page.cursor;
    } while (cursor !== null);
  } finally {
    await backend.close();
  }
  return bodies;
}

/** The same, parsed, and without what is each storage's own. */
export async function contents(place: Place): Promise<Readonly<Record<string, unknown>>> {
  const entries = [...(await records(place))].map(([key, body]) => {
    const { holdfast, ...fields } = JSON.parse(body);
    return [key, { ...fields, holdfast: { ...holdfast, marker: null } }] as const;
  });
  return Object.fromEntries(entries.sort(([one], [other]) => (one < other ? -1 : 1)));
}

/** What the due index says, of all queues; each entry leads to a record that is due then. */
export async function dueEntries(
  place: Place,
  tenants: readonly (string | null)[] = [null, "acme"],
): Promise<Readonly<Record<string, Due>>> {
  return onStore(place, async (store, storeOf) => {
    const found: [string, Due][] = [];
    for (const tenant of tenants) {
      for (const queue of QUEUES) {
        const all = { until: epochMs(EPOCH_MS_MAX), cursor: null, limit: 1_000 };
        const { entries } = await storeOf(tenant).due(queue, all);
        for (const { key, at, name } of entries) {
          const stored = await store.get(key);
          const isNamed = stored?.header.marker === null || stored?.header.marker === name;
          if (stored?.due?.queue === queue && isNamed) found.push([key, { queue, at }]);
        }
      }
    }
    return Object.fromEntries(found.sort(([one], [other]) => (one < other ? -1 : 1)));
  });
}

/** Those of the records themselves. */
export async function dueTimes(place: Place): Promise<Readonly<Record<string, Due>>> {
  const keys = [...(await records(place)).keys()].sort() as Key[];
  return onStore(place, async (store) => {
    const found: [string, Due][] = [];
    for (const key of keys) {
      const due = (await store.get(key))?.due ?? null;
      if (due !== null) found.push([key, due]);
    }
    return Object.fromEntries(found);
  });
}

type StoreOf = (tenant: string | null) => Store;

async function onStore<T>(
  place: Place,
  work: (store: Store, storeOf: StoreOf) => Promise<T>,
): Promise<T> {
  const backend = await place.storage.open(context);
  const storeOf: StoreOf = (tenant) => createStore({ ...context, backend, foreignDue, tenant });
  try {
    return await work(storeOf(null), storeOf);
  } finally {
    await backend.close();
  }
}
