import { describeReceipts } from "../../services/receipts-suite.ts";
import { servicesFixture } from "./fixture.ts";

describeReceipts("a bucket of S3", servicesFixture);
