/**
 * The rules of a lease, the same in every machine: time decides only when somebody else may take it,
 * the token alone decides who may write.
 */
import { isSameText } from "./same-text.ts";
import type { EpochMs } from "./time.ts";

/** A temporary right to act, held by whoever knows `token`. */
export interface Lease {
  /** Minted for this acquisition and used by no other. */
  readonly token: string;
  readonly until: EpochMs;
  /** The caller's own mark of the call that acquired it; recognises a repeat, proves nothing. */
  readonly requestId: string | null;
}

/** Whether the lease has time left. Never a reason to refuse its holder: see `isHolder`. */
export function isHeld(lease: Lease, now: EpochMs): boolean {
  return lease.until > now;
}

/** Whether somebody else may take the lease now: from `until` on, that instant included (EMAIL-42). */
export function mayBeTakenOver(lease: Lease, now: EpochMs): boolean {
  return lease.until <= now;
}

/**
 * Whether `token` is the credential of this lease. It takes no time on purpose: a lease that ran out
 * and was taken by nobody is still its holder's (EMAIL-46).
 */
export function isHolder(lease: Lease, token: string): boolean {
  return isSameText(token, lease.token);
}

/**
 * Whether an acquisition marked `requestId` is the repeat of the one that made this lease. After the
 * lease ran out it is not: the repeat then acquires anew, under a token of its own (protocols 2.3).
 */
export function isRepeatOf(lease: Lease, requestId: string | null, now: EpochMs): boolean {
  return requestId !== null && lease.requestId === requestId && isHeld(lease, now);
}
