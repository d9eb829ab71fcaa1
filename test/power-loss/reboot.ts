/** Opens what a cut of the power left, as the next process does, and looks whether all of it is right. */
import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { assert } from "../../src/core/assert.ts";
import type { Key } from "../../src/core/key.ts";
import { QUEUES } from "../../src/core/machine.ts";
import { EPOCH_MS_MAX, epochMs } from "../../src/core/time.ts";
import { createHoldfast, type Holdfast } from "../../src/holdfast.ts";
import type { Backend, BackendRecord, Cursor, StorageContext } from "../../src/ports/backend.ts";
import { clockAhead, type Sharing, seen, storageDuring } from "./boots.ts";
import type { Cut } from "./cuts.ts";
import { materialise } from "./images.ts";
import { FOLDER } from "./recording.ts";

export interface Reboot {
  readonly sharing: Sharing;
  /** Its number; that of the recorded process where the process was killed and the power stayed. */
  readonly boot: number;
  /** How long after the cut it is. */
  readonly afterMs: number;
}

/** By then every lock that was left is stale, and every left-over old enough to be swept. */
export const LATER_MS = 120_000;

const TENANTS = ["", "tenants/acme/"];

/** What is wrong, in words. */
export async function brokenAfter(cut: Cut, reboot: Reboot): Promise<readonly string[]> {
  // Thousands of small files are many times cheaper in memory, and nothing here is about the disk.
  const parent = existsSync("/dev/shm") ? "/dev/shm" : tmpdir();
  const directory = mkdtempSync(join(parent, "holdfast-reboot-"));
  try {
    materialise(cut.image, directory);
    return await brokenIn(join(directory, FOLDER), cut, reboot);
  } catch (error) {
    return [`it does not open, or stops working: ${String(error)}`];
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

async function brokenIn(directory: string, cut: Cut, reboot: Reboot): Promise<string[]> {
  let opened: { backend: Backend; context: StorageContext } | null = null;
  let corrupt = 0;
  const storage = seen(
    storageDuring(reboot.boot, directory, reboot.sharing),
    (backend, context) => {
      opened = { backend, context };
      return backend;
    },
  );
  const holdfast = await createHoldfast({
    storage,
    clock: clockAhead(reboot.afterMs),
    observe: (name, count) => {
      if (name === "store.record_corrupt") corrupt += count;
    },
  });
  const broken: string[] = [];
  try {
    assert(opened !== null, "the storage was opened");
    const { backend, context }: { backend: Backend; context: StorageContext } = opened;
    const records = await recordsOf(backend);
    broken.push(...brokenRecords(cut, records));
    broken.push(...(await undue(backend, context, records)));
    broken.push(...(await brokenLogs(holdfast)));
    if (reboot.afterMs >= LATER_MS) broken.push(...(await brokenWork(holdfast)));
    if (corrupt > 0) broken.push(`${corrupt} records were reported as corrupt`);
  } finally {
    await holdfast.close();
  }
  if (reboot.afterMs >= LATER_MS) broken.push(...leftOvers(directory));
  return broken;
}

async function recordsOf(backend: Backend): Promise<ReadonlyMap<Key, BackendRecord>> {
  const records = new Map<Key, BackendRecord>();
  let cursor: Cursor | null = null;
  do {
    const page: Awaited<ReturnType<Backend["list"]>> = await backend.list("", cursor, 1_000);
    for (const { key } of page.entries) {
      const record = await backend.get(key);
      if (record !== null) records.set(key, record);
    }
    cursor = page.cursor;
  } while (cursor !== null);
  return records;
}

function* brokenRecords(
  { promised }: Cut,
  records: ReadonlyMap<Key, BackendRecord>,
): Generator<string> {
  const keys = new Set([...promised.keys(), ...records.keys()]);
  for (const key of keys) {
    const problem = promised.problem(key, records.get(key)?.version ?? null);
    if (problem !== null) yield problem;
  }
}

/** Records that wait for something and that nobody would find. */
async function undue(
  { due }: Backend,
  context: StorageContext,
  records: ReadonlyMap<Key, BackendRecord>,
): Promise<readonly string[]> {
  assert(due !== null, "a folder has a due index");
  const found = new Set<string>();
  const end = epochMs(EPOCH_MS_MAX);
  for (const tenant of TENANTS) {
    for (const queue of QUEUES) {
      let cursor: Cursor | null = null;
      do {
        const page: Awaited<ReturnType<typeof due.page>> = await due.page(
          ...([tenant, queue, end, cursor, 1_000] as const),
        );
        for (const { key, at } of page.entries) found.add(`${queue} ${at} ${key}`);
        cursor = page.cursor;
      } while (cursor !== null);
    }
  }
  return [...records].flatMap(([key, { body }]) => {
    const at = context.dueOf(key, body);
    const isFound = at === null || found.has(`${at.queue} ${at.at} ${key}`);
    return isFound ? [] : [`${key} is due in ${at.queue}, and its index does not know`];
  });
}

/** Every job is read as it is stored, with events 1 to the last one. */
async function brokenLogs({ emails, receipts, queries }: Holdfast): Promise<readonly string[]> {
  const jobs = await emails.listJobs();
  const answers = await queries.list({ limit: 100 });
  const done = await receipts.list(0, 100);
  const broken = [...jobs.corrupt, ...answers.corrupt, ...done.corrupt].map(
    ({ id, reason }) => `${id}: ${reason}`,
  );
  for (const { jobId, generation, eventSeq } of answers.jobs) {
    const { events } = await queries.replay(jobId, generation);
    const numbers = events.map((event) => event.eventSeq);
    const isDense = numbers.length === eventSeq && numbers.every((n, index) => n === index + 1);
    if (!isDense) broken.push(`query ${jobId} of ${eventSeq} events has ${numbers.join(" ")}`);
  }
  return broken;
}

/** Work goes on: passes find nothing wrong, and something new is kept. */
async function brokenWork(holdfast: Holdfast): Promise<readonly string[]> {
  const { failures } = await holdfast.reconcile();
  const payload = { type: "first-view", recipient: "b@example.com", recordingIds: ["new"] };
  const { created } = await holdfast.emails.enqueue("after the cut", payload);
  return [
    ...failures.map(({ machine, id, code }) => `a pass over ${machine} fails: ${id} ${code}`),
    ...(created ? [] : ["a new job is not stored"]),
  ];
}

function leftOvers(directory: string): readonly string[] {
  return readdirSync(directory, { recursive: true })
    .map(String)
    .filter((path) => /(?:^|\/)(?:tmp|locks)\/|\.(?:take|tmp)$|folder\.lock$/.test(path))
    .map((path) => `left behind: ${path}`);
}
