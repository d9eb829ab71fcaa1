/** The machines of one walk over a queue that they share: none of them is in the way of the others. */

import { isOf } from "../../core/foreign.ts";
import { lastSegment } from "../../core/key.ts";
import { durationMs } from "../../core/time.ts";
import type { DueEntry } from "../../ports/backend.ts";
import { RecordCorruptError } from "../../ports/faults.ts";
import type { Stored } from "../../store/store.ts";
import { EMAIL_MACHINE } from "../email-commands.ts";
import { idOf, type PassContext, part } from "./context.ts";
import { type Deadline, deadline } from "./deadline.ts";
import { readsInTime } from "./reads.ts";
import type { PassCollector } from "./report.ts";

export interface SweptMachine {
  /** As keys name it. */
  readonly name: string;
  readonly report: PassCollector;
  /**
   * Does to one record what is due, and counts it; whether it stays where it is, so that the next walk
   * meets it again. Throws RecordCorruptError.
   */
  visit(stored: Stored): Promise<boolean>;
}

/**
 * Records of one machine that may turn out to stay before a walk does no more for it: each cost a read and
 * came to nothing. What leaves the queue is not counted, since it is got through by time alone.
 */
export const EXAMINED_MAX = 1_000;

/**
 * What part of a walk's time a machine may lose by waiting for what does not answer, and how long one of
 * its records is waited for: when two machines of three are in trouble, the third has its time.
 */
const LOST_SHARE = 2 / 5;

/** What the walks of one pass lost for each machine, in milliseconds. */
export type Losses = Map<string, number>;

export interface LaneOptions {
  /** Records visited together, of all machines. */
  readonly atOnce: number;
  /** Visits are waited for until then. */
  readonly end: Deadline;
  /** How long the walk has, in milliseconds; null: visits have ends of their own, and it has one machine. */
  readonly windowMs: number | null;
  readonly losses: Losses;
}

export interface Lane {
  readonly machine: SweptMachine;
  /** Whether no more of its records are visited by this walk. */
  isClosed(): boolean;
  /** Whether the record stays. Never rejects: nothing that happens to one stops the others. */
  visit(entry: DueEntry): Promise<boolean>;
}

export function lane(
  context: PassContext,
  machine: SweptMachine,
  { atOnce, end, windowMs, losses }: LaneOptions,
): Lane {
  const { clock } = context.time;
  const own = { ...context, report: machine.report };
  const readInTime = readsInTime(own);
  const allowedMs = windowMs === null ? null : Math.max(1, Math.floor(windowMs * LOST_SHARE));
  let stayed = 0;

  /** Everything at once waits for one as well as for all. */
  function lose(since: number): void {
    const lost = (clock.elapsed() - since) / atOnce;
    losses.set(machine.name, (losses.get(machine.name) ?? 0) + lost);
  }

  async function visitInTime(entry: DueEntry, id: string): Promise<boolean> {
    const since = clock.elapsed();
    const limit = allowedMs === null ? end : deadline(clock, durationMs(allowedMs), [end]);
    const stays = await part(own, id, limit, async () => {
      try {
        const read = await readInTime(entry, id);
        if (read.kind !== "late") return read.value !== null && (await machine.visit(read.value));
        // One that did not come in time stays.
        lose(since);
        return true;
      } catch (error) {
        if (isOf(error, RecordCorruptError)) machine.report.met("store.record_corrupt");
        throw error;
      }
    });
    if (limit === end) return stays ?? true;
    if (stays === null && limit.isOver()) lose(since);
    limit.stop();
    return stays ?? true;
  }

  return {
    machine,
    isClosed() {
      const isLosing = allowedMs !== null && (losses.get(machine.name) ?? 0) >= allowedMs;
      return isLosing || stayed >= EXAMINED_MAX;
    },
    async visit(entry) {
      const stays = await visitInTime(entry, idIn(machine, entry));
      if (stays) stayed += 1;
      return stays;
    },
  };
}

/** How a failure names the record of an entry. */
export function idIn({ name }: Pick<SweptMachine, "name">, entry: DueEntry): string {
  return name === EMAIL_MACHINE ? idOf(entry) : lastSegment(entry.key);
}
