/**
 * What the email service does on every storage, through the library as an application uses it:
 * `describeEmails("mine", async () => ({ storage, plant, destroy }))`. `open` gives a fresh, empty
 * storage for each case.
 */
import { afterEach, beforeEach, describe } from "vitest";
import { describeAiClaims } from "./emails/ai-claims.ts";
import { describeBatches } from "./emails/batches.ts";
import { type Bench, type EmailsFixture, openBench } from "./emails/bench.ts";
import { describeConfig } from "./emails/config.ts";
import { describeCounts } from "./emails/counts.ts";
import { describeDueLeases } from "./emails/due-leases.ts";
import { describeEnqueue } from "./emails/enqueue.ts";
import { describeErased } from "./emails/erased.ts";
import { describeErasure } from "./emails/erasure.ts";
import { describeFirstImports } from "./emails/first-imports.ts";
import { describeHandles } from "./emails/handles.ts";
import { describeKeys } from "./emails/keys.ts";
import { describeKinds } from "./emails/kinds.ts";
import { describeLeases } from "./emails/leases.ts";
import { describeModel } from "./emails/model-property.ts";
import { describeParameters } from "./emails/parameters.ts";
import { describePayloads } from "./emails/payloads.ts";
import { describeRaces } from "./emails/races.ts";
import { describeReading } from "./emails/reading.ts";
import { describeRetention } from "./emails/retention.ts";
import { describeSettlements } from "./emails/settlements.ts";
import { describeTenants } from "./emails/tenants.ts";
import { describeTransitions } from "./emails/transitions.ts";

export type { EmailsFixture } from "./emails/bench.ts";

export function describeEmails(name: string, open: () => Promise<EmailsFixture>): void {
  describe(`emails on ${name}`, () => {
    let bench: Bench;
    beforeEach(async () => {
      bench = await openBench(await open());
    });
    afterEach(() => bench.close());
    const current = (): Bench => bench;

    describeEnqueue(current);
    describeReading(current);
    describeTransitions(current);
    describeAiClaims(current);
    describeLeases(current);
    describeSettlements(current);
    describeDueLeases(current);
    describeFirstImports(current);
    describeConfig(current);
    describeBatches(current);
    describeKeys(current);
    describePayloads(current);
    describeParameters(current);
    describeRetention(current);
    describeErasure(current);
    describeErased(current);
    describeKinds(current);
    describeTenants(current);
    describeHandles(current);
    describeRaces(current);
    describeCounts(current);
    describeModel(current);
  });
}
