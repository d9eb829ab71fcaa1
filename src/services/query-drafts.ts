/** The part of one call: prepared once, and tried again at other numbers as long as it is the same. */
import type { EpochMs } from "../core/time.ts";
import type { QueryEvent } from "../machines/queries/events.ts";
import { partBody } from "../machines/queries/part.ts";
import type { PartDraft } from "../store/log.ts";
import type { QueryPlace } from "./query-known.ts";

export interface CallDraft {
  /**
   * Creates the part with `events` behind the number `seq`, which was read or written as the end of a
   * part. Throws what `PartDraft.create` throws, with nothing left behind where it is not in the log.
   */
  create(
    events: readonly QueryEvent[],
    seq: number,
    requestId: string | null,
    deadlineAt: EpochMs,
  ): Promise<"created" | "taken">;
  /** Removes what was written for a part that is not in the log. */
  discard(): Promise<void>;
  /** Removes the part, too, from the log of a job that is gone. */
  remove(): Promise<void>;
}

export function callDraft({ log }: QueryPlace): CallDraft {
  let current: { readonly draft: PartDraft; readonly text: string } | null = null;

  async function discard(): Promise<void> {
    await current?.draft.discard();
    current = null;
  }

  return {
    async create(events, seq, requestId, deadlineAt) {
      const text = JSON.stringify(events);
      if (current?.text !== text) {
        await discard();
        current = { draft: log.draft(partBody({ events, requestId })), text };
      }
      try {
        return await current.draft.create(seq + 1, deadlineAt);
      } catch (fault) {
        // Removes nothing where the part is, or may be, in the log.
        await discard();
        throw fault;
      }
    },
    discard,
    async remove() {
      await current?.draft.remove();
    },
  };
}
