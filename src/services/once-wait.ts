/** Waiting for another call of the same operation, in this process or elsewhere. */
import { jitteredMs } from "../core/backoff.ts";
import { after, type DurationMs, durationMs, seconds } from "../core/time.ts";
import { lapsesAt } from "../machines/receipts/changes.ts";
import type { Clock } from "../ports/clock.ts";
import type { OnceCall } from "./once.ts";
import type { ReceiptAnswer } from "./receipt-commands.ts";
import { OperationReceiptInFlightError } from "./receipt-errors.ts";
import { answered, type ReceiptParts } from "./receipt-methods.ts";

export interface InFlightWait {
  /** Runs `work` as the owner of a dispatch; calls of this process that wait for it look at its end. */
  announced<T>(id: string, work: () => Promise<T>): Promise<T>;
  /**
   * The receipt when nobody is at it any more: at once, or when another call has ended, or its dispatch
   * has lapsed, or was given back. Still dispatching: this service has the token of its dispatch, under
   * which nothing was begun. Throws OperationReceiptInFlightError once `isTired`, what the signal was
   * aborted with, and StoreUnavailableError when the service is being closed.
   */
  over(call: OnceCall, answer: ReceiptAnswer, isTired: () => boolean): Promise<ReceiptAnswer>;
}

/** Between two looks at what another process does. */
const LOOK = { base: durationMs(20), cap: seconds(2) };

/** Whether so much time is over, by either clock: one may be set, the other stands still in a machine asleep. */
export function timeOver(clock: Clock, ms: DurationMs): () => boolean {
  const [until, elapsed] = [after(clock.now(), ms), clock.elapsed()];
  return () => clock.now() >= until || clock.elapsed() - elapsed >= ms;
}

export function inFlightWait({ deps, commands, tokens }: ReceiptParts): InFlightWait {
  const { clock, random } = deps;
  /** Ends of the side effects that this process runs. */
  const running = new Map<string, Promise<unknown>>();

  async function pause(id: string, looks: number, signal: AbortSignal | null): Promise<void> {
    const awake = new AbortController();
    const wake = (): void => awake.abort();
    signal?.addEventListener("abort", wake, { once: true });
    void running.get(id)?.then(wake);
    const fraction = (1 + random.fraction()) / 2;
    await clock.sleep(durationMs(jitteredMs(looks, fraction, LOOK)), awake.signal);
    signal?.removeEventListener("abort", wake);
  }

  return {
    async announced(id, work) {
      const own = work();
      const end = own.catch(() => {});
      running.set(id, end);
      try {
        return await own;
      } finally {
        running.delete(id);
      }
    },
    async over(call, first, isTired) {
      let answer = first;
      for (let looks = 1; answer.receipt.state === "dispatching"; looks += 1) {
        call.signal?.throwIfAborted();
        const { id } = answer.receipt;
        // Before it could be given up for lost: whoever has the token may yet run it.
        if (tokens.hasUnused(id)) break;
        const lapses = lapsesAt(answer.live, deps);
        if (lapses <= clock.now()) {
          const outcome = await commands.run(answer.receipt, { kind: "recover" });
          // Somebody else was faster, or the owner came back to life.
          answer = outcome.kind === "rejected" ? answered(await commands.read(id)) : outcome;
          continue;
        }
        if (isTired()) throw new OperationReceiptInFlightError(id, lapses);
        deps.calls.checkOpen();
        await pause(id, looks, call.signal);
        answer = answered(await commands.read(id));
      }
      return answer;
    },
  };
}
