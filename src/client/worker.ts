/** A worker: leases due emails over HTTP and runs a handler on each, for as long as it is wanted. */
import { unexpected } from "./errors.ts";
import { type HeldDeps, work } from "./held-job.ts";
import { leasedJobs } from "./leased.ts";
import type { Handler } from "./outcome.ts";
import { bounded, type Look, type PollingOptions, polling, type Worker } from "./polling.ts";
import type { Job } from "./types.ts";

export { type Handler, type Outcome, PermanentError } from "./outcome.ts";
export type { Worker } from "./polling.ts";

export interface WorkerOptions extends PollingOptions {
  /** 1,000 to 86,400,000 ms; 120,000 by default. A dead worker's jobs are taken over after it. */
  readonly leaseMs?: number;
}

/**
 * Starts at once. A handler that returns nothing or `"sent"` has its job settled as sent, one that returns
 * `{ to, lastError? }`, `to` being `sent`, `ready`, `cancelled` or `failed`, as that, and with anything
 * else as sent; one that throws has it tried again after the service's back-off, or failed for a
 * PermanentError. Leases only as many jobs as handlers are free, and renews each at a third of its time
 * until it is settled. Once its signal is aborted by a stop nothing more of a job is settled, and it is
 * taken over when its lease has run out. Nothing that the service or a handler's outcome is ends the
 * worker. Throws HoldfastError `invalid_request` for options out of bounds.
 */
export function worker(
  client: { readonly emails: HeldDeps["emails"] },
  handler: Handler,
  options: WorkerOptions,
): Worker {
  const { leaseMs = 120_000 } = options;
  bounded("leaseMs", leaseMs, 1_000, 86_400_000);
  const { emails } = client;
  return polling(options, ({ deps, slots, hard, report }) => {
    const heldDeps: HeldDeps = { ...deps, emails, handler, leaseMs, report };
    // One for each job: Node warns of a leak where many listen to one signal.
    const held = new Set<AbortController>();
    hard.addEventListener("abort", () => {
      for (const lost of held) lost.abort(hard.reason);
    });

    function start(job: Job, askedAt: number): void {
      const lost = new AbortController();
      held.add(lost);
      slots.run(async () => {
        try {
          await work(heldDeps, job, askedAt, lost);
        } catch {
          // Never for anything known; and whatever it is, it may show the job.
          report(unexpected("a job ended with a fault"));
        } finally {
          held.delete(lost);
        }
      });
    }

    /** Leases what the free slots can take, and starts on it. */
    return async (): Promise<Look> => {
      const limit = slots.free();
      const askedAt = deps.now();
      // Tried once: the loop comes again, and each try has to know when it began.
      const callOptions = { signal: hard, attempts: 1, timeoutMs: leaseMs };
      const answer = await emails.leaseDue({ durationMs: leaseMs, limit }, callOptions);
      const jobs = leasedJobs(answer, limit, report);
      if (!hard.aborted) for (const job of jobs) start(job, askedAt);
      return { isFound: jobs.length > 0, isFull: jobs.length >= limit };
    };
  });
}
