/** Which receipts wait for a person, why, and what that person can do. */
import { type EpochMs, epochMs } from "../../core/time.ts";
import type { ReceiptState } from "./record.ts";

/** Texts of our own only: nothing of what the operation was or came to. */
export interface StuckReceipt {
  readonly since: EpochMs;
  readonly why: string;
  readonly action: string;
}

export const STUCK_RECEIPT_TEXT = {
  why: "its side effect was begun, and nobody told what came of it",
  action: "find out whether it happened, then resolve it",
} as const;

/** Null: nobody need do anything. */
export function stuckReceipt(state: ReceiptState): StuckReceipt | null {
  if (state.kind !== "live") return null;
  const { receipt, extra } = state;
  if (receipt.state !== "outcome-unknown" || extra.resolution !== null) return null;
  const since = epochMs(receipt.outcomeUnknownAt ?? receipt.updatedAt);
  return { since, ...STUCK_RECEIPT_TEXT };
}
