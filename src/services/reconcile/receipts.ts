/** The receipts of a pass: dispatches that lapsed, and what is past its retention. */
import { RECEIPT_MACHINE } from "../receipt-commands.ts";
import type { AttendedMachine } from "./attend.ts";
import type { PassContext } from "./context.ts";

export function attendedReceipts({ receipts }: PassContext): AttendedMachine {
  const { service, report } = receipts;
  return {
    name: RECEIPT_MACHINE,
    report,
    async visit(stored) {
      const done = await service.due.attend(stored);
      if (done === "kept") return true;
      report.countReceipt(done);
      return false;
    },
    look(stored) {
      const would = service.due.attention(stored);
      if (would !== "kept") report.countReceipt(would);
    },
  };
}
