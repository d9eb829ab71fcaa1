/** The receipts of a pass: dispatches that lapsed, and what is past its retention. */
import { durationMs } from "../../core/time.ts";
import { RECEIPT_MACHINE } from "../receipt-commands.ts";
import type { AttendedMachine } from "./attend-machine.ts";
import type { PassContext } from "./context.ts";

export function attendedReceipts({ receipts }: PassContext): AttendedMachine {
  const { service, report } = receipts;
  return {
    name: RECEIPT_MACHINE,
    report,
    aheadMs: durationMs(0),
    async attend(stored) {
      const done = await service.due.attend(stored);
      if (done !== "kept") report.countReceipt(done);
    },
    look(stored) {
      const would = service.due.attention(stored);
      if (would !== "kept") report.countReceipt(would);
    },
  };
}
