/** One request to S3: bounded in time, told as an answer or a fault, waited for by whoever closes. */
import { seconds } from "../../../src/core/time.ts";
import { answerOf, faultOf, isVerdict, type Operation } from "./faults.ts";

export interface Calls {
  /**
   * `send` gets what bounds it. `known` says what statuses mean that are verdicts; everything else
   * that is no success is thrown as a fault.
   */
  ask<T>(
    operation: Operation,
    send: (bound: { readonly abortSignal: AbortSignal }) => Promise<T>,
    known: ReadonlyMap<number, T>,
  ): Promise<T>;
  /** Resolves once nothing is in flight. */
  idle(): Promise<void>;
}

/** For a read with all its tries, and for a client whose handler has no time-outs. */
const CALL_MS = seconds(8);

export function createCalls(bucket: string): Calls {
  const inFlight = new Set<Promise<unknown>>();
  return {
    async ask(operation, send, known) {
      const sent = send({ abortSignal: AbortSignal.timeout(CALL_MS) });
      inFlight.add(sent);
      try {
        return await sent;
      } catch (error) {
        const answered = answerOf(error);
        const meaning = known.get(answered.status ?? 0);
        if (meaning !== undefined && isVerdict(answered)) return meaning;
        throw faultOf(error, { operation, bucket });
      } finally {
        inFlight.delete(sent);
      }
    },
    idle: async () => void (await Promise.allSettled([...inFlight])),
  };
}
