/**
 * What a pass does on every storage, through the library as an application uses it; `open` as in the
 * suite of the emails.
 */
import { afterEach, beforeEach, describe } from "vitest";
import { type Bench, type EmailsFixture, openBench } from "./emails/bench.ts";
import { describeAttending } from "./reconcile/attending.ts";
import { describeDelivery } from "./reconcile/delivery.ts";
import { describeDiscovery } from "./reconcile/discovery.ts";
import { describeDryRuns, describeTenantsInTurn } from "./reconcile/looking.ts";
import { describeOutages } from "./reconcile/outages.ts";
import { describeOutcomes } from "./reconcile/outcomes.ts";
import { describeOverlapping } from "./reconcile/overlapping.ts";
import { describeTiming } from "./reconcile/timing.ts";

export function describePass(name: string, open: () => Promise<EmailsFixture>): void {
  describe(`a pass on ${name}`, () => {
    let bench: Bench;
    beforeEach(async () => {
      bench = await openBench(await open());
    });
    afterEach(() => bench.close());
    const current = (): Bench => bench;

    describeDiscovery(current);
    describeAttending(current);
    describeDelivery(current);
    describeOutcomes(current);
    describeOutages(current);
    describeTiming(current);
    describeOverlapping(current);
    describeDryRuns(current);
    describeTenantsInTurn(current);
  });
}
