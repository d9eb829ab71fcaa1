import { describeQueries } from "../../services/queries-suite.ts";
import { emailsFixture, sharedFront } from "./given.ts";

const front = sharedFront();

describeQueries("DynamoDB", async () =>
  emailsFixture(front().endpoint, await front().createTable()),
);
