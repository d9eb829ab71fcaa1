import { describeEmails } from "../../services/emails-suite.ts";
import { emailsFixture, sharedFront } from "./given.ts";

const front = sharedFront();

describeEmails("DynamoDB", async () =>
  emailsFixture(front().endpoint, await front().createTable()),
);
