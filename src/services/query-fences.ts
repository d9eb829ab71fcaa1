/**
 * The fences of sessions: set before an interrupted run is told, read after its status (protocols 4.3), and
 * taken back once its provider is known to be over.
 */
import { apply, type Decision, reject } from "../core/machine.ts";
import type { EpochMs } from "../core/time.ts";
import {
  held,
  heldUntil,
  NO_FENCE,
  released,
  type SessionFence,
} from "../machines/queries/fence.ts";
import { fenceCodec, fenceKey, type QueryDeps } from "./query-records.ts";
import { quietly } from "./quietly.ts";
import { transact } from "./transact.ts";

export interface SessionFences {
  /** Until when the session is held; null: it is not. */
  heldUntil(fenceId: string): Promise<EpochMs | null>;
  /** Holds it for a job, and tells until when: never for less than it was. */
  hold(fenceId: string, jobId: string, until: EpochMs): Promise<EpochMs>;
  /**
   * Takes the hold of a job back, if there is one, where nobody is at work in its session any more. It may
   * fail, and an operator is told: a hold ends by itself.
   */
  release(fenceId: string, jobId: string): Promise<void>;
}

export function sessionFences(deps: QueryDeps): SessionFences {
  const { store, clock } = deps;
  const changed = (
    fenceId: string,
    decide: (fence: SessionFence, now: EpochMs) => Decision<SessionFence, "none">,
  ) =>
    transact<SessionFence, "none">(deps, fenceCodec, {
      key: fenceKey(fenceId),
      handle: null,
      decide: (fence, now) => decide(fence ?? NO_FENCE, now),
    });

  return {
    async heldUntil(fenceId) {
      const stored = await store.get(fenceKey(fenceId));
      return stored === null ? null : heldUntil(fenceCodec.load(stored), clock.now());
    },
    async hold(fenceId, jobId, until) {
      const result = await changed(fenceId, (fence, now) => apply(held(fence, jobId, until, now)));
      if (result.kind === "rejected") throw new TypeError("a fence refuses nothing");
      return result.state.holds[jobId] ?? until;
    },
    async release(fenceId, jobId) {
      const change = changed(fenceId, (fence, now) =>
        fence.holds[jobId] === undefined ? reject("none") : apply(released(fence, jobId, now)),
      );
      await quietly(deps, "session hold not taken back", change);
    },
  };
}
