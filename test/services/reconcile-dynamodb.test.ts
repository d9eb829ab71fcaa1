import { emailsFixture, sharedFront } from "../adapters/dynamodb/given.ts";
import { describePass } from "./reconcile-suite.ts";

const front = sharedFront();

describePass("DynamoDB", async () => emailsFixture(front().endpoint, await front().createTable()));
