/**
 * What a storage adapter implements: conditional puts on single keys, strong reads, ordered listing.
 * Everything else (headers, own-write recognition, due markers, limits, tenants) is written once above
 * it, in src/store.
 */
import type { Brand } from "../core/brand.ts";
import type { Key } from "../core/key.ts";
import type { Due, Queue } from "../core/machine.ts";
import type { EpochMs } from "../core/time.ts";
import type { Clock } from "./clock.ts";
import type { Observe } from "./observe.ts";
import type { Random } from "./random.ts";

/** Names one revision of one record, unique for ever; opaque, compared with `===` only. */
export type Version = Brand<string, "Version">;

/** A place in a listing, made by the same backend; null is the beginning. */
export type Cursor = Brand<string, "Cursor">;

export interface BackendRecord {
  readonly body: string;
  readonly version: Version;
}

/** `due`: what the index must hold after this write; `dueBefore`: what it holds for `expected`. */
export interface PutCondition {
  readonly expected: "absent" | Version;
  readonly due: Due | null;
  readonly dueBefore: Due | null;
}

/**
 * `refused`: definitely not written, because the record is not the expected one. `current` is what was
 * found instead where that came for free, `"unread"` where it costs a read.
 */
export type PutVerdict =
  | { readonly kind: "stored"; readonly version: Version }
  | { readonly kind: "refused"; readonly current: BackendRecord | null | "unread" };

export interface ListedRecord {
  readonly key: Key;
  /** Null where a listing does not bring bodies. */
  readonly found: BackendRecord | null;
  /** When it was last written, by the storage's clock; null where that costs a request. */
  readonly writtenAt: EpochMs | null;
}

export interface ListPage {
  readonly entries: readonly ListedRecord[];
  /** Null when nothing follows. A page may be short, even empty, and have one. */
  readonly cursor: Cursor | null;
}

export interface DueEntry {
  readonly key: Key;
  readonly queue: Queue;
  readonly at: EpochMs;
  /** The index's own name for this entry. */
  readonly name: string;
  /** When the entry was made, by the storage's clock; null where that is not known. */
  readonly writtenAt: EpochMs | null;
}

export interface DuePage {
  readonly entries: readonly DueEntry[];
  readonly cursor: Cursor | null;
}

/**
 * An index of waiting records that a backend keeps itself, one for each tenant and queue. It may hold an extra or too early entry,
 * never a missing or too late one.
 */
export interface DueIndex {
  /**
   * Entries of one tenant, of all its machines, with `at <= until`, earliest first, at most `limit` a
   * page. `tenant`: what its keys begin with, `tenants/acme/`, or nothing for the default one.
   */
  page(
    tenant: string,
    queue: Queue,
    until: EpochMs,
    cursor: Cursor | null,
    limit: number,
  ): Promise<DuePage>;
  /** Removes `entry` unless the record, as it is now, is due exactly then; safe beside any writer. */
  mend(entry: DueEntry): Promise<void>;
}

export interface Backend {
  /** How bodies are written: the folder keeps the originals' indented files, all others compact. */
  readonly format: "compact" | "indented";

  /**
   * Names this opening of a folder that nobody else may write to, unique for ever: writes of whoever had
   * it before are refused (protocols 7.6). Null: others may write, too.
   */
  readonly owner: string | null;

  /** The record as the last acknowledged write left it. Throws faults. */
  get(key: Key): Promise<BackendRecord | null>;

  /**
   * One attempt of one conditional write, never repeated inside. Throws StoreThrottledError,
   * ContendedError, RecordTooLargeError, MisconfiguredError, StoreUnavailableError that says so
   * (definitely not written); StoreUnavailableError (may be written, also later: read back); or
   * OutcomeUnknownError (looked at already, and not known to be durable whatever a read shows).
   */
  putIf(key: Key, body: string, condition: PutCondition): Promise<PutVerdict>;

  /**
   * Keys that begin with `prefix` (empty, or ending in `/`), at most `limit` a page, in one stable
   * order: what was there throughout a walk is met exactly once. Where `due` is null the order is that
   * of the keys' characters, since due markers are found by it.
   */
  list(prefix: string, cursor: Cursor | null, limit: number): Promise<ListPage>;

  /** Removes a key that is never written again (log parts, due markers). Absent is no error. */
  remove(key: Key): Promise<void>;

  /** Null: the store keeps due markers over `list` instead (protocols 3). */
  readonly due: DueIndex | null;

  /** Finishes what is in flight and lets go of the storage. */
  close(): Promise<void>;
}

export interface StorageContext {
  readonly clock: Clock;
  readonly random: Random;
  readonly observe: Observe;
  /**
   * When the record with this body is due: from its header, or, for a record written by one of the
   * original stores, from its machine. Throws RecordCorruptError.
   */
  readonly dueOf: (key: Key, body: string) => Due | null;
}

/** A storage as an application names it; opening it gives the backend. */
export interface Storage {
  open(context: StorageContext): Promise<Backend>;
}
