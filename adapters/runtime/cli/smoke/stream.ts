/** Smoke: a live stream that is read piece by piece, with an end to its patience. */
import {
  HoldfastError,
  type QueryEvent,
  type QuerySnapshotFrame,
} from "../../../../src/client/client.ts";
import { AbsentError, type Smoke, SmokeError } from "./looking.ts";

/** What a reader has of an answer. */
export interface Heard {
  readonly text: string;
  /** The number of the newest event. */
  readonly last: number;
  /** Of that event; the job's status where a snapshot stands for it. */
  readonly type: string;
}

/** A reader that begins. */
export const NOTHING: Heard = { text: "", last: 0, type: "" };

export interface Stream {
  /**
   * Reads on until `isEnough`. Throws SmokeError when that does not come, what `over` was aborted with, and
   * AbsentError where answers are passed on as a whole, as the service itself says.
   */
  heard(isEnough: (heard: Heard) => boolean): Promise<Heard>;
  /** Lets go of the connection, as a reader does who leaves. */
  close(): Promise<Heard>;
}

export interface StreamOptions {
  readonly jobId: string;
  readonly generation: number;
  readonly from: Heard;
  /** Aborted when nothing more will come; null: nobody knows that. */
  readonly over: AbortSignal | null;
}

export function openStream(
  { client, patience }: Pick<Smoke, "client" | "patience">,
  options: StreamOptions,
): Stream {
  const { jobId, generation, from, over } = options;
  const late = AbortSignal.timeout(patience.streamMs);
  const signal = over === null ? late : AbortSignal.any([late, over]);
  const events = client.queries.follow(jobId, { generation, after: from.last, signal });
  let heard = from;
  return {
    async heard(isEnough) {
      while (!isEnough(heard)) {
        const { value, done } = await events.next().catch(ofNoStream);
        if (!done) heard = after(heard, value);
        else if (over?.aborted) throw over.reason;
        else if (late.aborted) throw new SmokeError(heldBack(patience.streamMs));
        else throw new SmokeError(`the stream ends as ${heard.type}`);
      }
      return heard;
    },
    async close() {
      await events.return();
      return heard;
    },
  };
}

/** What a function says through an API Gateway or a load balancer. */
function ofNoStream(error: unknown): never {
  const isNone = error instanceof HoldfastError && error.code === "invalid_request";
  throw isNone ? new AbsentError(error.detail) : error;
}

function heldBack(ms: number): string {
  return `the stream did not tell it within ${ms / 1_000} s: is it held back on its way?`;
}

function after(heard: Heard, told: QueryEvent | QuerySnapshotFrame): Heard {
  if (told.type === "snapshot") {
    const { status, response, partialText } = told.job;
    return { text: response ?? partialText, last: told.resumeAfter, type: status };
  }
  const { type, eventSeq: last, data } = told;
  const piece = type === "chunk" ? String(data["text"]) : "";
  return { text: heard.text + piece, last, type };
}
