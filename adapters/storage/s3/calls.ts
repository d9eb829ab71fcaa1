/** One request to S3: bounded in time, told as an answer or a fault, waited for by whoever closes. */
import { seconds } from "../../../src/core/time.ts";
import { StoreUnavailableError } from "../../../src/ports/faults.ts";
import { answerOf, faultOf, isVerdict, type Operation } from "./faults.ts";

/** What bounds a request, and is told when it goes out. */
export interface Bound {
  readonly abortSignal: AbortSignal;
}

export interface Calls {
  /**
   * `send` gets what bounds it, and calls `onSent` before anything leaves this process, where that is
   * worth knowing. `known` says what statuses mean that are verdicts; everything else that is no success
   * is thrown as a fault.
   */
  ask<T>(
    operation: Operation,
    send: (bound: Bound, onSent: () => void) => Promise<T>,
    known: ReadonlyMap<number, T>,
  ): Promise<T>;
  /** Refuses what is asked from now on, and resolves once nothing is in flight. */
  close(): Promise<void>;
}

/** For a read with all its tries, and for a client whose handler has no time-outs. */
const CALL_MS = seconds(8);

export function createCalls(bucket: string): Calls {
  const inFlight = new Set<Promise<unknown>>();
  let isClosed = false;
  return {
    async ask(operation, send, known) {
      if (isClosed) {
        throw new StoreUnavailableError("the storage was closed", { isNotWritten: true });
      }
      const call = bounded(operation, send);
      inFlight.add(call);
      try {
        return await call;
      } catch (error) {
        const answered = answerOf(error);
        const meaning = known.get(answered.status ?? 0);
        if (meaning !== undefined && isVerdict(answered)) return meaning;
        throw faultOf(error, { operation, bucket });
      } finally {
        inFlight.delete(call);
      }
    },
    async close() {
      isClosed = true;
      await Promise.allSettled([...inFlight]);
    },
  };
}

/** The SDK looks at its signal once it has credentials, and may wait for those for ever. */
async function bounded<T>(
  operation: Operation,
  send: (bound: Bound, onSent: () => void) => Promise<T>,
): Promise<T> {
  const end = new AbortController();
  let isSent = false;
  const onSent = (): void => {
    end.signal.throwIfAborted();
    isSent = true;
  };
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      const isNotWritten = operation === "put" && !isSent;
      const fault = isNotWritten
        ? new StoreUnavailableError(
            "nothing was sent in time: the credentials take too long to get",
            { isNotWritten },
          )
        : new StoreUnavailableError("no answer from the store in time (HOLDFAST_ENDPOINT)");
      // In this order, or the SDK's own word of the abort might come first.
      reject(fault);
      end.abort(fault);
    }, CALL_MS);
  });
  try {
    return await Promise.race([send({ abortSignal: end.signal }, onSent), late]);
  } finally {
    clearTimeout(timer);
  }
}
