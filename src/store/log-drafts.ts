/** Writing a part of an event log, with its continuations (protocols 5.2, 5.8). */
import { assert } from "../core/assert.ts";
import { WRITE_ID_BYTES, writeId } from "../core/ids.ts";
import type { EpochMs } from "../core/time.ts";
import type { PutCondition } from "../ports/backend.ts";
import { OutcomeUnknownError, RecordCorruptError, StoreUnavailableError } from "../ports/faults.ts";
import { continuationKey, partKey, SEQUENCE_MAX } from "./log-keys.ts";
import { decodePart, encodePart, type PartBody } from "./log-parts.ts";
import { removeQuietly } from "./removing.ts";
import {
  isDefinitelyNotWritten,
  isOutOfTheWay,
  type SendDeps,
  sendUntilSettled,
  unknownOutcome,
} from "./sending.ts";

/** A part that is looking for its number. It ends in the log, discarded, or removed. */
export interface PartDraft {
  /**
   * Creates the part with `first` (1..SEQUENCE_MAX) as the number of its first item. `taken`: another
   * part stands there, and this one may be tried again at another number, with the same continuations.
   * Throws what says of the part that it is not written (RecordTooLargeError, MisconfiguredError,
   * StoreThrottledError, ContendedError, StoreUnavailableError; RecordCorruptError: something unreadable
   * has the number), or OutcomeUnknownError: it may be there, so this number is the only one that may be
   * asked for again.
   *
   * Part 1 is written before its continuations: nobody reads a log before something names it. What is
   * thrown then says that the log must not be named.
   */
  create(first: number, deadlineAt: EpochMs): Promise<"created" | "taken">;
  /** Removes what was written for a part that is not in the log, and nothing of one that is or may be. */
  discard(): Promise<void>;
  /** Removes the part, too, from a log that nobody reads: its job is retired, or was never named. */
  remove(): Promise<void>;
}

const ABSENT: PutCondition = { expected: "absent", due: null, dueBefore: null };

/** `log`: what its keys begin with. Throws RecordTooLargeError; nothing is written yet. */
export function draftPart(deps: SendDeps, log: string, body: PartBody): PartDraft {
  const { backend, random } = deps;
  const w = writeId(random.bytes(WRITE_ID_BYTES));
  const { text, continuations } = encodePart(w, body);
  /** Continuations of which a write was begun. */
  let begun = 0;
  let acknowledged = 0;
  /** What became of a continuation that was not acknowledged. */
  let failure: unknown = null;
  /** The number at which the part is, or may be. */
  let place: number | null = null;
  let isOver = false;

  async function writeContinuations(deadlineAt: EpochMs): Promise<void> {
    if (failure !== null) throw failure;
    while (acknowledged < continuations.length) {
      begun = acknowledged + 1;
      try {
        await sendUntilSettled<"there">(deps, {
          key: continuationKey(log, w, acknowledged),
          text: continuations[acknowledged] ?? "",
          condition: ABSENT,
          deadlineAt,
          onStored: () => "there",
          // Nobody else can name it: what stands there is an own earlier copy.
          judge: (found) => (found === null ? "not_landed" : "there"),
        });
      } catch (fault) {
        failure = isDefinitelyNotWritten(fault) ? fault : withoutContinuation(fault);
        throw failure;
      }
      acknowledged += 1;
    }
  }

  async function send(first: number, deadlineAt: EpochMs): Promise<"created" | "taken"> {
    const key = partKey(log, first);
    const isRepeat = place !== null;
    place = first;
    try {
      const verdict = await sendUntilSettled<"created" | "taken">(deps, {
        key,
        text,
        condition: ABSENT,
        deadlineAt,
        onStored: () => "created",
        // A part never changes, so its write id tells for ever whose it is.
        judge: (found) => {
          if (found === null) return "not_landed";
          return decodePart(key, found.body).w === w ? "created" : "taken";
        },
      });
      if (verdict === "taken") place = null;
      return verdict;
    } catch (fault) {
      if (!isOutOfTheWay(fault)) throw fault;
      if (isRepeat && !(fault instanceof RecordCorruptError)) {
        throw unknownOutcome(deps, "a repeat was turned away; the first may still land", fault);
      }
      place = null;
      throw fault;
    }
  }

  async function removeContinuations(): Promise<void> {
    isOver = true;
    for (let n = 0; n < begun; n += 1) await removeQuietly(backend, continuationKey(log, w, n));
  }

  return {
    async create(first, deadlineAt) {
      assert(!isOver, "the part was given up");
      assert(place === null || place === first, "the part is at another number, or may be");
      assert(first + body.items.length - 1 <= SEQUENCE_MAX, "the log is full");
      if (first > 1) await writeContinuations(deadlineAt);
      const verdict = await send(first, deadlineAt);
      if (first === 1 && verdict === "created") await writeContinuations(deadlineAt);
      return verdict;
    },
    async discard() {
      if (place === null) await removeContinuations();
    },
    async remove() {
      if (place !== null) await removeQuietly(backend, partKey(log, place));
      await removeContinuations();
    },
  };
}

/** Says of the part: not written. The continuation itself may be there, or come to be. */
function withoutContinuation(cause: unknown): StoreUnavailableError {
  const why = cause instanceof OutcomeUnknownError ? `: ${cause.message}` : "";
  const message = `a continuation could not be written${why}`;
  return new StoreUnavailableError(message, { cause, isNotWritten: true });
}
