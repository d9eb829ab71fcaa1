/** What waits while the threads are busy goes out together. */

export interface Batcher<Task, Verdict> {
  /** Rejects when the whole batch failed. */
  run(task: Task): Promise<Verdict>;
}

export interface Batching<Task, Verdict> {
  /** Batches under way at the same time. */
  readonly parallel: number;
  /** More in one batch would only make its first caller wait for its last. */
  readonly sizeMax: number;
  /** A verdict per task, in order. */
  send(tasks: readonly Task[]): Promise<readonly Verdict[]>;
}

interface Waiting<Task, Verdict> {
  readonly task: Task;
  resolve(verdict: Verdict): void;
  reject(error: unknown): void;
}

export function createBatcher<Task, Verdict>(
  batching: Batching<Task, Verdict>,
): Batcher<Task, Verdict> {
  const waiting: Waiting<Task, Verdict>[] = [];
  let batches = 0;
  let isPlanned = false;

  /** At once when nothing is under way, so that a single caller waits for nobody. */
  function plan(): void {
    if (batches === 0) {
      pump();
      return;
    }
    if (isPlanned) return;
    isPlanned = true;
    // Callers that a batch has just answered call again within this turn: they go out together.
    setImmediate(() => {
      isPlanned = false;
      pump();
    });
  }

  function pump(): void {
    while (waiting.length > 0 && batches < batching.parallel) {
      // Shared out evenly over the threads that are free, so that none idles beside a long batch.
      const share = Math.ceil(waiting.length / (batching.parallel - batches));
      void send(waiting.splice(0, Math.min(share, batching.sizeMax)));
    }
  }

  async function send(batch: readonly Waiting<Task, Verdict>[]): Promise<void> {
    batches += 1;
    try {
      const verdicts = await batching.send(batch.map((one) => one.task));
      batch.forEach((one, index) => {
        const verdict = verdicts[index];
        if (verdict === undefined) one.reject(new Error("the thread gave no verdict"));
        else one.resolve(verdict);
      });
    } catch (error) {
      for (const one of batch) one.reject(error);
    } finally {
      batches -= 1;
      plan();
    }
  }

  return {
    run: (task) =>
      new Promise((resolve, reject) => {
        waiting.push({ task, resolve, reject });
        plan();
      }),
  };
}
