import { describePass } from "../../services/reconcile-suite.ts";
import { emailsFixture, sharedFront } from "./given.ts";

const front = sharedFront();

describePass("DynamoDB", async () => emailsFixture(front().endpoint, await front().createTable()));
