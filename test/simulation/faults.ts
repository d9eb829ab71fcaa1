/**
 * What can go wrong in a simulated world, all of it chosen by the seed:
 *
 * - **Delay and reorder.** Every call on the storage takes its time before and after it takes effect, a few
 *   milliseconds or some seconds, so that calls of all processes overlap in every order.
 * - **Lost replies.** A write takes effect at once and nobody is told; or up to half a minute later, past
 *   whatever was written meanwhile; or never. A removal likewise. A read gets no answer.
 * - **Refusals.** A call is throttled; turned away before anything happened; or, once, told that others were
 *   writing (a bucket's 409) though nobody was: it is not stored, and what it expects still stands.
 * - **Stale pages.** The due index answers for a while as it did before.
 * - **Crashes.** A process is killed at any await, with its calls before or after their effect, and another
 *   one is started in its place; some are closed first, as by a SIGTERM.
 * - **Pauses.** A process stands still for seconds or minutes and goes on as if nothing had been: with its
 *   monotonic clock (it was stopped) or without (its machine slept).
 * - **Clocks.** Wall clocks are up to two seconds off, and drift, also backwards.
 *
 * What cannot happen: a stored record changes by itself, a condition is not checked, an acknowledged write
 * is forgotten by the storage. Those are planted by the tests that show that the checkers see them.
 * After the bad time comes a good one without new faults, in which everything must come to its end.
 */
import { durationMs } from "../../src/core/time.ts";
import type { Backend, Storage } from "../../src/ports/backend.ts";
import {
  ContendedError,
  StoreThrottledError,
  StoreUnavailableError,
} from "../../src/ports/faults.ts";
import type { Process, World } from "./world.ts";

export interface Weather {
  readonly world: World;
  readonly isHealing: () => boolean;
  readonly counts: { faults: number };
}

type Fault =
  | "unavailable"
  | "turned_away"
  | "throttled"
  | "lost_now"
  | "lost_late"
  | "lost_never"
  | "conflict";

const FAULTS: readonly [Fault, ...Fault[]] = [
  "unavailable",
  "turned_away",
  "throttled",
  "lost_now",
  "lost_late",
  "lost_never",
  "conflict",
];

const OF_WRITES: ReadonlySet<Fault> = new Set(["lost_late", "turned_away", "conflict"]);

/** One call in so many meets a fault, and one in so many takes seconds. */
const FAULTY = 0.08;
const SLOW = 0.03;

/** A write whose reply is lost takes effect at most so much later. */
const LATE_MS = 30_000;

/** Told of every removal, when it takes effect. */
export type OnRemove = (key: string) => void;

/** `storage` as it tells what is removed; writes are told by the memory storage itself. */
export function telling(storage: Storage, onRemove: OnRemove): Storage {
  return {
    async open(context) {
      const backend = await storage.open(context);
      return {
        ...backend,
        async remove(key) {
          await backend.remove(key);
          onRemove(key);
        },
      };
    },
  };
}

/** `storage` as one process meets it. */
export function unsteady(storage: Storage, weather: Weather, process: Process): Storage {
  return {
    async open(context) {
      const backend = await storage.open(context);
      const { due } = backend;
      const read = <T>(work: () => Promise<T>): Promise<T> => called(weather, process, { work });
      return {
        ...backend,
        get: (key) => read(() => backend.get(key)),
        list: (prefix, cursor, limit) => read(() => backend.list(prefix, cursor, limit)),
        putIf: (key, body, condition) =>
          called(weather, process, {
            work: () => backend.putIf(key, body, condition),
            isWrite: true,
          }),
        remove: (key) =>
          called(weather, process, { work: () => backend.remove(key), isWrite: true }),
        due:
          due === null
            ? null
            : {
                page: (...place) => read(() => due.page(...place)),
                mend: (entry) =>
                  called(weather, process, { work: () => due.mend(entry), isWrite: true }),
              },
      } satisfies Backend;
    },
  };
}

interface Call<T> {
  readonly work: () => Promise<T>;
  readonly isWrite?: boolean;
}

async function called<T>(weather: Weather, process: Process, call: Call<T>): Promise<T> {
  await process.pause(delayOf(weather));
  const fault = faultOf(weather, call);
  switch (fault) {
    case "throttled":
      throw new StoreThrottledError("throttled", durationMs(50));
    case "conflict":
      throw new ContendedError("others were writing at the same time");
    case "turned_away":
      throw new StoreUnavailableError("turned away", { isNotWritten: true });
    case "unavailable":
    case "lost_never":
      throw new StoreUnavailableError("no reply");
    case "lost_late": {
      const { world } = weather;
      // It belongs to nobody any more: also the process that sent it may be gone by then.
      world.at(world.chance.between(10, LATE_MS), () => void call.work());
      throw new StoreUnavailableError("no reply");
    }
    default: {
      const answer = await call.work();
      await process.pause(delayOf(weather));
      if (fault === "lost_now") throw new StoreUnavailableError("no reply");
      return answer;
    }
  }
}

function delayOf({ world: { chance } }: Weather): number {
  return chance.happens(SLOW) ? chance.between(500, 8_000) : chance.between(1, 30);
}

function faultOf<T>({ world, isHealing, counts }: Weather, call: Call<T>): Fault | null {
  const { chance } = world;
  if (isHealing() || !chance.happens(FAULTY)) return null;
  counts.faults += 1;
  const fault = chance.pick(FAULTS);
  return OF_WRITES.has(fault) && call.isWrite !== true ? "unavailable" : fault;
}
