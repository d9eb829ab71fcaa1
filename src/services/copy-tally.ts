/** What became of the records of a copy, counted. */
import type { Key } from "../core/key.ts";
import { MisconfiguredError, RecordCorruptError, RecordTooLargeError } from "../ports/faults.ts";
import type { CopyVerdict } from "../store/copying.ts";
import { isPassing } from "./passing.ts";

/** `failed`: the target does not take it, or a storage did not answer. */
export interface CopyTrouble {
  readonly kind: "conflict" | "unreadable" | "failed";
  /** At the source. */
  readonly key: Key;
  readonly reason: string;
}

export interface CopyReport {
  /** Of a dry run: what would be. */
  readonly copied: number;
  /** What the target had already, be it by an earlier try whose reply was lost. */
  readonly present: number;
  readonly conflicting: number;
  readonly unreadable: number;
  readonly failed: number;
  /** Why what is left was not looked at; null: nothing is left. */
  readonly stopped: string | null;
}

export interface CopyTally {
  /** Counts what `work` makes of the record; throws only what is no fault of a storage. */
  count(key: Key, work: () => Promise<CopyVerdict | null>): Promise<void>;
  /** Ends the copy; throws `fault` where it is none of a storage. */
  stop(fault: unknown): void;
  isStopped(): boolean;
  report(): CopyReport;
}

/** Records that a storage does not answer for, one after another, before it counts as an outage. */
const FAILURES_MAX = 20;

export function copyTally(to: {
  readonly onProgress: (report: CopyReport) => void;
  readonly onTrouble: (trouble: CopyTrouble) => void;
}): CopyTally {
  const counts = { copied: 0, present: 0, conflicting: 0, unreadable: 0, failed: 0 };
  let failuresInRow = 0;
  let stopped: string | null = null;
  const report = (): CopyReport => ({ ...counts, stopped });

  function take(key: Key, verdict: CopyVerdict): void {
    failuresInRow = 0;
    if (verdict.kind === "copied") counts.copied += 1;
    else if (verdict.kind === "present") counts.present += 1;
    else {
      counts.conflicting += 1;
      to.onTrouble({ kind: "conflict", key, reason: verdict.reason });
    }
  }

  function fail(key: Key, fault: unknown): void {
    if (fault instanceof RecordCorruptError) {
      counts.unreadable += 1;
      to.onTrouble({ kind: "unreadable", key, reason: fault.reason });
      return;
    }
    const isOutage = isPassing(fault);
    if (!isOutage && !(fault instanceof RecordTooLargeError)) {
      stop(fault);
      return;
    }
    const reason = fault instanceof Error ? fault.message : String(fault);
    counts.failed += 1;
    to.onTrouble({ kind: "failed", key, reason });
    failuresInRow = isOutage ? failuresInRow + 1 : 0;
    if (failuresInRow >= FAILURES_MAX) stopped ??= `${failuresInRow} failed one after another`;
  }

  function stop(fault: unknown): void {
    if (!(fault instanceof MisconfiguredError) && !isPassing(fault)) throw fault;
    stopped ??= fault instanceof Error ? fault.message : String(fault);
  }

  return {
    async count(key, work) {
      try {
        const verdict = await work();
        if (verdict === null) return;
        take(key, verdict);
      } catch (fault) {
        fail(key, fault);
      }
      to.onProgress(report());
    },
    stop,
    isStopped: () => stopped !== null,
    report,
  };
}
