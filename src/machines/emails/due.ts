/** When an email job next needs attention, and in which queue. */
import { assert, unreachable } from "../../core/assert.ts";
import type { Due } from "../../core/machine.ts";
import {
  after,
  type DurationMs,
  durationMs,
  type EpochMs,
  epochMs,
  minutes,
} from "../../core/time.ts";
import { kindOf } from "./changes.ts";
import { dispatchedAt } from "./claims.ts";
import { timeOf } from "./fields.ts";
import type { EmailKinds } from "./kinds.ts";
import type { EmailState, LiveEmail } from "./record.ts";

/** Age from which a claim is stale (semantics A6). */
export const AI_STALE_MS: DurationMs = minutes(30);

/** Wait after the first failed attempt; doubled by every further one (EMAIL-79). */
export const RETRY_BASE_MS: DurationMs = minutes(1);

// 60,000 · 2^32 is longer than the calendar: a larger exponent would change nothing but overflow.
const DOUBLINGS_MAX = 32;

/**
 * Null: the job is at its end. One that waits for a text is due since its creation, the longest waiting
 * first; a pending one of such a kind is promoted by nobody, so it is stuck until a caller moves it.
 */
export function dueOfEmail(state: EmailState, kinds: EmailKinds): Due | null {
  switch (state.kind) {
    case "live":
      return dueOfLive(state, kinds);
    case "expired":
    case "erased":
      return null;
    default:
      return unreachable(state);
  }
}

function dueOfLive(email: LiveEmail, kinds: EmailKinds): Due | null {
  const { job, extra } = email;
  switch (job.state) {
    case "pending":
      return pendingDue(email, kindOf(email, kinds).waitsForAi);
    case "awaiting_ai":
      return attend(timeOf(job.createdAt));
    case "ai_dispatched":
      return attend(after(dispatchedAt(job), AI_STALE_MS));
    case "ready":
      return { queue: "deliver", at: deliverAt(email) };
    case "sending":
      assert(job.leaseUntil !== null, "sending without a lease");
      return { queue: "deliver", at: timeOf(job.leaseUntil) };
    case "failed":
      return { queue: "stuck", at: timeOf(job.failedAt ?? job.updatedAt) };
    case "sent":
    case "cancelled":
      return extra.retentionUntil === null ? null : attend(timeOf(extra.retentionUntil));
    default:
      return unreachable(job.state);
  }
}

/** Nothing promotes a job that has to wait for a text: it needs someone to send it to wait. */
function pendingDue({ job }: LiveEmail, waitsForAi: boolean): Due {
  return { queue: waitsForAi ? "stuck" : "attend", at: timeOf(job.updatedAt) };
}

function attend(at: EpochMs): Due {
  return { queue: "attend", at };
}

function deliverAt({ job, extra }: LiveEmail): EpochMs {
  const retryAt = after(timeOf(job.readyAt ?? job.updatedAt), backoffMs(job.attempts));
  const notBefore = extra.notBefore === null ? retryAt : timeOf(extra.notBefore);
  return epochMs(Math.max(notBefore, retryAt));
}

// Exact, without jitter: a caller can tell when the next attempt comes (EMAIL-79).
function backoffMs(attempts: number): DurationMs {
  if (attempts === 0) return durationMs(0);
  return durationMs(RETRY_BASE_MS * 2 ** Math.min(attempts - 1, DOUBLINGS_MAX));
}
