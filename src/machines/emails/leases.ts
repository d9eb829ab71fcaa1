/** The sending lease: acquire, extend, settle, give back (protocols 2). */
import { assert } from "../../core/assert.ts";
import { sha256Hex } from "../../core/hash.ts";
import { isHolder, isRepeatOf, type Lease, mayBeTakenOver } from "../../core/lease.ts";
import { apply, unchanged } from "../../core/machine.ts";
import {
  after,
  type DurationMs,
  type EpochMs,
  epochMs,
  isoTime,
  minutes,
} from "../../core/time.ts";
import { type EmailDecision, entered, kindOf, refuse, withTexts } from "./changes.ts";
import type { Acquire, AcquireDue, EmailRules, Extend, GiveBack, Settle } from "./commands.ts";
import { dueOfEmail } from "./due.ts";
import { type SettledState, timeOf } from "./fields.ts";
import type { LiveEmail } from "./record.ts";

/** The last error of a job that ran out of attempts and has none of its own. */
export const ATTEMPTS_USED_UP = "every attempt ended without a report";

/** How long a job whose lease was given back is not due: it makes room for those behind it. */
const GIVEN_BACK_MS: DurationMs = minutes(1);

/** The sending lease of a job, null when it has none. */
export function leaseOf(email: LiveEmail): Lease | null {
  const { leaseToken, leaseUntil } = email.job;
  if (leaseToken === null || leaseUntil === null) return null;
  return { token: leaseToken, until: timeOf(leaseUntil), requestId: email.extra.requestId };
}

/** EMAIL-39 to 43. Knows neither back-off nor a maximum of attempts: those are `acquireDue`'s. */
export function acquire(
  email: LiveEmail,
  command: Acquire,
  now: EpochMs,
  rules: EmailRules,
): EmailDecision {
  const lease = leaseOf(email);
  if (lease !== null && isRepeatOf(lease, command.requestId, now)) return unchanged(email);
  const free = lease === null ? email.job.state === "ready" : mayBeTakenOver(lease, now);
  return free ? apply(leased(email, command, now, rules)) : refuse(email, "not_leasable");
}

/**
 * Leases a job that is due, as one of a batch. One whose attempts are used up is failed instead, which
 * also ends the lease of a holder that never reported (EMAIL-81).
 */
export function acquireDue(
  email: LiveEmail,
  command: AcquireDue,
  now: EpochMs,
  rules: EmailRules,
): EmailDecision {
  const due = dueOfEmail(email, rules.kinds);
  if (due === null || due.queue !== "deliver" || due.at > now) return refuse(email, "not_leasable");
  if (email.job.attempts < kindOf(email, rules.kinds).maxAttempts) {
    return apply(leased(email, { ...command, requestId: null }, now, rules));
  }
  const failed = entered(email, "failed", now, rules);
  return apply(withTexts(failed, { lastError: email.job.lastError ?? ATTEMPTS_USED_UP }));
}

interface Acquisition {
  readonly leaseMs: DurationMs;
  readonly leaseToken: string;
  readonly requestId: string | null;
}

/** Now and the duration, which callers keep between a millisecond and a day (EMAIL-40). */
function endOf(leaseMs: DurationMs, now: EpochMs): string {
  assert(leaseMs > 0, "a lease lasts at least a millisecond");
  return isoTime(after(now, leaseMs));
}

function leased(email: LiveEmail, by: Acquisition, now: EpochMs, rules: EmailRules): LiveEmail {
  const { job, extra } = entered(email, "sending", now, rules);
  return {
    kind: "live",
    job: {
      ...job,
      attempts: job.attempts + 1,
      lastError: null,
      leaseUntil: endOf(by.leaseMs, now),
      leaseToken: by.leaseToken,
    },
    extra: { ...extra, epoch: extra.epoch + 1, requestId: by.requestId },
  };
}

/** Also after the lease ran out, as long as nobody took it. */
export function extend(email: LiveEmail, command: Extend, now: EpochMs): EmailDecision {
  const lease = leaseOf(email);
  if (lease === null || !isHolder(lease, command.leaseToken)) return refuse(email, "lease_lost");
  const leaseUntil = endOf(command.leaseMs, now);
  return apply({ ...email, job: { ...email.job, updatedAt: isoTime(now), leaseUntil } });
}

/** EMAIL-44 to 47. Its repeat is answered with the job as it is, until a later settlement. */
export function settle(
  email: LiveEmail,
  command: Settle,
  now: EpochMs,
  rules: EmailRules,
): EmailDecision {
  const { leaseToken, to, lastError } = command;
  return settled(email, { leaseToken, to }, () =>
    withTexts(entered(email, to, now, rules), { lastError }),
  );
}

/**
 * Ready again with the attempts and the `readyAt` from before the lease, and due GIVEN_BACK_MS from now
 * unless it is to be at once.
 * Its repeat is answered as that of a settlement to `ready`.
 */
export function giveBack(
  email: LiveEmail,
  command: GiveBack,
  now: EpochMs,
  rules: EmailRules,
): EmailDecision {
  const { leaseToken, lastError, isAtOnce = false } = command;
  return settled(email, { leaseToken, to: "ready" }, () => {
    const { attempts, readyAt } = email.job;
    const { job, extra } = withTexts(entered(email, "ready", now, rules), { lastError });
    const soonest = after(now, GIVEN_BACK_MS);
    const given = extra.notBefore === null ? soonest : timeOf(extra.notBefore);
    const later = isoTime(epochMs(Math.max(soonest, given)));
    return {
      kind: "live",
      job: {
        ...job,
        // A foreign record may be leased without ever having counted or stamped it.
        attempts: Math.max(0, attempts - 1),
        ...(readyAt === undefined ? {} : { readyAt }),
      },
      extra: isAtOnce ? extra : { ...extra, notBefore: later },
    };
  });
}

interface Settlement {
  readonly leaseToken: string;
  readonly to: SettledState;
}

function settled(email: LiveEmail, by: Settlement, next: () => LiveEmail): EmailDecision {
  const lease = leaseOf(email);
  if (lease === null || !isHolder(lease, by.leaseToken)) {
    return isSettledBy(email, by) ? unchanged(email) : refuse(email, "lease_lost");
  }
  const { kind, job, extra } = next();
  const lastSettlement = { tokenHash: sha256Hex(by.leaseToken), to: by.to };
  return apply({ kind, job, extra: { ...extra, lastSettlement } });
}

// A repeat is told by its token: the job may have moved on since, even to another holder, but no
// later settlement (it would have replaced this one) and no new life (it forgets it) came between.
function isSettledBy(email: LiveEmail, by: Settlement): boolean {
  const last = email.extra.lastSettlement;
  return last !== null && last.to === by.to && last.tokenHash === sha256Hex(by.leaseToken);
}
