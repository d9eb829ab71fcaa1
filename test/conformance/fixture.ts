/** What the conformance suite needs of an adapter, and the faults it puts in front of it. */
import { type Key, key } from "../../src/core/key.ts";
import { type DurationMs, type EpochMs, epochMs } from "../../src/core/time.ts";
import type { Backend, PutCondition, PutVerdict, StorageContext } from "../../src/ports/backend.ts";
import type { Clock } from "../../src/ports/clock.ts";
import {
  OutcomeUnknownError,
  StoreThrottledError,
  StoreUnavailableError,
} from "../../src/ports/faults.ts";
import { systemRandom } from "../../src/ports/random.ts";
import { dueOfBody } from "../../src/store/record.ts";
import { createStore, type Store } from "../../src/store/store.ts";

export interface Fixture {
  /**
   * A backend on this fixture's data; called more than once for several instances on the same data. An
   * adapter that allows a single owner answers the same backend again.
   */
  open(context: StorageContext): Promise<Backend>;
  /** Removes the data. Backends opened before are closed by then. */
  destroy(): Promise<void>;
}

/** Wall time that tests can move forward; sleeping is real but short. */
export interface TestClock extends Clock {
  advance(by: DurationMs): void;
}

const SLEEP_MS_MAX = 20;

export function testClock(): TestClock {
  let ahead = 0;
  return {
    now: () => epochMs(Date.now() + ahead),
    elapsed: () => performance.now() + ahead,
    sleep: (duration, signal) =>
      new Promise((resolve) => {
        const timer = setTimeout(resolve, Math.min(duration, SLEEP_MS_MAX));
        signal?.addEventListener("abort", () => {
          clearTimeout(timer);
          resolve();
        });
      }),
    advance: (by) => {
      ahead += by;
    },
  };
}

/** One opened fixture: stores on it, and everything they need closed again. */
export interface Bench {
  readonly clock: TestClock;
  readonly backend: Backend;
  /** Another instance on the same data. */
  another(): Promise<Backend>;
  store(options?: { backend?: Backend; tenant?: string }): Store;
  close(): Promise<void>;
}

export async function openBench(fixture: Fixture): Promise<Bench> {
  const clock = testClock();
  const random = systemRandom();
  const observe = (): void => {};
  const foreignDue = (): null => null;
  const context: StorageContext = { clock, random, observe, dueOf: dueOfBody(foreignDue) };
  const opened = new Set<Backend>();
  const open = async (): Promise<Backend> => {
    const backend = await fixture.open(context);
    opened.add(backend);
    return backend;
  };
  const backend = await open();
  return {
    clock,
    backend,
    another: open,
    store: (options = {}) =>
      createStore({
        backend: options.backend ?? backend,
        clock,
        random,
        observe,
        foreignDue,
        tenant: options.tenant ?? null,
      }),
    async close() {
      for (const one of opened) await one.close();
      await fixture.destroy();
    },
  };
}

/**
 * What happens to one put of a record. `lost_now`, `lost_late`, `lost_never`: no reply comes, and the
 * write is applied at once, by `applyLate`, or not at all. `not_durable`: it can be seen, and the
 * backend cannot tell whether it stays. `refused`: turned away although nothing had
 * changed, as some stores do under load.
 */
export type PutFault =
  | "lost_now"
  | "lost_late"
  | "lost_never"
  | "not_durable"
  | "throttled"
  | "refused";

export interface FaultyBackend extends Backend {
  /** Faults for the next puts of records (markers are not counted), first come first served. */
  readonly plan: PutFault[];
  /** Runs after a put whose reply is lost, before its sender can read back. */
  afterLoss: () => Promise<void>;
  /** When true, every get fails. */
  isBlind: boolean;
  applyLate(): Promise<void>;
  putCount(): number;
}

export function faultyBackend(inner: Backend): FaultyBackend {
  const late: (() => Promise<PutVerdict>)[] = [];
  let puts = 0;

  async function putIf(name: Key, body: string, condition: PutCondition): Promise<PutVerdict> {
    if (body === "") return inner.putIf(name, body, condition);
    puts += 1;
    const fault = faulty.plan.shift();
    const run = (): Promise<PutVerdict> => inner.putIf(name, body, condition);
    if (fault === undefined) return run();
    if (fault === "throttled") throw new StoreThrottledError("slow down", 1 as DurationMs);
    if (fault === "refused") return { kind: "refused", current: "unread" };
    if (fault === "not_durable") {
      await run();
      throw new OutcomeUnknownError("the disk did not say that it is durable");
    }
    if (fault === "lost_now") await run();
    if (fault === "lost_late") late.push(run);
    await faulty.afterLoss();
    throw new StoreUnavailableError("no reply");
  }

  const faulty: FaultyBackend = {
    ...inner,
    plan: [],
    afterLoss: async () => {},
    isBlind: false,
    async get(name) {
      if (faulty.isBlind) throw new StoreUnavailableError("no reply");
      return inner.get(name);
    },
    putIf,
    async applyLate() {
      for (const run of late.splice(0)) await run();
    },
    putCount: () => puts,
  };
  return faulty;
}

/** Thrown into a store to stop it where it is, as if its process had been killed. */
export class Crash extends Error {}

/**
 * A backend whose process dies at its n-th storage step; steps are the moments before and after each
 * call. `steps()` tells how many there were.
 */
export function crashingBackend(inner: Backend, dieAt: number): Backend & { steps(): number } {
  let steps = 0;
  const step = (): void => {
    steps += 1;
    if (steps >= dieAt) throw new Crash(`killed at step ${dieAt}`);
  };
  const mortal =
    <A extends readonly unknown[], R>(call: (...args: A) => Promise<R>) =>
    async (...args: A): Promise<R> => {
      step();
      const result = await call(...args);
      step();
      return result;
    };
  return {
    ...inner,
    get: mortal(inner.get),
    putIf: mortal(inner.putIf),
    list: mortal(inner.list),
    remove: mortal(inner.remove),
    steps: () => steps,
  };
}

/** A key of the suite's own machine. */
export function testKey(id: string): Key {
  return key(`things/records/${id}`);
}

export function later(clock: Clock, byMs: number): EpochMs {
  return epochMs(clock.now() + byMs);
}
