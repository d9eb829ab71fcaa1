/**
 * The one loop that changes a record: read, decide, conditional put; on a conflict decide again
 * (protocols 1.1). A machine decides, this only carries out.
 */
import { jitteredMs } from "../core/backoff.ts";
import type { Key } from "../core/key.ts";
import type { Decision } from "../core/machine.ts";
import { after, type DurationMs, durationMs, type EpochMs, seconds } from "../core/time.ts";
import type { Clock } from "../ports/clock.ts";
import { ContendedError } from "../ports/faults.ts";
import type { Observe } from "../ports/observe.ts";
import type { Random } from "../ports/random.ts";
import type { Store, Stored } from "../store/store.ts";
import { type Codec, savedRecord } from "./codec.ts";

export interface TransactDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly random: Random;
  readonly observe: Observe;
  /** How long one command may take, waiting for others included. */
  readonly deadlineMs: DurationMs;
}

export interface Transaction<State, Rejection> {
  readonly key: Key;
  /**
   * What the caller believes to stand there, which saves the read: the record of an earlier answer, or
   * that there is none. Null: read first.
   */
  readonly handle: Stored | "absent" | null;
  readonly decide: (state: State | null, now: EpochMs) => Decision<State, Rejection>;
}

export type Transacted<State, Rejection> =
  | {
      readonly kind: "applied";
      readonly created: boolean;
      readonly state: State;
      readonly stored: Stored;
    }
  | {
      readonly kind: "unchanged";
      readonly created: false;
      readonly state: State;
      readonly stored: Stored;
    }
  | { readonly kind: "rejected"; readonly rejection: Rejection };

/** Conflicts after which a key is given up: it is so hot that another read would only add load. */
const ATTEMPTS_MAX = 32;

const RETRY = { base: durationMs(5), cap: seconds(1) };

/**
 * Throws ContendedError (not applied), OutcomeUnknownError (may be applied; the same command again does
 * no harm), RecordCorruptError, and the storage's faults.
 */
export function transact<State, Rejection>(
  deps: TransactDeps,
  codec: Codec<State>,
  transaction: Transaction<State, Rejection>,
): Promise<Transacted<State, Rejection>> {
  const deadlineAt = after(deps.clock.now(), deps.deadlineMs);
  return deps.store.queue.run(transaction.key, deadlineAt, () =>
    attempt(deps, codec, transaction, deadlineAt),
  );
}

async function attempt<State, Rejection>(
  deps: TransactDeps,
  codec: Codec<State>,
  { key, handle, decide }: Transaction<State, Rejection>,
  deadlineAt: EpochMs,
): Promise<Transacted<State, Rejection>> {
  const { store, clock } = deps;
  let isBelieved = handle !== null;
  let stored = handle === "absent" ? null : (handle ?? (await store.get(key)));
  let isOver = false;

  for (let attempts = 1; ; attempts += 1) {
    const decision = decide(stored === null ? null : codec.load(stored), clock.now());
    if (decision.kind !== "apply" && isBelieved) {
      // What a caller believes is good enough to try a write, never to answer from.
      isBelieved = false;
      stored = await store.get(key);
      continue;
    }
    if (decision.kind === "reject") return { kind: "rejected", rejection: decision.rejection };
    if (decision.kind === "unchanged") {
      if (stored === null) throw new TypeError("a machine left nothing unchanged");
      return { kind: "unchanged", created: false, state: decision.state, stored };
    }
    if (isOver) {
      deps.observe("store.contended", 1);
      throw new ContendedError("others kept changing the same record; nothing was written");
    }
    const result = await store.put(key, savedRecord(codec, decision.next, stored), {
      expected: stored ?? "absent",
      due: codec.due(decision.next),
      deadlineAt,
    });
    if (result.kind === "stored") {
      const created = stored === null;
      return { kind: "applied", created, state: decision.next, stored: result.stored };
    }
    isBelieved = false;
    stored = result.current;
    // Out of time is no answer where what was found tells one: whoever slept in a write has lost it.
    isOver = !(await backOff(deps, attempts, deadlineAt));
  }
}

/** False when there is no time or no attempt left. */
async function backOff(
  { clock, random }: TransactDeps,
  attempts: number,
  deadlineAt: EpochMs,
): Promise<boolean> {
  // The first conflict is as often as not a stale handle, so it is not waited for.
  const wait = attempts === 1 ? 0 : jitteredMs(attempts, random.fraction(), RETRY);
  if (attempts >= ATTEMPTS_MAX || clock.now() + wait >= deadlineAt) return false;
  if (wait > 0) await clock.sleep(durationMs(wait));
  return true;
}
