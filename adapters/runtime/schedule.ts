/** Passes one after another, for as long as a service runs. */
import { setTimeout as sleep } from "node:timers/promises";
import type { Holdfast } from "../../src/holdfast.ts";
import type { Log } from "../../src/ports/log.ts";
import type { PassReport } from "../../src/services/reconcile/report.ts";

export interface ScheduleOptions {
  /** From the end of one pass to the beginning of the next; 0: none at all. */
  readonly everyMs: number;
  readonly budgetMs: number;
  readonly tenants: readonly string[];
}

/** Ends the pass that runs, and begins no other. */
export interface Schedule {
  stop(): Promise<void>;
}

/** What is left of the budget of a pass that said so is due at once, but others want the machine, too. */
const NEXT_MS = 250;

/** Never throws: what goes wrong in a pass is logged, and the next one comes. */
export function schedule(holdfast: Holdfast, options: ScheduleOptions, log: Log): Schedule {
  const stopped = new AbortController();
  const { signal } = stopped;
  const { everyMs, budgetMs, tenants } = options;

  async function passes(): Promise<void> {
    for (let waitMs = Math.min(everyMs, NEXT_MS); !signal.aborted; ) {
      await sleep(waitMs, undefined, { signal }).catch(() => {});
      if (signal.aborted) return;
      try {
        const report = await holdfast.reconcile({ budgetMs, tenants, signal });
        tell(log, report);
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

function hasDone({ emails }: PassReport): boolean {
  const { enqueued, promoted, sent, retried, failed, cancelled, retired } = emails;
  return enqueued + promoted + sent + retried + failed + cancelled + retired > 0;
}

/** A pass that did nothing is no news. */
function tell(log: Log, { emails, failures, failuresLeftOut, hasMore }: PassReport): void {
  const counts = Object.entries(emails).filter(([, count]) => count > 0);
  const codes = new Map<string, number>();
  for (const { code, count } of failures) codes.set(code, (codes.get(code) ?? 0) + count);
  const failed = [...codes.values()].reduce((sum, count) => sum + count, failuresLeftOut);
  const level = failed > 0 ? "warn" : counts.length > 0 ? "info" : "debug";
  log(level, "pass", {
    ...Object.fromEntries(counts),
    failures: failed,
    ...(codes.size === 0 ? {} : { codes: [...codes].map((one) => one.join(" ")).join(", ") }),
    hasMore,
  });
}
