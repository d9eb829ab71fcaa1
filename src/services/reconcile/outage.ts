/** Whether the mailer is there: in an outage a pass leases no more than it takes to know. */
import type { DeliveryOutcome } from "../../machines/emails/outcome.ts";

/** What one pass knows of its mailer for one tenant. */
export interface Outage {
  /** Whether a further delivery would come to nothing; once so, for the rest of the pass. */
  isCertain(): boolean;
  /** One more delivery ended; true when it is the tenant's first that found the mailer unavailable. */
  met(outcome: DeliveryOutcome): boolean;
}

/** What it knows for all tenants: a mailer may send each tenant's mail by another way. */
export interface OutageWatch {
  /** Whether it is certain for two tenants, and so for all. */
  isCommon(): boolean;
  ofTenant(): Outage;
}

/** Results in a row: a server under load turns one connection away, and takes the next. */
const IN_A_ROW = 3;

/** Tenants for whom it is certain before it is for all. */
const TENANTS = 2;

export function outageWatch(): OutageWatch {
  let certain = 0;
  const isCommon = (): boolean => certain >= TENANTS;
  return {
    isCommon,
    ofTenant() {
      // One more that meets what is certain for another already tells enough by its first.
      const enough = certain === 0 ? IN_A_ROW : 1;
      let inARow = 0;
      let isKnown = false;
      return {
        isCertain: () => isCommon() || inARow >= enough,
        met({ kind }) {
          if (kind === "unavailable") {
            inARow += 1;
            if (inARow === enough) certain += 1;
            const isFirst = !isKnown;
            isKnown = true;
            return isFirst;
          }
          const isOfMailer = kind !== "invalid" && kind !== "unprepared" && kind !== "unbegun";
          // Those that were on their way when it was certain may still end otherwise.
          if (isOfMailer && inARow < enough) inARow = 0;
          return false;
        },
      };
    },
  };
}
