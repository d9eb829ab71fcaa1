/** The fences of sessions: set before an interrupted run is told, read after its status (protocols 4.3). */
import { apply } from "../core/machine.ts";
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
  /** Takes the hold of a job back that ended otherwise, if that can be done: it ends by itself. */
  release(fenceId: string, jobId: string): Promise<void>;
}

export function sessionFences(deps: QueryDeps): SessionFences {
  const { store, clock } = deps;
  const changed = (fenceId: string, next: (fence: SessionFence, now: EpochMs) => SessionFence) =>
    transact<SessionFence, never>(deps, fenceCodec, {
      key: fenceKey(fenceId),
      handle: null,
      decide: (fence, now) => apply(next(fence ?? NO_FENCE, now)),
    });

  return {
    async heldUntil(fenceId) {
      const stored = await store.get(fenceKey(fenceId));
      return stored === null ? null : heldUntil(fenceCodec.load(stored), clock.now());
    },
    async hold(fenceId, jobId, until) {
      const result = await changed(fenceId, (fence, now) => held(fence, jobId, until, now));
      if (result.kind === "rejected") throw new TypeError("a fence refuses nothing");
      return result.state.holds[jobId] ?? until;
    },
    async release(fenceId, jobId) {
      const change = changed(fenceId, (fence, now) => released(fence, jobId, now));
      await quietly(deps, "session hold not taken back", change);
    },
  };
}
