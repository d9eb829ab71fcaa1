/** The first record of an operation, and what a repeat of it is told. */
import { apply, reject, unchanged } from "../../core/machine.ts";
import type { EpochMs } from "../../core/time.ts";
import { type LiveDecision, retentionFrom } from "./changes.ts";
import type { Prepare, ReceiptRejection, ReceiptRules } from "./commands.ts";
import { dispatched } from "./dispatch.ts";
import { keyOf, receiptIdOf } from "./key.ts";
import type { LiveReceipt, RetiredReceipt, VoidReceipt } from "./record.ts";
import { expired } from "./retention.ts";

/** Where there is none yet (RECEIPT-1). */
export function prepareNew(
  state: VoidReceipt | null,
  command: Prepare,
  now: EpochMs,
  rules: ReceiptRules,
): LiveDecision {
  const { reservation, dispatch } = command;
  const over = state?.mark ?? null;
  // A void receipt that came after the reservation may have been written to give back this very one.
  if (reservation === "needed" || (reservation !== null && reservation.over !== over)) {
    return reject<ReceiptRejection>({ kind: "place_needed", over });
  }
  const prepared = preparedAt(command, reservation?.nonce ?? null, now, rules);
  return apply(dispatch === null ? prepared : dispatched(prepared, dispatch, now, rules));
}

/** Where there is one: the same payload gets it, whatever its state; another is refused. */
export function prepareAgain(
  live: LiveReceipt,
  command: Prepare,
  now: EpochMs,
  rules: ReceiptRules,
): LiveDecision {
  const { dispatch, payloadHashes } = command;
  if (!payloadHashes.includes(live.receipt.payloadHash)) return conflict(live);
  if (dispatch === null || live.receipt.state !== "prepared") return unchanged(live);
  return apply(dispatched(live, dispatch, now, rules));
}

/** Where there was one. */
export function prepareOver(state: LiveReceipt | RetiredReceipt, command: Prepare): LiveDecision {
  const isSame = command.payloadHashes.includes(state.receipt.payloadHash);
  return isSame ? expired(state) : conflict(state);
}

function conflict({ receipt: { id } }: LiveReceipt | RetiredReceipt): LiveDecision {
  return reject<ReceiptRejection>({ kind: "operation_receipt_conflict", id, differs: "payload" });
}

function preparedAt(
  command: Prepare,
  slot: string | null,
  now: EpochMs,
  rules: ReceiptRules,
): LiveReceipt {
  return {
    kind: "live",
    receipt: {
      version: 1,
      id: receiptIdOf(command.key),
      ...keyOf(command.key),
      payloadHash: command.payloadHashes[0],
      state: "prepared",
      createdAt: now,
      updatedAt: now,
      preparedAt: now,
    },
    extra: {
      slot,
      dispatch: null,
      resolution: null,
      retentionUntil: retentionFrom(now, rules),
    },
  };
}
