/**
 * What the receipt service does on every storage, through the library as an application uses it:
 * `describeReceipts("mine", async () => ({ storage, plant, destroy }))`. `open` gives a fresh, empty
 * storage for each case.
 */
import { afterEach, beforeEach, describe } from "vitest";
import { type Bench, type EmailsFixture, openBench } from "./emails/bench.ts";
import { describeCapacity } from "./receipts/capacity.ts";
import { describeHealing } from "./receipts/healing.ts";
import { describeMarking } from "./receipts/marking.ts";
import { describeOnce } from "./receipts/once.ts";
import { describeOnceDispatch } from "./receipts/once-dispatch.ts";
import { describeOnceUnknown } from "./receipts/once-unknown.ts";
import { describeOnceWaiting } from "./receipts/once-waiting.ts";
import { describePassing } from "./receipts/passing.ts";
import { describePreparing } from "./receipts/preparing.ts";
import { describeReading } from "./receipts/reading.ts";
import { describeRetention } from "./receipts/retention.ts";

export function describeReceipts(name: string, open: () => Promise<EmailsFixture>): void {
  describe(`receipts on ${name}`, () => {
    let bench: Bench;
    beforeEach(async () => {
      bench = await openBench(await open());
    });
    afterEach(() => bench.close());
    const current = (): Bench => bench;

    describePreparing(current);
    describeMarking(current);
    describeReading(current);
    describeCapacity(current);
    describeHealing(current);
    describeRetention(current);
    describeOnce(current);
    describeOnceDispatch(current);
    describeOnceWaiting(current);
    describeOnceUnknown(current);
    describePassing(current);
  });
}
