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
 * The result as it may be stored of the receipt that `ref` names, which is read where its operation is not
 * known, and answered to save the next read. What no operation can result in is refused before
 * (RECEIPT-20). Throws OperationReceiptContractError.
 */
export type ResultFor = (ref: ReceiptRef, result: unknown) => Promise<CheckedResult>;

export function resultFor(operations: Operations, commands: ReceiptCommands): ResultFor {
  return async (ref, result) => {
    if (typeof ref === "object" && ref !== null && "tool" in ref && "action" in ref) {
      const operation = operationOf({ tool: `${ref.tool}`, action: `${ref.action}` }, operations);
      return { kind: "checked", ref, result: checkedResult(result, operation) };
    }
    checkedForAny(result, operations);
    const found = await commands.read(ref);
    if (found.kind === "rejected") return found;
    const { receipt } = found;
    const checked = checkedResult(result, operationOf(receipt, operations));
    return { kind: "checked", ref: receipt, result: checked };
  };
}
