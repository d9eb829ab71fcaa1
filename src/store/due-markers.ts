/**
 * Due markers over a listing, for backends without an index of their own (protocols 3). Record and
 * marker are two objects, so their order is everything: the marker is there before the record needs it,
 * no marker name is ever used by two writes, and a marker is thrown away only when the write it was made
 * for can no longer land.
 */
import type { WriteId } from "../core/ids.ts";
import { type Key, keyOrNull, tenantPrefix } from "../core/key.ts";
import type { Due, Queue } from "../core/machine.ts";
import { type EpochMs, epochMs, minutes } from "../core/time.ts";
import type { DueEntry } from "../ports/backend.ts";
import {
  ContendedError,
  RecordCorruptError,
  StoreThrottledError,
  StoreUnavailableError,
} from "../ports/faults.ts";
import type { DueKeeper } from "./due.ts";
import { SENDS_MAX } from "./limits.ts";
import type { Stored } from "./record.ts";
import { removeQuietly } from "./removing.ts";
import { isDefinitelyNotWritten, pause, type SendDeps } from "./sending.ts";

/** Younger than this, what another writer may still be using is left alone. Saves work, no more. */
const POLITENESS_MS = minutes(1);

export interface MarkerDeps extends SendDeps {
  /** The record, void ones included. */
  readonly read: (key: Key) => Promise<Stored | null>;
  /** Writes the same content again under a new write id; false when someone else wrote first. */
  readonly moveOn: (key: Key, base: Stored | null, reindex: boolean) => Promise<boolean>;
}

interface Marker {
  readonly queue: Queue;
  readonly at: EpochMs;
  readonly key: Key;
  /** The write id of the version that its writer expected; `-` for absent. */
  readonly base: string;
}

/** The marker of the write `w` over `base` (null: over nothing); no other write makes this name. */
export function markerName(key: Key, due: Due, base: Stored | null, w: WriteId): Key {
  const tenant = tenantPrefix(key);
  const rest = key.slice(tenant.length).replaceAll("/", "~");
  const at = String(due.at).padStart(13, "0");
  return `${tenant}due/${due.queue}/${at}/${rest}/${baseName(base)}.${w}` as Key;
}

/** An original's file has no write id; its version stands for it. */
function baseName(base: Stored | null): string {
  return base === null ? "-" : (base.header.w ?? base.version);
}

const MARKER =
  /^(tenants\/[^/]+\/)?due\/(deliver|attend|stuck)\/(\d{13})\/([^/]+)\/([^/]+)\.[^/.]+$/;

/** Null for a name that none of ours has, whatever it is of. */
function parseMarker(name: string): Marker | null {
  const parts = MARKER.exec(name);
  if (parts === null) return null;
  const [, tenant = "", queue = "", at = "", rest = "", base = ""] = parts;
  const key = keyOrNull(tenant + rest.replaceAll("~", "/"));
  if (key === null) return null;
  return { queue: queue as Queue, at: epochMs(Number(at)), key, base };
}

/**
 * Resolves when the marker is there. Else the record's write must not begin, whatever became of the
 * marker: throws a fault that says of the record that it is not written, as the backend threw it where
 * that is definite, or StoreUnavailableError.
 */
export async function putMarker(deps: SendDeps, name: Key, deadlineAt: EpochMs): Promise<void> {
  for (let sends = 1; ; sends += 1) {
    try {
      // Refused means that an own first copy landed: nobody else can name it.
      await deps.backend.putIf(name, "", { expected: "absent", due: null, dueBefore: null });
      return;
    } catch (fault) {
      const isFinal = isDefinitelyNotWritten(fault) && !isLoad(fault);
      if (isFinal || sends >= SENDS_MAX || !(await pause(deps, sends, fault, deadlineAt))) {
        throw isDefinitelyNotWritten(fault) ? fault : withoutMarker(fault);
      }
      deps.observe("store.put.resent", 1);
    }
  }
}

function isLoad(fault: unknown): boolean {
  return fault instanceof StoreThrottledError || fault instanceof ContendedError;
}

function withoutMarker(cause: unknown): StoreUnavailableError {
  // What is no fault of ours may quote anything, and this message is logged.
  const why = cause instanceof StoreUnavailableError ? `: ${cause.message}` : "";
  const message = `the due marker could not be written${why}`;
  return new StoreUnavailableError(message, { cause, isNotWritten: true });
}

export function markerDueKeeper(deps: MarkerDeps): DueKeeper {
  const { backend } = deps;

  const remove = (name: string): Promise<void> => removeQuietly(backend, name);

  return {
    async before(key, base, { due, w, deadlineAt }) {
      if (due === null) return null;
      const present = base?.header.marker ?? null;
      const marker = present === null ? null : parseMarker(present);
      // Postponed within its queue: the early marker still leads here in time.
      if (marker?.queue === due.queue && due.at >= marker.at) return present;
      const name = markerName(key, due, base, w);
      await putMarker(deps, name, deadlineAt);
      return name;
    },

    async after(base, marker, end) {
      const old = base?.header.marker ?? null;
      if (old === marker) return;
      if (end === "stored" && old !== null) await remove(old);
      if (end === "refused" && marker !== null) await remove(marker);
    },

    async page(tenant, queue, until, cursor, limit) {
      const listed = await backend.list(`${tenant}due/${queue}/`, cursor, limit);
      const entries: DueEntry[] = [];
      for (const { key: name, writtenAt } of listed.entries) {
        const marker = parseMarker(name);
        if (marker === null) continue;
        if (marker.at > until) return { entries, cursor: null };
        entries.push({ key: marker.key, queue, at: marker.at, name, writtenAt });
      }
      return { entries, cursor: listed.cursor };
    },

    confirm: (entry) => confirmMarker(deps, entry, remove),
  };
}

/** Protocols 3.2. Throws RecordCorruptError, and keeps the marker, where the record cannot be judged. */
async function confirmMarker(
  { clock, observe, read, moveOn }: MarkerDeps,
  entry: DueEntry,
  remove: (name: string) => Promise<void>,
): Promise<Stored | null> {
  const stored = await read(entry.key);
  if (stored !== null && stored.header.marker === entry.name) {
    if (stored.due !== null && stored.due.at <= clock.now()) return stored;
    // Kept early: the put makes a marker at the true time and takes this one away.
    await moveOn(entry.key, stored, true);
    observe("store.due.mended", 1);
    return null;
  }
  const base = parseMarker(entry.name)?.base;
  if (stored === null && base !== baseName(null)) {
    // Records are never removed, so the storage is wrong, now or for good. To remove the marker of a
    // record that is only not shown would lose the record's due time.
    throw new RecordCorruptError(entry.key, "its due marker is there, and the record is gone");
  }
  if (base === baseName(stored)) {
    // Its writer may be between marker and record; only moving the record on makes it impossible.
    const isYoung = entry.writtenAt !== null && clock.now() - entry.writtenAt < POLITENESS_MS;
    if (isYoung || !(await moveOn(entry.key, stored, false))) return null;
  }
  await remove(entry.name);
  observe("store.due.mended", 1);
  return null;
}
