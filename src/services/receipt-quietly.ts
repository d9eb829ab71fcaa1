/** What is done for a workspace's count beside a call, and must not end that call. */
import { errorText } from "../core/error-text.ts";
import { isPassing } from "./passing.ts";
import type { ReceiptDeps } from "./receipt-commands.ts";

const WHY_CHARS_MAX = 500;

/**
 * Whether `work` was done. Never rejects: it is for what is settled by others later, or by the next who comes
 * by. What does not pass by itself an operator is told.
 */
export async function quietly(
  { log, tenant }: Pick<ReceiptDeps, "log" | "tenant">,
  work: Promise<unknown>,
): Promise<boolean> {
  try {
    await work;
    return true;
  } catch (fault) {
    if (!isPassing(fault)) {
      log("warn", "receipt count not noted", { tenant, detail: errorText(fault, WHY_CHARS_MAX) });
    }
    return false;
  }
}
