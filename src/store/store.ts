/**
 * The store that services see, written once over any backend: headers, own-write recognition, due
 * index, tenants, limits. Every write is conditional; there is no other kind.
 */
import { assert } from "../core/assert.ts";
import { WRITE_ID_BYTES, writeId } from "../core/ids.ts";
import { key as checkedKey, DUE_KEY_BYTES_MAX, type Key, machineOf } from "../core/key.ts";
import type { Due, Queue } from "../core/machine.ts";
import { after, type EpochMs } from "../core/time.ts";
import type { Backend, Cursor, DueEntry, DuePage } from "../ports/backend.ts";
import { RecordCorruptError } from "../ports/faults.ts";
import { type DueKeeper, nativeDueKeeper } from "./due.ts";
import { markerDueKeeper } from "./due-markers.ts";
import { nextHeader, RESERVED, type RecordBody } from "./header.ts";
import { type KeyQueue, keyQueue } from "./key-queue.ts";
import { COMMAND_DEADLINE_MS, OTHERS_PAGES_MAX, PAGE_MAX, READS_AT_ONCE } from "./limits.ts";
import { readRecord, type Stored } from "./record.ts";
import { isOutOfTheWay } from "./sending.ts";
import { type WriteDeps, type WriteResult, writeRecord } from "./writes.ts";

export type { Stored } from "./record.ts";
export type { WriteResult } from "./writes.ts";

export interface StoreOptions extends WriteDeps {
  readonly backend: Backend;
  /** `[a-z0-9][a-z0-9-]{0,62}`, or null: the default tenant. Its records are invisible to all others. */
  readonly tenant: string | null;
}

export interface PutOptions {
  /** What the writer believes to stand there: nothing, or this record in this version. */
  readonly expected: "absent" | Stored;
  readonly due: Due | null;
  /** Sends that have no verdict are repeated until then. */
  readonly deadlineAt: EpochMs;
}

export interface DueOptions {
  readonly until: EpochMs;
  readonly cursor: Cursor | null;
  readonly limit: number;
}

export interface MachineDuePage extends DuePage {
  /** Entries that were looked at, those of other machines included. */
  readonly scanned: number;
}

export interface CorruptRecord {
  /** The last segment of its key. */
  readonly id: string;
  /** What is wrong, without the record's content. */
  readonly reason: string;
}

export interface RecordPage {
  readonly records: readonly Stored[];
  readonly corrupt: readonly CorruptRecord[];
  /** Null when nothing follows. A page may be short, even empty, and have one. */
  readonly cursor: Cursor | null;
}

export interface Store {
  /** The record as the last acknowledged write left it, or null. Throws faults. */
  get(key: Key): Promise<Stored | null>;
  /**
   * Writes `body` if the record still is the expected one. `stored`: durable. `conflict`: definitely
   * not written; `current` is what stands there. Throws OutcomeUnknownError when that cannot be told,
   * ContendedError, StoreThrottledError, RecordTooLargeError, MisconfiguredError (not written).
   */
  put(key: Key, body: RecordBody, options: PutOptions): Promise<WriteResult>;
  /**
   * Entries of one queue, of all machines, that are due at or before `until`, earliest first, at most
   * `limit` (1..PAGE_MAX). Hints: an entry may be left over or early; `confirmDue` tells.
   */
  due(queue: Queue, options: DueOptions): Promise<DuePage>;
  /**
   * The same of one machine (`emails`), whose entries stand among those of the others. A page may be
   * short, even empty, and have a cursor: at most OTHERS_PAGES_MAX pages are read for it.
   */
  dueOf(machine: string, queue: Queue, options: DueOptions): Promise<MachineDuePage>;
  /** The record of `entry` if it really is due then, else null, with the index mended. */
  confirmDue(entry: DueEntry): Promise<Stored | null>;
  /** A page of the records below `prefix` (ends in `/`); unreadable ones are told apart. */
  list(prefix: string, cursor: Cursor | null, limit: number): Promise<RecordPage>;
  /** Removes a key that is never written again, such as a log part. Absent is no error. */
  remove(key: Key): Promise<void>;
  /** Callers of one key in this process, one after another. */
  readonly queue: KeyQueue;
}

export function createStore(options: StoreOptions): Store {
  const { backend, random, observe, clock, foreignDue } = options;
  const prefix = options.tenant === null ? "" : `tenants/${options.tenant}/`;
  const inTenant = (key: Key): Key => (prefix === "" ? key : checkedKey(prefix + key));
  const outward = (stored: Stored): Stored =>
    prefix === "" ? stored : { ...stored, key: stored.key.slice(prefix.length) as Key };
  const present = (stored: Stored | null): Stored | null =>
    stored === null || stored.header.isVoid ? null : outward(stored);

  async function read(key: Key): Promise<Stored | null> {
    const found = await backend.get(key);
    return found === null ? null : readRecord(key, found, foreignDue);
  }

  const dueKeeper: DueKeeper =
    backend.due === null
      ? markerDueKeeper({ ...options, read, moveOn })
      : nativeDueKeeper(backend.due, read, observe);

  /** Protocols 3.2: the same content under a new write id, so that every older condition is dead. */
  async function moveOn(key: Key, base: Stored | null, reindex: boolean): Promise<boolean> {
    const w = writeId(random.bytes(WRITE_ID_BYTES));
    const due = base?.due ?? null;
    const kept = base?.header.marker ?? null;
    const deadlineAt = after(clock.now(), COMMAND_DEADLINE_MS);
    const coming = { due, w, deadlineAt };
    const marker = reindex ? await dueKeeper.before(key, withoutMarker(base), coming) : kept;
    const isVoid = base === null || base.header.isVoid;
    const header = { ...nextHeader(base?.header ?? null, { w, marker, due, isVoid }), w };
    const body = { fields: base?.fields ?? {}, extra: base?.extra ?? {} };
    const result = await writeRecord(options, { key, body, base, header, deadlineAt });
    if (reindex) {
      await dueKeeper.after(base, marker, result.kind === "stored" ? "stored" : "refused");
    }
    return result.kind === "stored";
  }

  async function putOver(
    key: Key,
    base: Stored | null,
    body: RecordBody,
    { due, deadlineAt }: PutOptions,
  ): Promise<WriteResult> {
    const w = writeId(random.bytes(WRITE_ID_BYTES));
    const marker = await dueKeeper.before(key, base, { due, w, deadlineAt });
    const header = { ...nextHeader(base?.header ?? null, { w, marker, due }), w };
    try {
      const result = await writeRecord(options, { key, body, base, header, deadlineAt });
      await dueKeeper.after(base, marker, result.kind === "stored" ? "stored" : "refused");
      return result;
    } catch (fault) {
      if (isOutOfTheWay(fault)) await dueKeeper.after(base, marker, "refused");
      throw fault;
    }
  }

  async function put(key: Key, body: RecordBody, put: PutOptions): Promise<WriteResult> {
    assert(!(RESERVED in body.fields), `"${RESERVED}" is reserved in a record's fields`);
    assert(
      put.due === null || key.length <= DUE_KEY_BYTES_MAX,
      "a key with a due time is too long",
    );
    const base = put.expected === "absent" ? null : put.expected;
    const first = await putOver(key, base, body, put);
    if (first.kind === "stored" || base !== null || first.current === null) return first;
    // Void counts as absent, and is replaced by its version.
    return first.current.header.isVoid ? putOver(key, first.current, body, put) : first;
  }

  async function due(queue: Queue, { until, cursor, limit }: DueOptions): Promise<DuePage> {
    assert(limit >= 1 && limit <= PAGE_MAX, `a page has 1 to ${PAGE_MAX} entries`);
    return dueKeeper.page(prefix, queue, until, cursor, limit);
  }

  return {
    get: async (key) => present(await read(inTenant(key))),
    async put(key, body, options) {
      const result = await put(inTenant(key), body, options);
      return result.kind === "stored"
        ? { kind: "stored", stored: outward(result.stored) }
        : { kind: "conflict", current: present(result.current) };
    },
    due,
    async dueOf(machine, queue, options) {
      let [scanned, cursor] = [0, options.cursor];
      for (let pages = 1; ; pages += 1) {
        const page: DuePage = await due(queue, { ...options, cursor });
        const entries = page.entries.filter(({ key }) => machineOf(key) === machine);
        scanned += page.entries.length;
        cursor = page.cursor;
        if (entries.length > 0 || cursor === null || pages >= OTHERS_PAGES_MAX) {
          return { entries, cursor, scanned };
        }
      }
    },
    confirmDue: async (entry) => present(await dueKeeper.confirm(entry)),
    async list(below, cursor, limit) {
      const page = await listRecords(options, prefix + below, cursor, limit);
      return { ...page, records: page.records.map(outward) };
    },
    remove: (key) => backend.remove(inTenant(key)),
    queue: keyQueue(clock),
  };
}

/** Makes the keeper write a new marker instead of keeping the early one. */
function withoutMarker(base: Stored | null): Stored | null {
  return base === null ? null : { ...base, header: { ...base.header, marker: null } };
}

async function listRecords(
  { backend, foreignDue, observe }: StoreOptions,
  prefix: string,
  cursor: Cursor | null,
  limit: number,
): Promise<RecordPage> {
  assert(limit >= 1 && limit <= PAGE_MAX, `a page has 1 to ${PAGE_MAX} records`);
  const page = await backend.list(prefix, cursor, limit);
  const records: Stored[] = [];
  const corrupt: CorruptRecord[] = [];
  for (let start = 0; start < page.entries.length; start += READS_AT_ONCE) {
    const some = page.entries.slice(start, start + READS_AT_ONCE);
    const read = await Promise.all(
      some.map(async ({ key, found }) => {
        try {
          const record = found ?? (await backend.get(key));
          return record === null ? null : readRecord(key, record, foreignDue);
        } catch (fault) {
          if (fault instanceof RecordCorruptError) return fault;
          throw fault;
        }
      }),
    );
    for (const one of read) {
      if (one instanceof RecordCorruptError) {
        corrupt.push({ id: one.key.slice(one.key.lastIndexOf("/") + 1), reason: one.reason });
        observe("store.record_corrupt", 1);
      } else if (one !== null && !one.header.isVoid) records.push(one);
    }
  }
  return { records, corrupt, cursor: page.cursor };
}
