/** Passes one after another, for as long as a service runs. */
import { setTimeout as sleep } from "node:timers/promises";
import type { Holdfast } from "../../src/holdfast.ts";
import type { Log } from "../../src/ports/log.ts";
import type { PassReport } from "../../src/services/reconcile/report.ts";

export interface ScheduleOptions {
  /** From the end of one pass to the beginning of the next; 0: none at all. */
  readonly everyMs: number;
  readonly tenants: readonly string[];
}

/** Ends the pass that runs, and begins no other. */
export interface Schedule {
  stop(): Promise<void>;
}

/** What is left of the budget of a pass that said so is due at once, but others want the machine, too. */
const NEXT_MS = 250;

/** Never throws: a pass that nobody foresaw the end of is logged, and the next one comes. */
export function schedule(holdfast: Holdfast, options: ScheduleOptions, log: Log): Schedule {
  const stopped = new AbortController();
  const { signal } = stopped;
  const { everyMs, tenants } = options;

  async function passes(): Promise<void> {
    for (let waitMs = Math.min(everyMs, NEXT_MS); !signal.aborted; ) {
      await sleep(waitMs, undefined, { signal }).catch(() => {});
      if (signal.aborted) return;
      try {
        const report = await holdfast.reconcile({ tenants, signal });
        // More to do is no reason for haste where the last pass got nothing done.
        waitMs = report.hasMore && hasDone(report) ? Math.min(everyMs, NEXT_MS) : everyMs;
      } catch {
        log("error", "pass", { fault: "unexpected" });
        waitMs = everyMs;
      }
    }
  }

  const running = everyMs === 0 ? Promise.resolve() : passes();
  return {
    stop() {
      stopped.abort();
      return running;
    },
  };
}

function hasDone({ emails, receipts }: PassReport): boolean {
  const { enqueued, promoted, sent, retried, failed, cancelled, retired } = emails;
  const ofReceipts = receipts.recovered + receipts.retired;
  return enqueued + promoted + sent + retried + failed + cancelled + retired + ofReceipts > 0;
}
