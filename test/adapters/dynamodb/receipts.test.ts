import { describeReceipts } from "../../services/receipts-suite.ts";
import { emailsFixture, sharedFront } from "./given.ts";

const front = sharedFront();

describeReceipts("DynamoDB", async () =>
  emailsFixture(front().endpoint, await front().createTable()),
);
