/** The pass that a schedule begins. It throws where an alarm is to be raised: nothing got done. */
import { MisconfiguredError, StoreUnavailableError } from "../../../src/ports/faults.ts";
import { PASS_MS_MIN } from "../../../src/services/reconcile/budget.ts";
import type { PassFailure, PassReport } from "../../../src/services/reconcile/report.ts";
import type { FunctionService } from "../function.ts";
import { isHttpEvent, shapeOf } from "./event.ts";
import type { LambdaHandler } from "./platform.ts";

/** A pass that is told to end does so in six seconds, and its report has to get out. */
const END_MS = 7_000;

/**
 * Takes the events of EventBridge's scheduler and of its rules, which may hold anything. Throws
 * MisconfiguredError, also for a clock that leases cannot be kept by; StoreUnavailableError when no queue
 * could be read; TypeError for what no schedule sends. Everything else is told in the report.
 */
export function reconcileHandler({
  reconcile,
}: Pick<FunctionService, "reconcile">): LambdaHandler<PassReport> {
  return async (event, context) => {
    if (isHttpEvent(event) || Array.isArray(Object(event).Records)) {
      throw new TypeError(`this handler is for a schedule, and got ${shapeOf(event)}`);
    }
    const budgetMs = context.getRemainingTimeInMillis() - END_MS;
    if (budgetMs < PASS_MS_MIN) throw new MisconfiguredError(NO_TIME);
    const report = await reconcile({ budgetMs });
    const down = outageIn(report);
    if (down !== null) throw down;
    return report;
  };
}

const NO_TIME =
  "the function's time-out leaves no time for a pass: give it HOLDFAST_RECONCILE_BUDGET_MS (25 s) and ten seconds more";

const OUTAGE: readonly PassFailure["code"][] = [
  "store_timeout",
  "unavailable",
  "throttled",
  "misconfigured",
];

/** Both queues of a pass. */
const QUEUES = ["deliver", "attend"];

/** Null: something could be read, so that whatever went wrong is one's own among others. */
function outageIn({ emails, receipts, queries, failures }: PassReport): Error | null {
  const counts = [emails, receipts, queries].flatMap((one) => Object.values(one));
  if (counts.some((count) => count > 0)) return null;
  const ofQueues = failures.filter(({ id, code }) => QUEUES.includes(id) && OUTAGE.includes(code));
  if (!QUEUES.every((queue) => ofQueues.some(({ id }) => id === queue))) return null;
  const codes = [...new Set(ofQueues.map(({ code }) => code))];
  const [first] = ofQueues;
  const text = `the pass could read nothing (${codes.join(", ")}): ${first?.why}; ${first?.action}`;
  return codes.includes("misconfigured")
    ? new MisconfiguredError(text)
    : new StoreUnavailableError(text);
}
