/** The steps that all commands on a receipt share. */
import { sha256Hex } from "../../core/hash.ts";
import { type Decision, reject } from "../../core/machine.ts";
import { after, type DurationMs, type EpochMs, epochMs, minutes } from "../../core/time.ts";
import type { FoundReceipt, ReceiptRejection, ReceiptRules } from "./commands.ts";
import type { StoredReceipt } from "./receipt.ts";
import type { LiveReceipt, ReceiptState, RetiredReceipt } from "./record.ts";

export type LiveDecision = Decision<LiveReceipt, ReceiptRejection>;
export type ReceiptDecision = Decision<ReceiptState, ReceiptRejection>;

/** The lease of a dispatch that an original wrote, from dispatchingAt (protocols 6.2, rule 9). */
export const ORIGINAL_DISPATCH_MS: DurationMs = minutes(1);

/**
 * The time that a change is stamped with: a clock that stepped back must not make a receipt that
 * contradicts itself, nor keep it from going on (RECEIPT-43).
 */
export function stampOf({ updatedAt }: StoredReceipt, now: EpochMs): EpochMs {
  return epochMs(Math.max(updatedAt, now));
}

export function isOwner({ extra }: LiveReceipt, token: string | null): boolean {
  return token !== null && extra.dispatch?.tokenHash === sha256Hex(token);
}

/** When the dispatch of a receipt that is dispatching may be given up for lost. */
export function lapsesAt({ receipt, extra }: LiveReceipt, rules: ReceiptRules): EpochMs {
  if (extra.dispatch !== null) return after(extra.dispatch.leaseUntil, rules.marginMs);
  return after(epochMs(receipt.dispatchingAt ?? receipt.updatedAt), ORIGINAL_DISPATCH_MS);
}

export function isLapsed(live: LiveReceipt, now: EpochMs, rules: ReceiptRules): boolean {
  return lapsesAt(live, rules) <= now;
}

/** The receipt with these fields, changed now, and its retention begun or ended. */
export function changed(
  live: LiveReceipt,
  fields: Partial<StoredReceipt>,
  at: EpochMs,
  rules: ReceiptRules,
): LiveReceipt {
  const receipt = { ...live.receipt, ...fields, updatedAt: at };
  const isOpen = receipt.state === "dispatching" || receipt.state === "outcome-unknown";
  return {
    ...live,
    receipt,
    extra: { ...live.extra, retentionUntil: isOpen ? null : retentionFrom(at, rules) },
  };
}

export function retentionFrom(at: EpochMs, { retentionMs }: ReceiptRules): EpochMs | null {
  return retentionMs === null ? null : after(at, retentionMs);
}

export function found({ receipt }: LiveReceipt | RetiredReceipt): FoundReceipt {
  return { state: receipt.state, updatedAt: receipt.updatedAt };
}

export function refuse(
  live: LiveReceipt,
  kind: "invalid_receipt_state" | "dispatch_lost" | "dispatch_live" | "in_use",
) {
  return reject<ReceiptRejection>({ kind, ...found(live) });
}
