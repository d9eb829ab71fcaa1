/**
 * What really happened, as the storage saw it, and what holds of every record whatever its machine. Written
 * apart from the product: it reads stored bodies as plain JSON and knows the rules only from the
 * specification.
 */
import type { MemoryStorage } from "../../adapters/storage/memory.ts";

export type Fields = Readonly<Record<string, unknown>>;

export interface Revision {
  readonly key: string;
  /** Virtual time. */
  readonly at: number;
  readonly fields: Fields;
  /** What stands under `holdfast`. */
  readonly ours: Fields;
}

/** Told of every write, when it took effect. */
export type OnWrite = (next: Revision, previous: Revision | null) => void;

export interface Truth {
  readonly violations: readonly string[];
  /** Every version of a key, oldest first. */
  of(key: string): readonly Revision[];
  /** The version that stands; null: there is none, or it was removed. */
  last(key: string): Revision | null;
  /** All that were ever written. */
  keys(): readonly string[];
  onWrite(listener: OnWrite): void;
  onRemove(listener: (key: string) => void): void;
  /** To be called when a removal takes effect. */
  removed(key: string): void;
  blame(message: string): void;
  now(): number;
}

export function watchTruth(storage: MemoryStorage, now: () => number): Truth {
  const revisions = new Map<string, Revision[]>();
  const gone = new Set<string>();
  const writeIds = new Set<string>();
  const violations: string[] = [];
  const writeListeners: OnWrite[] = [];
  const removeListeners: ((key: string) => void)[] = [];
  const blame = (message: string): void => {
    violations.push(`at ${now()}: ${message}`);
  };

  const last = (key: string): Revision | null =>
    gone.has(key) ? null : (revisions.get(key)?.at(-1) ?? null);

  storage.watch((key, body) => {
    // A due marker is empty.
    if (body === "") return;
    const { holdfast: ours, ...fields }: { holdfast: Fields } & Fields = JSON.parse(body);
    const revision: Revision = { key, at: now(), fields, ours };
    const previous = last(key);
    const w = `${key} ${ours["w"]}`;
    // A write whose record was removed may land again: that is the machine's to deal with.
    if (writeIds.has(w) && !gone.has(key)) blame(`${key}: one write took effect twice`);
    writeIds.add(w);
    const v = ours["v"];
    if (v !== undefined && Number(v) !== Number(previous?.ours["v"] ?? 0) + 1) {
      blame(`${key}: version counter went to ${v}`);
    }
    const isVoid = ours["void"] === true;
    if (isVoid && previous !== null && previous.ours["void"] !== true) {
      blame(`${key}: a record became void`);
    }
    const known = revisions.get(key);
    if (known === undefined) revisions.set(key, [revision]);
    else known.push(revision);
    gone.delete(key);
    for (const listener of writeListeners) listener(revision, previous);
  });

  return {
    violations,
    of: (key) => revisions.get(key) ?? [],
    last,
    keys: () => [...revisions.keys()],
    onWrite: (listener) => void writeListeners.push(listener),
    onRemove: (listener) => void removeListeners.push(listener),
    removed(key) {
      if (!revisions.has(key)) return;
      gone.add(key);
      for (const listener of removeListeners) listener(key);
    },
    blame,
    now,
  };
}

/** The tenant's part of a key, and the rest: `tenants/acme/` and `emails/jobs/…`. */
export function splitKey(key: string): readonly [prefix: string, rest: string] {
  const prefix = /^tenants\/[^/]+\//.exec(key)?.[0] ?? "";
  return [prefix, key.slice(prefix.length)];
}
