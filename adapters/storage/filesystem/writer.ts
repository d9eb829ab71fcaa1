/**
 * The thread that works on the folder, as the rest of this process sees it. Hopping through the system's
 * thread pool for every call costs more than most of the calls; here one thread makes them in a row, and
 * only waits of the disk overlap.
 */
import { Worker } from "node:worker_threads";
import { OutcomeUnknownError, StoreUnavailableError } from "../../../src/ports/faults.ts";
import type { CallKind, Calls, Reply, Request, ThreadData } from "./calls.ts";
import { troubleError } from "./trouble.ts";

export interface Writer {
  /** Rejects with the system's error; OutcomeUnknownError if the thread died. */
  run<Kind extends CallKind>(
    kind: Kind,
    input: Calls[Kind]["input"],
  ): Promise<Calls[Kind]["output"]>;
  /** Ends the thread; what was asked before is finished first. */
  close(): Promise<void>;
}

interface Job {
  readonly request: Request;
  resolve(output: Reply["output"]): void;
  reject(error: unknown): void;
}

/** Each holds a file open; more would not make the disk faster. */
const UNDER_WAY_MAX = 64;

/** The thread starts with the first call, and keeps the process alive only while it has some. */
export function createWriter(data: ThreadData): Writer {
  const waiting: Job[] = [];
  const underWay = new Map<number, Job>();
  let thread: Worker | null = null;
  let lastId = 0;
  let isPlanned = false;
  let isClosed = false;
  let whenIdle: (() => void) | null = null;

  /** A lone call goes out at once; callers answered in one turn call again in it, and go together. */
  function plan(): void {
    if (underWay.size === 0) send();
    else if (!isPlanned) {
      isPlanned = true;
      setImmediate(() => {
        isPlanned = false;
        send();
      });
    }
  }

  function send(): void {
    const jobs = waiting.splice(0, UNDER_WAY_MAX - underWay.size);
    if (jobs.length === 0) return;
    const to = thread ?? start();
    for (const job of jobs) underWay.set(job.request.id, job);
    to.ref();
    to.postMessage(jobs.map((job) => job.request));
  }

  function start(): Worker {
    const started = new Worker(new URL("./thread.js", import.meta.url), {
      workerData: data,
      execArgv: [],
    });
    started.on("message", settle);
    started.on("error", (error) => drop(started, error));
    started.on("exit", () => drop(started, new Error("the thread ended")));
    thread = started;
    return started;
  }

  function settle(replies: readonly Reply[]): void {
    for (const { id, output, trouble } of replies) {
      const job = underWay.get(id);
      underWay.delete(id);
      if (trouble === null) job?.resolve(output);
      else job?.reject(troubleError(trouble));
    }
    if (underWay.size === 0) thread?.unref();
    if (waiting.length > 0) plan();
    else if (underWay.size === 0) whenIdle?.();
  }

  /** The next call starts another thread. */
  function drop(dead: Worker, cause: unknown): void {
    if (thread !== dead) return;
    thread = null;
    const lost = [...underWay.values()];
    underWay.clear();
    for (const job of lost) {
      job.reject(new OutcomeUnknownError("the thread that was writing ended", { cause }));
    }
    if (waiting.length > 0) plan();
    else whenIdle?.();
  }

  return {
    run(kind, input) {
      if (isClosed) return Promise.reject(new StoreUnavailableError("the folder was closed"));
      return new Promise((resolve, reject) => {
        lastId += 1;
        const done = resolve as (output: Reply["output"]) => void;
        waiting.push({ request: { id: lastId, kind, input }, resolve: done, reject });
        plan();
      });
    },
    async close() {
      isClosed = true;
      if (waiting.length > 0 || underWay.size > 0) {
        await new Promise<void>((resolve) => {
          whenIdle = resolve;
        });
      }
      await thread?.terminate();
    },
  };
}
