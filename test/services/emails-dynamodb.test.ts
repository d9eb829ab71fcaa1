import { emailsFixture, sharedFront } from "../adapters/dynamodb/given.ts";
import { describeEmails } from "./emails-suite.ts";

const front = sharedFront();

describeEmails("DynamoDB", async () =>
  emailsFixture(front().endpoint, await front().createTable()),
);
