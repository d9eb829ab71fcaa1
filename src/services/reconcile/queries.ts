/** The queries of a pass: runs that lapsed, answers to be completed, and what is past its retention. */
import { QUERY_MACHINE } from "../query-records.ts";
import type { AttendedMachine } from "./attend-machine.ts";
import type { PassContext } from "./context.ts";

export function attendedQueries({ queries }: PassContext): AttendedMachine {
  const { service, report } = queries;
  return {
    name: QUERY_MACHINE,
    report,
    aheadMs: service.due.aheadMs,
    async attend(stored) {
      const done = await service.due.attend(stored);
      if (done !== "kept") report.countQuery(done);
    },
    look(stored) {
      const would = service.due.attention(stored);
      if (would !== "kept") report.countQuery(would);
    },
  };
}
