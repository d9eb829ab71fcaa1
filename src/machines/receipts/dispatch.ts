/** The right to run the side effect: taken, renewed, lost (protocols 6.2). */
import { assert } from "../../core/assert.ts";
import { sha256Hex } from "../../core/hash.ts";
import { apply, unchanged } from "../../core/machine.ts";
import { after, type EpochMs } from "../../core/time.ts";
import { changed, isLapsed, isOwner, type LiveDecision, refuse, stampOf } from "./changes.ts";
import type {
  Acquisition,
  Dispatch,
  MarkUnknown,
  ReceiptRules,
  Release,
  Renew,
} from "./commands.ts";
import type { DispatchLease, LiveReceipt } from "./record.ts";

/** The receipt dispatched now, to whoever has the token. */
export function dispatched(
  live: LiveReceipt,
  by: Acquisition,
  now: EpochMs,
  rules: ReceiptRules,
): LiveReceipt {
  const at = stampOf(live.receipt, now);
  const next = changed(live, { state: "dispatching", dispatchingAt: at }, at, rules);
  return { ...next, extra: { ...next.extra, dispatch: leaseOf(by, now) } };
}

function leaseOf({ token, leaseMs }: Acquisition, now: EpochMs): DispatchLease {
  assert(leaseMs > 0, "a lease lasts at least a millisecond");
  return { tokenHash: sha256Hex(token), leaseUntil: after(now, leaseMs) };
}

/**
 * One that is dispatching already is answered unchanged, to its owner and to everybody else: whoever
 * asked knows by its token which of them it is (RECEIPT-14, RECEIPT-16).
 */
export function dispatch(
  live: LiveReceipt,
  command: Dispatch,
  now: EpochMs,
  rules: ReceiptRules,
): LiveDecision {
  if (live.receipt.state === "prepared") return apply(dispatched(live, command, now, rules));
  if (live.receipt.state === "dispatching") return unchanged(live);
  return refuse(live, "invalid_receipt_state");
}

/** Also after the lease ran out, as long as nobody gave the dispatch up for lost. */
export function renew(
  live: LiveReceipt,
  command: Renew,
  now: EpochMs,
  rules: ReceiptRules,
): LiveDecision {
  if (live.receipt.state !== "dispatching" || !isOwner(live, command.token)) {
    return refuse(live, "dispatch_lost");
  }
  const next = changed(live, {}, stampOf(live.receipt, now), rules);
  return apply({ ...next, extra: { ...next.extra, dispatch: leaseOf(command, now) } });
}

/**
 * Prepared again, with nothing left of the dispatch. Only for an owner that has not begun the side effect
 * and never will under this token, whatever it hears: then nobody runs anything for it, also where the reply
 * is lost, and the receipt is either prepared or lapses as any dispatch. The write is a conditional one on
 * the dispatch itself, so that it lands on that or not at all, however late: a recovery that was first keeps
 * it out, and whoever dispatches after it has a token of its own, which the late write knows nothing of.
 */
export function release(
  live: LiveReceipt,
  { token }: Release,
  now: EpochMs,
  rules: ReceiptRules,
): LiveDecision {
  if (live.receipt.state !== "dispatching" || !isOwner(live, token)) {
    return refuse(live, "dispatch_lost");
  }
  const { dispatchingAt: _neverBegun, ...receipt } = live.receipt;
  const back: LiveReceipt = { ...live, receipt, extra: { ...live.extra, dispatch: null } };
  return apply(changed(back, { state: "prepared" }, stampOf(receipt, now), rules));
}

/** By the owner at once; by anyone else only once the dispatch has lapsed: then it is a recovery. */
export function markUnknown(
  live: LiveReceipt,
  command: MarkUnknown,
  now: EpochMs,
  rules: ReceiptRules,
): LiveDecision {
  if (live.receipt.state === "outcome-unknown") return unchanged(live);
  if (live.receipt.state !== "dispatching") return refuse(live, "invalid_receipt_state");
  const may = isOwner(live, command.token) || isLapsed(live, now, rules);
  return may ? apply(unknown(live, now, rules)) : refuse(live, "dispatch_lost");
}

/** RECEIPT-25 to 27: what is not a lapsed dispatch is left alone. */
export function recover(live: LiveReceipt, now: EpochMs, rules: ReceiptRules): LiveDecision {
  if (live.receipt.state !== "dispatching") return refuse(live, "invalid_receipt_state");
  return isLapsed(live, now, rules)
    ? apply(unknown(live, now, rules))
    : refuse(live, "dispatch_live");
}

/** The token stays, so that its owner can still tell the truth. */
function unknown(live: LiveReceipt, now: EpochMs, rules: ReceiptRules): LiveReceipt {
  const at = stampOf(live.receipt, now);
  return changed(live, { state: "outcome-unknown", outcomeUnknownAt: at }, at, rules);
}
