/**
 * The threads that write. A system call that waits for the disk costs about half of what it costs
 * through the promise interface, and blocks nobody else.
 */
import { Worker } from "node:worker_threads";
import { OutcomeUnknownError, StoreUnavailableError } from "../../../src/ports/faults.ts";
import type { CallKind, Calls, Reply, Request, ThreadData } from "./calls.ts";
import { troubleError } from "./trouble.ts";

export interface Pool {
  readonly size: number;
  /** Rejects with the system's error; OutcomeUnknownError if the thread died. */
  run<Kind extends CallKind>(
    kind: Kind,
    input: Calls[Kind]["input"],
  ): Promise<Calls[Kind]["output"]>;
  /** Ends the threads; what was asked before is finished first. */
  close(): Promise<void>;
}

interface Job {
  readonly request: Request;
  resolve(output: Reply["output"]): void;
  reject(error: unknown): void;
}

interface Slot {
  readonly worker: Worker;
  job: Job | null;
}

/** Threads start when there is work for them, and keep the process alive only while they have some. */
export function createPool(size: number, data: ThreadData): Pool {
  const slots = new Set<Slot>();
  const waiting: Job[] = [];
  let isClosed = false;
  let drained: (() => void) | null = null;

  function pump(): void {
    for (;;) {
      const [job] = waiting;
      if (job === undefined) break;
      const slot = freeSlot() ?? (slots.size < size ? startThread() : null);
      if (slot === null) return;
      waiting.shift();
      slot.job = job;
      slot.worker.ref();
      slot.worker.postMessage(job.request);
    }
    if (drained !== null && [...slots].every((slot) => slot.job === null)) drained();
  }

  function freeSlot(): Slot | null {
    for (const slot of slots) if (slot.job === null) return slot;
    return null;
  }

  function startThread(): Slot {
    const worker = new Worker(new URL("./thread.js", import.meta.url), { workerData: data });
    const slot: Slot = { worker, job: null };
    slots.add(slot);
    worker.unref();
    worker.on("message", (reply: Reply) => {
      const { job } = slot;
      slot.job = null;
      worker.unref();
      // The next job goes out before the caller of this one gets a turn.
      pump();
      if (reply.trouble === null) job?.resolve(reply.output);
      else job?.reject(troubleError(reply.trouble));
    });
    worker.on("error", (error) => drop(slot, error));
    worker.on("exit", () => drop(slot, new Error("the thread ended")));
    return slot;
  }

  function drop(slot: Slot, cause: unknown): void {
    slots.delete(slot);
    slot.job?.reject(new OutcomeUnknownError("the thread that was writing ended", { cause }));
    slot.job = null;
    pump();
  }

  return {
    size,
    run(kind, input) {
      if (isClosed) return Promise.reject(new StoreUnavailableError("the folder was closed"));
      return new Promise((resolve, reject) => {
        const done = resolve as (output: Reply["output"]) => void;
        waiting.push({ request: { kind, input }, resolve: done, reject });
        pump();
      });
    },
    async close() {
      isClosed = true;
      await new Promise<void>((resolve) => {
        drained = resolve;
        pump();
      });
      await Promise.all([...slots].map((slot) => slot.worker.terminate()));
    },
  };
}
