import { afterAll } from "vitest";
import { describeReceipts } from "../../services/receipts-suite.ts";
import { emailsFixture, openR2 } from "./fixture.ts";

const r2 = await openR2();
afterAll(() => r2.close());

describeReceipts("R2", async () => emailsFixture(r2));
