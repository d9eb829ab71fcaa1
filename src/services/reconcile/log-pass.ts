/** The line of a pass in the operator's log. */
import type { Log } from "../../ports/log.ts";
import type { PassReport } from "./report.ts";

/**
 * A warning where something went wrong, or there is more for a person: failed jobs, unknown outcomes. A
 * pass that did nothing is no news.
 */
export function logPass(log: Log, report: PassReport): void {
  const { emails, receipts, queries, failures, failuresLeftOut, hasMore } = report;
  const receiptsRecovered = receipts.recovered;
  const receiptsRetired = receipts.retired;
  const ofQueries = {
    queriesCompleted: queries.completed,
    queriesInterrupted: queries.interrupted,
    queriesRetired: queries.retired,
  };
  const all = { ...emails, receiptsRecovered, receiptsRetired, ...ofQueries };
  const counts = Object.entries(all).filter(([, count]) => count > 0);
  const codes = new Map<string, number>();
  for (const { code, count } of failures) codes.set(code, (codes.get(code) ?? 0) + count);
  const failed = [...codes.values()].reduce((sum, count) => sum + count, failuresLeftOut);
  const isBad = failed > 0 || emails.failed > 0 || receiptsRecovered > 0;
  log(isBad ? "warn" : counts.length > 0 ? "info" : "debug", "pass", {
    ...Object.fromEntries(counts),
    failures: failed,
    ...(codes.size === 0 ? {} : { codes: [...codes].map((one) => one.join(" ")).join(", ") }),
    hasMore,
  });
}
