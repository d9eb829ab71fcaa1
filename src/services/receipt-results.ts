/** Results as they may be stored of one receipt: its operation says what they must be. */
import type { JsonValue } from "../core/json.ts";
import type { ReceiptRejection } from "../machines/receipts/commands.ts";
import type { Operations } from "../machines/receipts/operations.ts";
import type { ReceiptCommands, ReceiptRef } from "./receipt-commands.ts";
import { checkedForAny, checkedResult, operationOf } from "./receipt-input.ts";

export type CheckedResult =
  | { readonly kind: "checked"; readonly ref: ReceiptRef; readonly result: JsonValue }
  | { readonly kind: "rejected"; readonly rejection: ReceiptRejection };

/**
 * The result as it may be stored of the receipt that `ref` names. It is read, and answered to save the next
 * read, unless this service itself answered it: what others say of its operation is not believed. What no operation can result in is refused before
 * (RECEIPT-20). Throws OperationReceiptContractError.
 */
export type ResultFor = (ref: ReceiptRef, result: unknown) => Promise<CheckedResult>;

export function resultFor(operations: Operations, commands: ReceiptCommands): ResultFor {
  return async (ref, result) => {
    const own = commands.answeredAs(ref);
    if (own !== null) {
      return {
        kind: "checked",
        ref: own,
        result: checkedResult(result, operationOf(own, operations)),
      };
    }
    checkedForAny(result, operations);
    const found = await commands.read(ref);
    if (found.kind === "rejected") return found;
    const { receipt } = found;
    const checked = checkedResult(result, operationOf(receipt, operations));
    return { kind: "checked", ref: receipt, result: checked };
  };
}
