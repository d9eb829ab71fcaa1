/**
 * What the query service does on every storage, through the library as an application uses it:
 * `describeQueries("mine", async () => ({ storage, plant, destroy }))`. `open` gives a fresh, empty
 * storage for each case.
 */
import { afterEach, beforeEach, describe } from "vitest";
import { type Bench, type EmailsFixture, openBench } from "./emails/bench.ts";
import { describeAdmitting } from "./queries/admitting.ts";
import { describeFollowing } from "./queries/following.ts";
import { describeHolding } from "./queries/holding.ts";
import { describeMoving } from "./queries/moving.ts";
import { describeReading } from "./queries/reading.ts";
import { describeRecovering } from "./queries/recovering.ts";

export function describeQueries(name: string, open: () => Promise<EmailsFixture>): void {
  describe(`queries on ${name}`, () => {
    let bench: Bench;
    beforeEach(async () => {
      bench = await openBench(await open());
    });
    afterEach(() => bench.close());
    const current = (): Bench => bench;

    describeAdmitting(current);
    describeMoving(current);
    describeHolding(current);
    describeReading(current);
    describeFollowing(current);
    describeRecovering(current);
  });
}
