/** When a receipt next needs attention, and in which queue. */
import { unreachable } from "../../core/assert.ts";
import type { Due } from "../../core/machine.ts";
import { type EpochMs, epochMs } from "../../core/time.ts";
import { lapsesAt } from "./changes.ts";
import type { ReceiptRules } from "./commands.ts";
import type { LiveReceipt, ReceiptState } from "./record.ts";
import { agesAt } from "./retention.ts";

/** Null: nothing is to be done, ever. */
export function dueOfReceipt(state: ReceiptState, rules: ReceiptRules): Due | null {
  switch (state.kind) {
    case "live":
      return dueOfLive(state, rules);
    case "retired":
      // Whoever finds it gives its scope the place back.
      return state.freed ? null : attend(epochMs(state.receipt.updatedAt));
    case "void":
      return null;
    default:
      return unreachable(state);
  }
}

function dueOfLive(live: LiveReceipt, rules: ReceiptRules): Due | null {
  const { receipt, extra } = live;
  if (receipt.state === "dispatching") return attend(lapsesAt(live, rules));
  if (receipt.state === "outcome-unknown" && extra.resolution === null) {
    return { queue: "stuck", at: epochMs(receipt.outcomeUnknownAt ?? receipt.updatedAt) };
  }
  return attend(agesAt(live, rules));
}

function attend(at: EpochMs | null): Due | null {
  return at === null ? null : { queue: "attend", at };
}
