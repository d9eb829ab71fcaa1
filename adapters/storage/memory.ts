/**
 * Storage in the memory of this process: the reference for every other adapter, shortest to read, with
 * switches for what can go wrong. Nothing survives the process.
 */
import { type Key, tenantPrefix } from "../../src/core/key.ts";
import type { Due } from "../../src/core/machine.ts";
import { durationMs, type EpochMs } from "../../src/core/time.ts";
import type {
  Backend,
  BackendRecord,
  Cursor,
  DueIndex,
  PutCondition,
  PutVerdict,
  Storage,
  Version,
} from "../../src/ports/backend.ts";
import { StoreThrottledError, StoreUnavailableError } from "../../src/ports/faults.ts";

export interface MemoryStorageOptions {
  /** `markers`: no index of its own, so that the store keeps due markers, as on a bucket. */
  readonly dueIndex?: "native" | "markers";
}

export interface MemoryOperation {
  readonly kind: "get" | "put" | "list" | "remove" | "due";
  /** The key, or the prefix of a listing. */
  readonly key: string;
}

/**
 * What goes wrong with one operation. `unavailable`: nothing is done. `throttled`: refused for load.
 * `lost_now`: done, but no reply comes. `lost_late` (puts only): no reply, done when `applyLate` is
 * called. `lost_never`: no reply, never done.
 */
export type MemoryFault = "unavailable" | "throttled" | "lost_now" | "lost_late" | "lost_never";

/** Asked before and after every operation; may wait, so that others come in between. */
export type FaultPlan = (
  operation: MemoryOperation,
  when: "before" | "after",
) => Promise<MemoryFault | null> | MemoryFault | null;

export interface MemoryStorage extends Storage {
  /** The same data as it is seen by someone to whom `plan` happens. */
  withFaults(plan: FaultPlan): Storage;
  /** Carries out the writes that were `lost_late`, oldest first; their conditions are checked now. */
  applyLate(countMax?: number): void;
  /** Calls `listener` with every write that takes effect, in order. */
  watch(listener: (key: string, body: string) => void): void;
  /** While true, the native due index goes on answering as it did when it was set. */
  lagDue(isLagging: boolean): void;
  /** How many puts were sent so far, refused ones included. */
  putCount(): number;
  /** A copy of what is stored. */
  bodies(): Map<string, string>;
  /** Stores `body` under `key` without any condition: what a foreign or broken program would do. */
  plant(key: string, body: string): void;
}

interface Slot extends BackendRecord {
  readonly due: Due | null;
  readonly writtenAt: EpochMs | null;
}

type Slots = Map<string, Slot>;

/** Runs one operation under a fault plan. */
type Faulty = <T>(operation: MemoryOperation, run: () => T) => Promise<T>;

/** Every `open` gives a backend on the same data. */
export function memoryStorage(options: MemoryStorageOptions = {}): MemoryStorage {
  const slots: Slots = new Map();
  const late: (() => void)[] = [];
  const watchers: ((key: string, body: string) => void)[] = [];
  let lagging: Slots | null = null;
  let revisions = 0;
  let putCount = 0;

  function store(key: string, body: string, due: Due | null, writtenAt: EpochMs | null): Version {
    revisions += 1;
    const version = `m${revisions}` as Version;
    slots.set(key, { body, version, due, writtenAt });
    for (const watcher of watchers) watcher(key, body);
    return version;
  }

  function putNow(key: Key, body: string, condition: PutCondition, at: EpochMs): PutVerdict {
    const current = slots.get(key) ?? null;
    const isExpected = (current?.version ?? "absent") === condition.expected;
    if (!isExpected) return { kind: "refused", current };
    return { kind: "stored", version: store(key, body, condition.due, at) };
  }

  const underPlan =
    (plan: FaultPlan): Faulty =>
    async (operation, run) => {
      const fault = await plan(operation, "before");
      if (fault === "throttled") throw new StoreThrottledError("throttled", durationMs(50));
      if (fault === "unavailable") throw new StoreUnavailableError("unavailable");
      if (fault === "lost_late") late.push(run);
      if (fault === "lost_late" || fault === "lost_never")
        throw new StoreUnavailableError("no reply");
      const result = run();
      const lost = await plan(operation, "after");
      if (fault === "lost_now" || lost !== null) throw new StoreUnavailableError("no reply");
      return result;
    };

  const dueIndex = (faulty: Faulty): DueIndex => ({
    page: (tenant, queue, until, cursor, limit) =>
      faulty({ kind: "due", key: tenant + queue }, () => {
        const entries = [...(lagging ?? slots)]
          .map(([key, slot]) => ({ key: key as Key, slot }))
          .filter(({ key, slot }) => slot.due?.queue === queue && tenantPrefix(key) === tenant)
          .map(({ key, slot }) => ({ key, at: slot.due?.at ?? (0 as EpochMs) }))
          .filter(({ at }) => at <= until)
          .map(({ key, at }) => {
            const name = `${String(at).padStart(13, "0")} ${key}`;
            return { key, queue, at, name, writtenAt: null };
          })
          .sort((one, other) => (one.name < other.name ? -1 : 1));
        return pageAfter(entries, (entry) => entry.name, cursor, limit);
      }),
    // Index and record are one slot: what is left over is lag, which passes by itself.
    mend: async () => {},
  });

  const backend = (now: () => EpochMs, faulty: Faulty): Backend => ({
    format: "compact",
    owner: null,
    get: (key) => faulty({ kind: "get", key }, () => slots.get(key) ?? null),
    putIf: (key, body, condition) => {
      putCount += 1;
      const at = now();
      return faulty({ kind: "put", key }, () => putNow(key, body, condition, at));
    },
    list: (prefix, cursor, limit) =>
      faulty({ kind: "list", key: prefix }, () => {
        const entries = [...slots]
          .filter(([key]) => key.startsWith(prefix))
          .map(([key, slot]) => ({ key: key as Key, found: slot, writtenAt: slot.writtenAt }))
          .sort((one, other) => (one.key < other.key ? -1 : 1));
        return pageAfter(entries, (entry) => entry.key, cursor, limit);
      }),
    remove: (key) => faulty({ kind: "remove", key }, () => void slots.delete(key)),
    due: options.dueIndex === "markers" ? null : dueIndex(faulty),
    close: async () => {},
  });

  return {
    open: async ({ clock }) =>
      backend(
        () => clock.now(),
        async (_operation, run) => run(),
      ),
    withFaults: (plan) => ({
      open: async ({ clock }) => backend(() => clock.now(), underPlan(plan)),
    }),
    applyLate: (countMax = late.length) => {
      for (const run of late.splice(0, countMax)) run();
    },
    watch: (listener) => {
      watchers.push(listener);
    },
    lagDue: (isLagging) => {
      lagging = isLagging ? new Map(slots) : null;
    },
    putCount: () => putCount,
    bodies: () => new Map([...slots].map(([key, slot]) => [key, slot.body])),
    plant: (key, body) => void store(key, body, null, null),
  };
}

/** The part of a sorted listing behind `cursor`, which is the name of the last entry shown. */
function pageAfter<T>(
  entries: readonly T[],
  nameOf: (entry: T) => string,
  cursor: Cursor | null,
  limit: number,
): { entries: readonly T[]; cursor: Cursor | null } {
  const rest = cursor === null ? entries : entries.filter((entry) => nameOf(entry) > cursor);
  const page = rest.slice(0, limit);
  const last = page.at(-1);
  const more = rest.length > page.length && last !== undefined;
  return { entries: page, cursor: more ? (nameOf(last) as Cursor) : null };
}
