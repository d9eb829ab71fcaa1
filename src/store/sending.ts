/**
 * The loop around one conditional write: send, read back what has no clear verdict, send the same body
 * again while what it expects still stands (protocols 1.1, steps 4 and 5).
 */
import { jitteredMs } from "../core/backoff.ts";
import type { Key } from "../core/key.ts";
import { durationMs, type EpochMs, seconds } from "../core/time.ts";
import type {
  Backend,
  BackendRecord,
  PutCondition,
  PutVerdict,
  Version,
} from "../ports/backend.ts";
import type { Clock } from "../ports/clock.ts";
import {
  ContendedError,
  MisconfiguredError,
  OutcomeUnknownError,
  RecordCorruptError,
  RecordTooLargeError,
  StoreThrottledError,
  StoreUnavailableError,
} from "../ports/faults.ts";
import type { Observe } from "../ports/observe.ts";
import type { Random } from "../ports/random.ts";
import { checkBodySize, SENDS_MAX } from "./limits.ts";

export interface SendDeps {
  readonly backend: Backend;
  readonly clock: Clock;
  readonly random: Random;
  readonly observe: Observe;
}

export interface Sending<T> {
  readonly key: Key;
  /** The same in every send, write id included. */
  readonly text: string;
  readonly condition: PutCondition;
  readonly deadlineAt: EpochMs;
  readonly onStored: (version: Version) => T;
  /**
   * What became of the write, going by what stands there now. `isRefused`: every send of it was answered,
   * and refused, so that it is not stored even where nothing of it can be found any more.
   */
  readonly judge: (found: BackendRecord | null, isRefused: boolean) => T | "not_landed";
}

const RESEND = { base: durationMs(25), cap: seconds(2) };

type Sent =
  | { readonly kind: "verdict"; readonly verdict: PutVerdict }
  | { readonly kind: "not_sent"; readonly fault: StoreThrottledError | ContendedError }
  | { readonly kind: "no_verdict"; readonly fault: unknown };

/** Whether a thrown fault means: not written, and never will be. */
export function isDefinitelyNotWritten(fault: unknown): boolean {
  return (
    fault instanceof RecordTooLargeError ||
    fault instanceof MisconfiguredError ||
    fault instanceof StoreThrottledError ||
    fault instanceof ContendedError ||
    (fault instanceof StoreUnavailableError && fault.isNotWritten)
  );
}

/**
 * Whether the write behind this fault can never land: it was turned away, or something unreadable, which
 * is not what it expected, stands in its place.
 */
export function isOutOfTheWay(fault: unknown): boolean {
  return isDefinitelyNotWritten(fault) || fault instanceof RecordCorruptError;
}

/**
 * Throws RecordTooLargeError, MisconfiguredError, StoreThrottledError, ContendedError (definitely not
 * written), OutcomeUnknownError, RecordCorruptError (what stands in its place cannot be read).
 */
export async function sendUntilSettled<T>(deps: SendDeps, sending: Sending<T>): Promise<T> {
  checkBodySize(sending.key, sending.text);
  let unanswered: unknown = null;
  for (let sends = 1; ; sends += 1) {
    const sent = await send(deps, sending, unanswered);
    if (sent.kind === "verdict" && sent.verdict.kind === "stored") {
      return sending.onStored(sent.verdict.version);
    }
    if (sent.kind === "no_verdict") unanswered = sent.fault;
    if (sent.kind !== "not_sent") {
      const isRefused = sent.kind === "verdict" && unanswered === null;
      const result = sending.judge(await readBack(deps, sending.key, sent), isRefused);
      if (result !== "not_landed") return result;
    }
    const fault = sent.kind === "verdict" ? null : sent.fault;
    if (sends >= SENDS_MAX || !(await pause(deps, sends, fault, sending.deadlineAt))) {
      throw outOfTime(deps, unanswered, sent);
    }
    deps.observe("store.put.resent", 1);
  }
}

async function send<T>(deps: SendDeps, sending: Sending<T>, unanswered: unknown): Promise<Sent> {
  try {
    const { key, text, condition } = sending;
    return { kind: "verdict", verdict: await deps.backend.putIf(key, text, condition) };
  } catch (fault) {
    if (fault instanceof StoreThrottledError || fault instanceof ContendedError) {
      return { kind: "not_sent", fault };
    }
    // The backend looked itself: the write can be seen, and is not known to be durable.
    if (fault instanceof OutcomeUnknownError) throw unknownOutcome(deps, fault.message, fault);
    if (!isDefinitelyNotWritten(fault)) return { kind: "no_verdict", fault };
    // An earlier copy may be under way; that this one was turned away says nothing about it.
    if (unanswered === null) throw fault;
    throw unknownOutcome(deps, "a resend was turned away", fault);
  }
}

/** A failed read proves nothing: never a conflict, always unknown. */
async function readBack(
  deps: SendDeps,
  key: Key,
  sent: Exclude<Sent, { kind: "not_sent" }>,
): Promise<BackendRecord | null> {
  if (sent.kind === "verdict" && sent.verdict.kind === "refused") {
    const { current } = sent.verdict;
    if (current !== "unread") return current;
  }
  try {
    return await deps.backend.get(key);
  } catch (cause) {
    if (cause instanceof RecordCorruptError) throw cause;
    throw unknownOutcome(deps, "the write has no verdict and cannot be read back", cause);
  }
}

/** Waits before the next send, longer after each `fault`; false when the deadline is nearer than that. */
export async function pause(
  { clock, random }: SendDeps,
  sends: number,
  fault: unknown,
  deadlineAt: EpochMs,
): Promise<boolean> {
  const asked = fault instanceof StoreThrottledError ? fault.retryAfterMs : 0;
  const wait = Math.max(asked, jitteredMs(sends, random.fraction(), RESEND));
  if (clock.now() + wait >= deadlineAt) return false;
  await clock.sleep(durationMs(wait));
  return true;
}

function outOfTime(deps: SendDeps, unanswered: unknown, sent: Sent): Error {
  if (unanswered !== null) {
    return unknownOutcome(deps, "no verdict in time; the write may still land", unanswered);
  }
  if (sent.kind === "not_sent") return sent.fault;
  deps.observe("store.contended", 1);
  return new ContendedError("the storage kept refusing although nothing had changed");
}

export function unknownOutcome(
  { observe }: SendDeps,
  message: string,
  cause?: unknown,
): OutcomeUnknownError {
  observe("store.put.outcome_unknown", 1);
  return new OutcomeUnknownError(message, cause === undefined ? {} : { cause });
}
