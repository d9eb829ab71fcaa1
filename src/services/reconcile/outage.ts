/** Whether the mailer is there: in an outage a pass leases no more than it takes to know. */
import type { DeliveryOutcome } from "../../machines/emails/outcome.ts";

/** What one pass knows of its mailer, whatever the tenant. */
export interface Outage {
  /** Whether a further delivery would come to nothing; once so, for the rest of the pass. */
  isCertain(): boolean;
  /** One more delivery ended; true when it is the first that found the mailer unavailable. */
  met(outcome: DeliveryOutcome): boolean;
}

/** Results in a row: a server under load turns one connection away, and takes the next. */
const IN_A_ROW = 3;

export function outageWatch(): Outage {
  let inARow = 0;
  let isKnown = false;
  return {
    isCertain: () => inARow >= IN_A_ROW,
    met({ kind }) {
      if (kind === "unavailable") {
        inARow += 1;
        const isFirst = !isKnown;
        isKnown = true;
        return isFirst;
      }
      const isOfMailer = kind !== "invalid" && kind !== "unprepared";
      // Those that were on their way when it was certain may still end otherwise.
      if (isOfMailer && inARow < IN_A_ROW) inARow = 0;
      return false;
    },
  };
}
