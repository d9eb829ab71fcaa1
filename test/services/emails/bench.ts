/** One opened storage for one case of the email suite: instances, their clock, raw content. */
import { QUEUES } from "../../../src/core/machine.ts";
import { EPOCH_MS_MAX, type EpochMs, epochMs, isoTime } from "../../../src/core/time.ts";
import { createHoldfast, type Holdfast } from "../../../src/holdfast.ts";
import type { Backend, Cursor, Storage, StorageContext } from "../../../src/ports/backend.ts";
import type { Clock } from "../../../src/ports/clock.ts";
import { StoreUnavailableError } from "../../../src/ports/faults.ts";
import type { Observation } from "../../../src/ports/observe.ts";
import { systemRandom } from "../../../src/ports/random.ts";
import type { Emails } from "../../../src/services/emails.ts";
import type { HoldfastOptions } from "../../../src/services/options.ts";
import { createStore } from "../../../src/store/store.ts";

/** What the email suite needs of a storage. */
export interface EmailsFixture {
  /**
   * Opened more than once, for several instances on the same data. A storage with a single owner
   * answers the same backend again.
   */
  readonly storage: Storage;
  /**
   * Stores `body` as the record `key` (`emails/jobs/<id>`) without any condition: what a foreign or
   * broken program would do. A folder writes the file.
   */
  plant(key: string, body: string): Promise<void>;
  /** Removes the data. Backends opened before are closed by then. */
  destroy(): Promise<void>;
}

export interface ManualClock extends Clock {
  /** Moves the wall clock, and no timer. */
  advance(ms: number): void;
  /** Lets long timers come `ms` nearer to their end, and leaves the wall clock alone. */
  elapse(ms: number): void;
  /** Time goes by while the process stands still: no timer has its turn yet, and the wall clock is left alone. */
  freeze(ms: number): void;
}

export interface Traffic {
  /** Strong reads of single records. */
  reads: number;
  /** Conditional puts of records, refused ones included, due markers left out. */
  puts: number;
  /** Pages of the due index, or of a listing. */
  pages: number;
}

export interface Pending {
  count: number;
}

/** What is done to the puts of one instance; markers are left alone. */
export interface Interference {
  /** Runs before a put reaches the storage. A throw keeps it from getting there. */
  beforePut: (key: string) => Promise<void>;
  /** Runs after a put took effect, before its sender hears of it. A throw is a lost reply. */
  afterPut: (key: string) => Promise<void>;
  /** While true, every single read fails. */
  isBlind: boolean;
}

export interface Instance {
  readonly holdfast: Holdfast;
  readonly emails: Emails;
  readonly traffic: Traffic;
  /** Requests that the storage has not answered yet. */
  readonly pending: Pending;
  readonly interference: Interference;
  /** What was counted by the `observe` hook. */
  readonly observed: ReadonlyMap<Observation, number>;
}

export interface InstanceOptions
  extends Pick<HoldfastOptions, "app" | "heldQueries" | "limits" | "log" | "mail" | "observe"> {
  /** Another view of the same data; the fixture's storage by default. */
  readonly storage?: Storage;
}

export interface Bench extends Instance {
  readonly clock: ManualClock;
  /** Another instance on the same data, as in another process. */
  another(options?: InstanceOptions): Promise<Instance>;
  /** ISO 8601 of the bench's start and `ms` milliseconds. */
  at(ms: number): string;
  plant(key: string, body: string): Promise<void>;
  /** Everything that is stored, by key; markers included where the store keeps them. */
  contents(): Promise<ReadonlyMap<string, string>>;
  /** The keys in the due index of the emails, whatever their queue and hour; at most 1,000 of each. */
  dueKeys(): Promise<readonly string[]>;
  close(): Promise<void>;
}

/** A test's way to the bench of the case that runs. */
export type CurrentBench = () => Bench;

const SHORT_SLEEP_MS_MAX = 4;

/** Waits inside of loops are shorter than this; deadlines and heartbeats are longer. */
const LONG_SLEEP_MS_MIN = 3_000;

interface LongSleep {
  left: number;
  readonly wake: () => void;
}

/**
 * Time stands still until a test moves it. Sleeping is real, since a folder's adapter waits for
 * others in it, but short; only what ends the time for something, and any long one, takes its time.
 */
function manualClock(): ManualClock {
  let now = Math.floor(Date.now() / 1_000) * 1_000;
  let elapsed = 0;
  const longSleeps = new Set<LongSleep>();
  return {
    now: () => epochMs(now),
    elapsed: () => elapsed,
    sleep: (duration, signal) =>
      new Promise((resolve) => {
        if (signal?.aborted === true) return resolve();
        // What can be called off is the end of the time for something.
        const isLong = duration >= LONG_SLEEP_MS_MIN || signal !== undefined;
        const sleep: LongSleep = {
          left: duration,
          wake() {
            clearTimeout(timer);
            longSleeps.delete(sleep);
            signal?.removeEventListener("abort", sleep.wake);
            resolve();
          },
        };
        const real = isLong ? duration : Math.min(duration, SHORT_SLEEP_MS_MAX);
        const timer = setTimeout(sleep.wake, real);
        if (isLong) longSleeps.add(sleep);
        signal?.addEventListener("abort", sleep.wake);
      }),
    advance: (ms) => {
      now += ms;
    },
    freeze(ms) {
      elapsed += ms;
    },
    elapse(ms) {
      elapsed += ms;
      for (const sleep of longSleeps) {
        sleep.left -= ms;
        if (sleep.left <= 0) sleep.wake();
      }
    },
  };
}

export async function openBench(fixture: EmailsFixture): Promise<Bench> {
  const clock = manualClock();
  const start: EpochMs = clock.now();
  const backends = new Set<Backend>();
  const quiet = { clock, random: systemRandom(), observe: () => {} };

  async function open(context: StorageContext, storage: Storage = fixture.storage) {
    const backend = await storage.open(context);
    backends.add(backend);
    return backend;
  }

  async function another({ storage, ...options }: InstanceOptions = {}): Promise<Instance> {
    const traffic: Traffic = { reads: 0, puts: 0, pages: 0 };
    const pending: Pending = { count: 0 };
    const interference: Interference = {
      beforePut: async () => {},
      afterPut: async () => {},
      isBlind: false,
    };
    const observed = new Map<Observation, number>();
    const holdfast = await createHoldfast({
      observe: (name, count) => void observed.set(name, (observed.get(name) ?? 0) + count),
      ...options,
      clock,
      storage: {
        open: async (context) =>
          tapped(await open(context, storage), { traffic, pending, interference }),
      },
    });
    return { holdfast, emails: holdfast.emails, traffic, pending, interference, observed };
  }

  return {
    ...(await another()),
    clock,
    another,
    at: (ms) => isoTime(epochMs(start + ms)),
    plant: (key, body) => fixture.plant(key, body),
    contents: async () => contentsOf(await open({ ...quiet, dueOf: () => null })),
    async dueKeys() {
      const foreignDue = (): null => null;
      const backend = await open({ ...quiet, dueOf: foreignDue });
      const store = createStore({ ...quiet, backend, foreignDue, tenant: null });
      const page = { until: epochMs(EPOCH_MS_MAX), cursor: null, limit: 1_000 };
      const pages = await Promise.all(QUEUES.map((queue) => store.dueOf("emails", queue, page)));
      return pages.flatMap(({ entries }) => entries.map(({ key }) => key));
    },
    async close() {
      for (const backend of backends) await backend.close();
      await fixture.destroy();
    },
  };
}

function tapped(
  inner: Backend,
  { traffic, pending, interference }: Pick<Instance, "traffic" | "pending" | "interference">,
): Backend {
  const { due } = inner;
  async function answered<T>(request: () => Promise<T>): Promise<T> {
    pending.count += 1;
    try {
      return await request();
    } finally {
      pending.count -= 1;
    }
  }
  return {
    ...inner,
    async get(key) {
      traffic.reads += 1;
      if (interference.isBlind) throw new StoreUnavailableError("no reply");
      return answered(() => inner.get(key));
    },
    async putIf(key, body, condition) {
      if (body === "") return answered(() => inner.putIf(key, body, condition));
      traffic.puts += 1;
      await interference.beforePut(key);
      const verdict = await answered(() => inner.putIf(key, body, condition));
      await interference.afterPut(key);
      return verdict;
    },
    async list(prefix, cursor, limit) {
      traffic.pages += 1;
      return answered(() => inner.list(prefix, cursor, limit));
    },
    due: due && {
      ...due,
      async page(tenant, queue, until, cursor, limit) {
        traffic.pages += 1;
        return answered(() => due.page(tenant, queue, until, cursor, limit));
      },
    },
    // The bench closes what it opened, each backend once.
    close: async () => {},
  };
}

async function contentsOf(backend: Backend): Promise<ReadonlyMap<string, string>> {
  const bodies = new Map<string, string>();
  let cursor: Cursor | null = null;
  do {
    const page = await backend.list("", cursor, 1_000);
    for (const { key, found } of page.entries) {
      const record = found ?? (await backend.get(key));
      if (record !== null) bodies.set(key, record.body);
    }
    cursor = page.cursor;
  } while (cursor !== null);
  return bodies;
}
